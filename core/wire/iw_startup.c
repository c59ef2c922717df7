#include "iw_startup.h"

#include <assert.h>
#include <string.h>

const uint8_t iw_startup_key_request[16] = {
    'M', 'P', 'A', ' ', 'I', 'D', ' ', 'R', 'e', 'q', ' ', 'F', 'r', 'a', 'm', 'e'};
const uint8_t iw_startup_key_reply[16] = {
    'M', 'P', 'A', ' ', 'I', 'D', ' ', 'R', 'e', 'p', ' ', 'F', 'r', 'a', 'm', 'e'};

enum iw_startup_key iw_startup_key_of(const uint8_t key[16]) {
    if (memcmp(key, iw_startup_key_request, 16) == 0)
        return IW_STARTUP_REQUEST;
    if (memcmp(key, iw_startup_key_reply, 16) == 0)
        return IW_STARTUP_REPLY;
    return IW_STARTUP_UNKNOWN;
}

unsigned iw_startup_rtr(const struct iw_mpa_enhanced *enhanced) {
    return (enhanced->b ? IW_RTR_SEND : 0u) | (enhanced->c ? IW_RTR_WRITE : 0u) |
           (enhanced->d ? IW_RTR_READ : 0u);
}

const char *const iw_rtr_names[] = {"send", "write", "read", NULL};

const char *iw_startup_rtr_text(unsigned rtr) {
    static const char *const texts[] = {
        [0] = "none",
        [IW_RTR_SEND] = "zero-length Send",
        [IW_RTR_WRITE] = "zero-length RDMA Write",
        [IW_RTR_READ] = "zero-length RDMA Read",
        [IW_RTR_SEND | IW_RTR_WRITE] = "zero-length Send or RDMA Write",
        [IW_RTR_SEND | IW_RTR_READ] = "zero-length Send or RDMA Read",
        [IW_RTR_WRITE | IW_RTR_READ] = "zero-length RDMA Write or RDMA Read",
        [IW_RTR_SEND | IW_RTR_WRITE | IW_RTR_READ] = "zero-length Send, RDMA Write or RDMA Read",
    };

    assert(rtr < sizeof texts / sizeof *texts);
    return texts[rtr];
}

bool iw_startup_is_defined(const struct iw_startup *frame) {
    return frame->header.rev <= IW_STARTUP_REV_MAX;
}

const char *iw_startup_dialect(uint8_t rev) {
    return rev == IW_STARTUP_REV_ERDMA ? "erdma" : NULL;
}

size_t iw_startup_octets(const uint8_t header[iw_mpa_startup_octets]) {
    return iw_mpa_startup_octets + iw_field_get(&iw_fields[iw_field_mpa_startup_pd_length], header);
}

size_t iw_startup_extension(const uint8_t header[iw_mpa_startup_octets]) {
    uint64_t rev = iw_field_get(&iw_fields[iw_field_mpa_startup_rev], header);

    return rev == IW_STARTUP_REV_ERDMA ? iw_mpa_erdma_octets : 0;
}

void iw_startup_decode(const uint8_t *octets, size_t length, struct iw_startup *frame) {
    size_t there = length - iw_mpa_startup_octets;
    size_t extension;

    assert(length >= iw_mpa_startup_octets);
    memset(frame, 0, sizeof *frame);
    iw_mpa_startup_decode(octets, &frame->header);
    frame->key = iw_startup_key_of(frame->header.key);
    extension = iw_startup_extension(octets);
    frame->erdma = extension > 0 && there >= extension + frame->header.pd_length;
    if (frame->erdma)
        iw_mpa_erdma_decode(octets + iw_mpa_startup_octets, &frame->erdma_data);
    else
        extension = 0;
    there -= extension;
    frame->private_data = octets + iw_mpa_startup_octets + extension;
    frame->private_octets = frame->header.pd_length < there ? frame->header.pd_length : there;

    /* With Rev 0 or 1 the S bit is one of the reserved bits (RFC 6581 6). */
    if (frame->header.s && frame->header.rev == 2 && frame->private_octets >= iw_mpa_enhanced_octets) {
        frame->enhanced = true;
        iw_mpa_enhanced_decode(frame->private_data, &frame->enhanced_data);
        frame->private_data += iw_mpa_enhanced_octets;
        frame->private_octets -= iw_mpa_enhanced_octets;
    }
}

#include "iw_header_log.h"

#include <assert.h>
#include <string.h>

enum { HEADER_LOG_OFFSET_MAX = (1 << 30) - 1 };

static uint8_t header_log_ddp_octets_of(const struct iw_logged_header *logged) {
    return logged->tagged ? iw_ddp_tagged_octets : iw_ddp_untagged_octets;
}

void iw_header_log_add(struct iw_header_log *log, const struct iw_segment *segment, const uint8_t *header,
    bool alone, uint64_t offset, uint64_t frame) {
    struct iw_logged_header *logged;

    if (log->count >= IW_HEADER_LOG_MAX || offset > HEADER_LOG_OFFSET_MAX) {
        log->count = IW_HEADER_LOG_MAX + 1;
        return;
    }
    logged = &log->headers[log->count++];
    *logged = (struct iw_logged_header){.offset = offset & HEADER_LOG_OFFSET_MAX,
        .tagged = segment->tagged,
        .alone = alone,
        .frame = frame <= UINT32_MAX ? (uint32_t)frame : 0,
        .length = segment->length};
    assert(segment->ddp_octets == header_log_ddp_octets_of(logged));
    memcpy(logged->header, header, segment->ddp_octets);
}

static uint32_t header_log_count(const struct iw_header_log *log) {
    return log->count <= IW_HEADER_LOG_MAX ? log->count : 0;
}

/* `logged` and `wanted` must be both tagged, or both untagged. */
static bool header_log_may_match(
    const struct iw_logged_header *logged, const struct iw_segment *wanted, bool any_mo) {
    struct iw_segment sent = {.tagged = wanted->tagged};
    uint8_t octets[2][iw_ddp_untagged_octets];
    struct iw_segment segment = *wanted;
    size_t count;

    iw_segment_decode_ddp(logged->header, &sent);
    if (!logged->alone)
        segment.last = sent.last;
    if (any_mo)
        segment.mo = sent.mo;
    count = iw_segment_encode_ddp(&sent, octets[0]);
    return iw_segment_encode_ddp(&segment, octets[1]) == count && memcmp(octets[0], octets[1], count) == 0;
}

bool iw_header_log_has(const struct iw_header_log *log, const uint8_t *header, uint8_t ddp_octets,
    bool any_mo, uint64_t received) {
    struct iw_segment wanted = {.tagged = ddp_octets == iw_ddp_tagged_octets};

    iw_segment_decode_ddp(header, &wanted);
    for (uint32_t i = 0; i < header_log_count(log); i++)
        if (log->headers[i].offset < received && header_log_ddp_octets_of(&log->headers[i]) == ddp_octets &&
            header_log_may_match(&log->headers[i], &wanted, any_mo))
            return true;
    return false;
}

const struct iw_logged_header *iw_header_log_find(
    const struct iw_header_log *log, const uint8_t *header, uint8_t ddp_octets) {
    const struct iw_logged_header *found = NULL;

    for (uint32_t i = 0; i < header_log_count(log); i++) {
        if (header_log_ddp_octets_of(&log->headers[i]) != ddp_octets ||
            memcmp(log->headers[i].header, header, ddp_octets) != 0)
            continue;
        if (found != NULL)
            return NULL;
        found = &log->headers[i];
    }
    return found;
}

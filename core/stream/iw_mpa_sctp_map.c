#include "iw_mpa_sctp_map.h"

#include <string.h>

#include "iw_name.h"

enum { SSN_OCTETS = iw_sctp_segment_octets, CONTROL_OCTETS = iw_sctp_control_octets };

size_t iw_mpa_sctp_map_control(
    unsigned function, uint16_t ssn, const uint8_t *private_data, size_t length, uint8_t *octets) {
    const struct iw_sctp_control header = {.ssn = ssn, .function = (uint16_t)function};

    iw_sctp_control_encode(&header, octets);
    if (length > 0)
        memcpy(octets + CONTROL_OCTETS, private_data, length);
    return CONTROL_OCTETS + length;
}

/* Over both TCP and SCTP, private data begin with the enhanced data (RFC 6581 6, 7). */
static size_t map_startup_to_control(const struct iw_llp_event *event, uint16_t ssn, uint8_t *octets) {
    static const unsigned functions[][3] = {{IW_SCTP_INITIATE, IW_SCTP_ACCEPT, IW_SCTP_REJECT},
        {IW_SCTP_ENHANCED_INITIATE, IW_SCTP_ENHANCED_ACCEPT, IW_SCTP_ENHANCED_REJECT}};
    const struct iw_startup *startup = event->startup;
    unsigned kind = startup->key == IW_STARTUP_REQUEST ? 0 : startup->header.r ? 2 : 1;

    if (startup->key == IW_STARTUP_UNKNOWN)
        return 0;
    return iw_mpa_sctp_map_control(functions[startup->enhanced][kind], ssn,
        event->image + iw_mpa_startup_octets, event->image_captured - iw_mpa_startup_octets, octets);
}

static size_t map_fpdu_to_segment(const struct iw_fpdu *fpdu, uint16_t ssn, uint8_t *octets) {
    const struct iw_sctp_segment header = {.ssn = ssn};
    uint32_t length = iw_fpdu_ulpdu_captured(fpdu);

    iw_sctp_segment_encode(&header, octets);
    memcpy(octets + SSN_OCTETS, iw_fpdu_ulpdu(fpdu), length);
    return SSN_OCTETS + length;
}

size_t iw_mpa_sctp_map_sctp(const struct iw_llp_event *event, uint16_t ssn, uint8_t *octets, uint32_t *ppid) {
    *ppid = event->kind == IW_LLP_SEGMENT ? IW_SCTP_PPID_SEGMENT : IW_SCTP_PPID_CONTROL;
    if (event->kind == IW_LLP_SEGMENT)
        return map_fpdu_to_segment(event->fpdu, ssn, octets);
    return event->kind == IW_LLP_STARTUP ? map_startup_to_control(event, ssn, octets) : 0;
}

bool iw_mpa_sctp_map_startup(
    const struct iw_sctp_session *session, size_t private_octets, struct iw_startup *startup) {
    uint16_t function = session->header.function;
    bool initiates = function == IW_SCTP_INITIATE || function == IW_SCTP_ENHANCED_INITIATE;
    bool enhanced = function >= IW_SCTP_ENHANCED_INITIATE;

    if (function < IW_SCTP_INITIATE || function > IW_SCTP_ENHANCED_REJECT || function == IW_SCTP_TERMINATE)
        return false;
    *startup = (struct iw_startup){.key = initiates ? IW_STARTUP_REQUEST : IW_STARTUP_REPLY,
        .header = {.rev = enhanced ? 2 : 1,
            .s = enhanced,
            .r = function == IW_SCTP_REJECT || function == IW_SCTP_ENHANCED_REJECT,
            .pd_length = (uint16_t)private_octets},
        .enhanced = session->enhanced,
        .enhanced_data = session->enhanced_data};
    memcpy(startup->header.key, initiates ? iw_startup_key_request : iw_startup_key_reply,
        sizeof startup->header.key);
    return true;
}

static size_t map_control_to_startup(const struct iw_sctp_message *message, uint8_t *octets) {
    struct iw_sctp_session session;
    struct iw_startup startup;
    size_t length = message->captured - CONTROL_OCTETS;

    if (!iw_sctp_session_decode(message->octets, message->captured, &session) || length > IW_STARTUP_PD_MAX ||
        !iw_mpa_sctp_map_startup(&session, length, &startup))
        return 0;
    iw_mpa_startup_encode(&startup.header, octets);
    memcpy(octets + iw_mpa_startup_octets, message->octets + CONTROL_OCTETS, length);
    return iw_mpa_startup_octets + length;
}

static size_t map_segment_to_fpdu(const struct iw_sctp_message *message, uint8_t *octets) {
    uint32_t length = message->captured - SSN_OCTETS;
    const struct iw_mpa_fpdu header = {.ulpdu_length = (uint16_t)length};
    size_t end = iw_mpa_fpdu_octets + length;

    if (length > UINT16_MAX)
        return 0;
    iw_mpa_fpdu_encode(&header, octets);
    memcpy(octets + iw_mpa_fpdu_octets, message->octets + SSN_OCTETS, length);
    memset(octets + end, 0, iw_fpdu_pad(length) + iw_mpa_crc_octets);
    return end + iw_fpdu_pad(length) + iw_mpa_crc_octets;
}

size_t iw_mpa_sctp_map_mpa(const struct iw_sctp_message *message, uint8_t *octets) {
    if (message->ppid == IW_SCTP_PPID_CONTROL && message->captured >= CONTROL_OCTETS)
        return map_control_to_startup(message, octets);
    if (message->ppid == IW_SCTP_PPID_SEGMENT && message->captured >= SSN_OCTETS)
        return map_segment_to_fpdu(message, octets);
    return 0;
}

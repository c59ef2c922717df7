#include "iw_monitor_event.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "iw_plural.h"

const char *iw_role_name(enum iw_role role) {
    static const char *const names[] = {"unknown", "initiator", "responder"};

    return names[role];
}

static const struct {
    const char *key, *one, *many, *why;
} unjudged_names[] = {
    [IW_UNJUDGED_LOST] = {"lost", "octet not captured", "octets not captured",
        "TCP octets are missing: the capture lost packets"},
    [IW_UNJUDGED_CUT] = {"cut", "octet cut by the capture", "octets cut by the capture",
        "packets are shorter than on the wire (snaplen)"},
    [IW_UNJUDGED_STARTUP] = {"startup", "side whose role or terms are not known",
        "sides whose role or terms are not known",
        "the capture begins later, the startup frame is incomplete, or both sides have sent a Request (RFC "
        "5044 7.1.2, 8): whether CRC and Markers are in use is not known"},
    [IW_UNJUDGED_CRC] = {"crc", "FPDU whose CRC could not be checked", "FPDUs whose CRC could not be checked",
        "whether CRC is in use is not known, or octets of the FPDUs are missing"},
    [IW_UNJUDGED_UNREAD] = {"unread", "octet in which no FPDU could be found",
        "octets in which no FPDU could be found",
        "a gap, an invalid startup frame, or a wrong CRC with a ULPDU_Length that leads to no FPDU, hides "
        "where FPDUs begin"},
    [IW_UNJUDGED_OUTSIDE] = {"outside", "octet outside the stream", "octets outside the stream",
        "their sequence numbers are before the first octet captured, after a FIN, or far from all others; or "
        "the only sign of them is the sequence number of a RST, an acknowledgement that may cover a FIN, or "
        "a segment with a wrong TCP checksum"},
    [IW_UNJUDGED_DIFFERING] = {"differing", "octet retransmitted with different content",
        "octets retransmitted with different content",
        "no TCP checksum shows which copy was damaged or changed: the copy captured first is read"},
    [IW_UNJUDGED_CHUNKS] = {"chunks", "DATA chunk not captured", "DATA chunks not captured",
        "SCTP chunks are missing: the capture lost packets, or ends before they came"},
    [IW_UNJUDGED_SEQUENCE] = {"sequence", "message whose place in the sequence is not known",
        "messages whose place in the sequence is not known",
        "an earlier message is missing or wrong, so the expected MSN, DDP-SSN or answer is not known"},
    [IW_UNJUDGED_SESSION] = {"session", "step of a session that the capture cannot prove right or wrong",
        "steps of a session that the capture cannot prove right or wrong",
        "the acknowledgement, answer or session Terminate that it needs was not captured, and SCTP does not "
        "show whether it was sent (RFC 5043 6.2, 6.3, 6.6; RFC 6581 9.1)"},
    [IW_UNJUDGED_LIMIT] = {"limit", "segment, STag, request, chunk or finding beyond a limit of this program",
        "segments, STags, requests, chunks and findings beyond a limit of this program",
        "per connection it keeps a limited number of holes in a message, invalidated STags, outstanding "
        "requests, findings in an FPDU and chunks out of order; or memory ran out"},
    [IW_UNJUDGED_FRAMING] = {"framing", "FPDU that may be payload of another FPDU",
        "FPDUs that may be payload of other FPDUs",
        "they were found after a gap or in mid-stream, and nothing proves that FPDUs begin there: payload "
        "may contain FPDUs, too"},
    [IW_UNJUDGED_REVISION] = {"revision", "startup frame or FPDU of an unknown MPA revision",
        "startup frames and FPDUs of an unknown MPA revision", "no RFC says what they mean with that Rev"},
    [IW_UNJUDGED_STREAMING] = {"streaming", "octet sent in streaming mode", "octets sent in streaming mode",
        "they follow a Reply that rejects, or a Request that comes in streaming mode and gets no Reply (RFC "
        "5044 7.1): they belong to the ULP, and another MPA startup among them is not read"},
    [IW_UNJUDGED_FILE] = {"file", "connection open where a file could not be read any further",
        "connections open where a file could not be read any further",
        "the file is truncated, damaged or missing: later packets of the connection may be in it"},
    [IW_UNJUDGED_GIVEN_UP] = {"given_up", "octet skipped by this program", "octets skipped by this program",
        "it keeps and searches only a limited number of octets, or memory ran out"},
    [IW_UNJUDGED_UNFINISHED] = {"unfinished", "octet of an incomplete FPDU", "octets of incomplete FPDUs",
        "the capture ends in the middle of an FPDU"},
};

const char *iw_fpdu_not_judged(enum iw_fpdu_judged judged) {
    static const char *const reasons[] = {[IW_FPDU_JUDGED] = NULL,
        [IW_FPDU_MAY_BE_PAYLOAD] = "it may be payload",
        [IW_FPDU_UNKNOWN_REVISION] = "unknown revision"};

    return reasons[judged];
}

const char *iw_unjudged_why(enum iw_unjudged reason) {
    return unjudged_names[reason].why;
}

static_assert(sizeof unjudged_names / sizeof *unjudged_names == IW_UNJUDGED_COUNT, "a text for each reason");

const char *iw_unjudged_name(enum iw_unjudged reason, uint64_t count) {
    assert(reason < IW_UNJUDGED_COUNT);
    return count == 1 ? unjudged_names[reason].one : unjudged_names[reason].many;
}

const char *iw_unjudged_key(enum iw_unjudged reason) {
    return unjudged_names[reason].key;
}

void iw_unfinished_text(const struct iw_llp_event *close, char text[IW_UNFINISHED_TEXT_OCTETS]) {
    if (close->pending.startup && close->pending.whole > 0)
        snprintf(text, IW_UNFINISHED_TEXT_OCTETS, "%" PRIu32 " of %" PRIu32 " octets of a startup frame",
            close->pending.octets, close->pending.whole);
    else
        snprintf(text, IW_UNFINISHED_TEXT_OCTETS, "%" PRIu32 " octet%s of %s", close->pending.octets,
            iw_plural(close->pending.octets),
            close->pending.startup ? "a startup frame" : "an unfinished frame");
}

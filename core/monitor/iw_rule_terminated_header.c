#include "iw_rules.h"

#include <inttypes.h>
#include <stdio.h>

/* Rules about the DDP header that a Terminate includes. The other side must have sent a segment with this
 * header (RFC 5040 4.8), and it must have arrived at least in part: a receiver may judge a header before the
 * rest of the segment arrives. Judged only if all segments of the other side are known. */

/* Whether the sender acknowledges octets of the peer that the capture lacks. The FIN counts as one octet. */
static bool header_acknowledges_more(const struct iw_judge *judge) {
    enum iw_side side = judge->sender->side;

    return judge->mpa.acked_known[side] &&
           judge->mpa.acked[side] > iw_mpa_reached(&judge->mpa, judge->peer->side) + judge->peer->end.orderly;
}

/* Whether all segments of the peer were captured and read, and their headers are stored. */
static bool header_all_known(const struct iw_judge *judge) {
    uint64_t kept = judge->peer->headers == NULL ? 0 : judge->peer->headers->count;

    return iw_judge_all_seen(judge) && !header_acknowledges_more(judge) && kept <= IW_HEADER_LOG_MAX &&
           kept == judge->peer->fpdus && judge->counts.unjudged[IW_UNJUDGED_DIFFERING] == 0;
}

/* Whether the header is all zeros, for an error not about an incoming message (RFC 5040 7.1, rule 1). */
static bool header_is_zero(const struct iw_terminate_message *message) {
    for (unsigned i = 0; i < message->terminated.ddp_octets; i++)
        if (message->terminated_octets[i] != 0)
            return false;
    return true;
}

static void terminated_header_describe(char text[96], const struct iw_segment *terminated) {
    if (terminated->tagged)
        snprintf(text, 96, "that of opcode 0x%x, L=%u, STag 0x%08" PRIx32 ", TO 0x%" PRIx64,
            terminated->opcode, terminated->last, terminated->stag, terminated->to);
    else
        snprintf(text, 96, "that of opcode 0x%x, L=%u, QN %" PRIu32 ", MSN %" PRIu32 ", MO %" PRIu32,
            terminated->opcode, terminated->last, terminated->qn, terminated->msn, terminated->mo);
}

/* Whether a segment that begins before `received` may have the included header. With R=1, the MO in a Read
 * Request header may be the number of response octets so far, as in Linux siw: then MO may differ. */
static bool header_was_sent(
    const struct iw_judge *judge, const struct iw_terminate_message *message, uint64_t received) {
    const struct iw_segment *terminated = &message->terminated;
    bool read = message->control.r && !terminated->tagged && terminated->opcode == IW_RDMAP_OP_READ_REQUEST;

    return judge->peer->headers != NULL && iw_header_log_has(judge->peer->headers, message->terminated_octets,
                                               terminated->ddp_octets, read, received);
}

/* With reserved bits set, HdrCt may be elsewhere; another finding reports that. */
bool iw_rules_terminated_header(struct iw_judge *judge, const struct iw_terminate_message *message) {
    size_t first = judge->finding_count;
    char text[96];

    if (message->control.reserved != 0 || !header_all_known(judge) || header_is_zero(message) ||
        header_was_sent(judge, message, iw_judge_received_at_most(judge)))
        return true;
    terminated_header_describe(text, &message->terminated);
    iw_judge_report(judge, IW_REQ_RFC5040_4_8_10, IW_FIELD_COUNT, "The Terminated DDP Header",
        header_was_sent(judge, message, UINT64_MAX) ? "that of a segment that has arrived"
                                                    : "that of a segment that the other side has sent",
        "%s", text);
    /* If T of the included header is wrong, the header is read with the wrong length, and octets remain after
     * it in the Terminate: this finding then follows from the one about those octets. */
    iw_judge_attach_to(judge, IW_REQ_RFC5040_4_2_01, first);
    return false;
}

/* For an RDMAP error, the length may be that of the message: NULL if the segment is only a part of it. */
const struct iw_logged_header *iw_terminated_segment(
    const struct iw_judge *judge, const struct iw_terminate_message *message) {
    const struct iw_logged_header *sent;

    if (judge->peer->headers == NULL || !header_all_known(judge))
        return NULL;
    sent =
        iw_header_log_find(judge->peer->headers, message->terminated_octets, message->terminated.ddp_octets);
    return sent != NULL && (sent->alone || message->control.layer == 1) ? sent : NULL;
}

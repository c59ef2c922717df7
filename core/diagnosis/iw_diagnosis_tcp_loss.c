#include <inttypes.h>
#include <stdio.h>

#include "iw_diagnosis_tcp.h"

/* Segments that do not arrive, or only when they are sent again. */

enum {
    RESENDS_MIN = 3,         /* copies of one segment that show that it does not arrive */
    IPV4_OCTETS = 576 - 40,  /* payload that fits every usual path: every host takes so much (RFC 791 3.1) */
    IPV6_OCTETS = 1280 - 60, /* payload that fits every path of IPv6 (RFC 8200 5), and most paths of IPv4 */
};
#define RESEND_TIME_NS IW_SECOND_NS /* RFC 6298 2.4: the retransmission timeout is usually at least 1 s */

static void tcp_resend_frames(struct iw_diagnosed *cause, const struct iw_tcp_resend *resend) {
    iw_diagnosis_frame(cause, resend->first.frame);
    iw_diagnosis_frame(cause, resend->last.frame);
}

static uint64_t tcp_resend_span(const struct iw_tcp_resend *resend) {
    return resend->count > 0 && resend->last.time_ns > resend->first.time_ns
               ? resend->last.time_ns - resend->first.time_ns
               : 0;
}

/* Whether a path may drop a segment of so many octets for its size. */
static bool tcp_may_be_too_large(const struct iw_facts *facts, uint32_t octets) {
    return octets > (facts->ipv6 ? IPV6_OCTETS : IPV4_OCTETS);
}

/* How sure it is that the size is the reason. A host that died at the same time answers nothing, whatever the
 * size: only what it sent meanwhile, or that later octets arrived, shows that it was there. If it sends again
 * what was acknowledged, small segments do not arrive either. */
static enum iw_confidence tcp_black_hole_confidence(const struct iw_facts *facts, enum iw_side side) {
    const struct iw_tcp_resend *resend = &iw_tcp_life_trouble(facts->life, side)->resend;
    const struct iw_tcp_mark *answer = &facts->life->side[iw_side_other(side)].last;

    if (iw_tcp_life_trouble(facts->life, iw_side_other(side))->acked_again.frame > resend->first.frame)
        return IW_CONFIDENCE_POSSIBLE;
    if (answer->frame > resend->last.frame)
        return IW_CONFIDENCE_CERTAIN;
    return iw_tcp_life_is_passed(facts->life, side) ||
                   (answer->frame > resend->first.frame &&
                       answer->time_ns >= resend->first.time_ns + RESEND_TIME_NS)
               ? IW_CONFIDENCE_LIKELY
               : IW_CONFIDENCE_POSSIBLE;
}

/* `larger`: than every acknowledged segment. */
static void tcp_black_hole(
    const struct iw_facts *facts, enum iw_side side, bool larger, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_resend *resend = &iw_tcp_life_trouble(facts->life, side)->resend;
    const struct iw_tcp_life_side *own = &facts->life->side[side];
    enum iw_side other = iw_side_other(side);

    tcp_resend_frames(
        iw_diagnosis_add_of(diagnosis, side, IW_CAUSE_ID_MTU_BLACK_HOLE,
            larger ? iw_diagnosis_tcp_missing(facts, other, diagnosis, tcp_black_hole_confidence(facts, side))
                   : IW_CONFIDENCE_POSSIBLE,
            "%s sent a segment of %" PRIu32 " octets %" PRIu32
            " times more, and it was never acknowledged. The largest acknowledged segment has %" PRIu32
            " octets%s.%s",
            iw_facts_side_name(facts, side), resend->octets, resend->count, own->largest_acked_octets,
            larger ? "" : ", so the size can only be the reason if the MTU of the path fell after it",
            iw_diagnosis_tcp_missing_text(facts, other, diagnosis)),
        resend);
}

/* The side sends a segment again and again, and the first smaller one with the same octets is acknowledged:
 * so does a host that looks for the MTU of the path (RFC 4821). */
void iw_diagnosis_tcp_smaller_arrives(
    const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_resend *longest = &iw_tcp_life_trouble(facts->life, side)->longest;

    if (longest->large_count < RESENDS_MIN || longest->count != longest->large_count + 1 ||
        !tcp_may_be_too_large(facts, longest->large_octets) || tcp_resend_span(longest) < RESEND_TIME_NS)
        return;
    tcp_resend_frames(
        iw_diagnosis_add_of(diagnosis, side, IW_CAUSE_ID_MTU_BLACK_HOLE, IW_CONFIDENCE_LIKELY,
            "%s sent a segment of %" PRIu32 " octets %" PRIu32
            " times more, and it was not acknowledged. Then it sent only the first %" PRIu32
            " of these octets, and they were acknowledged.",
            iw_facts_side_name(facts, side), longest->large_octets, longest->large_count, longest->octets),
        longest);
}

/* Nothing of the other host is captured while the side sends one segment again and again. */
static void tcp_peer_silent(const struct iw_facts *facts, enum iw_side side, enum iw_confidence confidence,
    struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_resend *resend = &iw_tcp_life_trouble(facts->life, side)->resend;
    enum iw_side other = iw_side_other(side);
    struct iw_diagnosed *cause = iw_diagnosis_add_of(diagnosis, other, IW_CAUSE_ID_PEER_SILENT,
        iw_diagnosis_tcp_missing(facts, other, diagnosis, confidence),
        "%s sent one segment %" PRIu32
        " times more in %.3f s, and the capture has nothing of the other host meanwhile.%s",
        iw_facts_side_name(facts, side), resend->count, (double)tcp_resend_span(resend) / 1e9,
        iw_diagnosis_tcp_missing_text(facts, other, diagnosis));

    tcp_resend_frames(cause, resend);
    iw_diagnosis_next(facts, cause, IW_CAUSE_SILENT, other);
}

/* The side sends one segment again and again to the end of the capture. */
void iw_diagnosis_tcp_unanswered(
    const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_resend *resend = &iw_tcp_life_trouble(facts->life, side)->resend;
    const struct iw_tcp_trouble *peer_trouble = iw_tcp_life_trouble(facts->life, iw_side_other(side));
    const struct iw_tcp_life_side *own = &facts->life->side[side];
    const struct iw_tcp_life_side *peer = &facts->life->side[iw_side_other(side)];
    const char *name = iw_facts_side_name(facts, side);
    uint64_t span = tcp_resend_span(resend);
    bool too_large = own->largest_acked_octets > 0 && tcp_may_be_too_large(facts, resend->octets);
    bool larger = too_large && resend->octets > own->largest_acked_octets;
    enum iw_confidence by_size = tcp_black_hole_confidence(facts, side);
    bool silent = peer->last.frame < resend->first.frame;
    bool by_usual_path = larger && resend->octets > IPV6_OCTETS;
    bool falls = too_large && !larger && !silent;

    if (resend->count < RESENDS_MIN || span < RESEND_TIME_NS || peer_trouble->zero_since.frame != 0 ||
        peer->segments == 0 ||
        (peer_trouble->rst_frame != 0 && peer_trouble->rst_frame < resend->first.frame))
        return;
    if (iw_diagnosis_tcp_forgets(facts, iw_side_other(side)) &&
        peer_trouble->rst_before_frame < resend->first.frame)
        return; /* what comes at last is the RST that answers the segment: its host was away */
    if ((silent && by_usual_path) || (larger && by_size > IW_CONFIDENCE_POSSIBLE))
        tcp_black_hole(facts, side, true, diagnosis);
    if (silent)
        tcp_peer_silent(facts, side, larger ? IW_CONFIDENCE_POSSIBLE : IW_CONFIDENCE_LIKELY, diagnosis);
    else if (!larger || by_size == IW_CONFIDENCE_POSSIBLE)
        tcp_resend_frames(
            iw_diagnosis_add_of(diagnosis, side, IW_CAUSE_ID_RETRANSMISSIONS, IW_CONFIDENCE_LIKELY,
                "%s sent one segment %" PRIu32 " times more, and it was not acknowledged.", name,
                resend->count),
            resend);
    if (larger || falls) /* after the more probable */
        tcp_black_hole(facts, side, larger, diagnosis);
}

void iw_diagnosis_tcp_retransmissions(
    const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_trouble *trouble = iw_tcp_life_trouble(facts->life, side);
    const struct iw_tcp_life_side *own = &facts->life->side[side];
    const struct iw_tcp_resend *longest = &trouble->longest;
    uint64_t span = tcp_resend_span(longest);
    char again[64] = "";
    struct iw_diagnosed *cause = NULL;
    bool long_burst = longest->count >= RESENDS_MIN && span >= RESEND_TIME_NS;
    bool many = iw_diagnosis_tcp_are_many(trouble->retransmissions, own->segments) &&
                facts->life->side[iw_side_other(side)].dup_acks + longest->count > 0;

    if (longest->count > 1)
        snprintf(again, sizeof again, "; one of them %" PRIu32 " times within %.3f s", longest->count,
            (double)span / 1e9);
    if (long_burst || many) {
        cause = iw_diagnosis_add_of(diagnosis, side, IW_CAUSE_ID_RETRANSMISSIONS,
            long_burst ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_POSSIBLE,
            "%s sent %" PRIu32 " of %" PRIu64 " segments again%s.", iw_facts_side_name(facts, side),
            trouble->retransmissions, own->segments, again);
        tcp_resend_frames(cause, longest);
    } else if (trouble->filled_late >= RESENDS_MIN) { /* the capture stands at the receiver */
        cause = iw_diagnosis_add_of(diagnosis, side, IW_CAUSE_ID_RETRANSMISSIONS, IW_CONFIDENCE_LIKELY,
            "%" PRIu32 " segments of %s arrived only when they were sent again, up to %.3f s after later "
            "ones.",
            trouble->filled_late, iw_facts_side_name(facts, side), (double)trouble->filled_latest_ns / 1e9);
        iw_diagnosis_frame(cause, trouble->filled_latest_frame);
    }
    if (trouble->resend.count == 0)
        iw_diagnosis_until(cause, trouble->resent_ns);
}

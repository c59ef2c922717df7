#include <inttypes.h>
#include <stdio.h>

#include "iw_diagnosis_part.h"
#include "iw_plural.h"
#include "iw_upper.h"

/* Causes in the TCP connection below. */

#define MILLISECOND UINT64_C(1000000)
#define SECOND (1000 * MILLISECOND)

enum {
    RESENDS_MIN = 3,         /* copies of one segment that show that it does not arrive */
    PROBES_MIN = 3,          /* unanswered keep-alive probes */
    MANY_MIN = 8,            /* retransmitted or late segments that are worth a word */
    MANY_SHARE = 100,        /* and at least one in so many segments */
    IPV4_OCTETS = 576 - 40,  /* payload that fits every usual path: every host takes so much (RFC 791 3.1) */
    IPV6_OCTETS = 1280 - 60, /* payload that fits every path of IPv6 (RFC 8200 5), and most paths of IPv4 */
};
#define MINUTE (60 * SECOND)
#define IDLE_NS (30 * SECOND)
#define ZERO_WINDOW_NS (200 * MILLISECOND)
#define WINDOW_PROBE_NS (5 * SECOND)
#define DROPPED_IDLE_NS (4 * MINUTE) /* the shortest idle timeouts of common load balancers */
#define RESTART_NS SECOND            /* no host restarts within this time */
#define RESEND_TIME_NS SECOND        /* RFC 6298 2.4: the retransmission timeout is usually at least 1 s */

/* Whether the capture lacks octets or a FIN of the side: what it does not show may have been sent. */
static bool tcp_side_lacks(const struct iw_facts *facts, enum iw_side side) {
    return iw_facts_side_has_gaps(facts, side) || iw_tcp_life_lacks(facts->life, side);
}

/* `sure`, or less if the answer of `silent` may be missing in the capture only; and words for it. */
static enum iw_confidence tcp_missing(const struct iw_facts *facts, enum iw_side silent,
    const struct iw_diagnosis *diagnosis, enum iw_confidence sure) {
    return tcp_side_lacks(facts, silent) ? IW_CONFIDENCE_POSSIBLE : iw_diagnosis_missing(diagnosis, sure);
}

static const char *tcp_missing_text(
    const struct iw_facts *facts, enum iw_side silent, const struct iw_diagnosis *diagnosis) {
    return tcp_side_lacks(facts, silent)
               ? " The capture lacks octets of the other host, so it may have answered."
               : iw_diagnosis_missing_text(diagnosis);
}

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
            larger ? tcp_missing(facts, other, diagnosis, tcp_black_hole_confidence(facts, side))
                   : IW_CONFIDENCE_POSSIBLE,
            "%s sent a segment of %" PRIu32 " octets %" PRIu32
            " times more, and it was never acknowledged. The largest acknowledged segment has %" PRIu32
            " octets%s.%s",
            iw_facts_side_name(facts, side), resend->octets, resend->count, own->largest_acked_octets,
            larger ? "" : ", so the size can only be the reason if the MTU of the path fell after it",
            tcp_missing_text(facts, other, diagnosis)),
        resend);
}

/* The side sends a segment again and again, and the first smaller one with the same octets is acknowledged:
 * so does a host that looks for the MTU of the path (RFC 4821). */
static void tcp_smaller_arrives(
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

/* Whether the side answers with a RST as a host does that no longer knows the connection: without ACK, while
 * neither side had closed. If the other side has acknowledged octets or a FIN that the capture lacks, the
 * side may have closed. */
static bool tcp_forgets(const struct iw_facts *facts, enum iw_side side) {
    const struct iw_tcp_trouble *trouble = iw_tcp_life_trouble(facts->life, side);
    const struct iw_tcp_trouble *peer_trouble = iw_tcp_life_trouble(facts->life, iw_side_other(side));
    const struct iw_tcp_life_side *own = &facts->life->side[side];
    const struct iw_history *history = facts->history;

    return trouble->rst_frame != 0 && trouble->rst_answers && trouble->rst_after_octets &&
           own->fin_frame == 0 && facts->life->side[iw_side_other(side)].fin_frame == 0 &&
           !iw_tcp_life_lacks(facts->life, side) &&
           (peer_trouble->rst_frame == 0 || peer_trouble->rst_frame >= trouble->rst_frame) &&
           iw_history_trouble(history, IW_SIDE_A)->terminate.mark.frame == 0 &&
           iw_history_trouble(history, IW_SIDE_B)->terminate.mark.frame == 0 &&
           (own->segments >= 2 || history->side[side].fpdus > 0) &&
           (facts->terms->settled || history->message_count > 0);
}

/* Nothing of the other host is captured while the side sends one segment again and again. */
static void tcp_peer_silent(const struct iw_facts *facts, enum iw_side side, enum iw_confidence confidence,
    struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_resend *resend = &iw_tcp_life_trouble(facts->life, side)->resend;
    enum iw_side other = iw_side_other(side);
    struct iw_diagnosed *cause = iw_diagnosis_add_of(diagnosis, other, IW_CAUSE_ID_PEER_SILENT,
        tcp_missing(facts, other, diagnosis, confidence),
        "%s sent one segment %" PRIu32
        " times more in %.3f s, and the capture has nothing of the other host meanwhile.%s",
        iw_facts_side_name(facts, side), resend->count, (double)tcp_resend_span(resend) / 1e9,
        tcp_missing_text(facts, other, diagnosis));

    tcp_resend_frames(cause, resend);
    iw_diagnosis_next(facts, cause, IW_CAUSE_SILENT, other);
}

/* The side sends one segment again and again to the end of the capture. */
static void tcp_unanswered(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
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
    if (tcp_forgets(facts, iw_side_other(side)) && peer_trouble->rst_before_frame < resend->first.frame)
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

static void tcp_retransmissions(
    const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_trouble *trouble = iw_tcp_life_trouble(facts->life, side);
    const struct iw_tcp_life_side *own = &facts->life->side[side];
    const struct iw_tcp_resend *longest = &trouble->longest;
    uint64_t span = tcp_resend_span(longest);
    char again[64] = "";
    bool long_burst = longest->count >= RESENDS_MIN && span >= RESEND_TIME_NS;
    bool many = trouble->retransmissions >= MANY_MIN &&
                trouble->retransmissions >= own->segments / MANY_SHARE &&
                facts->life->side[iw_side_other(side)].dup_acks + longest->count > 0;

    if (longest->count > 1)
        snprintf(again, sizeof again, "; one of them %" PRIu32 " times within %.3f s", longest->count,
            (double)span / 1e9);
    if (long_burst || many)
        tcp_resend_frames(
            iw_diagnosis_add_of(diagnosis, side, IW_CAUSE_ID_RETRANSMISSIONS,
                long_burst ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_POSSIBLE,
                "%s sent %" PRIu32 " of %" PRIu64 " segments again%s.", iw_facts_side_name(facts, side),
                trouble->retransmissions, own->segments, again),
            longest);
    else if (trouble->filled_late >= RESENDS_MIN) /* the capture stands at the receiver */
        iw_diagnosis_frame(
            iw_diagnosis_add_of(diagnosis, side, IW_CAUSE_ID_RETRANSMISSIONS, IW_CONFIDENCE_LIKELY,
                "%" PRIu32 " segments of %s arrived only when they were sent again, up to %.3f s after later "
                "ones.",
                trouble->filled_late, iw_facts_side_name(facts, side),
                (double)trouble->filled_latest_ns / 1e9),
            trouble->filled_latest_frame);
}

/* How long the window of the side has been closed while octets waited, up to the end; 0 if it is open, or
 * none wait. A probe without new octets that comes within WINDOW_PROBE_NS is rather a window probe: a
 * keep-alive probe comes after a long silence (RFC 9293 3.8.4). */
static uint64_t tcp_still_closed(const struct iw_facts *facts, enum iw_side side) {
    const struct iw_tcp_trouble *trouble = iw_tcp_life_trouble(facts->life, side);
    const struct iw_tcp_mark *since = &trouble->zero_since, *asked = &trouble->zero_asked;
    uint64_t last = facts->life->last.time_ns;
    bool waits = trouble->zero_probed || facts->life->side[iw_side_other(side)].segments == 0 ||
                 (asked->frame != 0 && asked->time_ns <= since->time_ns + WINDOW_PROBE_NS);

    return since->frame != 0 && last > since->time_ns && waits ? last - since->time_ns : 0;
}

/* A closed window delays only a side that has octets to send, and such a side probes the window
 * (RFC 9293 3.8.6.1). Without packets of that side it is not known. */
static void tcp_zero_window(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_trouble *trouble = iw_tcp_life_trouble(facts->life, side);
    bool sender_captured = facts->life->side[iw_side_other(side)].segments > 0;
    uint64_t open = tcp_still_closed(facts, side);
    uint64_t ended = sender_captured ? trouble->zero_probed_ns : trouble->zero_longest_ns;
    uint64_t longest = open > ended ? open : ended;
    bool proven = ended >= ZERO_WINDOW_NS || trouble->zero_probed;
    struct iw_diagnosed *cause;

    if (longest < ZERO_WINDOW_NS)
        return;
    cause = iw_diagnosis_add_of(diagnosis, side, IW_CAUSE_ID_ZERO_WINDOW,
        !sender_captured ? IW_CONFIDENCE_POSSIBLE
        : proven         ? IW_CONFIDENCE_CERTAIN
                         : IW_CONFIDENCE_LIKELY,
        "%s closed its window %" PRIu32 " time%s, for up to %.3f s%s%s.", iw_facts_side_name(facts, side),
        trouble->zero_windows, iw_plural(trouble->zero_windows), (double)longest / 1e9,
        !sender_captured ? ""
        : proven         ? " while the other side had octets to send"
                         : " while the other side probed it",
        open > 0 ? "; it is still closed at the end" : "");
    iw_diagnosis_next(facts, cause, IW_CAUSE_FULL, side);
    iw_diagnosis_frame(cause, trouble->zero_first_frame);
    iw_diagnosis_frame(cause, trouble->zero_since.frame);
}

static void tcp_order(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_trouble *trouble = iw_tcp_life_trouble(facts->life, side);
    const struct iw_tcp_life_side *own = &facts->life->side[side];
    uint32_t dup_acks = facts->life->side[iw_side_other(side)].dup_acks;
    struct iw_diagnosed *cause;

    if (trouble->late < MANY_MIN || trouble->late < own->segments / MANY_SHARE || dup_acks < MANY_MIN)
        return;
    cause = iw_diagnosis_add_of(diagnosis, side, IW_CAUSE_ID_OUT_OF_ORDER, IW_CONFIDENCE_LIKELY,
        "%" PRIu32 " of %" PRIu64 " segments of %s came after later ones, and the receiver sent %" PRIu32
        " duplicate acknowledgements.",
        trouble->late, own->segments, iw_facts_side_name(facts, side), dup_acks);
    iw_diagnosis_frame(cause, trouble->late_first_frame);
    iw_diagnosis_frame(cause, trouble->late_last_frame);
}

/* The latest segment of the other side before the RST: a keep-alive probe, or octets. */
static uint64_t tcp_reset_answers(const struct iw_facts *facts, enum iw_side side) {
    const struct iw_tcp_trouble *peer_trouble = iw_tcp_life_trouble(facts->life, iw_side_other(side));
    uint64_t octets = facts->life->side[iw_side_other(side)].last_octets_frame;

    if (iw_tcp_life_trouble(facts->life, side)->syn_again.frame != 0)
        return iw_tcp_life_trouble(facts->life, side)->syn_again.frame;
    return peer_trouble->probes_unanswered > 0 && peer_trouble->probe_first_frame > octets
               ? peer_trouble->probe_first_frame
               : octets;
}

/* Why the RST of the side may be of another device on the path: a sentence with a space before it, or "". */
static const char *tcp_reset_doubt(const struct iw_facts *facts, enum iw_side side) {
    const struct iw_tcp_trouble *trouble = iw_tcp_life_trouble(facts->life, side);
    const struct iw_tcp_life_side *own = &facts->life->side[side];

    if (own->last_octets_frame > trouble->rst_frame || own->complete.frame > trouble->rst_frame)
        return " Later segments of it still belong to the connection.";
    return trouble->syn_again.frame == 0 && trouble->rst_silence_ns < RESTART_NS
               ? " No host restarts in so short a time."
               : "";
}

/* Whether the first segment after a long silence is answered by the RST: so does a device on the path that
 * has dropped the idle connection. A host that restarts is away for a while first, which copies of the
 * segment would show. */
static bool tcp_may_be_dropped_idle(const struct iw_facts *facts, enum iw_side side) {
    return iw_tcp_life_trouble(facts->life, side)->rst_silence_ns >= DROPPED_IDLE_NS &&
           iw_tcp_life_trouble(facts->life, iw_side_other(side))->resend.count == 0;
}

/* A host without the connection answers with a RST without ACK; the side itself neither closed nor failed. */
static void tcp_reset(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_trouble *trouble = iw_tcp_life_trouble(facts->life, side);
    const char *name = iw_facts_side_name(facts, side), *doubt = tcp_reset_doubt(facts, side);
    bool gaps = iw_facts_side_has_gaps(facts, side) || !facts->life->side[side].has_next;
    char silence[48] = "";
    struct iw_diagnosed *cause;

    if (!tcp_forgets(facts, side))
        return;
    if (trouble->syn_again.frame != 0)
        snprintf(silence, sizeof silence, ", after a SYN of its own");
    else if (trouble->rst_silence_ns > 0) /* else its earlier segments were not captured */
        snprintf(silence, sizeof silence, ", after %.3f s of silence", (double)trouble->rst_silence_ns / 1e9);
    cause = iw_diagnosis_add_of(diagnosis, side, IW_CAUSE_ID_PEER_REBOOTED,
        gaps || doubt[0] != '\0' ? IW_CONFIDENCE_POSSIBLE : IW_CONFIDENCE_LIKELY,
        "%s answered a segment with a RST without ACK%s. %s%s", name, silence,
        gaps ? "The capture lacks octets of it, so it may have sent a Terminate or a FIN before."
             : "It had sent neither FIN nor Terminate.",
        doubt);
    if (doubt[0] == '\0' && tcp_may_be_dropped_idle(facts, side) && cause != NULL)
        snprintf(cause->next, sizeof cause->next,
            "Look at the host of %s: a restart, a crash, or a reset of the device. Look also for a firewall "
            "or load balancer on the path that drops idle connections and answers for it.",
            name);
    else if (doubt[0] == '\0')
        iw_diagnosis_next(facts, cause, IW_CAUSE_RESETTING, side);
    else if (cause != NULL)
        snprintf(cause->next, sizeof cause->next,
            "Look for a firewall or another device on the path that sends a RST in the name of %s, and at "
            "the program and the device of %s.",
            name, name);
    iw_diagnosis_frame(cause, tcp_reset_answers(facts, side));
    iw_diagnosis_frame(cause, trouble->rst_frame);
}

static void tcp_keep_alive(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_trouble *trouble = iw_tcp_life_trouble(facts->life, side);
    const struct iw_tcp_life_side *own = &facts->life->side[side];
    enum iw_side other = iw_side_other(side);
    bool reset = trouble->rst_frame > trouble->probe_first_frame;
    struct iw_diagnosed *cause;

    if (trouble->probes_unanswered < PROBES_MIN || facts->life->side[other].segments == 0)
        return; /* without packets of the other side, the capture cannot have its answers */
    cause = iw_diagnosis_add_of(diagnosis, other, IW_CAUSE_ID_KEEP_ALIVE,
        tcp_missing(facts, other, diagnosis, reset ? IW_CONFIDENCE_CERTAIN : IW_CONFIDENCE_LIKELY),
        "%s sent %" PRIu32 " keep-alive probes without an answer%s.%s", iw_facts_side_name(facts, side),
        trouble->probes_unanswered, reset ? ", and then a RST" : "",
        tcp_missing_text(facts, other, diagnosis));
    iw_diagnosis_next(facts, cause, IW_CAUSE_SILENT, other);
    iw_diagnosis_frame(cause, trouble->probe_first_frame);
    iw_diagnosis_frame(cause, reset ? trouble->rst_frame : own->last.frame);
}

/* Whether a time is a whole number of minutes, as most timeouts are; a program ends at any time. */
static bool tcp_is_minutes(uint64_t ns) {
    return ns >= MINUTE && (ns + SECOND) % MINUTE <= 2 * SECOND;
}

/* Whether a request, or a call of the protocol above before frame `end`, is outstanding. */
static bool tcp_is_awaited(const struct iw_facts *facts, uint64_t end) {
    const struct iw_upper_call *oldest;

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        if (facts->unanswered[side].count > 0 ||
            (iw_facts_open_calls(facts, side, &oldest) > 0 && oldest->frame < end))
            return true;
    return false;
}

/* Closed directly after a long silence, with nothing outstanding. A FIN then is an orderly end (RFC
 * 5040 6.2). The length of the silence before a RST, or a side that did not expect the end, suggests a
 * timeout. */
static void tcp_idle(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_trouble *trouble = iw_tcp_life_trouble(facts->life, side);
    const struct iw_tcp_life *life = facts->life;
    const struct iw_tcp_life_side *own = &life->side[side];
    uint64_t end = trouble->rst_frame != 0 && (own->fin_frame == 0 || trouble->rst_frame < own->fin_frame)
                       ? trouble->rst_frame
                       : own->fin_frame;
    bool minutes = tcp_is_minutes(life->idle_ns);
    bool reset = trouble->rst_frame != 0 && trouble->rst_frame == end;
    bool cut_off = trouble->rst_frame != 0 && life->side[iw_side_other(side)].last_octets_frame > end;
    struct iw_diagnosed *cause;

    if (end == 0 || life->idle_ns < IDLE_NS || life->idle_end_frame != end ||
        !((minutes && reset) || cut_off) || diagnosis->count > 0 || tcp_is_awaited(facts, end) ||
        trouble->probes_unanswered > 0 || iw_facts_is_partial(facts))
        return;
    cause = iw_diagnosis_add_of(diagnosis, side, IW_CAUSE_ID_IDLE_TIMEOUT, IW_CONFIDENCE_POSSIBLE,
        "Nothing was sent for %.3f s%s; then %s closed.%s", (double)life->idle_ns / 1e9,
        minutes ? ", about a whole number of minutes" : "", iw_facts_side_name(facts, side),
        cut_off ? " Octets that the other side sent afterwards were answered by a RST." : "");
    iw_diagnosis_frame(cause, end);
    if (cut_off)
        iw_diagnosis_frame(cause, trouble->rst_frame);
}

static void tcp_offload(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_trouble *trouble = iw_tcp_life_trouble(facts->life, side);
    const struct iw_tcp_life_side *own = &facts->life->side[side];

    if (trouble->oversize > 0)
        iw_diagnosis_add(diagnosis, IW_CAUSE_ID_CAPTURE_OFFLOAD, IW_CONFIDENCE_CERTAIN,
            "%" PRIu32 " segment%s of %s %s up to %" PRIu32 " octets; the other side announced an MSS of %u.",
            trouble->oversize, iw_plural(trouble->oversize), iw_facts_side_name(facts, side),
            trouble->oversize == 1 ? "has" : "have", own->largest_octets,
            facts->life->side[iw_side_other(side)].mss);
}

void iw_diagnose_tcp(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    if (facts->life == NULL)
        return;
    tcp_reset(facts, side, diagnosis);
    tcp_keep_alive(facts, side, diagnosis);
    tcp_unanswered(facts, side, diagnosis);
    tcp_smaller_arrives(facts, side, diagnosis);
    tcp_zero_window(facts, side, diagnosis);
    tcp_retransmissions(facts, side, diagnosis);
    tcp_order(facts, side, diagnosis);
    tcp_idle(facts, side, diagnosis);
    tcp_offload(facts, side, diagnosis);
}

#include <inttypes.h>
#include <stdio.h>

#include "iw_diagnosis_tcp.h"
#include "iw_plural.h"

/* Causes in the TCP connection below. */

#define MILLISECOND UINT64_C(1000000)
#define SECOND (1000 * MILLISECOND)

enum {
    PROBES_MIN = 3,   /* unanswered keep-alive probes */
    MANY_MIN = 8,     /* late segments that are worth a word */
    MANY_SHARE = 100, /* and at least one in so many segments */
};
#define ZERO_WINDOW_NS (200 * MILLISECOND)
#define WINDOW_PROBE_NS (5 * SECOND)

/* Whether the capture lacks octets or a FIN of the side: what it does not show may have been sent. */
static bool tcp_side_lacks(const struct iw_facts *facts, enum iw_side side) {
    return iw_facts_side_has_gaps(facts, side) || iw_tcp_life_lacks(facts->life, side);
}

enum iw_confidence iw_diagnosis_tcp_missing(const struct iw_facts *facts, enum iw_side silent,
    const struct iw_diagnosis *diagnosis, enum iw_confidence sure) {
    return tcp_side_lacks(facts, silent) ? IW_CONFIDENCE_POSSIBLE : iw_diagnosis_missing(diagnosis, sure);
}

const char *iw_diagnosis_tcp_missing_text(
    const struct iw_facts *facts, enum iw_side silent, const struct iw_diagnosis *diagnosis) {
    return tcp_side_lacks(facts, silent)
               ? " The capture lacks octets of the other host, so it may have answered."
               : iw_diagnosis_missing_text(diagnosis);
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
    if (open == 0)
        iw_diagnosis_until(cause, trouble->zero_waited_ns);
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
    iw_diagnosis_until(cause, trouble->late_ns);
}

/* Whether the side waits for the other one, with a request or a call of the protocol above. */
static bool tcp_waits(const struct iw_facts *facts, enum iw_side side) {
    const struct iw_upper_call *oldest;

    return facts->unanswered[side].count > 0 || iw_facts_open_calls(facts, side, &oldest) > 0;
}

static void tcp_keep_alive(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_trouble *trouble = iw_tcp_life_trouble(facts->life, side);
    const struct iw_tcp_life_side *own = &facts->life->side[side];
    enum iw_side other = iw_side_other(side);
    bool reset = trouble->rst_frame > trouble->probe_first_frame, waits = tcp_waits(facts, side);
    struct iw_diagnosed *cause;

    if (trouble->probes_unanswered < PROBES_MIN || facts->life->side[other].segments == 0)
        return; /* without packets of the other side, the capture cannot have its answers */
    cause = iw_diagnosis_add_of(diagnosis, other, IW_CAUSE_ID_KEEP_ALIVE,
        iw_diagnosis_tcp_missing(
            facts, other, diagnosis, reset ? IW_CONFIDENCE_CERTAIN : IW_CONFIDENCE_LIKELY),
        "%s sent %" PRIu32 " keep-alive probes without an answer%s.%s%s", iw_facts_side_name(facts, side),
        trouble->probes_unanswered, reset ? ", and then a RST" : "",
        waits ? " It waited for the other side, so the connection was in use." : "",
        iw_diagnosis_tcp_missing_text(facts, other, diagnosis));
    iw_diagnosis_next(facts, cause, IW_CAUSE_SILENT, other);
    if (waits && cause != NULL)
        snprintf(cause->next, sizeof cause->next,
            "Look at the host of %s, and at the path to it: host stopped, link down, route lost.",
            iw_facts_side_name(facts, other));
    iw_diagnosis_frame(cause, trouble->probe_first_frame);
    iw_diagnosis_frame(cause, reset ? trouble->rst_frame : own->last.frame);
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
    iw_diagnosis_tcp_reset(facts, side, diagnosis);
    tcp_keep_alive(facts, side, diagnosis);
    iw_diagnosis_tcp_icmp(facts, side, diagnosis);
    iw_diagnosis_tcp_unanswered(facts, side, diagnosis);
    iw_diagnosis_tcp_smaller_arrives(facts, side, diagnosis);
    tcp_zero_window(facts, side, diagnosis);
    iw_diagnosis_tcp_retransmissions(facts, side, diagnosis);
    tcp_order(facts, side, diagnosis);
    iw_diagnosis_tcp_idle(facts, side, diagnosis);
    tcp_offload(facts, side, diagnosis);
}

#include <stdio.h>

#include "iw_diagnosis_tcp.h"
#include "iw_upper.h"

/* An unexpected RST, and what is closed after a long silence. */

#define SECOND UINT64_C(1000000000)
#define MINUTE (60 * SECOND)
#define IDLE_NS (30 * SECOND)
#define DROPPED_IDLE_NS (4 * MINUTE) /* the shortest idle timeouts of common load balancers */
#define RESTART_NS SECOND            /* no host restarts within this time */
#define PATH_CHANGE_NS SECOND        /* that a path changes just within this time is no explanation */

enum { SEGMENTS_MIN = 3 }; /* segments with one TTL that show the distance of a host */

/* ---- a RST of another device ---- */

/* Whether two hosts may be equally far, as the number of routers that decrement the TTL is not known: a host
 * begins at one of these values. */
static bool tcp_reset_may_be_as_far(uint8_t one, uint8_t other) {
    static const uint8_t begins[] = {32, 64, 128, 255};

    for (size_t i = 0; i < sizeof begins; i++)
        for (size_t k = 0; k < sizeof begins; k++)
            if (begins[i] >= one && begins[k] >= other && begins[i] - one == begins[k] - other)
                return true;
    return false;
}

/* Whether the host goes on after its RST. */
static bool tcp_reset_is_ignored(const struct iw_facts *facts, enum iw_side side) {
    uint64_t frame = iw_tcp_life_trouble(facts->life, side)->rst_frame;
    const struct iw_tcp_life_side *own = &facts->life->side[side];

    return own->last_octets_frame > frame || own->complete.frame > frame;
}

bool iw_diagnosis_is_foreign_reset(const struct iw_facts *facts, enum iw_side side, bool *sure) {
    const struct iw_tcp_trouble *trouble;
    const struct iw_tcp_life_side *own;

    if (facts->life == NULL)
        return false;
    trouble = iw_tcp_life_trouble(facts->life, side);
    own = &facts->life->side[side];
    *sure = (trouble->rst_before_frame != 0 && trouble->rst_silence_ns < PATH_CHANGE_NS) ||
            tcp_reset_is_ignored(facts, side);
    return trouble->rst_hops != 0 && own->hops_least != 0 && own->hops_least == own->hops_most &&
           own->segments > SEGMENTS_MIN && !tcp_reset_may_be_as_far(trouble->rst_hops, own->hops_least);
}

static void tcp_reset_foreign(
    const struct iw_facts *facts, enum iw_side side, bool sure, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_trouble *trouble = iw_tcp_life_trouble(facts->life, side);
    const char *name = iw_facts_side_name(facts, side);
    char change[96] = "";
    struct iw_diagnosed *cause;

    if (!sure)
        snprintf(change, sizeof change, ", unless the path changed in the %.3f s before",
            (double)trouble->rst_silence_ns / 1e9);
    cause = iw_diagnosis_add_of(diagnosis, side, IW_CAUSE_ID_RESET_FOREIGN,
        sure ? IW_CONFIDENCE_CERTAIN : IW_CONFIDENCE_LIKELY,
        "The RST in the name of %s arrived with TTL %u, all its other segments with TTL %u: another device "
        "sent it%s.",
        name, trouble->rst_hops, facts->life->side[side].hops_least, change);
    iw_diagnosis_next(facts, cause, IW_CAUSE_NAMED, side);
    iw_diagnosis_frame(cause, trouble->rst_before_frame);
    iw_diagnosis_frame(cause, trouble->rst_frame);
}

/* ---- a RST of the host ---- */

bool iw_diagnosis_tcp_forgets(const struct iw_facts *facts, enum iw_side side) {
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
    bool sure;

    if (tcp_reset_is_ignored(facts, side))
        return " Later segments of it still belong to the connection.";
    if (iw_diagnosis_is_foreign_reset(facts, side, &sure))
        return " The RST has another TTL than its other segments.";
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
static void tcp_reset_forgotten(
    const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_trouble *trouble = iw_tcp_life_trouble(facts->life, side);
    const char *name = iw_facts_side_name(facts, side), *doubt = tcp_reset_doubt(facts, side);
    bool gaps = iw_facts_side_has_gaps(facts, side) || !facts->life->side[side].has_next;
    char silence[48] = "";
    struct iw_diagnosed *cause;

    if (!iw_diagnosis_tcp_forgets(facts, side))
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

void iw_diagnosis_tcp_reset(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    bool sure;
    bool foreign = iw_diagnosis_is_foreign_reset(facts, side, &sure);

    if (foreign)
        tcp_reset_foreign(facts, side, sure, diagnosis);
    if (!foreign || !sure)
        tcp_reset_forgotten(facts, side, diagnosis);
}

/* ---- the end of a silence ---- */

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

/* What ends a silence. A FIN is an orderly end (RFC 5040 6.2), and a program that is done may also reset
 * (RFC 9293 3.10.5). If the other side still sends, it did not expect the end: that is evidence of a timeout.
 * A RST after whole minutes only suggests one. */
void iw_diagnosis_tcp_idle(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_trouble *trouble = iw_tcp_life_trouble(facts->life, side);
    const struct iw_tcp_life *life = facts->life;
    const struct iw_tcp_life_side *own = &life->side[side];
    bool reset = trouble->rst_frame != 0 && (own->fin_frame == 0 || trouble->rst_frame < own->fin_frame);
    uint64_t end = reset ? trouble->rst_frame : own->fin_frame;
    bool minutes = tcp_is_minutes(life->idle_ns);
    bool cut_off = trouble->rst_frame != 0 && life->side[iw_side_other(side)].last_octets_frame > end;
    struct iw_diagnosed *cause;

    if (end == 0 || life->idle_ns < IDLE_NS || life->idle_end_frame != end ||
        !((minutes && reset) || cut_off) || iw_diagnosis_explains_end(facts, diagnosis) ||
        tcp_is_awaited(facts, end) || trouble->probes_unanswered > 0 || iw_facts_is_partial(facts))
        return;
    cause = (cut_off ? iw_diagnosis_add_of : iw_diagnosis_note_of)(diagnosis, side, IW_CAUSE_ID_IDLE_TIMEOUT,
        IW_CONFIDENCE_POSSIBLE, "Nothing was sent for %.3f s%s; then %s sent a %s.%s%s",
        (double)life->idle_ns / 1e9, minutes ? ", within 1 s of a whole number of minutes" : "",
        iw_facts_side_name(facts, side), reset ? "RST" : "FIN",
        cut_off ? " Afterwards the other side sent octets" : "",
        !cut_off ? ""
        : reset  ? "."
                 : ", and a RST answered them.");
    iw_diagnosis_frame(cause, end);
    if (cut_off)
        iw_diagnosis_frame(cause, trouble->rst_frame);
}

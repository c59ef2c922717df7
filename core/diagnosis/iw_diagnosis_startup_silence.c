#include <stdio.h>

#include "iw_diagnosis_startup.h"

/* Causes before the first message: what did not come after a startup frame. */

#define SECOND UINT64_C(1000000000)
#define SILENCE_NS (3 * SECOND)   /* without a first message for so long, a side waits for the other */
#define GIVEN_UP_NS (30 * SECOND) /* an initiator that resets earlier may have had nothing to send */

uint64_t iw_diagnosis_startup_since(struct iw_history_mark mark, uint64_t until) {
    return mark.frame != 0 && until > mark.time_ns ? until - mark.time_ns : 0;
}

bool iw_diagnosis_startup_has_part(const struct iw_facts *facts, enum iw_side side) {
    return facts->history->side[side].close_unfinished;
}

enum iw_confidence iw_diagnosis_startup_silence(const struct iw_facts *facts, enum iw_side side,
    uint64_t since_ns, const struct iw_diagnosis *diagnosis, enum iw_confidence sure) {
    return iw_diagnosis_is_silence_shown(facts, side, since_ns) ? iw_diagnosis_missing(diagnosis, sure)
                                                                : IW_CONFIDENCE_POSSIBLE;
}

const char *iw_diagnosis_startup_silence_text(const struct iw_facts *facts, enum iw_side side,
    uint64_t since_ns, const struct iw_diagnosis *diagnosis, char text[IW_DIAGNOSIS_UNSHOWN]) {
    return diagnosis->ending == IW_ENDING_OPEN || iw_diagnosis_is_silence_shown(facts, side, since_ns)
               ? iw_diagnosis_missing_text(diagnosis)
               : iw_diagnosis_unshown_text(facts, side, text);
}

void iw_diagnosis_startup_silence_next(const struct iw_facts *facts, enum iw_side side, uint64_t since_ns,
    const char *words, const char *what, struct iw_diagnosed *cause) {
    if (iw_diagnosis_is_silence_shown(facts, side, since_ns))
        iw_diagnosis_next(facts, cause, words, side);
    else if (cause != NULL)
        snprintf(cause->next, sizeof cause->next,
            "Capture again at the host of %s, and see whether it sends the %s. If so, look at the path; "
            "otherwise at the program and the device of %s.",
            iw_facts_side_name(facts, side), what, iw_facts_side_name(facts, side));
}

bool iw_diagnosis_startup_is_delivered(const struct iw_facts *facts, enum iw_side side) {
    return facts->life == NULL || !iw_tcp_life_in_flight(facts->life, side) ||
           iw_tcp_life_trouble(facts->life, side)->resend.count == 0;
}

/* ---- no first message ---- */

static void startup_without_rtr(
    const struct iw_facts *facts, uint64_t silent, unsigned rtr, struct iw_diagnosis *diagnosis) {
    enum iw_side initiator = facts->terms->initiator;
    uint64_t replied = facts->history->side[iw_side_other(initiator)].startup.time_ns;
    char text[IW_DIAGNOSIS_UNSHOWN];
    struct iw_diagnosed *cause;

    if (iw_diagnosis_startup_has_part(facts, initiator))
        return;
    cause = iw_diagnosis_add_of(diagnosis, initiator, IW_CAUSE_ID_RTR_MISSING,
        iw_diagnosis_startup_silence(facts, initiator, replied, diagnosis, IW_CONFIDENCE_CERTAIN),
        "Both frames have A=1. For %.3f s after the Reply the initiator sent no message; the RTR would be "
        "a %s.%s",
        (double)silent / 1e9, iw_startup_rtr_text(rtr),
        iw_diagnosis_startup_silence_text(facts, initiator, replied, diagnosis, text));
    iw_diagnosis_frame(cause, facts->history->side[iw_side_other(initiator)].startup.frame);
    iw_diagnosis_startup_silence_next(facts, initiator, replied, IW_CAUSE_INITIATING, "RTR", cause);
}

/* The initiator has to send first (RFC 5044 7.1.2). If it closes in order without a message, nothing shows
 * that it waited for one: it may have had nothing to send. */
static void startup_unused(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    enum iw_side initiator = facts->terms->initiator;
    struct iw_history_mark replied = facts->history->side[iw_side_other(initiator)].startup;
    struct iw_diagnosed *note =
        iw_diagnosis_note_of(diagnosis, initiator, IW_CAUSE_ID_UNUSED, IW_CONFIDENCE_CERTAIN,
            "No message of either side came in the %.3f s after the Reply; then the initiator closed.",
            (double)iw_diagnosis_startup_since(replied, diagnosis->end.time_ns) / 1e9);

    iw_diagnosis_frame(note, replied.frame);
    iw_diagnosis_frame(note, diagnosis->end.frame);
    iw_diagnosis_next(facts, note, IW_CAUSE_INITIATING, initiator);
}

/* An initiator that resets the connection soon may have had nothing to send. */
static void startup_both_wait(const struct iw_facts *facts, uint64_t silent, struct iw_diagnosis *diagnosis) {
    enum iw_side initiator = facts->terms->initiator;
    uint64_t replied = facts->history->side[iw_side_other(initiator)].startup.time_ns;
    bool given_up = diagnosis->ending != IW_ENDING_OPEN && diagnosis->ender == initiator;
    char text[IW_DIAGNOSIS_UNSHOWN];
    struct iw_diagnosed *cause;

    if (given_up && silent < GIVEN_UP_NS)
        return;
    cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_BOTH_WAIT,
        iw_diagnosis_startup_silence(facts, initiator, replied, diagnosis,
            !given_up && silent >= 3 * SILENCE_NS ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_POSSIBLE),
        "For %.3f s after the Reply no message of either side came.%s%s", (double)silent / 1e9,
        given_up ? " The initiator reset the connection; perhaps it had nothing to send." : "",
        iw_diagnosis_startup_silence_text(facts, initiator, replied, diagnosis, text));
    iw_diagnosis_frame(cause, facts->history->side[iw_side_other(initiator)].startup.frame);
    iw_diagnosis_startup_silence_next(facts, initiator, replied, IW_CAUSE_INITIATING, "first message", cause);
    if (given_up && cause != NULL)
        snprintf(cause->next, sizeof cause->next,
            "Look at the log of the initiator. If it waited for a message, let it send first, or negotiate "
            "peer-to-peer mode (Rev 2); if it had nothing to send, nothing is wrong.");
}

void iw_diagnosis_startup_without_messages(
    const struct iw_facts *facts, enum iw_side initiator, struct iw_diagnosis *diagnosis) {
    const struct iw_history_side *reply = &facts->history->side[iw_side_other(initiator)];
    uint64_t silent = iw_diagnosis_startup_since(reply->startup, iw_facts_last_ns(facts));
    unsigned rtr;

    if (facts->history->message_count > 0 || silent < SILENCE_NS || iw_facts_is_partial(facts) ||
        iw_history_trouble(facts->history, initiator)->lost_frame != 0 ||
        !iw_diagnosis_startup_is_delivered(facts, iw_side_other(initiator)))
        return;
    if (iw_mpa_peer_to_peer(facts->terms, &rtr))
        startup_without_rtr(facts, silent, rtr, diagnosis);
    else if (iw_diagnosis_startup_has_part(facts, IW_SIDE_A) ||
             iw_diagnosis_startup_has_part(facts, IW_SIDE_B))
        return;
    else if (diagnosis->ending == IW_ENDING_GRACEFUL && diagnosis->ender == initiator)
        startup_unused(facts, diagnosis);
    else
        startup_both_wait(facts, silent, diagnosis);
}

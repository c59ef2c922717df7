#include "iw_diagnosis_part.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "iw_plural.h"

/* Whether the side had stopped within an FPDU or startup frame when the other side ended the connection. What
 * is incomplete without a silence before the end may only be cut off by it. */
static bool diagnosis_stopped_within(
    const struct iw_facts *facts, enum iw_side side, const struct iw_diagnosis *diagnosis) {
    return side != diagnosis->ender && facts->history->side[side].close_unfinished && facts->life != NULL &&
           facts->life->idle_end_frame == diagnosis->end.frame &&
           facts->life->idle_ns >= IW_DIAGNOSIS_HANG_NS;
}

/* What the side that closed first did, which may have left something undone. */
static void diagnosis_put_end(
    const struct iw_facts *facts, const struct iw_diagnosis *diagnosis, char *text, size_t size) {
    enum iw_side closer = iw_diagnosis_closer(facts, diagnosis);
    size_t owed = iw_diagnosis_owed_calls(facts, diagnosis);
    char how[64] = "closed", left[64] = "";

    if (owed > 0)
        snprintf(left, sizeof left, " while %zu call%s had no reply", owed, iw_plural(owed));
    else if (iw_facts_unfinished_write(facts, closer) != NULL)
        snprintf(left, sizeof left, " while its RDMA Write lacked the last segment");
    if (left[0] == '\0' || (diagnosis->ending != IW_ENDING_GRACEFUL && closer == diagnosis->ender))
        snprintf(how, sizeof how, "sent the %s", iw_ending_name(facts, diagnosis->ending));
    snprintf(text, size, "%s%s", how, left);
}

const char *iw_diagnosis_next_without_cause(
    const struct iw_facts *facts, const struct iw_diagnosis *diagnosis, char text[IW_DIAGNOSIS_NEXT]) {
    enum iw_side other = iw_side_other(diagnosis->ender);
    bool stopped = diagnosis_stopped_within(facts, other, diagnosis);
    bool left = iw_diagnosis_owed_calls(facts, diagnosis) > 0;
    enum iw_side side = stopped ? other : left ? iw_diagnosis_closer(facts, diagnosis) : diagnosis->ender;
    const char *address = facts->address[side];
    char why[128];

    if (diagnosis->count > 0 || !diagnosis->failed)
        return NULL;
    if (diagnosis->ending == IW_ENDING_OPEN)
        snprintf(text, IW_DIAGNOSIS_NEXT,
            "Capture until the connection ends, and look at the logs of both programs at this time.");
    else {
        if (stopped)
            snprintf(why, sizeof why, "stopped within a frame, %.3f s before the other side sent the %s",
                (double)facts->life->idle_ns / 1e9, iw_ending_name(facts, diagnosis->ending));
        else
            diagnosis_put_end(facts, diagnosis, why, sizeof why);
        snprintf(text, IW_DIAGNOSIS_NEXT,
            "Look at the logs of %s%s%s%s at this time: program, driver and device. It %s.",
            iw_facts_side_name(facts, side), address != NULL ? ", " : "", address != NULL ? address : "",
            address != NULL ? "," : "", why);
    }
    return text;
}

bool iw_diagnosis_has(const struct iw_diagnosis *diagnosis, enum iw_cause_id id) {
    for (unsigned i = 0; i < diagnosis->count; i++)
        if (diagnosis->causes[i].cause == &iw_causes[id])
            return true;
    return false;
}

bool iw_diagnosis_has_group(const struct iw_diagnosis *diagnosis, enum iw_cause_group group) {
    for (unsigned i = 0; i < diagnosis->count; i++)
        if (diagnosis->causes[i].cause->group == group)
            return true;
    return false;
}

enum iw_confidence iw_diagnosis_missing(const struct iw_diagnosis *diagnosis, enum iw_confidence sure) {
    return diagnosis->ending == IW_ENDING_OPEN ? IW_CONFIDENCE_POSSIBLE : sure;
}

const char *iw_diagnosis_missing_text(const struct iw_diagnosis *diagnosis) {
    return diagnosis->ending == IW_ENDING_OPEN
               ? " The connection is open at the end of the capture: what is missing may have come later."
               : "";
}

bool iw_diagnosis_is_silence_shown(const struct iw_facts *facts, enum iw_side side, uint64_t since_ns) {
    return facts->life != NULL && facts->life->side[side].complete.frame > 0 &&
           facts->life->side[side].complete.time_ns >= since_ns + IW_DIAGNOSIS_HANG_NS;
}

const char *iw_diagnosis_unshown_text(
    const struct iw_facts *facts, enum iw_side side, char text[IW_DIAGNOSIS_UNSHOWN]) {
    snprintf(text, IW_DIAGNOSIS_UNSHOWN,
        " No later segment shows that %s sent nothing more: octets may be lost between it and the place of "
        "the capture.",
        iw_facts_side_name(facts, side));
    return text;
}

void iw_diagnosis_until(struct iw_diagnosed *cause, uint64_t time_ns) {
    if (cause != NULL)
        cause->until_ns = time_ns;
}

void iw_diagnosis_frame(struct iw_diagnosed *cause, uint64_t frame) {
    unsigned at;

    if (cause == NULL || frame == 0 || cause->frame_count == IW_DIAGNOSIS_FRAMES)
        return;
    for (unsigned i = 0; i < cause->frame_count; i++)
        if (cause->frames[i] == frame)
            return;
    at = cause->frame_count++;
    for (; at > 0 && cause->frames[at - 1] > frame; at--)
        cause->frames[at] = cause->frames[at - 1];
    cause->frames[at] = frame;
}

/* Whether the sentence goes on with a word, before which a comma ends an address. */
static bool diagnosis_goes_on(const char *rest) {
    return rest[0] == ' ' && islower((unsigned char)rest[1]);
}

void iw_diagnosis_next(
    const struct iw_facts *facts, struct iw_diagnosed *cause, const char *words, enum iw_side side) {
    const char *next, *at, *rest, *address = facts->address[side];

    if (cause == NULL || (at = strstr(next = cause->cause->next, words)) == NULL)
        return;
    rest = at + strlen(words);
    snprintf(cause->next, sizeof cause->next, "%.*s%s%s%s%s%s", (int)(at - next), next,
        iw_facts_side_name(facts, side), address != NULL ? ", " : "", address != NULL ? address : "",
        address != NULL && diagnosis_goes_on(rest) ? "," : "", rest);
}

const char *iw_diagnosed_next(const struct iw_diagnosed *cause) {
    return cause->next[0] != '\0' ? cause->next : cause->cause->next;
}

/* Returns the slot for a new note; NULL if it exists already. */
static struct iw_diagnosed *diagnosis_note(struct iw_diagnosis *diagnosis, enum iw_cause_id id) {
    for (unsigned i = 0; i < diagnosis->note_count; i++)
        if (diagnosis->notes[i].cause == &iw_causes[id])
            return NULL;
    return diagnosis->note_count < IW_DIAGNOSIS_NOTES ? &diagnosis->notes[diagnosis->note_count++] : NULL;
}

/* Returns the slot for a new cause, which moves later ones; NULL if it exists already, or if it would be the
 * last of a full list. `side`: as in diagnosis_add. */
static struct iw_diagnosed *diagnosis_insert(struct iw_diagnosis *diagnosis, const enum iw_side *side,
    enum iw_cause_id id, enum iw_confidence confidence) {
    unsigned at = diagnosis->count;

    for (unsigned i = 0; i < diagnosis->count; i++) {
        const struct iw_diagnosed *cause = &diagnosis->causes[i];

        if (cause->cause == &iw_causes[id] && (side == NULL || !cause->has_side || cause->side == *side))
            return NULL;
    }
    while (at > 0 && diagnosis->causes[at - 1].confidence < confidence)
        at--;
    if (at == IW_DIAGNOSIS_CAUSES)
        return NULL;
    if (diagnosis->count < IW_DIAGNOSIS_CAUSES)
        diagnosis->count++;
    memmove(&diagnosis->causes[at + 1], &diagnosis->causes[at],
        (diagnosis->count - 1 - at) * sizeof *diagnosis->causes);
    return &diagnosis->causes[at];
}

/* Fills in the slot, which may be NULL. `side`: that the cause is about, or NULL. */
static struct iw_diagnosed *diagnosis_fill(struct iw_diagnosed *cause, const enum iw_side *side,
    enum iw_cause_id id, enum iw_confidence confidence, const char *format, va_list arguments) {
    if (cause == NULL)
        return NULL;
    cause->cause = &iw_causes[id];
    cause->confidence = confidence;
    cause->has_side = side != NULL;
    cause->side = side != NULL ? *side : IW_SIDE_A;
    cause->frame_count = 0;
    cause->until_ns = 0;
    cause->buffer.known = false;
    cause->next[0] = '\0';
    vsnprintf(cause->detail, sizeof cause->detail, format, arguments);
    cause->detail[0] = (char)toupper((unsigned char)cause->detail[0]); /* it may begin with a side */
    return cause;
}

static struct iw_diagnosed *diagnosis_add(struct iw_diagnosis *diagnosis, const enum iw_side *side,
    enum iw_cause_id id, enum iw_confidence confidence, const char *format, va_list arguments) {
    struct iw_diagnosed *cause = iw_causes[id].group == IW_CAUSE_CAPTURE
                                     ? diagnosis_note(diagnosis, id)
                                     : diagnosis_insert(diagnosis, side, id, confidence);

    return diagnosis_fill(cause, side, id, confidence, format, arguments);
}

struct iw_diagnosed *iw_diagnosis_note_of(struct iw_diagnosis *diagnosis, enum iw_side side,
    enum iw_cause_id id, enum iw_confidence confidence, const char *format, ...) {
    struct iw_diagnosed *note;
    va_list arguments;

    va_start(arguments, format);
    note = diagnosis_fill(diagnosis_note(diagnosis, id), &side, id, confidence, format, arguments);
    va_end(arguments);
    return note;
}

struct iw_diagnosed *iw_diagnosis_add_of(struct iw_diagnosis *diagnosis, enum iw_side side,
    enum iw_cause_id id, enum iw_confidence confidence, const char *format, ...) {
    struct iw_diagnosed *cause;
    va_list arguments;

    va_start(arguments, format);
    cause = diagnosis_add(diagnosis, &side, id, confidence, format, arguments);
    va_end(arguments);
    return cause;
}

struct iw_diagnosed *iw_diagnosis_add(struct iw_diagnosis *diagnosis, enum iw_cause_id id,
    enum iw_confidence confidence, const char *format, ...) {
    struct iw_diagnosed *cause;
    va_list arguments;

    va_start(arguments, format);
    cause = diagnosis_add(diagnosis, NULL, id, confidence, format, arguments);
    va_end(arguments);
    return cause;
}

static unsigned diagnosis_certain_count(const struct iw_diagnosis *diagnosis) {
    unsigned count = 0;

    while (count < diagnosis->count && diagnosis->causes[count].confidence == IW_CONFIDENCE_CERTAIN)
        count++; /* they come first */
    return count;
}

/* A Terminate is only a statement: a cause that rests on it is certain only if the octets agree. */
static void diagnosis_take_terminate(
    const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    unsigned certain = diagnosis_certain_count(diagnosis);

    iw_diagnose_terminate(facts, side, diagnosis);
    assert(diagnosis->truth[side] != IW_TRUTH_UNDECIDED || diagnosis_certain_count(diagnosis) == certain);
    (void)certain;
}

static bool diagnosis_is_terminate(const struct iw_history_message *message, const void *side) {
    return message->decoded && !message->tagged && message->opcode == IW_RDMAP_OP_TERMINATE &&
           message->side == *(const enum iw_side *)side;
}

/* Whether the side had not received the Terminate of the other side when it sent its own. */
static bool diagnosis_terminates_cross(const struct iw_history *history, enum iw_side side) {
    const enum iw_side other = iw_side_other(side);
    const struct iw_history_message *own = iw_history_find(history, diagnosis_is_terminate, &side);
    const struct iw_history_message *first = iw_history_find(history, diagnosis_is_terminate, &other);

    return own != NULL && first != NULL && own->received_at_most < first->end;
}

/* A second Terminate may follow from the first one. Its causes count if there is no other one, if the octets
 * confirm it, or if its sender did not know the first one. */
static void diagnosis_take_second_terminate(
    const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    struct iw_diagnosis both;

    if (iw_history_trouble(facts->history, side)->terminate.mark.frame == 0)
        return;
    both = *diagnosis;
    diagnosis_take_terminate(facts, side, &both);
    if (diagnosis->count == 0 || both.truth[side] == IW_TRUTH_CONFIRMED ||
        diagnosis_terminates_cross(facts->history, side))
        *diagnosis = both;
    diagnosis->truth[side] = both.truth[side];
}

void iw_diagnose(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    enum iw_side first = iw_history_first_terminate(facts->history);

    memset(diagnosis, 0, sizeof *diagnosis);
    iw_diagnosis_find_end(facts, diagnosis);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        iw_diagnose_crc(facts, side, diagnosis);
    diagnosis_take_terminate(facts, first, diagnosis);
    diagnosis_take_second_terminate(facts, iw_side_other(first), diagnosis);
    iw_diagnose_startup(facts, diagnosis);
    iw_diagnose_unused(facts, diagnosis);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        iw_diagnose_tcp(facts, side, diagnosis);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        iw_diagnose_hang(facts, side, diagnosis);
    iw_diagnose_violation(facts, diagnosis);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        iw_diagnose_calls(facts, side, diagnosis);
    iw_diagnose_capture(facts, diagnosis);
    iw_diagnosis_order(facts, diagnosis);
    diagnosis->failed = diagnosis->count > 0 || iw_diagnosis_has_failed(facts, diagnosis);
    iw_diagnose_smb(facts, diagnosis);
}

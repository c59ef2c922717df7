#include "iw_diagnosis_part.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "iw_side_name.h"

const char *iw_confidence_name(enum iw_confidence confidence) {
    static const char *const names[] = {[IW_CONFIDENCE_POSSIBLE] = "possible",
        [IW_CONFIDENCE_LIKELY] = "likely",
        [IW_CONFIDENCE_CERTAIN] = "certain"};

    return names[confidence];
}

void iw_evidence_add_monitor(struct iw_evidence *evidence, const struct iw_monitor *monitor) {
    evidence->terms = iw_monitor_terms(monitor);
    evidence->counts = iw_monitor_counts(monitor);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        iw_monitor_unanswered(monitor, side, &evidence->unanswered[side]);
}

/* Whether the side had stopped within an FPDU or startup frame when the other side ended the connection. What
 * is incomplete without a silence before the end may only be cut off by it. */
static bool diagnosis_stopped_within(
    const struct iw_evidence *evidence, enum iw_side side, const struct iw_diagnosis *diagnosis) {
    return side != diagnosis->ender && evidence->history->side[side].close_unfinished &&
           evidence->life != NULL && evidence->life->idle_end_frame == diagnosis->end.frame &&
           evidence->life->idle_ns >= IW_DIAGNOSIS_HANG_NS;
}

const char *iw_diagnosis_next_without_cause(
    const struct iw_evidence *evidence, const struct iw_diagnosis *diagnosis, char text[IW_DIAGNOSIS_NEXT]) {
    enum iw_side other = iw_side_other(diagnosis->ender);
    bool stopped = diagnosis_stopped_within(evidence, other, diagnosis);
    enum iw_side side = stopped ? other : diagnosis->ender;
    const char *address = evidence->address[side];
    char why[96];

    if (diagnosis->count > 0 || !diagnosis->failed)
        return NULL;
    if (diagnosis->ending == IW_ENDING_OPEN)
        snprintf(text, IW_DIAGNOSIS_NEXT,
            "Capture until the connection ends, and look at the logs of both programs at this time.");
    else {
        if (stopped)
            snprintf(why, sizeof why, "stopped within a frame, %.3f s before the other side sent the %s",
                (double)evidence->life->idle_ns / 1e9, iw_ending_name(evidence, diagnosis->ending));
        else
            snprintf(why, sizeof why, "sent the %s", iw_ending_name(evidence, diagnosis->ending));
        snprintf(text, IW_DIAGNOSIS_NEXT,
            "Look at the logs of %s%s%s%s at this time: program, driver and device. It %s.",
            iw_evidence_side_name(evidence, side), address != NULL ? ", " : "",
            address != NULL ? address : "", address != NULL ? "," : "", why);
    }
    return text;
}

uint64_t iw_evidence_frame_number(const struct iw_evidence *evidence, uint64_t frame) {
    return evidence->frame_number != NULL ? evidence->frame_number(evidence->files, frame) : frame;
}

const char *iw_evidence_side_name(const struct iw_evidence *evidence, enum iw_side side) {
    return iw_side_name(iw_role_of(evidence->terms, side), side);
}

bool iw_evidence_is_partial(const struct iw_evidence *evidence) {
    return evidence->counts->unjudged[IW_UNJUDGED_STARTUP] > 0 || iw_evidence_has_gaps(evidence);
}

bool iw_evidence_has_gaps(const struct iw_evidence *evidence) {
    return evidence->counts->unjudged[IW_UNJUDGED_LOST] > 0 ||
           iw_evidence_side_has_gaps(evidence, IW_SIDE_A) || iw_evidence_side_has_gaps(evidence, IW_SIDE_B);
}

bool iw_evidence_side_has_gaps(const struct iw_evidence *evidence, enum iw_side side) {
    const uint64_t *unjudged = evidence->counts->unjudged;

    return iw_history_trouble(evidence->history, side)->lost_frame != 0 || unjudged[IW_UNJUDGED_CUT] > 0 ||
           unjudged[IW_UNJUDGED_CHUNKS] > 0 || unjudged[IW_UNJUDGED_GIVEN_UP] > 0 ||
           unjudged[IW_UNJUDGED_LIMIT] > 0 || unjudged[IW_UNJUDGED_UNREAD] > 0;
}

enum iw_confidence iw_evidence_confidence(const struct iw_evidence *evidence, enum iw_confidence sure) {
    return iw_evidence_is_partial(evidence) && sure > IW_CONFIDENCE_POSSIBLE ? sure - 1 : sure;
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

uint64_t iw_evidence_last_ns(const struct iw_evidence *evidence) {
    uint64_t last = evidence->history->last.time_ns;

    if (evidence->life != NULL && evidence->life->last.time_ns > last)
        last = evidence->life->last.time_ns;
    return evidence->capture_ns > last && iw_evidence_is_open(evidence) ? evidence->capture_ns : last;
}

const struct iw_history_finding *iw_evidence_finding(const struct iw_evidence *evidence, enum iw_side side,
    uint64_t until, const char *document, const char *const *sections, size_t count) {
    const struct iw_history *history = evidence->history;

    for (uint32_t i = 0; i < history->finding_count; i++) {
        const struct iw_history_finding *finding = &history->findings[i];
        bool fits = count == 0;

        if (finding->side != side || finding->frame > until ||
            (document != NULL && strcmp(finding->requirement->document, document) != 0))
            continue;
        for (size_t at = 0; at < count; at++)
            fits |= strcmp(finding->requirement->section, sections[at]) == 0;
        if (fits)
            return finding;
    }
    return NULL;
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
    const struct iw_evidence *evidence, struct iw_diagnosed *cause, const char *words, enum iw_side side) {
    const char *next, *at, *rest, *address = evidence->address[side];

    if (cause == NULL || (at = strstr(next = cause->cause->next, words)) == NULL)
        return;
    rest = at + strlen(words);
    snprintf(cause->next, sizeof cause->next, "%.*s%s%s%s%s%s", (int)(at - next), next,
        iw_evidence_side_name(evidence, side), address != NULL ? ", " : "", address != NULL ? address : "",
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

/* `side`: that the cause is about, or NULL. */
static struct iw_diagnosed *diagnosis_add(struct iw_diagnosis *diagnosis, const enum iw_side *side,
    enum iw_cause_id id, enum iw_confidence confidence, const char *format, va_list arguments) {
    struct iw_diagnosed *cause = iw_causes[id].group == IW_CAUSE_CAPTURE
                                     ? diagnosis_note(diagnosis, id)
                                     : diagnosis_insert(diagnosis, side, id, confidence);

    if (cause == NULL)
        return NULL;
    cause->cause = &iw_causes[id];
    cause->confidence = confidence;
    cause->has_side = side != NULL;
    cause->side = side != NULL ? *side : IW_SIDE_A;
    cause->frame_count = 0;
    cause->buffer.known = false;
    cause->next[0] = '\0';
    vsnprintf(cause->detail, sizeof cause->detail, format, arguments);
    cause->detail[0] = (char)toupper((unsigned char)cause->detail[0]); /* it may begin with a side */
    return cause;
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
    const struct iw_evidence *evidence, enum iw_side side, struct iw_diagnosis *diagnosis) {
    unsigned certain = diagnosis_certain_count(diagnosis);

    iw_diagnose_terminate(evidence, side, diagnosis);
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
    const struct iw_evidence *evidence, enum iw_side side, struct iw_diagnosis *diagnosis) {
    struct iw_diagnosis both;

    if (iw_history_trouble(evidence->history, side)->terminate.mark.frame == 0)
        return;
    both = *diagnosis;
    diagnosis_take_terminate(evidence, side, &both);
    if (diagnosis->count == 0 || both.truth[side] == IW_TRUTH_CONFIRMED ||
        diagnosis_terminates_cross(evidence->history, side))
        *diagnosis = both;
    diagnosis->truth[side] = both.truth[side];
}

void iw_diagnose(const struct iw_evidence *evidence, struct iw_diagnosis *diagnosis) {
    enum iw_side first = iw_history_first_terminate(evidence->history);

    memset(diagnosis, 0, sizeof *diagnosis);
    iw_diagnosis_find_end(evidence, diagnosis);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        iw_diagnose_crc(evidence, side, diagnosis);
    diagnosis_take_terminate(evidence, first, diagnosis);
    diagnosis_take_second_terminate(evidence, iw_side_other(first), diagnosis);
    iw_diagnose_startup(evidence, diagnosis);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        iw_diagnose_tcp(evidence, side, diagnosis);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        iw_diagnose_hang(evidence, side, diagnosis);
    iw_diagnose_violation(evidence, diagnosis);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        iw_diagnose_calls(evidence, side, diagnosis);
    iw_diagnose_capture(evidence, diagnosis);
    diagnosis->failed = diagnosis->count > 0 || iw_diagnosis_has_failed(evidence, diagnosis);
}

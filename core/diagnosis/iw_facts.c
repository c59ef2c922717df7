#include "iw_facts.h"

#include <string.h>

#include "iw_side_name.h"
#include "iw_upper.h"

const char *iw_confidence_name(enum iw_confidence confidence) {
    static const char *const names[] = {[IW_CONFIDENCE_POSSIBLE] = "possible",
        [IW_CONFIDENCE_LIKELY] = "likely",
        [IW_CONFIDENCE_CERTAIN] = "certain"};

    return names[confidence];
}

void iw_facts_add_monitor(struct iw_facts *facts, const struct iw_monitor *monitor) {
    facts->terms = iw_monitor_terms(monitor);
    facts->counts = iw_monitor_counts(monitor);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        iw_monitor_unanswered(monitor, side, &facts->unanswered[side]);
}

uint64_t iw_facts_frame_number(const struct iw_facts *facts, uint64_t frame) {
    return facts->frame_number != NULL ? facts->frame_number(facts->files, frame) : frame;
}

const char *iw_facts_side_name(const struct iw_facts *facts, enum iw_side side) {
    return iw_side_name(iw_role_of(facts->terms, side), side);
}

bool iw_facts_is_partial(const struct iw_facts *facts) {
    return facts->counts->unjudged[IW_UNJUDGED_STARTUP] > 0 || iw_facts_has_gaps(facts);
}

bool iw_facts_has_gaps(const struct iw_facts *facts) {
    return facts->counts->unjudged[IW_UNJUDGED_LOST] > 0 || iw_facts_side_has_gaps(facts, IW_SIDE_A) ||
           iw_facts_side_has_gaps(facts, IW_SIDE_B);
}

bool iw_facts_side_has_gaps(const struct iw_facts *facts, enum iw_side side) {
    const uint64_t *unjudged = facts->counts->unjudged;

    return iw_history_trouble(facts->history, side)->lost_frame != 0 || unjudged[IW_UNJUDGED_CUT] > 0 ||
           unjudged[IW_UNJUDGED_CHUNKS] > 0 || unjudged[IW_UNJUDGED_GIVEN_UP] > 0 ||
           unjudged[IW_UNJUDGED_LIMIT] > 0 || unjudged[IW_UNJUDGED_UNREAD] > 0;
}

enum iw_confidence iw_facts_confidence(const struct iw_facts *facts, enum iw_confidence sure) {
    return iw_facts_is_partial(facts) && sure > IW_CONFIDENCE_POSSIBLE ? sure - 1 : sure;
}

const struct iw_history_crc *iw_facts_crc(const struct iw_facts *facts, enum iw_side side) {
    static const struct iw_history_crc none;
    const struct iw_history_crc *crc = &iw_history_trouble(facts->history, side)->crc;
    const struct iw_history_terminate *answer =
        &iw_history_trouble(facts->history, iw_side_other(side))->terminate;

    return crc->unproven == 0 || (answer->mark.frame != 0 && answer->error == IW_ERROR_MPA_CRC) ? crc : &none;
}

/* Whether the capture shows no end of the connection. */
static bool facts_is_open(const struct iw_facts *facts) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        const struct iw_history_side *own = &facts->history->side[side];
        const struct iw_history_trouble *trouble = iw_history_trouble(facts->history, side);

        if ((own->close.frame != 0 && own->close_kind != IW_LLP_CLOSE_INPUT) || trouble->rst.frame != 0 ||
            trouble->terminate.mark.frame != 0)
            return false;
    }
    return !facts->terms->rejected;
}

uint64_t iw_facts_last_ns(const struct iw_facts *facts) {
    uint64_t last = facts->history->last.time_ns;

    if (facts->life != NULL && facts->life->last.time_ns > last)
        last = facts->life->last.time_ns;
    return facts->capture_ns > last && facts_is_open(facts) ? facts->capture_ns : last;
}

const struct iw_history_finding *iw_facts_finding(const struct iw_facts *facts, enum iw_side side,
    uint64_t until, const char *document, const char *const *sections, size_t count) {
    const struct iw_history *history = facts->history;

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

static bool facts_call_counts(const struct iw_upper_call *call, enum iw_side caller) {
    return call->caller == caller && !call->hidden && !call->may_be_answered &&
           !iw_upper_call_waits_for_event(call);
}

size_t iw_facts_open_calls(
    const struct iw_facts *facts, enum iw_side caller, const struct iw_upper_call **oldest) {
    return iw_facts_open_calls_before(facts, caller, UINT64_MAX, oldest);
}

size_t iw_facts_open_calls_before(
    const struct iw_facts *facts, enum iw_side caller, uint64_t end, const struct iw_upper_call **oldest) {
    size_t count, open = 0;
    const struct iw_upper_call *calls;

    if (facts->upper == NULL || !iw_upper_calls_complete(facts->upper))
        return 0;
    calls = iw_upper_calls(facts->upper, &count);
    for (size_t i = 0; i < count; i++)
        if (facts_call_counts(&calls[i], caller) && calls[i].frame < end && open++ == 0)
            *oldest = &calls[i];
    return open;
}

static bool facts_is_of_side(const struct iw_history_message *message, const void *what) {
    const enum iw_side *side = what;

    return message->side == *side && !(message->decoded && message->opcode == IW_RDMAP_OP_TERMINATE);
}

const struct iw_history_message *iw_facts_unfinished_write(const struct iw_facts *facts, enum iw_side side) {
    const struct iw_history_message *message = iw_history_find(facts->history, facts_is_of_side, &side);

    if (iw_facts_side_has_gaps(facts, side))
        return NULL; /* the last segment may be lost */
    return message != NULL && message->decoded && message->tagged && !message->last &&
                   message->opcode == IW_RDMAP_OP_RDMA_WRITE
               ? message
               : NULL;
}

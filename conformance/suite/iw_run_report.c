#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_run_state.h"

static void run_count_verdict(struct run *run, enum iw_verdict verdict, bool wrong_close) {
    bool stops =
        verdict == IW_VERDICT_FAIL || verdict == IW_VERDICT_INCONCLUSIVE || verdict == IW_VERDICT_ERROR;

    run->counts->cases++;
    run->counts->verdicts[verdict]++;
    run->counts->wrong_closes += wrong_close;
    run->stopped |= run->config->limits.until_failure && stops;
}

/* Ends the run if its results cannot be recorded. */
static void run_check_recording(struct run *run) {
    if (run->config->handlers.broken)
        run_break(run, run->config->handlers.broken(run->config->handlers.user));
}

void run_report_begin(struct run *run) {
    const struct iw_run_begin known = {.selected = run->counts->selected,
        .own = (unsigned)run->order.selection.count,
        .about = run->order.selection.about,
        .names = &run->names};

    if (run->begun)
        return;
    run->begun = true;
    if (run->config->handlers.begin)
        run->config->handlers.begin(run->config->handlers.user, &known);
    run_check_recording(run);
}

static bool run_add_contradicted(struct run *run, const char *claim) {
    unsigned *count = &run->counts->contradictions;

    for (unsigned i = 0; i < *count; i++)
        if (strcmp(run->contradicted[i], claim) == 0)
            return false;
    if (*count == RUN_CLAIMS_MAX)
        return false;
    run->contradicted[(*count)++] = claim;
    return true;
}

void run_count_earlier(struct run *run) {
    const struct iw_run_earlier *earlier = &run->config->earlier;

    for (size_t i = 0; i < earlier->case_count; i++)
        run_count_verdict(run, earlier->cases[i].verdict, earlier->cases[i].wrong_close);
    run->counts->crashes = earlier->crashes;
    for (size_t i = 0; i < earlier->claim_count; i++)
        run_add_contradicted(run, earlier->claims[i]);
}

static void run_report_contradictions(struct run *run, const struct iw_trial_result *result) {
    for (unsigned i = 0; i < result->contradictions.count; i++) {
        const struct iw_contradiction *contradiction = &result->contradictions.list[i];

        if (run_add_contradicted(run, contradiction->claim) && run->config->handlers.contradiction)
            run->config->handlers.contradiction(run->config->handlers.user, result->one, contradiction);
    }
}

static void run_report_slot(struct run *run, struct run_slot *slot) {
    struct iw_trial_result *result = &slot->result;

    run_report_begin(run);
    if (run->broken[0] && result->end != IW_TRIAL_FINISHED) {
        run->counts->left++;
        return;
    }
    iw_order_count(&run->order, result, slot->repeat);
    run_count_verdict(run, result->verdict, result->close.verdict == IW_CLOSE_WRONG);
    if (run->config->handlers.result)
        run->config->handlers.result(run->config->handlers.user, result);
    run_report_contradictions(run, result);
    run_check_recording(run);
}

bool run_may_report(const struct run *run) {
    bool nameless = run->config->target.agent && !run->names.agent[0] && run->running > 0;

    return run->begun || run->over || !run->config->target.host || (run->reached && !nameless);
}

void run_report_finished(struct run *run) {
    struct run_slot *slot;

    while ((slot = STAILQ_FIRST(&run->slots)) && slot->over && run_may_report(run)) {
        STAILQ_REMOVE_HEAD(&run->slots, others);
        run_report_slot(run, slot);
        free(slot);
    }
}

void run_end_slot(struct run *run, struct run_slot *slot, const struct iw_trial_result *result) {
    slot->result = *result;
    slot->result.repeat = iw_order_number(&run->order, slot->repeat);
    slot->over = true;
    run_report_finished(run);
}

void run_report_crash(struct run *run, const struct iw_case *one, const char *line) {
    run->counts->crashes++;
    if (run->config->handlers.crash)
        run->config->handlers.crash(run->config->handlers.user, one, line);
}

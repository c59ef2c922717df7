#include "iw_explained.h"

const char *iw_explain_ending_key(enum iw_ending ending) {
    static const char *const keys[] = {[IW_ENDING_OPEN] = "capture",
        [IW_ENDING_GRACEFUL] = "close",
        [IW_ENDING_RESET] = "reset",
        [IW_ENDING_TERMINATE] = "terminate",
        [IW_ENDING_REJECTED] = "rejected"};

    return keys[ending];
}

const char *iw_explain_truth_key(enum iw_truth truth) {
    static const char *const keys[] = {[IW_TRUTH_UNDECIDED] = "undecided",
        [IW_TRUTH_CONFIRMED] = "confirmed",
        [IW_TRUTH_REFUTED] = "refuted"};

    return keys[truth];
}

bool iw_explained_violates(const struct iw_explained *explained) {
    return explained->facts.counts->findings[IW_SEVERITY_ERROR] > 0;
}

/* ---- how long it lasted ---- */

struct iw_history_mark iw_explained_end(const struct iw_explained *explained) {
    if (explained->diagnosis.ending != IW_ENDING_OPEN)
        return explained->diagnosis.end;
    return (struct iw_history_mark){.time_ns = iw_facts_last_ns(&explained->facts)};
}

uint64_t iw_explained_age(const struct iw_explained *explained, uint64_t since_ns) {
    return iw_diagnosis_age(&explained->facts, &explained->diagnosis, since_ns);
}

struct iw_explain_wait iw_explained_wait(const struct iw_explained *explained) {
    const struct iw_history *history = explained->facts.history;
    const struct iw_history_requests *requests = iw_history_requests(history);
    struct iw_explain_wait wait = {.ns = requests->stall_ns,
        .begin_frame = requests->stall_begin_frame,
        .end_frame = requests->stall_end_frame,
        .outstanding = requests->stall_waiting};
    uint32_t waiting = requests->side[IW_SIDE_A].waiting + requests->side[IW_SIDE_B].waiting;
    uint64_t silence = iw_explained_age(explained, history->last.time_ns);

    /* a Terminate ends the wait itself, and a rejected connection has none */
    if (waiting > 0 && silence > wait.ns && explained->diagnosis.ending < IW_ENDING_TERMINATE)
        wait = (struct iw_explain_wait){.ns = silence,
            .begin_frame = history->last.frame,
            .end_frame = iw_explained_end(explained).frame,
            .outstanding = waiting,
            .to_end = true};
    return wait;
}

#include "iw_explain.h"

#include <inttypes.h>
#include <string.h>

/* The words of a story that all forms share. */

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
    return explained->evidence.counts->findings[IW_SEVERITY_ERROR] > 0;
}

const char *iw_explained_outcome(const struct iw_explained *explained) {
    const struct iw_diagnosis *diagnosis = &explained->diagnosis;

    if (diagnosis->count > 0)
        return "cause";
    return diagnosis->failed                  ? "not known"
           : iw_explained_violates(explained) ? "violations"
                                              : "nothing wrong seen";
}

static size_t explain_file_of(const struct iw_check_chain *chain, uint64_t frame) {
    size_t file = chain->count - 1;

    while (file > 0 && chain->first[file] > frame)
        file--;
    return file;
}

const char *iw_explain_file(const struct iw_check_chain *chain, uint64_t frame) {
    return chain->paths[explain_file_of(chain, frame)];
}

const char *iw_explain_title(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

uint64_t iw_explain_frame_number(const struct iw_check_chain *chain, uint64_t frame) {
    uint64_t first = chain->first[explain_file_of(chain, frame)];

    return first > 0 && frame > 0 ? frame - (first - 1) : frame;
}

const char *iw_explain_frame(
    const struct iw_check_chain *chain, uint64_t frame, char text[IW_EXPLAIN_FRAME_OCTETS]) {
    uint64_t number = iw_explain_frame_number(chain, frame);

    if (chain->count == 1)
        snprintf(text, IW_EXPLAIN_FRAME_OCTETS, "frame %" PRIu64, number);
    else
        snprintf(text, IW_EXPLAIN_FRAME_OCTETS, "frame %" PRIu64 " of %s", number,
            iw_explain_title(iw_explain_file(chain, frame)));
    return text;
}

/* ---- times ---- */

const char *iw_explain_time(uint64_t ns, char text[IW_EXPLAIN_TIME_OCTETS]) {
    if (ns < 1000000000)
        snprintf(text, IW_EXPLAIN_TIME_OCTETS, "%.3f ms", (double)ns / 1e6);
    else
        snprintf(text, IW_EXPLAIN_TIME_OCTETS, "%.3f s", (double)ns / 1e9);
    return text;
}

const char *iw_explain_time_about(uint64_t ns, char text[IW_EXPLAIN_TIME_OCTETS]) {
    uint64_t unit = 1;

    while (ns / unit >= 100)
        unit *= 10;
    ns = (ns + unit / 2) / unit * unit;
    if (ns < 1000000000)
        snprintf(text, IW_EXPLAIN_TIME_OCTETS, "about %g ms", (double)ns / 1e6);
    else
        snprintf(text, IW_EXPLAIN_TIME_OCTETS, "about %g s", (double)ns / 1e9);
    return text;
}

const char *iw_explain_quantile(
    const struct iw_latency *latency, unsigned percent, char text[IW_EXPLAIN_TIME_OCTETS]) {
    uint64_t ns = iw_latency_at(latency, percent);
    bool slowest = latency->count * percent > (latency->count - 1) * 100; /* by nearest rank */

    return slowest ? iw_explain_time(ns, text) : iw_explain_time_about(ns, text);
}

const char *iw_explain_call_name(const struct iw_explain_call *call) {
    return call->operation != NULL ? call->operation : "other calls";
}

/* ---- how long it lasted ---- */

struct iw_history_mark iw_explained_end(const struct iw_explained *explained) {
    if (explained->diagnosis.ending != IW_ENDING_OPEN)
        return explained->diagnosis.end;
    return (struct iw_history_mark){.time_ns = iw_evidence_last_ns(&explained->evidence)};
}

uint64_t iw_explained_age(const struct iw_explained *explained, uint64_t since_ns) {
    return iw_diagnosis_age(&explained->evidence, &explained->diagnosis, since_ns);
}

struct iw_explain_wait iw_explained_wait(const struct iw_explained *explained) {
    const struct iw_history *history = explained->evidence.history;
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

#include "iw_explain_kept.h"

#include <stdlib.h>

struct iw_explain_kept {
    struct iw_history history;
    struct iw_upper *upper;
    struct iw_explain_calls calls;
    const struct iw_llp_event *now; /* during iw_upper_event */
};

/* Stands for a connection for which memory ran out. */
static struct iw_explain_kept kept_nothing;

void iw_explain_kept_free(struct iw_explain_kept *kept) {
    if (kept == NULL || kept == &kept_nothing)
        return;
    iw_history_dispose(&kept->history);
    iw_upper_free(kept->upper);
    iw_explain_calls_dispose(&kept->calls);
    free(kept);
}

static void kept_replied(void *user, struct iw_upper_call *call) {
    struct iw_explain_kept *kept = user;

    iw_explain_calls_add(&kept->calls, call, kept->now->frame, kept->now->time_ns);
}

static struct iw_explain_kept *kept_new(const struct iw_check_stream *stream) {
    static const struct iw_upper_handlers handlers = {.replied = kept_replied};
    struct iw_explain_kept *kept = calloc(1, sizeof *kept);

    if (kept == NULL)
        return &kept_nothing;
    iw_history_init(&kept->history,
        stream->id < IW_CHECK_FIRST_STREAMS ? IW_HISTORY_MESSAGES : IW_HISTORY_MESSAGES_LATER);
    kept->upper = iw_upper_new();
    if (kept->upper != NULL) {
        iw_upper_keep_findings(kept->upper, 0); /* stories have none: `check --upper` does */
        iw_upper_listen(kept->upper, &handlers, kept);
        return kept;
    }
    iw_explain_kept_free(kept);
    return &kept_nothing;
}

struct iw_explain_kept *iw_explain_kept_event(struct iw_explain_kept *kept,
    const struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    bool segment = event->llp->kind == IW_LLP_SEGMENT && stream->session == NULL;

    if (kept == NULL)
        kept = kept_new(stream);
    if (kept == &kept_nothing)
        return kept;
    kept->now = event->llp;
    iw_history_event(&kept->history, event);
    iw_upper_event(kept->upper, event, segment ? iw_monitor_received_at_most(stream->monitor) : UINT64_MAX);
    return kept;
}

static uint64_t explain_kept_frame_number(const void *files, uint64_t frame) {
    return iw_explain_frame_number(files, frame);
}

bool iw_explain_kept_finish(struct iw_explain_kept *kept, const struct iw_check_stream *stream,
    const struct iw_check_chain *chain, const struct iw_explain_revisions *revisions,
    struct iw_explained *explained) {
    enum iw_ulp_protocol protocol;

    if (kept == NULL || kept == &kept_nothing)
        return false;
    iw_upper_finish(kept->upper);
    protocol = iw_upper_protocol(kept->upper);
    *explained = (struct iw_explained){.stream = stream,
        .chain = chain,
        .file = iw_explain_file(chain, stream->first_frame),
        .upper = kept->upper,
        .calls = &kept->calls,
        .protocol = protocol != IW_ULP_UNKNOWN ? iw_upper_protocol_name(protocol) : NULL,
        .facts = {.history = &kept->history,
            .tcp = stream->session == NULL ? stream->tcp : NULL,
            .life = stream->life,
            .upper = kept->upper,
            .frame_number = explain_kept_frame_number,
            .files = chain,
            .ipv6 = stream->address[IW_SIDE_A].version == 6,
            .capture_ns = stream->capture_ns}};
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        iw_tcp_address_text(&stream->address[side], explained->address[side]);
        explained->facts.address[side] = explained->address[side];
        explained->facts.port[side] = stream->address[side].port;
    }
    iw_facts_add_monitor(&explained->facts, stream->monitor);
    if (revisions != NULL)
        iw_explain_revisions_add(revisions, explained);
    iw_diagnose(&explained->facts, &explained->diagnosis);
    explained->conclusion = iw_conclusion_of(&explained->facts, &explained->diagnosis);
    return true;
}

bool iw_explain_kept_no_memory(const struct iw_explain_kept *kept) {
    return kept->history.incomplete || iw_upper_no_memory(kept->upper) || kept->calls.no_memory;
}

#include "iw_flow_state.h"

#include "iw_frame_store.h"
#include "iw_lazy_monitor.h"
#include "iw_links.h"
#include "iw_preference.h"
#include "iw_file_memory.h"
#include "iw_tap.h"
#include "iw_tcp_table.h"
#include "iw_ulp.h"

/* A connection that is being judged. */
struct judged_flow {
    struct iw_monitor_config config;
    struct iw_lazy_monitor lazy;
    struct iw_tcp_flow *tcp;
    bool found;                    /* IW_FLOW_FOUND was returned for a segment after the latest SYN */
    uint32_t fpdus[2];             /* by side: number of FPDUs sent */
    uint64_t given_up;             /* octets given up at a limit or without memory */
    bool limited;                  /* some of the given up octets are not reported yet */
    struct iw_stored_flow *stored; /* NULL: nothing is stored yet */
    struct iw_links links;
};

static struct iw_tcp_table *table;
static bool closing;
static const struct iw_tcp_flow *current; /* connection of the segment being judged */
static uint64_t current_frame;            /* frame of the segment being judged; 0 between segments */
static bool replaced;                     /* the segment being judged ended an iWARP connection */
static bool no_memory;       /* memory ran out before the connection could be recognised as iWARP */
static uint64_t prior_frame; /* frame of the previous segment */
static bool current_forced;  /* the user declares the connection of the segment to be iWARP */

static bool state_is_iwarp(const struct judged_flow *flow) {
    return flow->lazy.monitor != NULL && iw_monitor_recognised(flow->lazy.monitor);
}

/* Returns the stored connection. Makes it at the first event; later updates the first sequence numbers. */
static const struct iw_stored_flow *store_flow(struct judged_flow *flow) {
    if (flow->stored == NULL) {
        flow->stored = wmem_new0(iw_file_memory(), struct iw_stored_flow);
        flow->stored->address[IW_SIDE_A] = flow->tcp->address[IW_SIDE_A];
        flow->stored->address[IW_SIDE_B] = flow->tcp->address[IW_SIDE_B];
    }
    flow->stored->first_seq[IW_SIDE_A] = iw_tcp_stream_first_seq(&flow->tcp->stream[IW_SIDE_A]);
    flow->stored->first_seq[IW_SIDE_B] = iw_tcp_stream_first_seq(&flow->tcp->stream[IW_SIDE_B]);
    return flow->stored;
}

/* Stores the frame of a startup frame, whether it violates a MUST, and the outcome of the startup. */
static void flow_note_startup(struct judged_flow *flow, const struct iw_monitor_event *event) {
    const struct iw_llp_event *llp = event->llp;
    const struct iw_mpa_terms *terms = iw_monitor_terms(flow->lazy.monitor);

    if (!terms->seen[llp->side])
        return;
    flow->stored->startup_frame[llp->side] = (uint32_t)llp->frame;
    for (size_t i = 0; i < event->finding_count; i++)
        if (iw_requirement_severity(event->findings[i].requirement) == IW_SEVERITY_ERROR)
            flow->stored->startup_wrong = true;
    if (terms->settled && flow->stored->settled == NULL)
        flow->stored->settled = wmem_memdup(iw_file_memory(), terms, sizeof *terms);
}

static void flow_state_on_event(void *user, const struct iw_monitor_event *event) {
    struct judged_flow *flow = user;
    const struct iw_mpa_terms *terms;
    struct iw_item *item;

    if (closing)
        return;
    if (event->llp->kind == IW_LLP_CLOSE)
        iw_links_close(&flow->links, event);
    if (event->llp->kind == IW_LLP_CLOSE && event->finding_count == 0 && event->llp->pending.octets == 0)
        return; /* an ordinary close has nothing to show */
    item = iw_frame_store_take(store_flow(flow), event);
    if (item->kind == IW_LLP_CLOSE && item->more->finding_count == 0 && item->more->unfinished == NULL)
        return; /* the user's settings hide all its findings */
    if (item->kind == IW_LLP_STARTUP)
        flow_note_startup(flow, event);
    terms = flow->stored->settled;
    if (item->kind == IW_LLP_SEGMENT)
        item->fpdu_number = ++flow->fpdus[item->side];
    /* An FPDU of the initiator proves that both sides accepted the startup, even a faulty one. */
    if (item->kind == IW_LLP_SEGMENT && terms != NULL && !terms->rejected && item->side == terms->initiator &&
        item->crc != IW_CRC_BAD)
        flow->stored->operated = true;
    iw_links_event(&flow->links, event, item);
    iw_ulp_event(flow->stored, event, item);
    iw_frame_store_add(item);
    if (item->frame < current_frame)
        iw_tap_keep(item, event->llp->image);
}

/* Makes the configuration from the preferences. `forced`: the user declares the connection to be iWARP. */
static struct iw_monitor_config flow_state_config(bool forced) {
    const struct iw_preferences *set = iw_preferences;

    return (struct iw_monitor_config){
        .extensions = set->extensions,
        .mpa =
            {
                .forced = forced,
                .resynchronise_off = !set->resynchronise,
                .crc = (enum iw_mpa_term)set->crc,
                .markers = {(enum iw_mpa_term)set->markers[0], (enum iw_mpa_term)set->markers[1]},
            },
    };
}

static void flow_state_on_new(void *user _U_, struct iw_tcp_flow *tcp) {
    struct judged_flow *flow = g_new0(struct judged_flow, 1);

    flow->tcp = tcp;
    flow->config = flow_state_config(current_forced);
    iw_lazy_monitor_init(&flow->lazy, &flow->config, flow_state_on_event, flow);
    tcp->user = flow;
    current = tcp;
}

static void flow_state_on_chunk(void *user _U_, struct iw_tcp_flow *tcp, const struct iw_chunk *chunk) {
    struct judged_flow *flow = tcp->user;
    enum iw_lazy_monitor_state state = iw_lazy_monitor_feed(&flow->lazy, chunk);
    uint64_t given_up;

    current = tcp;
    if (state != IW_LAZY_MONITOR_OPEN) {
        no_memory |= state == IW_LAZY_MONITOR_NO_MEMORY;
        tcp->ignored = true;
        return;
    }
    if (flow->lazy.monitor == NULL)
        return;
    given_up = iw_monitor_counts(flow->lazy.monitor)->unjudged[IW_UNJUDGED_GIVEN_UP];
    flow->limited |= given_up > flow->given_up;
    flow->given_up = given_up;
    no_memory |= iw_monitor_failed(flow->lazy.monitor) && !state_is_iwarp(flow);
}

static void flow_state_on_end(void *user _U_, struct iw_tcp_flow *tcp) {
    struct judged_flow *flow = tcp->user;

    if (!closing)
        iw_lazy_monitor_finish(&flow->lazy);
    replaced |= state_is_iwarp(flow);
    iw_lazy_monitor_dispose(&flow->lazy);
    iw_links_dispose(&flow->links);
    if (current == tcp)
        current = NULL;
    g_free(flow);
}

void iw_flow_state_open(void) {
    static const struct iw_tcp_handlers handlers = {
        .flow_new = flow_state_on_new, .chunk = flow_state_on_chunk, .flow_end = flow_state_on_end};

    closing = false;
    prior_frame = 0;
    iw_file_memory_open();
    iw_frame_store_open();
    iw_tap_open();
    iw_ulp_open();
    table = iw_tcp_table_new(NULL, &handlers, NULL);
}

void iw_flow_state_finish(void) {
    if (table != NULL)
        iw_tcp_table_finish(table);
}

void iw_flow_state_close(void) {
    closing = true;
    iw_tcp_table_free(table);
    table = NULL;
    iw_ulp_close();
    iw_file_memory_close();
}

/* At a SYN, Wireshark may begin a new conversation although reassembly continues the connection. So an iWARP
 * connection is reported as found at the SYN and again at the next segment. */
static enum iw_flow flow_report(const struct iw_tcp_flow *tcp, bool syn) {
    struct judged_flow *flow = tcp->user;

    if (!state_is_iwarp(flow))
        return IW_FLOW_OTHER;
    if (flow->found && !syn)
        return IW_FLOW_IWARP;
    flow->found = !syn;
    return IW_FLOW_FOUND;
}

/* Returns true if octets of an iWARP connection were given up since the last call. */
static bool flow_report_limited(const struct iw_tcp_flow *tcp) {
    struct judged_flow *flow = tcp->user;

    if (!flow->limited || !state_is_iwarp(flow))
        return false;
    flow->limited = false;
    return true;
}

struct iw_flow_report iw_flow_state_segment(const struct iw_tcp_segment *segment, bool forced) {
    struct iw_flow_report report = {.flow = IW_FLOW_OTHER};
    bool taken;

    current = NULL;
    replaced = false;
    no_memory = false;
    current_forced = forced;
    current_frame = segment->frame;
    if (prior_frame == segment->frame)
        iw_frame_store_share(segment->frame);
    prior_frame = segment->frame;
    taken = table != NULL && iw_tcp_table_segment(table, segment) == IW_OK;
    current_frame = 0;
    report.replaced = replaced;
    report.limited = !taken || no_memory || (current != NULL && flow_report_limited(current));
    if (taken && current != NULL)
        report.flow = flow_report(current, segment->flags & IW_TCP_SYN);
    return report;
}

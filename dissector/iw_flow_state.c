#include "iw_flow_state.h"

#include "iw_connection.h"
#include "iw_explanation.h"
#include "iw_frame_store.h"
#include "iw_lazy_monitor.h"
#include "iw_links.h"
#include "iw_memory_store.h"
#include "iw_preference.h"
#include "iw_file_memory.h"
#include "iw_tap.h"
#include "iw_tcp_address_text.h"
#include "iw_tcp_table.h"
#include "iw_ulp.h"
#include "iw_upper_store.h"

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
    struct iw_tcp_life *life;        /* NULL: the connection can never become iWARP */
    struct iw_history history;       /* from the first event on */
    struct iw_upper_follower *upper; /* NULL: the preference `upper` is off */
};

static struct iw_tcp_table *table;
static bool closing;
static const struct iw_tcp_flow *current; /* connection of the segment being judged */
static uint64_t current_frame;            /* frame of the segment being judged; 0 between segments */
static bool replaced;                     /* the segment being judged ended an iWARP connection */
static bool no_memory;       /* memory ran out before the connection could be recognised as iWARP */
static uint64_t prior_frame; /* frame of the previous segment */
static uint64_t capture_ns;  /* the latest time of all frames so far */
static bool current_forced;  /* the user declares the connection of the segment to be iWARP */

static bool state_is_iwarp(const struct judged_flow *flow) {
    return flow->lazy.monitor != NULL && iw_monitor_recognised(flow->lazy.monitor);
}

/* Makes the stored connection at the first event; later updates the first sequence numbers. */
static void store_flow(struct judged_flow *flow) {
    if (flow->stored == NULL) {
        flow->stored = wmem_new0(iw_file_memory(), struct iw_stored_flow);
        flow->stored->address[IW_SIDE_A] = flow->tcp->address[IW_SIDE_A];
        flow->stored->address[IW_SIDE_B] = flow->tcp->address[IW_SIDE_B];
        flow->stored->connection = wmem_new0(iw_file_memory(), struct iw_connection);
        iw_history_init(&flow->history, IW_HISTORY_MESSAGES);
        if (iw_preferences->upper != IW_PREFERENCE_UPPER_OFF)
            flow->upper = iw_upper_follower_new(flow->stored);
    }
    flow->stored->first_seq[IW_SIDE_A] = iw_tcp_stream_first_seq(&flow->tcp->stream[IW_SIDE_A]);
    flow->stored->first_seq[IW_SIDE_B] = iw_tcp_stream_first_seq(&flow->tcp->stream[IW_SIDE_B]);
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

/* Makes the item of an event; NULL if the event has nothing to show. */
static struct iw_item *flow_state_item(struct judged_flow *flow, const struct iw_monitor_event *event) {
    struct iw_item *item;

    if (event->llp->kind == IW_LLP_CLOSE && event->finding_count == 0 && event->llp->pending.octets == 0)
        return NULL; /* an ordinary close */
    item = iw_frame_store_take(flow->stored, event);
    if (item->kind == IW_LLP_CLOSE && item->more->finding_count == 0 && item->more->unfinished == NULL)
        return NULL; /* the user's settings hide all its findings */
    return item;
}

/* Takes the facts about the connection as a whole. */
static void flow_state_follow(
    struct judged_flow *flow, const struct iw_monitor_event *event, const struct iw_item *item) {
    struct iw_connection *connection = flow->stored->connection;

    if (event->llp->kind == IW_LLP_CLOSE)
        iw_links_close(&flow->links, event);
    if (event->llp->kind == IW_LLP_STARTUP)
        connection->terms = *iw_monitor_terms(flow->lazy.monitor);
    iw_connection_event(connection, event, item);
    iw_history_event(&flow->history, event);
}

/* Takes the facts about one FPDU, startup frame, loss or close with something to show. */
static void flow_state_link(
    struct judged_flow *flow, const struct iw_monitor_event *event, struct iw_item *item) {
    const struct iw_mpa_terms *terms;

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
    iw_memory_store_event(event, item);
    iw_ulp_event(flow->stored, event, item);
}

static void flow_state_on_event(void *user, const struct iw_monitor_event *event) {
    struct judged_flow *flow = user;
    bool segment = event->llp->kind == IW_LLP_SEGMENT;
    struct iw_item *item;

    if (closing)
        return;
    store_flow(flow);
    item = flow_state_item(flow, event);
    flow_state_follow(flow, event, item);
    if (item != NULL)
        flow_state_link(flow, event, item);
    if (flow->upper != NULL)
        iw_upper_follower_event(
            flow->upper, event, item, segment ? iw_monitor_received_at_most(flow->lazy.monitor) : UINT64_MAX);
    if (item == NULL)
        return;
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
    flow->life = g_new(struct iw_tcp_life, 1);
    iw_tcp_life_init(flow->life);
    iw_lazy_monitor_init(&flow->lazy, &flow->config, flow_state_on_event, flow);
    tcp->user = flow;
    current = tcp;
}

static void flow_state_drop_life(struct judged_flow *flow) {
    if (flow->life == NULL)
        return;
    iw_tcp_life_dispose(flow->life);
    g_clear_pointer(&flow->life, g_free);
}

static void flow_state_on_chunk(void *user _U_, struct iw_tcp_flow *tcp, const struct iw_chunk *chunk) {
    struct judged_flow *flow = tcp->user;
    enum iw_lazy_monitor_state state = iw_lazy_monitor_feed(&flow->lazy, chunk);
    uint64_t given_up;

    current = tcp;
    if (state != IW_LAZY_MONITOR_OPEN) {
        no_memory |= state == IW_LAZY_MONITOR_NO_MEMORY;
        tcp->ignored = true;
        flow_state_drop_life(flow);
        return;
    }
    if (flow->lazy.monitor == NULL)
        return;
    given_up = iw_monitor_counts(flow->lazy.monitor)->unjudged[IW_UNJUDGED_GIVEN_UP];
    flow->limited |= given_up > flow->given_up;
    flow->given_up = given_up;
    no_memory |= iw_monitor_failed(flow->lazy.monitor) && !state_is_iwarp(flow);
}

static void flow_state_on_segment(
    void *user _U_, struct iw_tcp_flow *tcp, enum iw_side side, const struct iw_tcp_segment *segment) {
    struct judged_flow *flow = tcp->user;

    if (flow->life != NULL)
        iw_tcp_life_segment(flow->life, side, segment);
}

static void flow_state_on_rejected(void *user _U_, struct iw_tcp_flow *tcp, enum iw_side side,
    const struct iw_tcp_segment *segment, const struct iw_icmp *icmp) {
    struct judged_flow *flow = tcp->user;

    if (flow->life != NULL)
        iw_tcp_life_rejected(flow->life, side, segment, icmp);
}

/* Explains the connection, which has ended, as `warpcheck explain` does. */
static void flow_state_explain(struct judged_flow *flow) {
    const struct iw_tcp_flow *tcp = flow->tcp;
    const struct iw_tcp_counters counters[2] = {
        tcp->stream[IW_SIDE_A].counters, tcp->stream[IW_SIDE_B].counters};
    struct iw_connection *connection = flow->stored->connection;
    char address[2][IW_TCP_ADDRESS_TEXT_OCTETS];
    struct iw_facts facts;

    facts = (struct iw_facts){.history = &flow->history,
        .tcp = counters,
        .life = flow->life,
        .upper = iw_upper_follower_upper(flow->upper),
        .ipv6 = tcp->address[IW_SIDE_A].version == 6,
        .capture_ns = capture_ns};
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        iw_tcp_address_text(&tcp->address[side], address[side]);
        facts.address[side] = address[side];
        facts.port[side] = flow->stored->address[side].port;
    }
    iw_facts_add_monitor(&facts, flow->lazy.monitor);
    connection->terms = *facts.terms;
    connection->explanation = iw_explanation_store(flow->stored, (uint32_t)tcp->frame, &facts);
}

static void flow_state_on_end(void *user _U_, struct iw_tcp_flow *tcp) {
    struct judged_flow *flow = tcp->user;

    if (!closing && iw_lazy_monitor_finish(&flow->lazy) && flow->stored != NULL)
        flow_state_explain(flow);
    replaced |= state_is_iwarp(flow);
    iw_lazy_monitor_dispose(&flow->lazy);
    iw_links_dispose(&flow->links);
    iw_history_dispose(&flow->history);
    iw_upper_follower_free(flow->upper);
    flow_state_drop_life(flow);
    if (current == tcp)
        current = NULL;
    g_free(flow);
}

void iw_flow_state_open(void) {
    static const struct iw_tcp_handlers handlers = {.flow_new = flow_state_on_new,
        .chunk = flow_state_on_chunk,
        .segment = flow_state_on_segment,
        .rejected = flow_state_on_rejected,
        .flow_end = flow_state_on_end};

    closing = false;
    prior_frame = 0;
    capture_ns = 0;
    iw_file_memory_open();
    iw_frame_store_open();
    iw_explanation_open();
    iw_upper_store_open();
    iw_memory_store_open();
    iw_tap_open();
    iw_ulp_open();
    table = iw_tcp_table_new(NULL, &handlers, NULL);
}

void iw_flow_state_time(uint64_t time_ns) {
    if (time_ns > capture_ns)
        capture_ns = time_ns;
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
    iw_flow_state_time(segment->time_ns);
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

void iw_flow_state_rejected(const struct iw_tcp_segment *segment, const struct iw_icmp *icmp) {
    if (table != NULL)
        iw_tcp_table_rejected(table, segment, icmp);
}

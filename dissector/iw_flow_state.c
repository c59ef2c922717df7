#include "iw_flow_state.h"

#include "iw_frame_store.h"
#include "iw_lazy_monitor.h"
#include "iw_links.h"
#include "iw_preference.h"
#include "iw_file_memory.h"
#include "iw_tap.h"
#include "iw_tcp_table.h"
#include "iw_ulp.h"

/* One connection. */
struct judged_flow {
    struct iw_monitor_config config;
    struct iw_lazy_monitor lazy;
    struct iw_tcp_flow *tcp;
    bool found;                    /* it was told to be iWARP */
    uint32_t fpdus[2];             /* number of FPDUs that each side has sent */
    uint64_t given_up;             /* octets that were given up at a limit, or because memory ran out */
    bool limited;                  /* some of these octets have not been reported yet */
    struct iw_stored_flow *stored; /* NULL before anything is stored */
    struct iw_item *unpublished, *unpublished_last; /* what came before it was known to be iWARP */
    struct iw_links links;
};

static struct iw_tcp_table *table;
static bool closing;
static const struct iw_tcp_flow *touched; /* the connection that a segment being taken belongs to */
static uint64_t taking_frame;             /* that it is in; 0 when none is being taken */
static bool replaced;                     /* it has ended a connection that was iWARP */
static bool no_memory;                    /* memory ran out, so whether it is iWARP is unknown */
static uint64_t taken_frame;              /* that the segment before it was in */
static bool taking_forced;                /* the user says that it is iWARP */

static bool is_iwarp(const struct judged_flow *flow) {
    return flow->lazy.monitor != NULL && iw_monitor_recognised(flow->lazy.monitor);
}

/* ---- what the monitor says ---- */

/* The sequence numbers are known by the time anything of a side is there. */
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

/* Of a connection that has not turned out to be iWARP nothing is shown: what looked like the beginning of a
 * startup frame may be anything. */
static void publish(struct judged_flow *flow) {
    struct iw_item *next;

    if (!is_iwarp(flow))
        return;
    for (struct iw_item *item = flow->unpublished; item != NULL; item = next) {
        next = item->next;
        iw_frame_store_add(item);
    }
    flow->unpublished = NULL;
    flow->unpublished_last = NULL;
}

static void keep(struct judged_flow *flow, struct iw_item *item) {
    if (flow->unpublished_last != NULL)
        flow->unpublished_last->next = item;
    else
        flow->unpublished = item;
    flow->unpublished_last = item;
}

static const uint8_t *octets_of(const struct iw_mpa_event *mpa) {
    if (mpa->kind == IW_MPA_FPDU)
        return mpa->fpdu->image;
    return mpa->kind == IW_MPA_STARTUP ? mpa->startup_octets : NULL;
}

/* Who said what in the startup, and what came of it. */
static void note_startup(struct judged_flow *flow, const struct iw_monitor_event *event) {
    const struct iw_mpa_event *mpa = event->mpa;
    const struct iw_mpa_terms *terms = iw_monitor_terms(flow->lazy.monitor);

    if (!terms->seen[mpa->side])
        return;
    flow->stored->startup_frame[mpa->side] = (uint32_t)mpa->frame;
    for (size_t i = 0; i < event->finding_count; i++)
        if (iw_requirement_severity(event->findings[i].requirement) == IW_SEVERITY_ERROR)
            flow->stored->startup_wrong = true;
    if (terms->settled && flow->stored->settled == NULL)
        flow->stored->settled = wmem_memdup(iw_file_memory(), terms, sizeof *terms);
}

/* Full operation proves that both sides accepted the startup, whatever was wrong with it. */
static void note_fpdu(struct judged_flow *flow, struct iw_item *item) {
    const struct iw_mpa_terms *terms = flow->stored->settled;

    item->fpdu_number = ++flow->fpdus[item->side];
    if (terms != NULL && !terms->rejected && item->side == terms->initiator && item->crc != IW_CRC_BAD)
        flow->stored->operated = true;
}

/* A side that closes with all it has begun says nothing. */
static bool is_silent(const struct iw_monitor_event *event) {
    return event->mpa->kind == IW_MPA_CLOSE && event->finding_count == 0 && event->mpa->pending == 0;
}

static void on_event(void *user, const struct iw_monitor_event *event) {
    struct judged_flow *flow = user;
    struct iw_item *item;

    if (closing)
        return;
    if (event->mpa->kind == IW_MPA_CLOSE)
        iw_links_close(&flow->links, event);
    if (is_silent(event))
        return;
    item = iw_frame_store_take(store_flow(flow), event);
    if (item->kind == IW_MPA_CLOSE && item->more->finding_count == 0 && item->more->unfinished == NULL)
        return; /* an ordinary close has nothing to show */
    if (item->kind == IW_MPA_STARTUP)
        note_startup(flow, event);
    if (item->kind == IW_MPA_FPDU)
        note_fpdu(flow, item);
    iw_links_event(&flow->links, event, item);
    iw_ulp_event(flow->stored, event, item);
    keep(flow, item);
    publish(flow);
    if (flow->unpublished == NULL && item->frame < taking_frame)
        iw_tap_keep(item, octets_of(event->mpa));
}

/* ---- what reassembly says ---- */

/* By the law that the user has chosen. `forced`: the user says that the connection is iWARP. */
static struct iw_monitor_config config_of(bool forced) {
    const struct iw_preferences *set = iw_preferences;

    return (struct iw_monitor_config){
        .extensions = set->extensions,
        .mpa =
            {
                .forced = forced,
                .resynchronise_off = !set->resynchronise,
                .crc = set->crc,
                .markers = {set->markers[0], set->markers[1]},
            },
    };
}

static void on_flow_new(void *user, struct iw_tcp_flow *tcp) {
    struct judged_flow *flow = g_new0(struct judged_flow, 1);

    (void)user;
    flow->tcp = tcp;
    flow->config = config_of(taking_forced);
    iw_lazy_monitor_init(&flow->lazy, &flow->config, on_event, flow);
    iw_links_init(&flow->links);
    tcp->user = flow;
    touched = tcp;
}

static void note_given_up(struct judged_flow *flow) {
    uint64_t given_up = iw_monitor_counts(flow->lazy.monitor)->unjudged[IW_UNJUDGED_GIVEN_UP];

    flow->limited |= given_up > flow->given_up;
    flow->given_up = given_up;
}

static void on_chunk(void *user, struct iw_tcp_flow *tcp, const struct iw_chunk *chunk) {
    struct judged_flow *flow = tcp->user;
    enum iw_lazy_monitor_state state = iw_lazy_monitor_feed(&flow->lazy, chunk);

    (void)user;
    touched = tcp;
    if (state != IW_LAZY_MONITOR_OPEN) {
        no_memory |= state == IW_LAZY_MONITOR_NO_MEMORY;
        iw_tcp_flow_ignore(tcp);
        return;
    }
    if (flow->lazy.monitor == NULL)
        return;
    note_given_up(flow);
    publish(flow);
    no_memory |= iw_monitor_failed(flow->lazy.monitor) && !is_iwarp(flow);
}

static void on_flow_end(void *user, struct iw_tcp_flow *tcp) {
    struct judged_flow *flow = tcp->user;

    (void)user;
    if (!closing)
        iw_lazy_monitor_finish(&flow->lazy);
    publish(flow);
    replaced |= is_iwarp(flow);
    iw_lazy_monitor_dispose(&flow->lazy);
    iw_links_dispose(&flow->links);
    if (touched == tcp)
        touched = NULL;
    g_free(flow);
}

/* ---- the file ---- */

void iw_flow_state_open(void) {
    static const struct iw_tcp_handlers handlers = {on_flow_new, on_chunk, on_flow_end};

    closing = false;
    taken_frame = 0;
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

/* At a SYN TCP may begin a new conversation where reassembly goes on with the connection, so it is told again
 * behind one. */
static enum iw_flow what_is(const struct iw_tcp_flow *tcp, bool syn) {
    struct judged_flow *flow = tcp->user;

    if (!is_iwarp(flow))
        return IW_FLOW_OTHER;
    if (flow->found && !syn)
        return IW_FLOW_IWARP;
    flow->found = !syn;
    return IW_FLOW_FOUND;
}

/* Of a connection that is iWARP octets were given up at a limit, and that was not told before. */
static bool was_limited(const struct iw_tcp_flow *tcp) {
    struct judged_flow *flow = tcp->user;

    if (!flow->limited || !is_iwarp(flow))
        return false;
    flow->limited = false;
    return true;
}

enum iw_flow iw_flow_state_segment(const struct iw_tcp_segment *segment, bool forced, bool *limited) {
    bool taken;

    touched = NULL;
    replaced = false;
    no_memory = false;
    taking_forced = forced;
    taking_frame = segment->frame;
    if (taken_frame == segment->frame)
        iw_frame_store_share(segment->frame);
    taken_frame = segment->frame;
    taken = table != NULL && iw_tcp_table_segment(table, segment) == IW_OK;
    taking_frame = 0;
    *limited = !taken || no_memory || (touched != NULL && was_limited(touched));
    return taken && touched != NULL ? what_is(touched, segment->flags & IW_TCP_SYN) : IW_FLOW_OTHER;
}

bool iw_flow_state_replaced(void) {
    return replaced;
}

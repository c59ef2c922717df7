#include <stdlib.h>

#include "iw_placement.h"
#include "iw_tcp_encapsulation.h"
#include "iw_tcp_table_part.h"
#include "iw_tcp_withheld.h"

enum { STREAM_SEGMENTS_MAX = 65536 };

/* Whether the segment has the addresses of the flow; sets `side` to the sender of the segment. */
IW_HOT static bool tcp_table_flow_has_addresses(
    const struct iw_tcp_flow *flow, const struct iw_tcp_segment *segment, enum iw_side *side) {
    const struct iw_tcp_address *address = flow->address;
    *side = IW_SIDE_A;
    if (iw_tcp_address_equal(&address[IW_SIDE_A], &segment->source))
        return iw_tcp_address_equal(&address[IW_SIDE_B], &segment->destination);
    *side = IW_SIDE_B;
    return iw_tcp_address_equal(&address[IW_SIDE_B], &segment->source) &&
           iw_tcp_address_equal(&address[IW_SIDE_A], &segment->destination);
}

/* Whether `flow`, or an older flow with the same hash, has the addresses of the segment. */
static bool tcp_table_have_addresses(const struct iw_tcp_flow *flow, const struct iw_tcp_segment *segment) {
    enum iw_side side;
    while (flow && !tcp_table_flow_has_addresses(flow, segment, &side))
        flow = iw_hash_table_next(&flow->entry);
    return flow;
}

/* Like tcp_table_find, without the cache. Adds the flow to the cache if no other has its addresses. */
IW_COLD static enum iw_status table_search(struct iw_tcp_table *table, const struct iw_tcp_segment *segment,
    uint32_t mark, struct iw_tcp_flow **found, enum iw_side *side) {
    enum iw_tcp_fit best = IW_TCP_FIT_NONE;
    unsigned same = 0;
    enum iw_side sender;
    *found = NULL;
    struct iw_tcp_flow *flow = iw_hash_table_first(
        &table->flows, iw_hash_table_addresses(&table->flows, &segment->source, &segment->destination));
    for (; flow && best < IW_TCP_FIT_SCOPE; flow = iw_hash_table_next(&flow->entry)) {
        if (!tcp_table_flow_has_addresses(flow, segment, &sender))
            continue;
        enum iw_tcp_fit fit = iw_tcp_encapsulation_fit(flow, sender, segment);
        same++;
        if (fit > best) {
            best = fit;
            *found = flow;
            *side = sender;
        }
    }
    if (*found && same == 1 && !tcp_table_have_addresses(flow, segment))
        *iw_tcp_table_recent_of(table, mark) = (struct iw_tcp_recent){mark, *found};
    return *found || same < IW_TCP_SCOPES_MAX ? IW_OK : IW_ERR_LIMIT;
}

/* Finds the flow that the segment fits best, and its sender. If no flow fits, *found is NULL, and the result
 * is IW_ERR_LIMIT if too many flows have these addresses. */
static inline enum iw_status tcp_table_find(struct iw_tcp_table *table, const struct iw_tcp_segment *segment,
    struct iw_tcp_flow **found, enum iw_side *side) {
    uint32_t mark = iw_tcp_table_addresses_mark(&segment->source, &segment->destination);
    struct iw_tcp_recent *recent = iw_tcp_table_recent_of(table, mark);
    if (!recent->flow || recent->mark != mark || !tcp_table_flow_has_addresses(recent->flow, segment, side) ||
        !iw_tcp_encapsulation_same_scope(recent->flow, *side, segment))
        return table_search(table, segment, mark, found, side);
    *found = recent->flow;
    return IW_OK;
}

IW_HOT static void tcp_sink_chunk(void *context, const struct iw_chunk *chunk) {
    struct iw_tcp_sink *sink = context;
    if (!sink->flow->ignored && sink->table->handlers.chunk)
        sink->table->handlers.chunk(sink->table->user, sink->flow, chunk);
}

struct iw_tcp_output iw_tcp_table_output(struct iw_tcp_sink *sink) {
    return (struct iw_tcp_output){.pool = &sink->table->pool, .chunk = tcp_sink_chunk, .context = sink};
}

static bool table_has_room(struct iw_tcp_table *table) {
    while (table->handlers.has_room && !table->handlers.has_room(table->user))
        if (!iw_tcp_table_end_flow_early(table))
            return false;
    return table->flows.count < table->flows_max;
}

static enum iw_status tcp_table_add_flow(struct iw_tcp_table *table, const struct iw_tcp_segment *segment,
    uint64_t id, struct iw_tcp_flow **added) {
    if (!table_has_room(table))
        return IW_ERR_LIMIT;
    struct iw_tcp_flow *flow = iw_hash_table_reserve(&table->flows) ? malloc(sizeof *flow) : NULL;
    if (!flow)
        return IW_ERR_NOMEM;
    iw_tcp_flow_init(flow, segment);
    flow->id = id;
    iw_hash_table_add(&table->flows, &flow->entry,
        iw_hash_table_addresses(&table->flows, &segment->source, &segment->destination));
    TAILQ_INSERT_TAIL(&table->by_age, flow, by_age);
    iw_tcp_table_forget_recent(table, flow);
    if (table->handlers.flow_new)
        table->handlers.flow_new(table->user, flow);
    *added = flow;
    return IW_OK;
}

struct iw_tcp_table *iw_tcp_table_new(
    const struct iw_tcp_config *config, const struct iw_tcp_handlers *handlers, void *user) {
    struct iw_tcp_config bounds = config ? *config : (struct iw_tcp_config){0};
    struct iw_tcp_table *table = calloc(1, sizeof *table);
    if (!table)
        return NULL;
    table->handlers = *handlers;
    table->user = user;
    table->pool.stream_octets = bounds.stream_octets ? bounds.stream_octets : 1u << 20;
    table->pool.stream_segments = bounds.stream_segments ? bounds.stream_segments : 4096;
    table->pool.octets = bounds.total_octets ? bounds.total_octets : (size_t)256 << 20;
    table->withheld.octets = table->pool.octets / IW_TCP_WITHHELD_SHARE;
    table->flows_max = bounds.flows ? bounds.flows : (size_t)4 << 20;
    TAILQ_INIT(&table->by_age);
    if (table->pool.stream_segments > STREAM_SEGMENTS_MAX) {
        iw_tcp_table_free(table);
        return NULL;
    }
    return table;
}

/* Stores a SYN that may open a connection, with an id as in Wireshark. Returns false without memory. */
IW_COLD static bool tcp_table_keep_rival(
    struct iw_tcp_table *table, struct iw_tcp_flow *flow, const struct iw_tcp_segment *segment) {
    if (flow->rival && flow->rival->syn.seq == segment->seq)
        return true;
    if (!flow->rival)
        flow->rival = malloc(sizeof *flow->rival);
    if (!flow->rival)
        return false;
    *flow->rival = (struct iw_tcp_rival){.syn = *segment, .id = table->next_id++};
    flow->rival->syn.payload = flow->rival->syn.tcp = NULL;
    return true;
}

/* `late`: the segment was captured earlier and kept, so `payload_sum` is not its own. */
IW_HOT static void table_take(struct iw_tcp_table *table, struct iw_tcp_flow *flow, enum iw_side side,
    const struct iw_tcp_segment *segment, bool late) {
    iw_tcp_encapsulation_note(flow, side, segment);
    struct iw_tcp_sink sink = {table, flow};
    struct iw_tcp_output output = iw_tcp_table_output(&sink);
    output.late = late;
    flow->stream[side].payload_summed &= !late;
    /* An ignored flow is followed, too, so that a later connection is recognised. */
    if (!flow->ignored || (segment->flags & (IW_TCP_SYN | IW_TCP_RST)))
        iw_tcp_flow_segment(flow, side, &output, segment);
    else
        iw_tcp_flow_skip(flow, side, segment);
    if (flow->ignored) {
        iw_tcp_flow_clear(flow, &table->pool);
        iw_tcp_withheld_clear(flow, &table->withheld);
    } else if (table->handlers.segment) {
        table->handlers.segment(table->user, flow, side, segment);
    }
}

/* Ends *flow, and sets *flow to a new flow that begins with the SYN of the rival. */
IW_COLD static enum iw_status table_replace(struct iw_tcp_table *table, struct iw_tcp_flow **flow) {
    struct iw_tcp_rival rival = *(*flow)->rival;
    iw_tcp_table_finish_flow(table, *flow);
    *flow = NULL;
    enum iw_status status = tcp_table_add_flow(table, &rival.syn, rival.id, flow);
    if (status == IW_OK)
        table_take(table, *flow, iw_tcp_flow_side(*flow, &rival.syn), &rival.syn, true);
    return status;
}

/* Hands over the SYN of the rival if its sender refuses what answers it (RFC 9293 3.10.7.1): it is of a host
 * that does not know this connection, and no other connection began. */
IW_COLD static void tcp_table_note_refusal(struct iw_tcp_table *table, struct iw_tcp_flow *flow,
    enum iw_side side, const struct iw_tcp_segment *segment) {
    const struct iw_tcp_segment *syn = &flow->rival->syn;

    if ((segment->flags & (IW_TCP_RST | IW_TCP_ACK)) == IW_TCP_RST && iw_tcp_flow_side(flow, syn) == side &&
        !flow->ignored && table->handlers.segment)
        table->handlers.segment(table->user, flow, side, syn);
}

static enum iw_status tcp_table_find_and_deliver(
    struct iw_tcp_table *table, const struct iw_tcp_segment *segment, bool edited);

/* Takes those withheld segments of the flow that their receiver took, as the capture shows. Such a segment
 * may open a new flow that replaces this flow. Returns whether there was such a segment. */
IW_COLD static bool table_release(struct iw_tcp_table *table, struct iw_tcp_flow *flow, bool at_end) {
    struct iw_tcp_withheld_segment *first = iw_tcp_withheld_release(flow, &table->withheld, at_end);
    for (const struct iw_tcp_withheld_segment *withheld = first; withheld; withheld = withheld->next)
        tcp_table_find_and_deliver(table, &withheld->segment, true);
    iw_tcp_withheld_free(first, &table->withheld);
    return first;
}

/* Withholds or refuses the segment if its checksum requires that. Returns false if it is to be taken now. */
IW_HOT static bool tcp_table_withholds(struct iw_tcp_table *table, struct iw_tcp_flow *flow,
    enum iw_side side, const struct iw_tcp_segment *segment) {
    enum iw_tcp_withholding withholding = iw_tcp_withhold(flow, side, &table->withheld, segment);
    if (withholding == IW_TCP_TAKEN)
        return false;
    if (withholding == IW_TCP_WITHHOLD_FAILED) {
        struct iw_tcp_sink sink = {table, flow};
        struct iw_tcp_output output = iw_tcp_table_output(&sink);
        iw_tcp_stream_refuse(&flow->stream[side], &output, segment);
    }
    table_release(table, flow, false);
    return true;
}

/* Opens a flow with the segment. `edited`: wrong checksums in this flow show no damage. */
static enum iw_status tcp_table_open_flow(
    struct iw_tcp_table *table, const struct iw_tcp_segment *segment, bool edited) {
    struct iw_tcp_flow *flow;
    enum iw_status status = tcp_table_add_flow(table, segment, table->next_id, &flow);
    if (status != IW_OK)
        return status;
    table->next_id++;
    flow->edited = edited;
    enum iw_side side = iw_tcp_flow_side(flow, segment);
    iw_tcp_encapsulation_note(flow, side, segment);
    if (edited || !tcp_table_withholds(table, flow, side, segment))
        table_take(table, flow, side, segment, edited);
    return IW_OK;
}

/* Gives the segment to `flow`, or to a new flow if the segment begins a new connection. */
static enum iw_status table_deliver(struct iw_tcp_table *table, struct iw_tcp_flow *flow, enum iw_side side,
    const struct iw_tcp_segment *segment, bool edited) {
    if (flow->rival && iw_tcp_flow_is_replaced(flow, side, segment)) {
        if (table_release(table, flow, true))
            return tcp_table_find_and_deliver(table, segment, edited);
        enum iw_status status = table_replace(table, &flow);
        if (status != IW_OK)
            return status;
        side = iw_tcp_flow_side(flow, segment);
    } else if (flow->rival && iw_tcp_flow_is_confirmed(flow, side, segment)) {
        free(flow->rival);
        flow->rival = NULL;
    } else if (iw_tcp_flow_is_new_connection(flow, side, segment)) {
        if (iw_tcp_flow_may_survive(flow, side, segment) && tcp_table_keep_rival(table, flow, segment))
            return IW_OK;
        if (table_release(table, flow, true))
            return tcp_table_find_and_deliver(table, segment, edited);
        iw_tcp_table_finish_flow(table, flow);
        return tcp_table_open_flow(table, segment, edited);
    }
    table_take(table, flow, side, segment, edited);
    return IW_OK;
}

static enum iw_status tcp_table_find_and_deliver(
    struct iw_tcp_table *table, const struct iw_tcp_segment *segment, bool edited) {
    enum iw_side side;
    struct iw_tcp_flow *flow;
    enum iw_status status = tcp_table_find(table, segment, &flow, &side);
    if (status != IW_OK)
        return status;
    if (!flow)
        return tcp_table_open_flow(table, segment, edited);
    return table_deliver(table, flow, side, segment, edited);
}

IW_HOT enum iw_status iw_tcp_table_segment(struct iw_tcp_table *table, const struct iw_tcp_segment *segment) {
    if (segment->length > IW_TCP_SEGMENT_OCTETS_MAX || segment->captured > segment->length)
        return IW_ERR_ARGUMENT;
    enum iw_side side;
    struct iw_tcp_flow *flow;
    enum iw_status status = tcp_table_find(table, segment, &flow, &side);
    if (status != IW_OK)
        return status;
    if (!flow)
        return tcp_table_open_flow(table, segment, false);
    if (!flow->ignored && tcp_table_withholds(table, flow, side, segment))
        return IW_OK;
    if (flow->rival)
        tcp_table_note_refusal(table, flow, side, segment);
    if ((segment->flags & IW_TCP_SYN) || !iw_tcp_flow_is_open(flow))
        return table_deliver(table, flow, side, segment, false);
    table_take(table, flow, side, segment, false);
    return IW_OK;
}

void iw_tcp_table_rejected(
    struct iw_tcp_table *table, const struct iw_tcp_segment *segment, const struct iw_icmp *icmp) {
    struct iw_tcp_flow *flow;
    enum iw_side side;

    if (table->handlers.rejected && tcp_table_find(table, segment, &flow, &side) == IW_OK && flow &&
        !flow->ignored)
        table->handlers.rejected(table->user, flow, side, segment, icmp);
}

uint64_t iw_tcp_table_ids(const struct iw_tcp_table *table) {
    return table->next_id;
}

void iw_tcp_table_finish(struct iw_tcp_table *table) {
    struct iw_tcp_flow *oldest;
    while ((oldest = TAILQ_FIRST(&table->by_age)))
        if (!table_release(table, oldest, true))
            iw_tcp_table_finish_flow(table, oldest);
}

void iw_tcp_table_free(struct iw_tcp_table *table) {
    if (!table)
        return;
    while (!TAILQ_EMPTY(&table->by_age))
        iw_tcp_table_end_flow(table, TAILQ_FIRST(&table->by_age));
    iw_hash_table_dispose(&table->flows);
    free(table);
}

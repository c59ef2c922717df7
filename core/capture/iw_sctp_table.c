#include "iw_sctp_table.h"

#include <stdlib.h>
#include <string.h>

#include "iw_sctp_path.h"

enum { FLAG_T = 1 };

struct list {
    TAILQ_HEAD(iw_sctp_associations, iw_sctp_association) by_age; /* the oldest first */
    size_t count;
    size_t count_max;
};

struct iw_sctp_table {
    struct iw_sctp_handlers handlers;
    void *user;
    struct iw_sctp_output output;
    struct iw_sctp_pool pool;
    struct iw_hash_table associations;
    struct list list[IW_SCTP_STAGES];
    struct iw_hash_table paths;
    uint64_t next_id;
    uint64_t frame; /* of the current packet */
};

/* Whether a packet with the addresses of the association may belong to it although the scopes differ. Yes if
 * one scope is 0. Otherwise by Verification Tag, which is 0 in an INIT: two tenants may have equal addresses
 * (iw_tcp_encapsulation.h), but the directions of one association may also have different scopes. */
static bool sctp_table_tag_fits(
    const struct iw_sctp_association *association, const struct iw_tcp_segment *packet, enum iw_side side) {
    const struct iw_sctp_direction *receiver = &association->direction[iw_side_other(side)];

    if (association->scope == 0 || packet->scope == 0)
        return true;
    return packet->seq != 0 && (!receiver->tag_known || receiver->tag == packet->seq);
}

/* Finds the association of the packet, and its sender. Prefers an association with the scope of the packet
 * (tunnel or VLAN). If none is found, *found is NULL, and the result is IW_ERR_LIMIT if no more associations
 * with these addresses are allowed. */
static enum iw_status sctp_table_find(struct iw_sctp_table *table, const struct iw_tcp_segment *packet,
    struct iw_sctp_association **found, enum iw_side *side) {
    struct iw_sctp_association *association = iw_hash_table_first(&table->associations,
        iw_hash_table_addresses(&table->associations, &packet->source, &packet->destination));
    unsigned same = 0;

    *found = NULL;
    for (; association != NULL; association = iw_hash_table_next(&association->entry), same++)
        for (enum iw_side sender = IW_SIDE_A; sender <= IW_SIDE_B; sender++) {
            bool in_scope = association->scope == packet->scope;

            if (!iw_tcp_address_equal(&association->address[sender], &packet->source) ||
                !iw_tcp_address_equal(&association->address[iw_side_other(sender)], &packet->destination) ||
                (!in_scope && (*found != NULL || !sctp_table_tag_fits(association, packet, sender))))
                continue;
            *found = association;
            *side = sender;
            if (in_scope)
                return IW_OK;
        }
    if (*found == NULL)
        *found = iw_sctp_paths_find(&table->paths, packet, side);
    return *found != NULL || same < IW_TCP_SCOPES_MAX ? IW_OK : IW_ERR_LIMIT;
}

static void sctp_table_list_association(
    struct iw_sctp_table *table, struct iw_sctp_association *association, enum iw_sctp_stage stage) {
    struct list *list = &table->list[stage];

    association->stage = stage;
    association->stage_frame = table->frame;
    TAILQ_INSERT_TAIL(&list->by_age, association, by_age);
    list->count++;
}

static void sctp_table_unlist_association(
    struct iw_sctp_table *table, struct iw_sctp_association *association) {
    struct list *list = &table->list[association->stage];

    TAILQ_REMOVE(&list->by_age, association, by_age);
    list->count--;
}

static enum iw_status table_add(
    struct iw_sctp_table *table, const struct iw_tcp_segment *packet, struct iw_sctp_association **added) {
    struct iw_sctp_association *association =
        iw_hash_table_reserve(&table->associations) ? calloc(1, sizeof *association) : NULL;

    if (association == NULL)
        return IW_ERR_NOMEM;
    association->id = table->next_id++;
    association->state.pool = &table->pool;
    association->output = &table->output;
    association->scope = packet->scope;
    association->address[IW_SIDE_A] = packet->source;
    association->address[IW_SIDE_B] = packet->destination;
    iw_hash_table_add(&table->associations, &association->entry,
        iw_hash_table_addresses(&table->associations, &packet->source, &packet->destination));
    sctp_table_list_association(table, association, IW_SCTP_WAITING);
    *added = association;
    return IW_OK;
}

static void table_end(struct iw_sctp_table *table, struct iw_sctp_association *association) {
    if (table->handlers.end != NULL)
        table->handlers.end(table->user, association);
    iw_hash_table_remove(&table->associations, &association->entry);
    sctp_table_unlist_association(table, association);
    iw_sctp_paths_forget(&table->paths, association);
    iw_sctp_association_clear(association);
    free(association);
}

static void table_close(struct iw_sctp_table *table, struct iw_sctp_association *association) {
    uint64_t frame = association->frame, time_ns = association->time_ns;

    iw_sctp_association_finish(association);
    association->frame = association->closing_frame;
    association->time_ns = association->closing_time_ns;
    if (table->handlers.close != NULL)
        table->handlers.close(table->user, association, association->closing_side, association->closing_how);
    association->closing = false;
    association->state.ended_frame = association->closing_frame;
    association->frame = frame;
    association->time_ns = time_ns;
}

static void table_finish(struct iw_sctp_table *table, struct iw_sctp_association *association) {
    if (association->closing)
        table_close(table, association);
    else
        iw_sctp_association_finish(association);
    table_end(table, association);
}

/* Moves the association to `stage`. If that stage then has too many: if `stage` is OPEN, ends this
 * association, otherwise the oldest of the stage; returns IW_ERR_LIMIT, except for CLOSED. */
static enum iw_status table_set_stage(
    struct iw_sctp_table *table, struct iw_sctp_association *association, enum iw_sctp_stage stage) {
    struct list *list = &table->list[stage];

    sctp_table_unlist_association(table, association);
    sctp_table_list_association(table, association, stage);
    if (list->count <= list->count_max)
        return IW_OK;
    table_finish(table, stage == IW_SCTP_OPEN ? association : TAILQ_FIRST(&list->by_age));
    return stage == IW_SCTP_CLOSED ? IW_OK : IW_ERR_LIMIT;
}

static struct iw_sctp_chunks sctp_table_packet_chunks(const struct iw_tcp_segment *packet) {
    return (struct iw_sctp_chunks){packet->payload, packet->captured, packet->length};
}

/* Facts about the chunks of a packet, collected before any chunk is processed. */
struct preview {
    bool empty; /* the packet has no complete chunk header */
    struct iw_sctp_chunk first;
    bool opens; /* the first chunk is an INIT, decoded to `init` (RFC 9260 6.10: the only chunk) */
    struct iw_sctp_init init;
    bool data; /* the packet has a DATA or I-DATA chunk */
    bool acks; /* the packet has a SACK without gaps: its sender had received the chunks up to `ack` */
    uint32_t ack;
};

static struct preview sctp_table_packet_preview(const struct iw_tcp_segment *packet) {
    struct iw_sctp_chunks chunks = sctp_table_packet_chunks(packet);
    struct preview preview = {.empty = true};
    struct iw_sctp_chunk chunk;

    for (; iw_sctp_chunk_next(&chunks, &chunk); preview.empty = false) {
        if (preview.empty)
            preview.first = chunk;
        preview.data |= chunk.type == IW_SCTP_DATA || chunk.type == IW_SCTP_I_DATA;
        if (chunk.type == IW_SCTP_SACK && !preview.acks)
            preview.acks = !iw_sctp_ack_has_gaps(&chunk) && iw_sctp_ack_decode(&chunk, &preview.ack);
    }
    preview.opens = !preview.empty && preview.first.type == IW_SCTP_INIT &&
                    iw_sctp_init_decode(&preview.first, &preview.init);
    return preview;
}

/* Whether the INIT begins a new association: its tag is new, and the old tag is known or a side sent data. */
static bool sctp_table_is_replaced_by(
    const struct iw_sctp_association *association, enum iw_side side, const struct iw_sctp_init *init) {
    const struct iw_sctp_direction *direction = &association->direction[side];

    return direction->tag != init->tag &&
           (direction->counters.chunks > 0 ||
               association->direction[iw_side_other(side)].counters.chunks > 0 || direction->tag_known);
}

/* Whether the Verification Tag is right (RFC 9260 8.5): 0 in an INIT; in an ABORT or SHUTDOWN COMPLETE
 * with the T bit, that of the sender (any, if that is unknown); otherwise that of the receiver, which is
 * learned if it is unknown. False for a packet without chunks. */
static bool table_packet_belongs(struct iw_sctp_association *association, const struct iw_tcp_segment *packet,
    const struct preview *preview, enum iw_side side) {
    struct iw_sctp_direction *receiver = &association->direction[iw_side_other(side)];
    const struct iw_sctp_chunk *first = &preview->first;

    if (preview->empty)
        return false;
    if (first->type == IW_SCTP_INIT)
        return packet->seq == 0;
    if ((first->type == IW_SCTP_ABORT || first->type == IW_SCTP_SHUTDOWN_COMPLETE) && (first->flags & FLAG_T))
        return !association->direction[side].tag_known || association->direction[side].tag == packet->seq;
    if (!receiver->tag_known) {
        receiver->tag_known = true;
        receiver->tag = packet->seq;
    }
    return receiver->tag == packet->seq;
}

static bool table_accepts(struct iw_sctp_table *table, struct iw_sctp_association *association,
    const struct iw_tcp_segment *packet, const struct preview *preview, enum iw_side side) {
    if (table_packet_belongs(association, packet, preview, side))
        return true;
    if (table->handlers.stray != NULL && !preview->empty)
        table->handlers.stray(table->user, packet);
    return false;
}

/* Chunks sent before the end may be captured after it, so the end is processed once no chunk is missing. */
static void sctp_table_begin_close(
    struct iw_sctp_association *association, enum iw_side side, enum iw_sctp_end how) {
    if (association->closing)
        return;
    association->closing = true;
    association->closing_side = side;
    association->closing_how = how;
    association->closing_frame = association->frame;
    association->closing_time_ns = association->time_ns;
}

static void sctp_table_note_drained(struct iw_sctp_state *state, enum iw_side side, uint32_t tsn) {
    enum iw_side other = iw_side_other(side);

    state->drained[side] = state->seen_known[other] && !state->waits[other] && state->seen[other] == tsn;
}

/* Stores the first gap of the SACK among the latest gaps in the chunks of the other side. */
static void sctp_table_state_note_gap(
    struct iw_sctp_state *state, const struct iw_sctp_place *place, const struct iw_sctp_chunk *sack) {
    enum iw_side side = iw_side_other(place->side);
    struct iw_sctp_gap gap = {.frame = place->frame};

    if (iw_sctp_ack_gap_decode(sack, &gap))
        state->gap[side][state->gaps[side]++ % IW_SCTP_GAPS_MAX] = gap;
}

static void table_take_chunk(struct iw_sctp_table *table, struct iw_sctp_association *association,
    const struct iw_sctp_place *place, const struct iw_sctp_chunk *chunk) {
    struct iw_sctp_init init;
    struct iw_sctp_data data;
    uint32_t tsn;

    switch (chunk->type) {
    case IW_SCTP_INIT:
    case IW_SCTP_INIT_ACK:
        if (!iw_sctp_init_decode(chunk, &init))
            break;
        iw_sctp_association_init_chunk(association, place, &init);
        iw_sctp_paths_init(&table->paths, association, place->side, &init);
        break;
    case IW_SCTP_DATA:
    case IW_SCTP_I_DATA:
        if (iw_sctp_data_decode(chunk, &data))
            iw_sctp_association_data(association, place, &data);
        else if (chunk->captured < chunk->length)
            association->state.lost[place->side]++;
        break;
    case IW_SCTP_SHUTDOWN:
        association->state.shut[place->side] = true;
        if (iw_sctp_ack_decode(chunk, &tsn))
            sctp_table_note_drained(&association->state, place->side, tsn);
        /* fallthrough */
    case IW_SCTP_SACK:
        sctp_table_state_note_gap(&association->state, place, chunk);
        /* A SHUTDOWN has a Cumulative TSN Ack even if its sender received nothing (RFC 9260 3.3.8). */
        if (iw_sctp_ack_decode(chunk, &tsn) &&
            (chunk->type == IW_SCTP_SACK || association->direction[iw_side_other(place->side)].known))
            iw_sctp_association_ack(association, place, tsn);
        break;
    case IW_SCTP_SHUTDOWN_ACK:
        association->state.shut[place->side] = true;
        break;
    case IW_SCTP_SHUTDOWN_COMPLETE:
        sctp_table_begin_close(association, place->side, IW_SCTP_END_SHUTDOWN);
        break;
    case IW_SCTP_ABORT:
        sctp_table_begin_close(association, place->side, IW_SCTP_END_ABORT);
        break;
    default:
        break;
    }
}

/* Finds or adds the association of the packet, and moves it to its new stage. Ends an association that the
 * packet replaces. Returns NULL if the packet is dropped; *status is IW_OK if its Verification Tag is
 * wrong. */
static struct iw_sctp_association *table_association(struct iw_sctp_table *table,
    const struct iw_tcp_segment *packet, const struct preview *preview, enum iw_side *side,
    enum iw_status *status) {
    struct iw_sctp_association *association;
    bool fresh, opens;

    *status = sctp_table_find(table, packet, &association, side);
    if (*status != IW_OK)
        return NULL;
    if (association != NULL && preview->opens &&
        sctp_table_is_replaced_by(association, *side, &preview->init)) {
        table_finish(table, association);
        association = NULL;
    }
    fresh = association == NULL;
    if (fresh) {
        *status = table_add(table, packet, &association);
        *side = IW_SIDE_A;
    }
    if (*status != IW_OK || (!fresh && !table_accepts(table, association, packet, preview, *side)))
        return NULL;
    opens = association->stage == IW_SCTP_WAITING && (*side == IW_SIDE_B || preview->data);
    if (fresh || opens)
        *status = table_set_stage(table, association, opens ? IW_SCTP_OPEN : IW_SCTP_WAITING);
    if ((opens && *status != IW_OK) || (fresh && !table_accepts(table, association, packet, preview, *side)))
        return NULL;
    return association;
}

enum iw_status iw_sctp_table_packet(struct iw_sctp_table *table, const struct iw_tcp_segment *packet) {
    const struct preview preview = sctp_table_packet_preview(packet);
    struct iw_sctp_place place = {.octets = packet->length,
        .acks = preview.acks,
        .ack = preview.ack,
        .frame = packet->frame,
        .time_ns = packet->time_ns};
    struct iw_sctp_chunks chunks = sctp_table_packet_chunks(packet);
    struct iw_sctp_association *association;
    struct iw_sctp_chunk chunk;
    enum iw_status status;

    table->frame = packet->frame;
    association = table_association(table, packet, &preview, &place.side, &status);
    if (association == NULL)
        return status;
    association->frame = packet->frame;
    association->time_ns = packet->time_ns;
    iw_sctp_association_packet(association);
    while (iw_sctp_chunk_next(&chunks, &chunk))
        table_take_chunk(table, association, &place, &chunk);
    if (chunks.captured == 0 && chunks.length > IW_SCTP_CHUNK_OCTETS) /* the capture truncated the rest */
        association->state.lost[place.side]++;
    if (!association->closing || association->state.waits[IW_SIDE_A] || association->state.waits[IW_SIDE_B])
        return status;
    table_close(table, association);
    if (association->stage != IW_SCTP_CLOSED)
        table_set_stage(table, association, IW_SCTP_CLOSED);
    return status;
}

struct iw_sctp_table *iw_sctp_table_new(
    const struct iw_sctp_config *config, const struct iw_sctp_handlers *handlers, void *user) {
    struct iw_sctp_config bounds = config != NULL ? *config : (struct iw_sctp_config){0};
    struct iw_sctp_table *table = calloc(1, sizeof *table);

    if (table == NULL)
        return NULL;
    table->handlers = *handlers;
    table->user = user;
    table->output = (struct iw_sctp_output){handlers->message, user};
    table->pool.octets = bounds.octets > 0 ? bounds.octets : (size_t)16 << 20;
    table->list[IW_SCTP_OPEN].count_max = bounds.associations > 0 ? bounds.associations : (size_t)1 << 20;
    table->list[IW_SCTP_WAITING].count_max = bounds.waiting > 0 ? bounds.waiting : 65536;
    table->list[IW_SCTP_CLOSED].count_max = bounds.closed > 0 ? bounds.closed : 4096;
    for (unsigned i = 0; i < IW_SCTP_STAGES; i++)
        TAILQ_INIT(&table->list[i].by_age);
    return table;
}

static void table_empty(
    struct iw_sctp_table *table, void (*end)(struct iw_sctp_table *, struct iw_sctp_association *)) {
    static const enum iw_sctp_stage order[] = {IW_SCTP_OPEN, IW_SCTP_CLOSED, IW_SCTP_WAITING};
    struct iw_sctp_association *oldest;

    for (unsigned i = 0; i < IW_SCTP_STAGES; i++)
        while ((oldest = TAILQ_FIRST(&table->list[order[i]].by_age)) != NULL)
            end(table, oldest);
}

void iw_sctp_table_finish(struct iw_sctp_table *table) {
    table_empty(table, table_finish);
}

void iw_sctp_table_free(struct iw_sctp_table *table) {
    if (table == NULL)
        return;
    table_empty(table, table_end);
    iw_hash_table_dispose(&table->paths);
    iw_hash_table_dispose(&table->associations);
    free(table);
}

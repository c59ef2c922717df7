#include "iw_trace.h"

#include "iw_array.h"
#include "iw_damage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_capture_file.h"

/* ---- packets ---- */

struct iw_trace_block {
    struct iw_trace_block *next;
    uint8_t octets[];
};

void iw_trace_init(struct iw_trace *trace, const struct iw_trace *from) {
    *trace = *from;
    trace->blocks = NULL;
    trace->capacity = (uint32_t)from->count + 16;
    trace->packets = malloc(trace->capacity * sizeof *trace->packets);
    trace->failed = trace->packets == NULL;
    if (trace->failed)
        trace->count = trace->capacity = 0;
    else if (from->count > 0)
        memcpy(trace->packets, from->packets, from->count * sizeof *trace->packets);
}

void iw_trace_dispose(struct iw_trace *trace) {
    while (trace->blocks != NULL) {
        struct iw_trace_block *next = trace->blocks->next;

        free(trace->blocks);
        trace->blocks = next;
    }
    free(trace->packets);
    trace->packets = NULL;
    trace->count = trace->capacity = 0;
}

static bool trace_reserve(struct iw_trace *trace) {
    trace->failed |=
        !iw_array_reserve(&trace->packets, &trace->capacity, trace->count + 1, sizeof *trace->packets);
    return !trace->failed;
}

void iw_trace_insert(struct iw_trace *trace, size_t at, const struct iw_trace_packet *packet) {
    struct iw_trace_packet copy = *packet; /* `packet` may point into the array that grows below */

    if (!trace_reserve(trace))
        return;
    memmove(trace->packets + at + 1, trace->packets + at, (trace->count - at) * sizeof copy);
    trace->packets[at] = copy;
    trace->count++;
}

void iw_trace_remove(struct iw_trace *trace, size_t at) {
    trace->count--;
    memmove(trace->packets + at, trace->packets + at + 1, (trace->count - at) * sizeof *trace->packets);
}

void iw_trace_move(struct iw_trace *trace, size_t from, size_t to) {
    struct iw_trace_packet packet = trace->packets[from];

    iw_trace_remove(trace, from);
    iw_trace_insert(trace, to, &packet);
}

uint8_t *iw_trace_octets(struct iw_trace *trace, size_t count) {
    struct iw_trace_block *block = malloc(sizeof *block + count);

    if (block == NULL) {
        trace->failed = true;
        return NULL;
    }
    block->next = trace->blocks;
    trace->blocks = block;
    return block->octets;
}

/* ---- conversations of a file ---- */

static bool is_between(const struct iw_trace *trace, const struct iw_tcp_segment *segment) {
    if (trace->packets[0].segment.scope != segment->scope)
        return false;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        if (iw_tcp_address_equal(&trace->address[side], &segment->source) &&
            iw_tcp_address_equal(&trace->address[iw_side_other(side)], &segment->destination))
            return true;
    return false;
}

/* A SYN opens another connection if its sequence number, VLAN or tunnel differs from those of the first
 * SYN. */
static bool opens_another(const struct iw_trace *trace, const struct iw_tcp_segment *segment) {
    const struct iw_tcp_segment *first = &trace->packets[0].segment;

    return !trace->sctp && (segment->flags & (IW_TCP_SYN | IW_TCP_ACK)) == IW_TCP_SYN &&
           (segment->seq != first->seq || segment->scope != first->scope);
}

/* The latest conversation between these addresses; one with the scope (VLAN, tunnel) of the segment is
 * preferred. The two directions of a conversation may have different scopes. */
static struct iw_trace *latest_between(
    struct iw_trace_set *set, const struct iw_tcp_segment *segment, bool sctp) {
    struct iw_trace *found = NULL;

    for (size_t i = set->count; i-- > 0;) {
        struct iw_trace *trace = &set->traces[i];

        if (trace->sctp != sctp || !is_between(trace, segment))
            continue;
        if (trace->packets[0].segment.scope == segment->scope)
            return trace;
        if (found == NULL)
            found = trace;
    }
    return found;
}

static struct iw_trace *conversation_of(
    struct iw_trace_set *set, const struct iw_tcp_segment *segment, bool sctp) {
    struct iw_trace *traces = latest_between(set, segment, sctp);

    if (traces != NULL && !opens_another(traces, segment))
        return traces;
    if (!iw_array_grow(&set->traces, set->count, sizeof *traces))
        return NULL;
    set->traces[set->count] =
        (struct iw_trace){.sctp = sctp, .copies = 1, .address = {segment->source, segment->destination}};
    return &set->traces[set->count++];
}

/* Copies the octets, so that they can be changed for this packet alone. */
static bool keep_octets(struct iw_trace_set *set, struct iw_tcp_segment *segment) {
    uint8_t *own = malloc(segment->captured + 1);

    if (own == NULL || !iw_array_grow(&set->octets, set->octets_count, sizeof own)) {
        free(own);
        return false;
    }
    if (segment->captured > 0)
        memcpy(own, segment->payload, segment->captured);
    segment->payload = own;
    set->octets[set->octets_count++] = own;
    return true;
}

static void take_packet(struct iw_trace_set *set, const struct iw_packet *captured) {
    struct iw_trace_packet packet = {0};
    enum iw_packet_kind kind = iw_packet_find(captured, &packet.segment, &(struct iw_packet_facts){0});
    struct iw_trace *trace;

    if (kind != IW_PACKET_TCP && kind != IW_PACKET_SCTP)
        return;
    trace = conversation_of(set, &packet.segment, kind == IW_PACKET_SCTP);
    packet.segment.frame = captured->frame;
    packet.segment.time_ns = captured->time_ns;
    if (trace == NULL || !keep_octets(set, &packet.segment))
        return;
    packet.damage = trace->sctp ? 0 : iw_damage_of(&packet.segment);
    packet.side =
        iw_tcp_address_equal(&trace->address[IW_SIDE_A], &packet.segment.source) ? IW_SIDE_A : IW_SIDE_B;
    iw_trace_insert(trace, trace->count, &packet);
}

/* Finds the sequence number of stream offset 0: the one after the SYN or, without a SYN, the lowest one. */
static void find_start(struct iw_trace *trace, enum iw_side side) {
    bool known = false;

    for (size_t i = 0; i < trace->count; i++) {
        const struct iw_tcp_segment *segment = &trace->packets[i].segment;

        if (trace->packets[i].side != side || segment->flags & IW_TCP_RST)
            continue;
        if (segment->flags & IW_TCP_SYN) {
            trace->start[0][side] = segment->seq + 1;
            return;
        }
        if (!known || (int32_t)(segment->seq - trace->start[0][side]) < 0)
            trace->start[0][side] = segment->seq;
        known = true;
    }
}

bool iw_trace_set_read(struct iw_trace_set *set, const char *path) {
    char error[512];
    struct iw_capture_file *file;
    struct iw_packet packet;
    int step = IW_CAPTURE_END;

    memset(set, 0, sizeof *set);
    if (iw_capture_file_open(path, &file, error, sizeof error) == IW_OK) {
        while ((step = iw_capture_file_next(file, &packet, error, sizeof error)) == IW_CAPTURE_PACKET)
            take_packet(set, &packet);
        iw_capture_file_close(file);
    } else {
        step = -1;
    }
    if (step < 0)
        fprintf(stderr, "iw_metamorph: %s\n", error);
    for (size_t i = 0; i < set->count; i++)
        for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
            find_start(&set->traces[i], side);
    for (size_t i = 0; i < set->count; i++)
        iw_damage_settle(&set->traces[i], true, false);
    return step >= 0;
}

void iw_trace_set_dispose(struct iw_trace_set *set) {
    for (size_t i = 0; i < set->count; i++)
        iw_trace_dispose(&set->traces[i]);
    for (size_t i = 0; i < set->octets_count; i++)
        free(set->octets[i]);
    free(set->traces);
    free(set->octets);
    memset(set, 0, sizeof *set);
}

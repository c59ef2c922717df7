#include "iw_sctp_association.h"

#include <stdlib.h>
#include <string.h>

enum {
    AHEAD_MAX = 1 << 24
}; /* TSNs; a chunk further ahead counts as lost, an acknowledgement further ahead is ignored */

/* A chunk may be captured at most this many packets after its acknowledgement; then it counts as lost. */
enum { DISORDER_MAX = 64 };

struct iw_sctp_held {
    struct iw_sctp_held *next;
    struct iw_sctp_place place;
    struct iw_sctp_data data;
    uint8_t octets[];
};

/* Returns how far `tsn` is ahead of `from`; negative if `tsn` is before `from`. */
static int32_t sctp_association_tsn_distance(uint32_t from, uint32_t tsn) {
    return (int32_t)(tsn - from);
}

static void sctp_association_drop_data_fragments(struct iw_sctp_association *association, enum iw_side side) {
    struct iw_sctp_data_fragments *fragments = &association->direction[side].data_fragments;

    if (fragments->octets != NULL)
        association->state.pool->held -= IW_SCTP_MESSAGE_OCTETS_MAX;
    free(fragments->octets);
    fragments->octets = NULL;
}

static void association_emit(struct iw_sctp_association *association, const struct iw_sctp_message *message) {
    if (association->output->message != NULL)
        association->output->message(association->output->user, association, message);
}

static struct iw_sctp_message sctp_association_message_from(
    const struct iw_sctp_place *place, const struct iw_sctp_data *data) {
    return (struct iw_sctp_message){.side = place->side,
        .ordered = data->ordered,
        .stream = data->stream,
        .ppid = data->ppid,
        .tsn = data->tsn,
        .acks = place->acks,
        .ack = place->ack,
        .length = data->length,
        .captured = data->captured,
        .octets = data->octets,
        .frame = place->frame,
        .first_frame = place->frame,
        .time_ns = place->time_ns};
}

/* Drops user data of which a fragment is missing, if any, and counts one loss. */
static void sctp_association_abandon_data_fragments(
    struct iw_sctp_association *association, enum iw_side side) {
    struct iw_sctp_direction *direction = &association->direction[side];

    association->state.lost[side] += direction->data_fragments.octets != NULL;
    sctp_association_drop_data_fragments(association, side);
}

static bool sctp_association_begin_data_fragments(struct iw_sctp_association *association, enum iw_side side,
    const struct iw_sctp_place *place, const struct iw_sctp_data *data) {
    struct iw_sctp_data_fragments *fragments = &association->direction[side].data_fragments;

    if (association->state.pool->held + IW_SCTP_MESSAGE_OCTETS_MAX > association->state.pool->octets)
        return false;
    fragments->octets = malloc(IW_SCTP_MESSAGE_OCTETS_MAX);
    if (fragments->octets == NULL)
        return false;
    association->state.pool->held += IW_SCTP_MESSAGE_OCTETS_MAX;
    fragments->message = sctp_association_message_from(place, data);
    fragments->message.fragmented = true;
    fragments->message.acks = false;
    fragments->message.length = fragments->message.captured = 0;
    fragments->message.octets = fragments->octets;
    return true;
}

static void sctp_association_add_data_fragment(struct iw_sctp_data_fragments *fragments,
    const struct iw_sctp_place *place, const struct iw_sctp_data *data) {
    struct iw_sctp_message *message = &fragments->message;
    uint32_t left = IW_SCTP_MESSAGE_OCTETS_MAX - message->captured;
    uint32_t taken = data->captured < left ? data->captured : left;

    if (message->captured == message->length && taken > 0) { /* no earlier octet is missing */
        memcpy(fragments->octets + message->captured, data->octets, taken);
        message->captured += taken;
    }
    message->length =
        data->length > UINT32_MAX - message->length ? UINT32_MAX : message->length + data->length;
    message->ordered |= data->ordered;
    if (place->frame < message->first_frame)
        message->first_frame = place->frame;
    if (place->frame > message->frame) {
        message->frame = place->frame;
        message->time_ns = place->time_ns;
    }
}

/* Whether the fragments were needless: all came in one packet, or one chunk with all user data would fit into
 * the largest acknowledged packet. */
static bool sctp_association_would_fit(
    const struct iw_sctp_direction *direction, const struct iw_sctp_message *message) {
    return message->first_frame == message->frame ||
           (message->length < UINT32_MAX - IW_SCTP_DATA_OCTETS - 3 &&
               ((message->length + 3) & ~UINT32_C(3)) + IW_SCTP_DATA_OCTETS <= direction->largest);
}

static void association_hand_over_data_fragment(struct iw_sctp_association *association, enum iw_side side,
    const struct iw_sctp_place *place, const struct iw_sctp_data *data) {
    struct iw_sctp_direction *direction = &association->direction[side];
    struct iw_sctp_data_fragments *fragments = &direction->data_fragments;

    if (data->first) {
        sctp_association_abandon_data_fragments(association, side);
        if (!sctp_association_begin_data_fragments(association, side, place, data)) {
            association->state.lost[side]++;
            association->state.limited++;
            return;
        }
    }
    if (fragments->octets == NULL) { /* the first fragment is lost, or was sent before the capture began */
        association->state.lost[side] += data->last;
        return;
    }
    sctp_association_add_data_fragment(fragments, place, data);
    if (!data->last)
        return;
    fragments->message.needless = sctp_association_would_fit(direction, &fragments->message);
    association_emit(association, &fragments->message);
    sctp_association_drop_data_fragments(association, side);
}

static bool sctp_association_tsn_is_acked(
    const struct iw_sctp_state *state, enum iw_side side, uint32_t tsn) {
    return state->acked_known[side] && sctp_association_tsn_distance(tsn, state->acked[side]) >= 0;
}

static void association_note_unacked(struct iw_sctp_association *association, enum iw_side side) {
    struct iw_sctp_state *state = &association->state;

    state->unacked[side] = !sctp_association_tsn_is_acked(state, side, association->direction[side].next - 1);
}

/* Sets `waits` if the next TSN was sent, but not captured: a later chunk is held, or it was acknowledged. */
static void association_note_waiting(struct iw_sctp_association *association, enum iw_side side) {
    struct iw_sctp_direction *direction = &association->direction[side];
    struct iw_sctp_state *state = &association->state;

    state->waits[side] =
        direction->held != NULL || sctp_association_tsn_is_acked(state, side, direction->next);
}

static void association_hand_over(struct iw_sctp_association *association, enum iw_side side,
    const struct iw_sctp_place *place, const struct iw_sctp_data *data) {
    struct iw_sctp_message message;

    association->direction[side].next = data->tsn + 1;
    association->state.seen_known[side] = true;
    association->state.seen[side] = data->tsn;
    association_note_unacked(association, side);
    association_note_waiting(association, side);
    if (!data->first || !data->last) {
        association_hand_over_data_fragment(association, side, place, data);
        return;
    }
    sctp_association_abandon_data_fragments(association, side);
    message = sctp_association_message_from(place, data);
    association_emit(association, &message);
}

static void association_hand_over_held(struct iw_sctp_association *association, enum iw_side side) {
    struct iw_sctp_direction *direction = &association->direction[side];
    struct iw_sctp_held *held = direction->held;

    direction->held = held->next;
    direction->held_count--;
    association->state.pool->held -= sizeof *held + held->data.captured;
    association_note_waiting(association, side);
    association_hand_over(association, side, &held->place, &held->data);
    free(held);
}

static void association_hand_over_ready(struct iw_sctp_association *association, enum iw_side side) {
    struct iw_sctp_direction *direction = &association->direction[side];

    while (direction->held != NULL && direction->held->data.tsn == direction->next)
        association_hand_over_held(association, side);
    association_note_waiting(association, side);
}

/* Counts the missing chunks before `tsn` as lost, drops unfinished user data, and continues at `tsn`. */
static void association_lose(struct iw_sctp_association *association, enum iw_side side, uint32_t tsn) {
    struct iw_sctp_direction *direction = &association->direction[side];

    association->state.lost[side] += tsn - direction->next;
    sctp_association_drop_data_fragments(association, side);
    direction->next = tsn;
}

static void association_skip_gap(struct iw_sctp_association *association, enum iw_side side) {
    association_lose(association, side, association->direction[side].held->data.tsn);
    association_hand_over_ready(association, side);
}

static bool association_store(struct iw_sctp_association *association, enum iw_side side,
    struct iw_sctp_held **place_of, const struct iw_sctp_place *place, const struct iw_sctp_data *data) {
    size_t octets = sizeof(struct iw_sctp_held) + data->captured;
    struct iw_sctp_held *held;

    if (association->state.pool->held + octets > association->state.pool->octets ||
        (held = malloc(octets)) == NULL)
        return false;
    association->state.pool->held += octets;
    *held = (struct iw_sctp_held){*place_of, *place, *data};
    if (data->captured > 0)
        memcpy(held->octets, data->octets, data->captured);
    held->data.octets = held->octets;
    *place_of = held;
    association->direction[side].held_count++;
    association_note_waiting(association, side);
    return true;
}

static void association_hold(struct iw_sctp_association *association, enum iw_side side,
    const struct iw_sctp_place *place, const struct iw_sctp_data *data) {
    struct iw_sctp_direction *direction = &association->direction[side];
    struct iw_sctp_held **at = &direction->held;

    while (*at != NULL && sctp_association_tsn_distance((*at)->data.tsn, data->tsn) > 0)
        at = &(*at)->next;
    if (*at != NULL && (*at)->data.tsn == data->tsn) {
        direction->counters.retransmitted++;
        return;
    }
    direction->counters.chunks++;
    direction->counters.out_of_order += *at != NULL;
    if (!association_store(association, side, at, place, data)) {
        association->state.limited++;
        while (direction->held != NULL &&
               sctp_association_tsn_distance(direction->held->data.tsn, data->tsn) > 0)
            association_skip_gap(association, side);
        association_lose(association, side, data->tsn);
        association_hand_over(association, side, place, data);
        association_hand_over_ready(association, side);
    } else if (direction->held_count > IW_SCTP_HELD_MAX) {
        association->state.limited++;
        association_skip_gap(association, side);
    }
}

/* Counts the chunks before `first` from `tsn` on as lost. The INIT, or a late chunk, shows that they were
 * sent. */
static void association_note_earlier(
    struct iw_sctp_association *association, enum iw_side side, uint32_t tsn) {
    struct iw_sctp_direction *direction = &association->direction[side];
    int32_t before = sctp_association_tsn_distance(tsn, direction->first);

    if (before <= 0 || before > AHEAD_MAX)
        return;
    association->state.lost[side] += (uint32_t)before;
    direction->first = tsn;
}

void iw_sctp_association_init_chunk(struct iw_sctp_association *association,
    const struct iw_sctp_place *place, const struct iw_sctp_init *init) {
    struct iw_sctp_direction *direction = &association->direction[place->side];
    struct iw_sctp_setup *setup = &association->state.setup[place->side];

    direction->tag_known = true;
    direction->tag = init->tag;
    *setup = init->setup;
    setup->frame = place->frame;
    if (!direction->known || direction->guessed) {
        direction->known = true;
        direction->guessed = false;
        direction->next = direction->first = init->tsn;
    }
    association_note_earlier(association, place->side, init->tsn);
}

static void sctp_association_note_size(
    struct iw_sctp_direction *direction, const struct iw_sctp_place *place, const struct iw_sctp_data *data) {
    if (place->octets > direction->largest && place->octets > direction->candidate) {
        direction->candidate = place->octets;
        direction->candidate_tsn = data->tsn;
    }
}

void iw_sctp_association_data(struct iw_sctp_association *association, const struct iw_sctp_place *place,
    const struct iw_sctp_data *data) {
    enum iw_side side = place->side;
    struct iw_sctp_direction *direction = &association->direction[side];
    int32_t ahead;

    if (!direction->known) {
        direction->known = true;
        direction->next = direction->first = data->tsn;
    }
    if (direction->guessed && sctp_association_tsn_distance(direction->next, data->tsn) < 0)
        direction->next = direction->first = data->tsn;
    direction->guessed = false;
    ahead = sctp_association_tsn_distance(direction->next, data->tsn);
    if (ahead < 0) {
        direction->counters.retransmitted++;
        if (association->state.setup[side].frame == 0)
            association_note_earlier(association, side, data->tsn);
    } else if (ahead > AHEAD_MAX) {
        association->state.lost[side]++;
    } else if (ahead > 0) {
        sctp_association_note_size(direction, place, data);
        association_hold(association, side, place, data);
    } else {
        sctp_association_note_size(direction, place, data);
        direction->counters.chunks++;
        direction->counters.out_of_order += direction->held != NULL;
        association_hand_over(association, side, place, data);
        association_hand_over_ready(association, side);
    }
}

/* Hands over the held chunks up to `tsn`, and counts the missing chunks up to `tsn` as lost. */
static void association_settle_acked(
    struct iw_sctp_association *association, enum iw_side side, uint32_t tsn) {
    struct iw_sctp_direction *direction = &association->direction[side];

    while (sctp_association_tsn_distance(direction->next, tsn) >= 0) {
        if (direction->held != NULL && sctp_association_tsn_distance(direction->held->data.tsn, tsn) >= 0)
            association_skip_gap(association, side);
        else
            association_lose(association, side, tsn + 1);
    }
    association_hand_over_ready(association, side);
    association_note_unacked(association, side);
}

static void association_await_acked(struct iw_sctp_association *association, enum iw_side side) {
    struct iw_sctp_direction *direction = &association->direction[side];
    const struct iw_sctp_state *state = &association->state;

    if (direction->awaited_packets > 0 || !sctp_association_tsn_is_acked(state, side, direction->next))
        return;
    direction->awaited = state->acked[side];
    direction->awaited_packets = DISORDER_MAX;
}

void iw_sctp_association_packet(struct iw_sctp_association *association) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        struct iw_sctp_direction *direction = &association->direction[side];

        if (direction->awaited_packets == 0 || --direction->awaited_packets > 0)
            continue;
        association_settle_acked(association, side, direction->awaited);
        association_await_acked(association, side);
    }
}

/* `place` is that of the acknowledgement; the acknowledged chunks were sent by the other side. */
void iw_sctp_association_ack(
    struct iw_sctp_association *association, const struct iw_sctp_place *place, uint32_t tsn) {
    enum iw_side side = iw_side_other(place->side);
    struct iw_sctp_direction *direction = &association->direction[side];

    if (!direction->known) { /* no INIT and no DATA chunk of that side has been captured */
        direction->known = direction->guessed = true;
        direction->next = direction->first = tsn;
    }
    if (sctp_association_tsn_distance(direction->next, tsn) > AHEAD_MAX)
        return;
    if (!association->state.acked_known[side] ||
        sctp_association_tsn_distance(association->state.acked[side], tsn) > 0)
        association->state.acked[side] = tsn; /* acknowledgements may be captured in any order */
    association->state.acked_known[side] = true;
    if (direction->candidate > 0 && sctp_association_tsn_distance(direction->candidate_tsn, tsn) >= 0) {
        direction->largest = direction->candidate;
        direction->candidate = 0;
    }
    association_await_acked(association, side);
    association_note_unacked(association, side);
    association_note_waiting(association, side);
}

void iw_sctp_association_finish(struct iw_sctp_association *association) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        while (association->direction[side].held != NULL)
            association_skip_gap(association, side);
        if (sctp_association_tsn_is_acked(&association->state, side, association->direction[side].next))
            association_settle_acked(association, side, association->state.acked[side]);
        sctp_association_abandon_data_fragments(association, side);
        association->direction[side].awaited_packets = 0;
    }
}

void iw_sctp_association_clear(struct iw_sctp_association *association) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        struct iw_sctp_direction *direction = &association->direction[side];

        sctp_association_drop_data_fragments(association, side);
        while (direction->held != NULL) {
            struct iw_sctp_held *held = direction->held;

            direction->held = held->next;
            association->state.pool->held -= sizeof *held + held->data.captured;
            free(held);
        }
        direction->held_count = 0;
    }
}

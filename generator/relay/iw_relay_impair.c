#include "iw_relay_impair_state.h"

#include <stdlib.h>
#include <string.h>

#include "iw_random.h"

/* Finds the units in what both ends send. Each end has an MPA connection of
 * its own, with what the end sends and what it gets: if a rule changes a startup frame, the two ends have
 * agreed on different terms. */

enum { HELD_MAX = 1 << 19 }; /* octets of an incomplete unit: more than any FPDU or startup frame has */

/* ---- the stream ---- */

static void impair_take_fpdu(struct relay_impair_way *way, const struct iw_fpdu *fpdu) {
    struct iw_relay_unit unit;

    if (!way->origin_known) {
        way->origin = way->written - fpdu->position;
        way->origin_known = true;
    }
    iw_relay_unit_of_fpdu(
        &unit, fpdu, relay_impair_next(way), way->impair->mpa[way->from].terms.markers[way->from]);
    unit.continues = way->within_tagged;
    way->within_tagged = unit.segment_known && unit.segment.tagged && !unit.segment.last;
    relay_apply_rules(way, &unit);
}

static void impair_on_event(void *user, const struct iw_llp_event *event) {
    struct relay_impair_way *way = user;
    struct iw_relay_unit unit;

    if (event->side != way->from || event->offset < way->passed ||
        (event->kind != IW_LLP_STARTUP && event->kind != IW_LLP_SEGMENT) ||
        event->image_captured != event->image_octets || event->offset + event->octets > way->received)
        return;
    relay_apply_nothing(way, event->offset);
    if (event->kind == IW_LLP_SEGMENT) {
        impair_take_fpdu(way, event->fpdu);
        return;
    }
    iw_relay_unit_of_startup(&unit, relay_impair_next(way), (uint32_t)event->octets);
    relay_apply_rules(way, &unit);
}

static void impair_feed(struct relay_impair *impair, enum iw_side end, enum iw_chunk_kind kind,
    enum iw_side side, uint64_t offset, const uint8_t *octets, size_t length) {
    const struct iw_chunk chunk = {.kind = kind,
        .side = side,
        .offset = offset,
        .octets = octets,
        .length = (uint32_t)length,
        .time_ns = iw_loop_time_ns(impair->pair->relay->loop)};

    iw_mpa_feed(&impair->mpa[end], &chunk);
}

/* Gives each MPA connection what its end gets. Its end may then go on, and so add to what the other gets. */
static void impair_feed_echoes(struct relay_impair *impair) {
    for (int turn = 0; impair->ways[0].echo.count > 0 || impair->ways[1].echo.count > 0; turn = !turn) {
        struct relay_impair_way *way = &impair->ways[turn];
        struct relay_octets echo = way->echo;
        uint64_t offset = way->echoed;

        if (echo.count == 0)
            continue;
        way->echo = (struct relay_octets){0};
        way->echoed += echo.count;
        impair_feed(impair, iw_side_other(way->from), IW_CHUNK_DATA, way->from, offset, echo.at, echo.count);
        free(echo.at);
    }
}

/* The stream offset from which on the octets of the way may belong to an incomplete unit. */
static uint64_t impair_settled(const struct relay_impair_way *way) {
    const struct iw_mpa *mpa = &way->impair->mpa[way->from];
    const struct iw_half *half = &mpa->half[way->from];
    struct iw_mpa_kept kept = iw_mpa_kept(mpa, way->from);
    uint64_t settled = way->received;

    if (kept.octets > 0 && kept.offset < settled)
        settled = kept.offset;
    if (iw_mpa_within_fpdu(mpa, way->from) && half->reader.start < settled)
        settled = half->reader.start;
    return settled;
}

static void impair_pass_settled(struct relay_impair *impair) {
    for (int side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        struct relay_impair_way *way = &impair->ways[side];
        uint64_t settled = way->received - way->passed > HELD_MAX ? way->received : impair_settled(way);

        if (settled > way->passed)
            relay_apply_nothing(way, settled);
    }
}

static bool impair_settle(struct relay_impair *impair) {
    do {
        impair_feed_echoes(impair);
        impair_pass_settled(impair);
    } while (impair->ways[0].echo.count > 0 || impair->ways[1].echo.count > 0);
    return !impair->failed;
}

/* Once for each read, as each unit would cost the octets of all that follow it. */
static void impair_drop_settled(struct relay_impair_way *way) {
    size_t rest = (size_t)(way->received - way->passed);

    if (rest > 0)
        memmove(way->held.at, relay_impair_next(way), rest);
    way->held.count = rest;
    way->held_from = way->passed;
}

bool relay_impair_take(struct relay_pair *pair, enum iw_side from, const uint8_t *octets, size_t length) {
    struct relay_impair *impair = pair->impair;
    struct relay_impair_way *way = &impair->ways[from];
    uint64_t offset = way->received;

    if (way->cut)
        return true;
    impair_drop_settled(way);
    if (!relay_octets_append(&way->held, octets, length))
        return false;
    way->received += length;
    impair_feed(impair, from, IW_CHUNK_DATA, from, offset, octets, length);
    return impair_settle(impair);
}

bool relay_impair_finish(struct relay_pair *pair, enum iw_side from) {
    struct relay_impair *impair = pair->impair;
    struct relay_impair_way *way = &impair->ways[from];

    impair_feed(impair, from, IW_CHUNK_FIN, from, way->received, NULL, 0);
    relay_apply_nothing(way, way->received);
    relay_apply_late(way);
    return impair_settle(impair);
}

/* ---- timers, begin and end ---- */

static void impair_on_held_enough(void *user) {
    struct relay_impair_way *way = user;
    struct relay_pair *pair = way->impair->pair;

    pair->ways[way->from].held = false;
    relay_pair_resume(pair, way->from);
}

void relay_impair_hold(struct relay_pair *pair, enum iw_side from, uint32_t wait_ms) {
    struct relay_impair_way *way = &pair->impair->ways[from];

    pair->ways[from].held = true;
    iw_timer_start(&way->hold, pair->relay->loop, wait_ms * UINT64_C(1000), impair_on_held_enough, way);
}

/* Each rule, connection and direction has random choices of its own, so they do not depend on the order in
 * which octets of both directions come. */
static void impair_seed(struct relay_impair *impair) {
    const struct relay_pair *pair = impair->pair;

    for (size_t i = 0; i < pair->plan.rule_count; i++)
        for (int side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
            uint64_t *random = &impair->rules[i][side].random;

            *random = pair->relay->config.seed;
            *random = iw_random_next(random) + pair->number;
            *random = iw_random_next(random) + 2 * i + (unsigned)side;
        }
}

bool relay_impair_begin(struct relay_pair *pair) {
    const struct iw_mpa_config config = {.expected = true};
    struct relay_impair *impair;

    if (pair->plan.rule_count == 0)
        return true;
    impair = calloc(1, sizeof *impair);
    if (impair == NULL)
        return false;
    impair->rules = calloc(pair->plan.rule_count, sizeof *impair->rules);
    if (impair->rules == NULL) {
        free(impair);
        return false;
    }
    impair->pair = pair;
    impair_seed(impair);
    for (int side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        impair->ways[side].impair = impair;
        impair->ways[side].from = (enum iw_side)side;
        iw_mpa_init(&impair->mpa[side], &config, impair_on_event, &impair->ways[side]);
        impair_feed(impair, (enum iw_side)side, IW_CHUNK_START, IW_SIDE_A, 0, NULL, 0);
        impair_feed(impair, (enum iw_side)side, IW_CHUNK_START, IW_SIDE_B, 0, NULL, 0);
    }
    pair->impair = impair;
    return true;
}

void relay_impair_free(struct relay_pair *pair) {
    struct relay_impair *impair = pair->impair;

    if (impair == NULL)
        return;
    pair->impair = NULL;
    for (int side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        struct relay_impair_way *way = &impair->ways[side];

        iw_timer_stop(&way->hold);
        iw_timer_stop(&way->stop);
        relay_apply_free(way);
        free(way->held.at);
        free(way->echo.at);
        iw_mpa_dispose(&impair->mpa[side]);
    }
    free(impair->rules);
    free(impair);
}

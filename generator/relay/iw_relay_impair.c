#include "iw_relay_state.h"

#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "iw_array.h"
#include "iw_mpa.h"
#include "iw_random.h"
#include "iw_relay_change.h"

/* Finds the units in what both ends send, and applies the rules to them. Each end has an MPA connection of
 * its own, with what the end sends and what it gets: if a rule changes a startup frame, the two ends have
 * agreed on different terms. */

enum { HELD_MAX = 1 << 19 }; /* octets of an incomplete unit: more than any FPDU or startup frame has */

struct octets {
    uint8_t *at;
    size_t count;
    uint32_t capacity;
};

/* A unit that is sent after the next one. */
struct late_unit {
    const struct iw_relay_rule *rule; /* that applies to it */
    uint64_t random;
    struct iw_relay_unit unit; /* with copies of all that it points to */
    struct iw_fpdu fpdu;
    struct iw_marker *markers;
    uint8_t *wire, *image;
};

struct impair_way {
    struct relay_impair *impair;
    enum iw_side from;
    uint64_t received,
        passed;         /* octets that the sender has sent, and of these, those whose fate is settled */
    struct octets held; /* from `passed` to `received` */
    uint64_t written;   /* octets of the way as its receiver gets it */
    uint64_t origin;    /* with origin_known: in `written`, the first octet of full operation */
    bool origin_known;
    bool cut;           /* a FIN or RST was queued: nothing follows */
    struct octets echo; /* queued for the receiver, but not yet known to its MPA connection */
    uint64_t echoed;
    uint32_t wait_ms; /* before the next octets */
    struct late_unit *late;
    struct iw_timer hold, stop;
};

struct rule_state {
    uint64_t fitting; /* units so far */
    uint64_t random;
};

struct relay_impair {
    struct relay_pair *pair;
    struct iw_mpa mpa[2]; /* by end */
    struct impair_way ways[2];
    struct rule_state (*rules)[2]; /* by rule and sender */
    bool failed;                   /* memory ran out */
};

/* ---- output ---- */

static bool octets_append(struct octets *octets, const uint8_t *more, size_t count) {
    if (count == 0)
        return true;
    if (!iw_array_reserve(&octets->at, &octets->capacity, octets->count + count, 1))
        return false;
    memcpy(octets->at + octets->count, more, count);
    octets->count += count;
    return true;
}

static void impair_push(struct impair_way *way, const struct relay_item *item) {
    struct relay_impair *impair = way->impair;

    if (way->cut)
        return;
    if (!relay_copy_push(impair->pair, way->from, item) ||
        !octets_append(&way->echo, item->octets, item->length))
        impair->failed = true;
    way->written += item->length;
    way->cut = item->kind != RELAY_OCTETS;
}

static void impair_write(struct impair_way *way, const uint8_t *octets, size_t count, bool alone) {
    const struct relay_item item = {
        .octets = (uint8_t *)(uintptr_t)octets, .length = count, .wait_ms = way->wait_ms, .alone = alone};

    if (count == 0)
        return;
    way->wait_ms = 0;
    impair_push(way, &item);
}

/* Writes in pieces, if the rule says so. */
static void impair_write_unit(
    struct impair_way *way, const struct iw_relay_rule *rule, const uint8_t *octets, size_t count) {
    size_t piece = rule != NULL && (rule->actions & IW_RELAY_SEGMENT) != 0 ? rule->segment : count;

    for (size_t at = 0; at < count; at += piece) {
        if (at > 0 && rule != NULL)
            way->wait_ms = rule->pause_ms;
        impair_write(way, octets + at, count - at < piece ? count - at : piece, piece < count);
    }
}

/* Passes on the held octets before stream offset `end` as they are. */
static void impair_pass(struct impair_way *way, uint64_t end) {
    size_t count = (size_t)(end - way->passed);

    impair_write(way, way->held.at, count, false);
    way->held.count -= count;
    if (way->held.count > 0)
        memmove(way->held.at, way->held.at + count, way->held.count);
    way->passed = end;
}

/* The next octets of the sender, as many as `count`, are replaced by something else. */
static void impair_skip(struct impair_way *way, size_t count) {
    way->held.count -= count;
    if (way->held.count > 0)
        memmove(way->held.at, way->held.at + count, way->held.count);
    way->passed += count;
}

/* ---- units ---- */

static void impair_note(
    struct impair_way *way, enum iw_relay_note_kind kind, const struct iw_relay_rule *rule) {
    const struct relay_pair *pair = way->impair->pair;
    const struct iw_relay_config *config = &pair->relay->config;
    const struct iw_relay_note note = {.kind = kind,
        .connection = pair->number,
        .initiator = pair->addresses[IW_SIDE_A],
        .device = pair->addresses[IW_SIDE_B],
        .rule = rule,
        .direction = way->from,
        .offset = way->passed};

    if (config->note != NULL)
        config->note(config->user, &note);
}

/* The repairs that the unit needs where it is written now. */
static unsigned impair_repairs(
    const struct impair_way *way, const struct iw_relay_unit *unit, const struct iw_relay_rule *rule) {
    unsigned repair = way->impair->pair->relay->config.repair;
    bool moved = unit->fpdu != NULL && way->written - way->origin != unit->fpdu->position;

    if (!moved && (rule == NULL || (rule->actions & (IW_RELAY_CUT | IW_RELAY_INSERT)) == 0))
        repair &= ~(unsigned)IW_RELAY_REPAIR_MARKERS;
    return repair;
}

/* Writes the unit as the rule (or NULL) changes it. Returns false if the rule does not fit it. */
static bool impair_write_changed(struct impair_way *way, const struct iw_relay_unit *unit,
    const struct iw_relay_rule *rule, uint64_t *random) {
    unsigned repair = impair_repairs(way, unit, rule);
    bool changes = rule != NULL && (rule->actions & IW_RELAY_CHANGES) != 0;
    bool marks = unit->marked && (repair & IW_RELAY_REPAIR_MARKERS) != 0;
    bool applied = true;
    uint8_t *octets;
    size_t count;

    if (!changes && !marks) {
        impair_write_unit(way, rule, unit->wire, unit->wire_octets);
        return true;
    }
    octets = malloc(iw_relay_change_max(unit));
    count = octets == NULL ? 0
                           : iw_relay_change(unit, changes ? rule : NULL, repair, way->written - way->origin,
                                 random, octets, &applied);
    way->impair->failed |= count == 0;
    impair_write_unit(way, rule, octets, count);
    free(octets);
    return applied;
}

static void late_unit_free(struct late_unit *late) {
    if (late == NULL)
        return;
    free(late->markers);
    free(late->wire);
    free(late->image);
    free(late);
}

static uint8_t *late_copy(const uint8_t *octets, size_t count) {
    uint8_t *copy = malloc(count + 1);

    if (copy != NULL && count > 0)
        memcpy(copy, octets, count);
    return copy;
}

static struct late_unit *late_unit_new(
    const struct iw_relay_unit *unit, const struct iw_relay_rule *rule, uint64_t random) {
    size_t marker_octets = unit->fpdu == NULL ? 0 : unit->fpdu->marker_count * sizeof(struct iw_marker);
    struct late_unit *late = calloc(1, sizeof *late);

    if (late == NULL)
        return NULL;
    late->wire = late_copy(unit->wire, unit->wire_octets);
    late->image = late_copy(unit->image, unit->image_octets);
    late->markers = malloc(marker_octets + 1);
    if (late->wire == NULL || late->image == NULL || late->markers == NULL) {
        late_unit_free(late);
        return NULL;
    }
    late->rule = rule;
    late->random = random;
    late->unit = *unit;
    late->unit.wire = late->wire;
    late->unit.image = late->image;
    if (unit->fpdu == NULL)
        return late;
    if (marker_octets > 0)
        memcpy(late->markers, unit->fpdu->markers, marker_octets);
    late->fpdu = *unit->fpdu;
    late->fpdu.markers = late->markers;
    late->fpdu.image = late->image;
    iw_relay_unit_of_fpdu(&late->unit, &late->fpdu, late->wire, unit->marked);
    return late;
}

static void impair_write_late(struct impair_way *way) {
    struct late_unit *late = way->late;

    if (late == NULL)
        return;
    way->late = NULL;
    impair_write_changed(way, &late->unit, late->rule, &late->random);
    late_unit_free(late);
}

/* ---- rules ---- */

static bool rule_fits(
    const struct iw_relay_rule *rule, const struct impair_way *way, const struct iw_relay_unit *unit) {
    if ((rule->one_direction && rule->direction != way->from) || way->passed < rule->after)
        return false;
    switch (rule->kind) {
    case IW_RELAY_UNIT_STARTUP:
        return unit->startup;
    case IW_RELAY_UNIT_FPDU:
        return !unit->startup;
    case IW_RELAY_UNIT_OPCODE:
        break;
    }
    return unit->segment_known && unit->segment.opcode == rule->opcode;
}

/* Returns the first rule that is due for the unit, or NULL. All rules count it. */
static const struct iw_relay_rule *impair_find_rule(
    struct impair_way *way, const struct iw_relay_unit *unit, struct rule_state **found) {
    const struct iw_relay_config *config = &way->impair->pair->relay->config;
    const struct iw_relay_rule *first = NULL;

    for (size_t i = 0; i < config->rule_count; i++) {
        const struct iw_relay_rule *rule = &config->rules[i];
        struct rule_state *state = &way->impair->rules[i][way->from];

        if (!rule_fits(rule, way, unit))
            continue;
        state->fitting++;
        if (iw_random_next(&state->random) % IW_IMPAIRMENT_CERTAIN < rule->chance &&
            (rule->nth == 0 || rule->nth == state->fitting) && first == NULL) {
            first = rule;
            *found = state;
        }
    }
    return first;
}

static void impair_on_stop_over(void *user) {
    struct impair_way *way = user;
    struct relay_pair *pair = way->impair->pair;

    pair->ways[way->from].stopped = false;
    relay_pair_resume(pair, way->from);
}

static void impair_stop(struct impair_way *way, const struct iw_relay_rule *rule) {
    struct relay_pair *pair = way->impair->pair;

    pair->ways[way->from].stopped = true;
    if (rule->stop_ms > 0)
        iw_timer_start(
            &way->stop, pair->relay->loop, rule->stop_ms * UINT64_C(1000), impair_on_stop_over, way);
}

/* The window shrinks as the sender fills it: TCP may not take back what it has offered (RFC 9293 3.8.6). */
static void impair_limit_window(struct impair_way *way, const struct iw_relay_rule *rule) {
    int descriptor = way->impair->pair->ends[way->from].descriptor, octets = (int)rule->window;

    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &octets, sizeof octets);
    setsockopt(descriptor, IPPROTO_TCP, TCP_WINDOW_CLAMP, &octets, sizeof octets);
}

static void impair_act_after(struct impair_way *way, const struct iw_relay_rule *rule) {
    if ((rule->actions & IW_RELAY_STOP) != 0)
        impair_stop(way, rule);
    if ((rule->actions & IW_RELAY_WINDOW) != 0)
        impair_limit_window(way, rule);
    if ((rule->actions & (IW_RELAY_CLOSE | IW_RELAY_RESET_BOTH)) != 0)
        impair_push(
            way, &(struct relay_item){
                     .kind = (rule->actions & IW_RELAY_RESET_BOTH) != 0 ? RELAY_RST_ITEM : RELAY_FIN_ITEM});
}

/* Writes the unit as often as the rule says. Returns false if the rule does not fit it. */
static bool impair_write_ruled(struct impair_way *way, const struct iw_relay_unit *unit,
    const struct iw_relay_rule *rule, struct rule_state *state) {
    uint64_t random = state->random;
    bool applied = true;

    iw_random_next(&state->random);
    if ((rule->actions & IW_RELAY_DROP) != 0)
        return true;
    if ((rule->actions & IW_RELAY_SWAP) != 0 && way->late == NULL) {
        way->late = late_unit_new(unit, rule, random);
        way->impair->failed |= way->late == NULL;
        return true;
    }
    for (uint32_t i = 0; i <= rule->repeat; i++) {
        uint64_t same = random; /* each copy is changed in the same way */

        applied = impair_write_changed(way, unit, rule, &same);
    }
    return applied;
}

static void impair_take_unit(struct impair_way *way, const struct iw_relay_unit *unit) {
    struct rule_state *state = NULL;
    const struct iw_relay_rule *rule = impair_find_rule(way, unit, &state);
    bool waits = way->late != NULL;

    if (rule != NULL && (rule->actions & IW_RELAY_DELAY) != 0)
        way->wait_ms = rule->delay_ms;
    if (rule == NULL)
        impair_write_changed(way, unit, NULL, NULL);
    else
        impair_note(
            way, impair_write_ruled(way, unit, rule, state) ? IW_RELAY_IMPAIRED : IW_RELAY_UNFIT, rule);
    if (waits)
        impair_write_late(way);
    if (rule != NULL)
        impair_act_after(way, rule);
    impair_skip(way, unit->wire_octets);
}

/* ---- the stream ---- */

static void impair_take_fpdu(struct impair_way *way, const struct iw_fpdu *fpdu) {
    struct iw_relay_unit unit;

    if (!way->origin_known) {
        way->origin = way->written - fpdu->position;
        way->origin_known = true;
    }
    iw_relay_unit_of_fpdu(&unit, fpdu, way->held.at, way->impair->mpa[way->from].terms.markers[way->from]);
    impair_take_unit(way, &unit);
}

static void impair_on_event(void *user, const struct iw_llp_event *event) {
    struct impair_way *way = user;
    struct iw_relay_unit unit;

    if (event->side != way->from || event->offset < way->passed ||
        (event->kind != IW_LLP_STARTUP && event->kind != IW_LLP_SEGMENT) ||
        event->image_captured != event->image_octets || event->offset + event->octets > way->received)
        return;
    impair_pass(way, event->offset);
    if (event->kind == IW_LLP_SEGMENT) {
        impair_take_fpdu(way, event->fpdu);
        return;
    }
    iw_relay_unit_of_startup(&unit, way->held.at, (uint32_t)event->octets);
    impair_take_unit(way, &unit);
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
        struct impair_way *way = &impair->ways[turn];
        struct octets echo = way->echo;
        uint64_t offset = way->echoed;

        if (echo.count == 0)
            continue;
        way->echo = (struct octets){0};
        way->echoed += echo.count;
        impair_feed(impair, iw_side_other(way->from), IW_CHUNK_DATA, way->from, offset, echo.at, echo.count);
        free(echo.at);
    }
}

/* The stream offset from which on the octets of the way may belong to an incomplete unit. */
static uint64_t impair_settled(const struct impair_way *way) {
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
        struct impair_way *way = &impair->ways[side];
        uint64_t settled = way->held.count > HELD_MAX ? way->received : impair_settled(way);

        if (settled > way->passed)
            impair_pass(way, settled);
    }
}

static bool impair_settle(struct relay_impair *impair) {
    do {
        impair_feed_echoes(impair);
        impair_pass_settled(impair);
    } while (impair->ways[0].echo.count > 0 || impair->ways[1].echo.count > 0);
    return !impair->failed;
}

bool relay_impair_take(struct relay_pair *pair, enum iw_side from, const uint8_t *octets, size_t length) {
    struct relay_impair *impair = pair->impair;
    struct impair_way *way = &impair->ways[from];
    uint64_t offset = way->received;

    if (way->cut)
        return true;
    if (!octets_append(&way->held, octets, length))
        return false;
    way->received += length;
    impair_feed(impair, from, IW_CHUNK_DATA, from, offset, octets, length);
    return impair_settle(impair);
}

bool relay_impair_finish(struct relay_pair *pair, enum iw_side from) {
    struct relay_impair *impair = pair->impair;
    struct impair_way *way = &impair->ways[from];

    impair_feed(impair, from, IW_CHUNK_FIN, from, way->received, NULL, 0);
    impair_pass(way, way->received);
    impair_write_late(way);
    return impair_settle(impair);
}

/* ---- timers, begin and end ---- */

static void impair_on_held_enough(void *user) {
    struct impair_way *way = user;
    struct relay_pair *pair = way->impair->pair;

    pair->ways[way->from].held = false;
    relay_pair_resume(pair, way->from);
}

void relay_impair_hold(struct relay_pair *pair, enum iw_side from, uint32_t wait_ms) {
    struct impair_way *way = &pair->impair->ways[from];

    pair->ways[from].held = true;
    iw_timer_start(&way->hold, pair->relay->loop, wait_ms * UINT64_C(1000), impair_on_held_enough, way);
}

/* Each rule, connection and direction has random choices of its own, so they do not depend on the order in
 * which octets of both directions come. */
static void impair_seed(struct relay_impair *impair) {
    const struct relay_pair *pair = impair->pair;

    for (size_t i = 0; i < pair->relay->config.rule_count; i++)
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

    if (pair->relay->config.rule_count == 0)
        return true;
    impair = calloc(1, sizeof *impair);
    if (impair == NULL)
        return false;
    impair->rules = calloc(pair->relay->config.rule_count, sizeof *impair->rules);
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
        struct impair_way *way = &impair->ways[side];

        iw_timer_stop(&way->hold);
        iw_timer_stop(&way->stop);
        late_unit_free(way->late);
        free(way->held.at);
        free(way->echo.at);
        iw_mpa_dispose(&impair->mpa[side]);
    }
    free(impair->rules);
    free(impair);
}

#include "iw_relay_impair_state.h"

#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "iw_array.h"
#include "iw_random.h"

/* Finds the rule that is due for a unit, and applies it. */

/* ---- output ---- */

bool relay_octets_append(struct relay_octets *octets, const uint8_t *more, size_t count) {
    if (count == 0)
        return true;
    if (!iw_array_reserve(&octets->at, &octets->capacity, octets->count + count, 1))
        return false;
    memcpy(octets->at + octets->count, more, count);
    octets->count += count;
    return true;
}

static void apply_push(struct relay_impair_way *way, const struct relay_item *item) {
    struct relay_impair *impair = way->impair;

    if (way->cut)
        return;
    if (!relay_copy_push(impair->pair, way->from, item) ||
        !relay_octets_append(&way->echo, item->octets, item->length))
        impair->failed = true;
    way->written += item->length;
    way->cut = item->kind != RELAY_OCTETS;
}

static void apply_write(struct relay_impair_way *way, const uint8_t *octets, size_t count, bool alone) {
    const struct relay_item item = {
        .octets = (uint8_t *)(uintptr_t)octets, .length = count, .wait_ms = way->wait_ms, .alone = alone};

    if (count == 0)
        return;
    way->wait_ms = 0;
    apply_push(way, &item);
}

/* Writes in pieces, if the rule says so. */
static void apply_write_unit(
    struct relay_impair_way *way, const struct iw_relay_rule *rule, const uint8_t *octets, size_t count) {
    size_t piece = rule != NULL && (rule->actions & IW_RELAY_SEGMENT) != 0 ? rule->segment : count;

    for (size_t at = 0; at < count; at += piece) {
        if (at > 0 && rule != NULL)
            way->wait_ms = rule->pause_ms;
        apply_write(way, octets + at, count - at < piece ? count - at : piece, piece < count);
    }
}

void relay_apply_nothing(struct relay_impair_way *way, uint64_t end) {
    if (end > way->passed)
        apply_write(way, relay_impair_next(way), (size_t)(end - way->passed), false);
    way->passed = end;
}

/* ---- units ---- */

/* `passed`: where the changed unit begins in what the receiver gets. */
static void apply_note(struct relay_impair_way *way, enum iw_relay_note_kind kind,
    const struct iw_relay_rule *rule, uint64_t passed) {
    const struct relay_pair *pair = way->impair->pair;
    const struct iw_relay_config *config = &pair->relay->config;
    const struct iw_relay_note note = {.kind = kind,
        .connection = pair->number,
        .initiator = pair->addresses[IW_SIDE_A],
        .device = pair->addresses[IW_SIDE_B],
        .rule = rule,
        .direction = way->from,
        .offset = way->passed,
        .passed = passed};

    if (config->note != NULL)
        config->note(config->user, &note);
}

/* The repairs that the unit needs where it is written now. */
static unsigned apply_repairs(
    const struct relay_impair_way *way, const struct iw_relay_unit *unit, const struct iw_relay_rule *rule) {
    unsigned repair = way->impair->pair->plan.repair;
    bool moved = unit->fpdu != NULL && way->written - way->origin != unit->fpdu->position;

    if (!moved && (rule == NULL || (rule->actions & (IW_RELAY_CUT | IW_RELAY_INSERT)) == 0))
        repair &= ~(unsigned)IW_RELAY_REPAIR_MARKERS;
    return repair;
}

/* Writes the unit as the rule (or NULL) changes it. Returns false if the rule does not fit it. */
static bool apply_write_changed(struct relay_impair_way *way, const struct iw_relay_unit *unit,
    const struct iw_relay_rule *rule, uint64_t *random) {
    unsigned repair = apply_repairs(way, unit, rule);
    bool changes = rule != NULL && (rule->actions & IW_RELAY_CHANGES) != 0;
    bool marks = unit->marked && (repair & IW_RELAY_REPAIR_MARKERS) != 0;
    bool applied = true;
    uint8_t *octets;
    size_t count;

    if (!changes && !marks) {
        apply_write_unit(way, rule, unit->wire, unit->wire_octets);
        return true;
    }
    octets = malloc(iw_relay_change_max(unit));
    count = octets == NULL ? 0
                           : iw_relay_change(unit, changes ? rule : NULL, repair, way->written - way->origin,
                                 random, octets, &applied);
    way->impair->failed |= count == 0;
    apply_write_unit(way, rule, octets, count);
    free(octets);
    return applied;
}

static void late_unit_free(struct relay_late_unit *late) {
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

static struct relay_late_unit *late_unit_new(
    const struct iw_relay_unit *unit, const struct iw_relay_rule *rule, uint64_t random) {
    size_t marker_octets = unit->fpdu == NULL ? 0 : unit->fpdu->marker_count * sizeof(struct iw_marker);
    struct relay_late_unit *late = calloc(1, sizeof *late);

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

void relay_apply_late(struct relay_impair_way *way) {
    struct relay_late_unit *late = way->late;

    if (late == NULL)
        return;
    way->late = NULL;
    apply_write_changed(way, &late->unit, late->rule, &late->random);
    late_unit_free(late);
}

void relay_apply_free(struct relay_impair_way *way) {
    late_unit_free(way->late);
    way->late = NULL;
}

/* ---- rules ---- */

static bool rule_fits(
    const struct iw_relay_rule *rule, const struct relay_impair_way *way, const struct iw_relay_unit *unit) {
    if ((rule->one_direction && rule->direction != way->from) || way->passed < rule->after)
        return false;
    switch (rule->kind) {
    case IW_RELAY_UNIT_STARTUP:
        return unit->startup;
    case IW_RELAY_UNIT_FPDU:
        return !unit->startup && iw_relay_unit_has(unit, rule->with);
    case IW_RELAY_UNIT_OPCODE:
        break;
    }
    return unit->segment_known && unit->segment.opcode == rule->opcode && iw_relay_unit_has(unit, rule->with);
}

/* Returns the first rule that is due for the unit, or NULL. All rules count it. */
static const struct iw_relay_rule *apply_find_rule(
    struct relay_impair_way *way, const struct iw_relay_unit *unit, struct relay_rule_state **found) {
    const struct relay_plan *plan = &way->impair->pair->plan;
    const struct iw_relay_rule *first = NULL;

    for (size_t i = 0; i < plan->rule_count; i++) {
        const struct iw_relay_rule *rule = &plan->rules[i];
        struct relay_rule_state *state = &way->impair->rules[i][way->from];

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

static void apply_on_stop_over(void *user) {
    struct relay_impair_way *way = user;
    struct relay_pair *pair = way->impair->pair;

    pair->ways[way->from].stopped = false;
    relay_pair_resume(pair, way->from);
}

static void apply_stop(struct relay_impair_way *way, const struct iw_relay_rule *rule) {
    struct relay_pair *pair = way->impair->pair;

    pair->ways[way->from].stopped = true;
    if (rule->stop_ms > 0)
        iw_timer_start(
            &way->stop, pair->relay->loop, rule->stop_ms * UINT64_C(1000), apply_on_stop_over, way);
}

/* The window shrinks as the sender fills it: TCP may not take back what it has offered (RFC 9293 3.8.6). */
static void apply_limit_window(struct relay_impair_way *way, const struct iw_relay_rule *rule) {
    int descriptor = way->impair->pair->ends[way->from].descriptor, octets = (int)rule->window;

    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &octets, sizeof octets);
    setsockopt(descriptor, IPPROTO_TCP, TCP_WINDOW_CLAMP, &octets, sizeof octets);
}

static void apply_act_after(struct relay_impair_way *way, const struct iw_relay_rule *rule) {
    if ((rule->actions & IW_RELAY_STOP) != 0)
        apply_stop(way, rule);
    if ((rule->actions & IW_RELAY_WINDOW) != 0)
        apply_limit_window(way, rule);
    if ((rule->actions & (IW_RELAY_CLOSE | IW_RELAY_RESET_BOTH)) != 0)
        apply_push(
            way, &(struct relay_item){
                     .kind = (rule->actions & IW_RELAY_RESET_BOTH) != 0 ? RELAY_RST_ITEM : RELAY_FIN_ITEM});
}

/* Writes the unit as often as the rule says. Returns false if the rule does not fit it. */
static bool apply_write_ruled(struct relay_impair_way *way, const struct iw_relay_unit *unit,
    const struct iw_relay_rule *rule, struct relay_rule_state *state) {
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

        applied = apply_write_changed(way, unit, rule, &same);
    }
    return applied;
}

void relay_apply_rules(struct relay_impair_way *way, const struct iw_relay_unit *unit) {
    struct relay_rule_state *state = NULL;
    const struct iw_relay_rule *rule = apply_find_rule(way, unit, &state);
    bool waits = way->late != NULL;
    uint64_t begin = way->written;

    if (rule != NULL && (rule->actions & IW_RELAY_DELAY) != 0)
        way->wait_ms = rule->delay_ms;
    if (rule == NULL)
        apply_write_changed(way, unit, NULL, NULL);
    else
        apply_note(
            way, apply_write_ruled(way, unit, rule, state) ? IW_RELAY_IMPAIRED : IW_RELAY_UNFIT, rule, begin);
    if (waits)
        relay_apply_late(way);
    if (rule != NULL)
        apply_act_after(way, rule);
    way->passed += unit->wire_octets;
}

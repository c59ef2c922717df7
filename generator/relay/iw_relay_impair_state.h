#pragma once

#include "iw_mpa.h"
#include "iw_relay_change.h"
#include "iw_relay_state.h"

/* The state of the impairments of one pair. */

struct relay_octets {
    uint8_t *at;
    size_t count;
    uint32_t capacity;
};

/* A unit that is sent after the next one. */
struct relay_late_unit {
    const struct iw_relay_rule *rule; /* that applies to it */
    uint64_t random;
    struct iw_relay_unit unit; /* with copies of all that it points to */
    struct iw_fpdu fpdu;
    struct iw_marker *markers;
    uint8_t *wire, *image;
};

struct relay_impair_way {
    struct relay_impair *impair;
    enum iw_side from;
    uint64_t received,
        passed;               /* octets that the sender has sent, and of these, those whose fate is settled */
    struct relay_octets held; /* from `held_from` to `received` */
    uint64_t held_from;
    uint64_t written; /* octets of the way as its receiver gets it */
    uint64_t origin;  /* with origin_known: in `written`, the first octet of full operation */
    bool origin_known;
    bool cut;                 /* a FIN or RST was queued: nothing follows */
    struct relay_octets echo; /* queued for the receiver, but not yet known to its MPA connection */
    uint64_t echoed;
    bool within_tagged; /* the last FPDU was a tagged segment, and not the last one of its message */
    uint32_t wait_ms;   /* before the next octets */
    struct relay_late_unit *late;
    struct iw_timer hold, stop;
};

struct relay_rule_state {
    uint64_t fitting; /* units so far */
    uint64_t random;
};

struct relay_impair {
    struct relay_pair *pair;
    struct iw_mpa mpa[2]; /* by end */
    struct relay_impair_way ways[2];
    struct relay_rule_state (*rules)[2]; /* by rule and sender */
    bool failed;                         /* memory ran out */
};

/* The octets of the sender from `passed` on. */
static inline const uint8_t *relay_impair_next(const struct relay_impair_way *way) {
    return way->held.at + (way->passed - way->held_from);
}

/* Returns false if memory runs out. */
bool relay_octets_append(struct relay_octets *octets, const uint8_t *more, size_t count);

/* ---- iw_relay_apply.c: what becomes of units ---- */

/* Passes on the held octets before stream offset `end` as they are. */
void relay_apply_nothing(struct relay_impair_way *way, uint64_t end);

/* The next held octets are this unit: applies the rule that is due, if any. */
void relay_apply_rules(struct relay_impair_way *way, const struct iw_relay_unit *unit);

/* Writes the unit that waits for the next one, if any; `free` drops it. */
void relay_apply_late(struct relay_impair_way *way);
void relay_apply_free(struct relay_impair_way *way);

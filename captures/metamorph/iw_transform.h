#pragma once

#include <stddef.h>

#include "iw_outer.h"
#include "iw_trace.h"

/* Transforms change a capture, but not the conversation in it: what both sides sent and received stays the
 * same. The changed capture may show less of it, or show it in another order. */

enum iw_transform_effect {
    IW_TRANSFORM_ALIKE,    /* all octets are there, in an order in which they could have crossed the wire */
    IW_TRANSFORM_SHUFFLED, /* all octets are there, but not in the order in which they crossed the wire */
    IW_TRANSFORM_HIDDEN,   /* octets are missing */
};

struct iw_transform {
    const char *name;
    enum iw_transform_effect effect;
    bool tcp;  /* does not apply to SCTP */
    bool last; /* runs after the others: it adds packets that a receiver drops */
    /* One transform. `state` is the state of iw_random. */
    void (*trace)(struct iw_trace *trace, uint64_t *state);
    void (*outer)(struct iw_outer *outer, uint64_t *state);
};

extern const struct iw_transform iw_transforms[];
extern const size_t iw_transform_count;

/* A random number below `limit`, which must not be 0. */
uint64_t iw_transform_below(uint64_t *state, uint64_t limit);

/* All transforms, grouped by what they change; iw_transform.c lists them. */
void iw_transform_retransmit(struct iw_trace *trace, uint64_t *state);
void iw_transform_duplicate(struct iw_trace *trace, uint64_t *state);
void iw_transform_overlap(struct iw_trace *trace, uint64_t *state);
void iw_transform_split(struct iw_trace *trace, uint64_t *state);
void iw_transform_merge(struct iw_trace *trace, uint64_t *state);
void iw_transform_resegment(struct iw_trace *trace, uint64_t *state);
void iw_transform_wrap(struct iw_trace *trace, uint64_t *state);

void iw_transform_reorder(struct iw_trace *trace, uint64_t *state);
void iw_transform_shuffle(struct iw_trace *trace, uint64_t *state);
void iw_transform_answer_first(struct iw_trace *trace, uint64_t *state);
void iw_transform_two_hosts(struct iw_trace *trace, uint64_t *state);
void iw_transform_times(struct iw_trace *trace, uint64_t *state);
void iw_transform_drop(struct iw_trace *trace, uint64_t *state);
void iw_transform_drop_many(struct iw_trace *trace, uint64_t *state);
void iw_transform_late_start(struct iw_trace *trace, uint64_t *state);
void iw_transform_early_end(struct iw_trace *trace, uint64_t *state);
void iw_transform_one_direction(struct iw_trace *trace, uint64_t *state);

void iw_transform_damage(struct iw_trace *trace, uint64_t *state);
void iw_transform_damage_alone(struct iw_trace *trace, uint64_t *state);

void iw_transform_keep_alive(struct iw_trace *trace, uint64_t *state);
void iw_transform_zero_window(struct iw_trace *trace, uint64_t *state);
void iw_transform_stray_reset(struct iw_trace *trace, uint64_t *state);
void iw_transform_stray_syn(struct iw_trace *trace, uint64_t *state);
void iw_transform_junk(struct iw_trace *trace, uint64_t *state);
void iw_transform_reuse(struct iw_trace *trace, uint64_t *state);

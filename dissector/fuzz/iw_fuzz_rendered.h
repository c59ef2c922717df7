#pragma once

#include "iw_epan.h"

/* The iWARP part of a frame's tree: the same on every pass except the first, in any order of frames. */

struct iw_fuzz_rendered {
    unsigned items;
    uint64_t hash; /* over the text, position and length of every item */
};

/* If true, each item is printed. */
extern bool iw_fuzz_rendered_print;

/* Returns the items and the hash of a frame's tree; all 0 if `tree` is NULL. */
struct iw_fuzz_rendered iw_fuzz_rendered_of(proto_tree *tree);

/* Aborts if they differ. `frame`: capture frame number, for the message. */
void iw_fuzz_rendered_same(unsigned frame, struct iw_fuzz_rendered a, struct iw_fuzz_rendered b);

#ifndef IW_WRAP_SIDES_H
#define IW_WRAP_SIDES_H

#include <stdint.h>

/* Stream positions of the two sides of a connection, by sender: 0 or 1. */
struct iw_wrap_sides {
    uint32_t isn[2];  /* Initial Sequence Number; over SCTP the first TSN */
    uint32_t next[2]; /* stream offset of the next octet; over SCTP of the next TSN */
};

static inline void iw_wrap_sides_restart(struct iw_wrap_sides *sides) {
    sides->next[0] = sides->next[1] = 0;
}

static inline void iw_wrap_move_to(struct iw_wrap_sides *sides, unsigned sender, uint32_t offset) {
    if (offset > sides->next[sender])
        sides->next[sender] = offset;
}

#endif

#ifndef IW_MPA_TALK_H
#define IW_MPA_TALK_H

#include "iw_talk.h"

/* The one conversation of a test of both sides; `begin` to `end` are fixtures for cmocka's tests. */

#define A IW_SIDE_A
#define B IW_SIDE_B

static struct iw_talk talk;

/* From the SYNs on. */
static inline int begin(void **state) {
    (void)state;
    iw_talk_init(&talk, false);
    iw_talk_start(&talk, A);
    iw_talk_start(&talk, B);
    return 0;
}

/* In the middle of a connection. */
static inline int begin_late(void **state) {
    (void)state;
    iw_talk_init(&talk, false);
    return 0;
}

static inline int end(void **state) {
    (void)state;
    iw_talk_dispose(&talk);
    return 0;
}

#endif

#ifndef IW_MPA_FIXTURE_H
#define IW_MPA_FIXTURE_H

#include "iw_stream_fixture.h"

/* The one conversation of a test of both sides; `begin` to `end` are fixtures for cmocka's tests. */

#define A IW_SIDE_A
#define B IW_SIDE_B

static struct iw_stream_fixture talk;

/* From the SYNs on. */
static inline int begin(void **state) {
    (void)state;
    iw_stream_fixture_init(&talk, false);
    iw_stream_fixture_start(&talk, A);
    iw_stream_fixture_start(&talk, B);
    return 0;
}

/* In the middle of a connection. */
static inline int begin_late(void **state) {
    (void)state;
    iw_stream_fixture_init(&talk, false);
    return 0;
}

static inline int end(void **state) {
    (void)state;
    iw_stream_fixture_dispose(&talk);
    return 0;
}

#endif

#pragma once

#include "iw_stream_fixture.h"

/* The only connection of a test of both sides; `begin` to `end` are fixtures for cmocka's tests. */

#define A IW_SIDE_A
#define B IW_SIDE_B

static struct iw_stream_fixture fixture;

/* Captured from the SYNs on. */
static inline int begin(void **state) {
    (void)state;
    iw_stream_fixture_init(&fixture, false);
    iw_stream_fixture_start(&fixture, A);
    iw_stream_fixture_start(&fixture, B);
    return 0;
}

/* Captured in mid-stream. */
static inline int begin_late(void **state) {
    (void)state;
    iw_stream_fixture_init(&fixture, false);
    return 0;
}

static inline int end(void **state) {
    (void)state;
    iw_stream_fixture_dispose(&fixture);
    return 0;
}

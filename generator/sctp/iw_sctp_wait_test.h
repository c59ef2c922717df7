#pragma once

#include <stdbool.h>

#include "iw_loop.h"

/* Runs the loop of a test until its bench shows what the test waits for. Include cmocka.h first. */

enum { SCTP_WAIT_US = 20 * 1000 * 1000 };

struct bench; /* of the test */

struct sctp_wait {
    struct iw_loop *loop;
    struct iw_timer timeout;
    bool timed_out;
    bool (*done)(const struct bench *bench); /* NULL: the test has not waited yet */
};

/* Call after each event of the bench. */
static inline void sctp_wait_look(struct sctp_wait *wait, const struct bench *bench) {
    if (wait->done != NULL && wait->done(bench))
        iw_loop_stop(wait->loop);
}

static inline void sctp_wait_on_timeout(void *user) {
    struct sctp_wait *wait = user;

    wait->timed_out = true;
    iw_loop_stop(wait->loop);
}

static inline void sctp_wait_until(
    struct sctp_wait *wait, const struct bench *bench, bool (*done)(const struct bench *bench)) {
    wait->done = done;
    wait->timed_out = false;
    iw_timer_start(&wait->timeout, wait->loop, SCTP_WAIT_US, sctp_wait_on_timeout, wait);
    if (!done(bench))
        iw_loop_run(wait->loop);
    iw_timer_stop(&wait->timeout);
    assert_false(wait->timed_out);
}

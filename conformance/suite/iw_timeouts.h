#pragma once

#include <stdint.h>

/* The timeouts of a case: short if the device has answered Requests fast, long if slowly. */

struct iw_timeouts {
    uint32_t answer_ms;   /* timeout for an expected message, unless the case sets one */
    uint32_t silence_ms;  /* wait at least this long before concluding that no message comes */
    uint32_t deadline_ms; /* time limit of the whole case */
};

/* Computes the timeouts. `startup_us` is the last result of iw_timeouts_learn; 0: no measurement yet.
 * `startup_timeout_s` is how long the device itself waits for a startup frame, by its profile. `network_ms`
 * is how much later an answer may arrive because of the network (iw_network_profile.h). */
struct iw_timeouts iw_timeouts_of(uint64_t startup_us, unsigned startup_timeout_s, uint32_t network_ms);

/* Returns the new `startup_us` after a Reply took `took_us`; it rises at once, but falls gradually. */
uint64_t iw_timeouts_learn(uint64_t startup_us, uint64_t took_us);

#ifndef IW_TIMEOUTS_H
#define IW_TIMEOUTS_H

#include <stdint.h>

/* How long a case waits, by how long the device lately took to answer a Request: a device that is near need
 * not be waited for as long as one that is far, or slow, has to be. */

struct iw_timeouts {
    uint32_t answer_ms;   /* for what is expected, where the case states no other time */
    uint32_t silence_ms;  /* at least, before something counts as not answered */
    uint32_t deadline_ms; /* for the whole case */
};

/* `startup_us` is what iw_timeouts_learn has made of the times so far; 0: none is known yet.
 * `startup_timeout_s` is how long the device itself waits for a startup frame, by its profile. */
struct iw_timeouts iw_timeouts_of(uint64_t startup_us, unsigned startup_timeout_s);

/* The next value of `startup_us` after a Reply that took `took_us`: one that took longer counts at once, the
 * others by and by. */
uint64_t iw_timeouts_learn(uint64_t startup_us, uint64_t took_us);

#endif

#ifndef IW_TIMEOUTS_H
#define IW_TIMEOUTS_H

#include <stdint.h>

/* Timeouts of a case, derived from the device's recent time to answer a Request: short for a near
 * device, long for a distant or slow one. */

struct iw_timeouts {
    uint32_t answer_ms;   /* for an expected message, unless the case sets its own */
    uint32_t silence_ms;  /* minimum before a missing message counts as silence */
    uint32_t deadline_ms; /* for the whole case */
};

/* `startup_us` is the last result of iw_timeouts_learn; 0: no measurement yet. `startup_timeout_s` is
 * the device's own timeout for a startup frame, from its profile. */
struct iw_timeouts iw_timeouts_of(uint64_t startup_us, unsigned startup_timeout_s);

/* Returns the next `startup_us` after a Reply that took `took_us`: a longer time applies at once,
 * shorter ones gradually. */
uint64_t iw_timeouts_learn(uint64_t startup_us, uint64_t took_us);

#endif

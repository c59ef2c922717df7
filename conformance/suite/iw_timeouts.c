#include "iw_timeouts.h"

enum {
    ANSWER_MS = 5000, /* timeout before the first measurement */
    ANSWER_LEAST_MS = 2000,
    ANSWER_MOST_MS = 10000,
    ANSWER_TIMES = 64,
    SILENCE_MOST_MS = 1500,
    SILENCE_TIMES = 8,
    CASE_MS = 15000, /* longest timeout that a case sets itself */
    LATER_MS = 5000, /* added to the startup timeout of the device */
    CASE_ANSWERS = 5,
};

static uint32_t within(uint64_t ms, uint32_t least, uint32_t most) {
    if (ms < least)
        return least;
    return ms > most ? most : (uint32_t)ms;
}

struct iw_timeouts iw_timeouts_of(uint64_t startup_us, unsigned startup_timeout_s, uint32_t network_ms) {
    uint32_t longest_ms = startup_timeout_s * 1000 + LATER_MS;
    struct iw_timeouts timeouts = {.answer_ms = ANSWER_MS};

    if (startup_us > 0) {
        timeouts.answer_ms = within(startup_us * ANSWER_TIMES / 1000, ANSWER_LEAST_MS, ANSWER_MOST_MS);
        timeouts.silence_ms = within(startup_us * SILENCE_TIMES / 1000, 0, SILENCE_MOST_MS);
    }
    timeouts.answer_ms += network_ms;
    timeouts.silence_ms += network_ms;
    if (longest_ms < CASE_MS)
        longest_ms = CASE_MS;
    timeouts.deadline_ms = longest_ms + CASE_ANSWERS * timeouts.answer_ms;
    return timeouts;
}

uint64_t iw_timeouts_learn(uint64_t startup_us, uint64_t took_us) {
    return took_us >= startup_us ? took_us : startup_us - (startup_us - took_us) / 8;
}

#ifndef IW_FUZZ_CHECK_H
#define IW_FUZZ_CHECK_H

#include <stddef.h>
#include <stdint.h>

/* Runs `warpcheck check` on the input, with the report format and extensions that the input selects. An
 * input that begins like a capture file is used as one; otherwise as records that describe packets
 * (iw_fuzz_frames.h). File errors go to stderr. Ends the program if memory or the file is unavailable. */
void iw_fuzz_check(const uint8_t *octets, size_t length);

/* Mutates an input in place, for libFuzzer; `change` mutates plain octets. */
size_t iw_fuzz_check_mutate(uint8_t *octets, size_t length, size_t capacity, unsigned seed,
    size_t (*change)(uint8_t *octets, size_t length, size_t capacity));

#endif

#ifndef IW_FUZZ_CHECK_H
#define IW_FUZZ_CHECK_H

#include <stddef.h>
#include <stdint.h>

/* Has `warpcheck check` judge and report what the input is, in the form and by the law that the input
 * chooses: a capture file if it begins like one, and otherwise a file of the packets that it stands for
 * (iw_fuzz_frames.h). What is wrong with a file is said on stderr. Ends the program where there is no memory
 * or no file for it. */
void iw_fuzz_check(const uint8_t *octets, size_t length);

/* Changes an input in place as libFuzzer asks of a mutator; `change` does what is done to octets. */
size_t iw_fuzz_check_mutate(uint8_t *octets, size_t length, size_t capacity, unsigned seed,
    size_t (*change)(uint8_t *octets, size_t length, size_t capacity));

#endif

#ifndef IW_FUZZ_MUTATE_H
#define IW_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* How libFuzzer changes octets in place: returns the new length, at most `capacity`. */
typedef size_t iw_fuzz_change(uint8_t *octets, size_t length, size_t capacity);

/* Changes an input in place, mostly within a record or by whole records, so that the records behind remain
 * what they are; `change` does what is done to octets. Returns the new length, at most `capacity`. */
size_t iw_fuzz_mutate(uint8_t *octets, size_t length, size_t capacity, unsigned seed, iw_fuzz_change *change);

#endif

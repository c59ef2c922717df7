#pragma once

#include <stddef.h>
#include <stdint.h>

/* A mutator of libFuzzer: changes octets in place and returns the new length, at most `capacity`. */
typedef size_t iw_fuzz_change(uint8_t *octets, size_t length, size_t capacity);

/* Mutates an input in place, mostly within one record or by whole records, so that later records stay
 * intact; `change` mutates plain octets. Returns the new length, at most `capacity`. */
size_t iw_fuzz_mutate(uint8_t *octets, size_t length, size_t capacity, unsigned seed, iw_fuzz_change *change);

#pragma once

#include <stddef.h>
#include <stdint.h>

/* The functions of a fuzz target that libFuzzer calls; iw_fuzz_replay.c calls the first, too. */

/* Runs the target on one input. */
__attribute__((visibility("default"))) int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length);

/* Mutates an input in place, instead of libFuzzer. Returns the new length, at most `capacity`. */
__attribute__((visibility("default"))) size_t LLVMFuzzerCustomMutator(
    uint8_t *octets, size_t length, size_t capacity, unsigned seed);

/* libFuzzer's own mutation of plain octets; missing in a replay program. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *octets, size_t length, size_t capacity);

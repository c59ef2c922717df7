/* Fuzz target for libFuzzer: `warpcheck check`. */

#include <stdint.h>

#include "iw_fuzz_check.h"

size_t LLVMFuzzerMutate(uint8_t *octets, size_t length, size_t capacity);

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length);
size_t LLVMFuzzerCustomMutator(uint8_t *octets, size_t length, size_t capacity, unsigned seed);

__attribute__((visibility("default"))) int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length) {
    iw_fuzz_check(octets, length);
    return 0;
}

__attribute__((visibility("default"))) size_t LLVMFuzzerCustomMutator(
    uint8_t *octets, size_t length, size_t capacity, unsigned seed) {
    return iw_fuzz_check_mutate(octets, length, capacity, seed, LLVMFuzzerMutate);
}

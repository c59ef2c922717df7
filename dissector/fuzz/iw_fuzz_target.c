/* The fuzz target, for libFuzzer. */

#include <stdint.h>
#include <stdlib.h>

#include "iw_fuzz_input.h"
#include "iw_fuzz_mutate.h"
#include "iw_fuzz_run.h"
#include "iw_fuzz_session.h"

size_t LLVMFuzzerMutate(uint8_t *octets, size_t length, size_t capacity);

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length);
size_t LLVMFuzzerCustomMutator(uint8_t *octets, size_t length, size_t capacity, unsigned seed);

__attribute__((visibility("default"))) int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    if (!iw_fuzz_session_start())
        exit(1);
    return 0;
}

__attribute__((visibility("default"))) int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length) {
    iw_fuzz_run(octets, length);
    return 0;
}

__attribute__((visibility("default"))) size_t LLVMFuzzerCustomMutator(
    uint8_t *octets, size_t length, size_t capacity, unsigned seed) {
    return iw_fuzz_mutate(octets, length, capacity, seed, LLVMFuzzerMutate);
}

/* Fuzz target for libFuzzer: the reader of capture files. */

#include <stdint.h>

#include "iw_fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length);

__attribute__((visibility("default"))) int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length) {
    iw_fuzz_reader(octets, length);
    return 0;
}

/* Fuzz target for libFuzzer: `warpcheck report` and `verify-bundle`. */

#include <stdint.h>

#include "iw_fuzz_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length);

__attribute__((visibility("default"))) int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length) {
    iw_fuzz_report(octets, length);
    return 0;
}

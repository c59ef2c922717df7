/* Fuzz target for libFuzzer: headers of packets, tunnels and IP fragments. */

#include <stdint.h>

#include "iw_fuzz_packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length);

__attribute__((visibility("default"))) int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length) {
    iw_fuzz_packet(octets, length);
    return 0;
}

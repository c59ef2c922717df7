#pragma once

#include <stddef.h>
#include <stdint.h>

/* Makes packets of the input (iw_fuzz_input.h) and shows them in Wireshark. */
void iw_fuzz_run(const uint8_t *octets, size_t length);

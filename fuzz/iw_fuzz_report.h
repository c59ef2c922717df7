#ifndef IW_FUZZ_REPORT_H
#define IW_FUZZ_REPORT_H

#include <stddef.h>
#include <stdint.h>

/* Reads the input like `warpcheck report` and `verify-bundle`: verifies an archive as a bundle; renders an
 * input that begins with a brace as results, in every format; reads any other input as expectations. Ends
 * the program on an environment error. */
void iw_fuzz_report(const uint8_t *input, size_t length);

#endif

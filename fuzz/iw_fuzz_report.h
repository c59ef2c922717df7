#ifndef IW_FUZZ_REPORT_H
#define IW_FUZZ_REPORT_H

#include <stddef.h>
#include <stdint.h>

/* Reads the input as what `warpcheck report` and `verify-bundle` read: an archive as a bundle, which is
 * verified; what begins with a brace as results, which are rendered in every form; anything else as what is
 * expected. Ends the program if that is not possible here. */
void iw_fuzz_report(const uint8_t *input, size_t length);

#endif

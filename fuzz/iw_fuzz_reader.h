#ifndef IW_FUZZ_READER_H
#define IW_FUZZ_READER_H

#include <stddef.h>
#include <stdint.h>

/* Reads the input as a capture file, compressed or not, to its end; every eighth input also through a pipe.
 * Aborts the program if a packet leaves its place too early, if frame numbers do not increase, or if file and
 * pipe give different packets. */
void iw_fuzz_reader(const uint8_t *input, size_t length);

#endif

#ifndef IW_FUZZ_READER_H
#define IW_FUZZ_READER_H

#include <stddef.h>
#include <stdint.h>

/* Reads the input as a capture file, compressed or not, to its end: as a file, and every eighth again through
 * a pipe. Ends the program if a packet does not stay where it is for as long as promised, if frame numbers do
 * not rise, or if the two differ. */
void iw_fuzz_reader(const uint8_t *input, size_t length);

#endif

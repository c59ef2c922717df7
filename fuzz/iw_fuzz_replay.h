#ifndef IW_FUZZ_REPLAY_H
#define IW_FUZZ_REPLAY_H

#include <stddef.h>
#include <stdint.h>

/* The whole of a program that hands each file it is given to `take`: inputs of a fuzz target, once more.
 * Returns what it ends with. */
int iw_fuzz_replay_files(int argc, char **argv, void (*take)(const uint8_t *input, size_t length));

#endif

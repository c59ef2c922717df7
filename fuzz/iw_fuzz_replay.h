#ifndef IW_FUZZ_REPLAY_H
#define IW_FUZZ_REPLAY_H

#include <stddef.h>
#include <stdint.h>

/* Main function of a replay program: passes each given file to `take`. Returns the exit code. */
int iw_fuzz_replay_files(int argc, char **argv, void (*take)(const uint8_t *input, size_t length));

#endif

#pragma once

#include <stdbool.h>

#include "iw_network.h"

/* Runs ip and tc. */

/* The descriptor that iw_network_program_run passes on, as the program sees it. */
#define IW_NETWORK_PROGRAM_NAMESPACE "/proc/self/fd/3"

/* Runs a program of PATH or of the folders of the administrator; its words are separated by blanks. `passed`
 * is a descriptor, or -1. Returns whether it succeeds; `text` is the first line that it printed, or why it
 * cannot run. */
bool iw_network_program_run(const char *command, int passed, char text[IW_NETWORK_TEXT_OCTETS]);

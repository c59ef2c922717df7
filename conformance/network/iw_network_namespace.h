#pragma once

#include <stdbool.h>

#include "iw_network.h"

/* Network namespaces. */

/* Moves the calling thread to a new network namespace, and returns its descriptor; -1 with errno on failure.
 * Without the privilege to make one, it enters a user namespace before, if `user` is not NULL, and sets
 * *user; the process must then have a single thread. */
int iw_network_namespace_make(bool *user);

/* Writes one line: why no namespace can be made, from errno, and what to do. */
void iw_network_namespace_explain(char error[IW_NETWORK_TEXT_OCTETS]);

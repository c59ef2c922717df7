#pragma once

#include <stdbool.h>
#include <sys/socket.h>

/* Resets the TCP connection of this host between the addresses: the kernel sends RST, as for `ss --kill`.
 * Returns false if the kernel does not have that connection, as for a device with its own TCP, or does not
 * allow the reset. */
bool iw_socket_destroy(const struct sockaddr *local, const struct sockaddr *peer);

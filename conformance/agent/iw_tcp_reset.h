#ifndef IW_TCP_RESET_H
#define IW_TCP_RESET_H

#include <stdbool.h>
#include <sys/socket.h>

/* Resets the TCP connection of this host between the addresses: the kernel sends RST, as for `ss --kill`.
 * Returns false if the kernel does not have that connection, or does not allow it; so for a device with its
 * own TCP. */
bool iw_tcp_reset(const struct sockaddr *local, const struct sockaddr *peer);

#endif

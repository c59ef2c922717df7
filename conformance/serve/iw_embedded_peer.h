#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "iw_serve.h"

/* The reference endpoint as an embedded peer: a child process, for commands run without --peer. It ends when
 * its parent ends. Signals from the terminal do not reach it. */

struct iw_embedded_peer {
    pid_t process;
    uint16_t port;
    uint32_t stag; /* STag and TO of the region that the peer offers */
    uint64_t to;
};

/* Starts the process. Ignores `out`, `ready` and `user` of `config`. Call it before creating any loop.
 * Returns IW_ERR_IO with one line in `error` if the process or the responder cannot start. */
enum iw_status iw_embedded_peer_start(
    struct iw_embedded_peer *peer, const struct iw_serve_config *config, char *error, size_t error_octets);

/* Ends the process and waits for its exit. Does nothing if `process` is 0. */
void iw_embedded_peer_end(struct iw_embedded_peer *peer);

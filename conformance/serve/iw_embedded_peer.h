#ifndef IW_EMBEDDED_PEER_H
#define IW_EMBEDDED_PEER_H

#include <stdint.h>
#include <sys/types.h>

#include "iw_serve.h"

/* The reference endpoint as an embedded peer: a child process, for commands run without --peer. It ends
 * with its parent; signals from the terminal do not reach it. */

struct iw_embedded_peer {
    pid_t process;
    uint16_t port;
    uint32_t stag; /* of the region that it offers, as `to` */
    uint64_t to;
};

/* Starts the process. `config` is as for iw_serve, but `out`, `ready` and `user` are ignored. Call this
 * before any loop is created. Returns IW_ERR_IO with a line in `error` if the process or the responder cannot
 * start. */
enum iw_status iw_embedded_peer_start(
    struct iw_embedded_peer *peer, const struct iw_serve_config *config, char *error, size_t error_octets);

/* Ends the process, waits for its exit, and sets `process` to 0. Does nothing if `process` is 0. */
void iw_embedded_peer_end(struct iw_embedded_peer *peer);

#endif

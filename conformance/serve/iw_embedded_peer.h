#ifndef IW_EMBEDDED_PEER_H
#define IW_EMBEDDED_PEER_H

#include <stdint.h>
#include <sys/types.h>

#include "iw_serve.h"

/* The reference responder in a process of its own, for who needs a peer and has none. It ends with the
 * program that began it, and not by what is typed on the terminal. */

struct iw_embedded_peer {
    pid_t process;
    uint16_t port;
    uint32_t stag; /* of its region */
    uint64_t to;
};

/* Begins it; `config` is as for iw_serve, `out`, `ready` and `user` excepted. No loop may exist yet. Returns
 * IW_ERR_IO with a line in `error` if it does not listen. */
enum iw_status iw_embedded_peer_start(struct iw_embedded_peer *companion,
    const struct iw_serve_config *config, char *error, size_t error_octets);

/* Ends it and waits until it has ended. Its process id is 0 from then on; nothing happens if it was before.
 */
void iw_embedded_peer_end(struct iw_embedded_peer *companion);

#endif

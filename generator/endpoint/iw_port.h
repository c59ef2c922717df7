#ifndef IW_PORT_H
#define IW_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_chunk.h"
#include "iw_loop.h"
#include "iw_status.h"
#include "iw_tcp_segment.h"

/* One end of a TCP connection: octets in and out, FIN and RST each in both directions. On a real loop it is a
 * socket with TCP_NODELAY; on a virtual loop it is joined in memory to the port that a listener of the same
 * loop has made for it. */

enum iw_port_end {
    IW_PORT_FIN,    /* the peer has closed its half; writing still works */
    IW_PORT_RST,    /* the peer has reset the connection */
    IW_PORT_FAILED, /* it could not be opened, or was lost otherwise */
};

/* Called from the loop only, never from within a function of the port. None may be NULL. */
struct iw_port_handlers {
    void (*connected)(void *user); /* not for an accepted port, which is */
    void (*received)(void *user, const uint8_t *octets, size_t length); /* as the socket gave them, never 0 */
    void (*writable)(void *user); /* the queue was full and has room again */
    /* After FIN more may be written; after the others nothing works any more. `text`: one line that starts
     * with the peer's address, such as "127.0.0.1:7174: connection refused". */
    void (*ended)(void *user, enum iw_port_end end, const char *text);
};

enum {
    IW_PORT_TEXT_OCTETS = 160, /* enough for any text of this module */
    IW_PORT_PIECES_MAX = 192,  /* of iw_port_write_quick */
};

struct iw_port;

/* Starts to connect to `port` of `host`, a name or an IPv4 or IPv6 address; `handlers` is copied. Returns
 * NULL with a line in `text` (of IW_PORT_TEXT_OCTETS octets) if the name is not known or there is no memory;
 * all other failures come by `ended`. */
struct iw_port *iw_port_connect(struct iw_loop *loop, const char *host, uint16_t port,
    const struct iw_port_handlers *handlers, void *user, char *text);

/* Whether the connection is there; if it is not over, `connected` is to come otherwise. */
bool iw_port_connected(const struct iw_port *port);

/* Gives an accepted port its handlers, from which moment on it reads. A port that is connecting gets other
 * ones. */
void iw_port_handle(struct iw_port *port, const struct iw_port_handlers *handlers, void *user);

/* Every octet that TCP has taken from this port or given to it, the SYNs, FINs and RSTs, as chunks in the
 * order of time: side A is the opener. A START chunk of each side comes when the connection is open and the
 * port has handlers. A chunk of octets sent is one write, or what TCP took of it at a time; a chunk received
 * is what the socket gave, so its bounds are not those of the peer's segments. `frame` is 0. */
typedef void iw_port_tap(void *user, const struct iw_chunk *chunk);
void iw_port_set_tap(struct iw_port *port, iw_port_tap *tap, void *user);

/* Writes all octets, copying what TCP does not take at once. Writes are not joined while TCP keeps up: each
 * is a segment of its own. Without effect before `connected`, after iw_port_close and after the end.
 * IW_ERR_NOMEM: nothing was written. */
enum iw_status iw_port_write(struct iw_port *port, const uint8_t *octets, size_t length);

struct iw_port_piece {
    const uint8_t *octets;
    size_t length;
};

/* Writes the pieces one behind the other, as one write and without copying, and returns how many octets TCP
 * has taken; nothing waits afterwards. Only if iw_port_quick says so. */
size_t iw_port_write_quick(struct iw_port *port, const struct iw_port_piece *pieces, unsigned count);

/* Whether what is written goes straight to TCP: the port is a socket, it has no tap, which is to see every
 * write whole, and nothing waits. */
bool iw_port_quick(const struct iw_port *port);

/* The largest segment that TCP sends now (EMSS, RFC 5044 4.5), or 0 if it does not tell. */
uint32_t iw_port_emss(const struct iw_port *port);

/* Octets that wait for TCP. */
size_t iw_port_queued(const struct iw_port *port);

/* Whether to wait for `writable`: a socket has a queue of its own, so that anything that waits is enough. */
bool iw_port_full(const struct iw_port *port);

/* Lets the next read, if so much has come, end where an FPDU does: behind `first` octets and then as many
 * times `unit` octets as there is room for. `unit` 0: wherever the buffer ends. A virtual port gives what was
 * written. */
void iw_port_read_units(struct iw_port *port, uint32_t first, uint32_t unit);

/* Reads nothing more, or goes on: what the peer sends meanwhile stays in TCP, and in the end with the peer. A
 * virtual port reads on. */
void iw_port_pause(struct iw_port *port, bool pause);

/* Sends FIN behind all that was written. Reading goes on. */
void iw_port_close(struct iw_port *port);

/* Sends RST; what still waits is dropped, and no handler is called any more. */
void iw_port_reset(struct iw_port *port);

/* Releases the port: no handler is called any more. A connection that is not closed both ways gets FIN
 * behind all that was written. May be called from a handler. NULL is allowed. */
void iw_port_free(struct iw_port *port);

/* True for the side that opened the connection. */
bool iw_port_opener(const struct iw_port *port);

/* The side of the connection that the port is; A is the opener. */
enum iw_side iw_port_side(const struct iw_port *port);

/* The addresses of a connection by enum iw_side, known once it is open. */
const struct iw_tcp_address *iw_port_addresses(const struct iw_port *port);

struct iw_loop *iw_port_loop(const struct iw_port *port);

/* Writes "127.0.0.1:7174" or "[::1]:7174" into `text`. */
void iw_port_name(const struct iw_tcp_address *address, char text[64]);

struct iw_listener;

/* A connection was accepted. The port belongs to the callee, who gives it a tap and handlers, or frees it. */
typedef void iw_listener_accept(void *user, struct iw_port *port);

/* Listens on `port` of `host`; 0 lets the system choose. NULL with a line in `text`, such as
 * "127.0.0.1:7174: port in use", if that cannot be. */
struct iw_listener *iw_listener_new(struct iw_loop *loop, const char *host, uint16_t port,
    iw_listener_accept *accept, void *user, char *text);
uint16_t iw_listener_port(const struct iw_listener *listener);
void iw_listener_free(struct iw_listener *listener);

#endif

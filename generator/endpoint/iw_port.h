#pragma once

#include "iw_chunk.h"
#include "iw_loop.h"
#include "iw_status.h"
#include "iw_tcp_segment.h"

/* One end of a TCP connection: octets, FIN and RST in both directions. On a real loop a socket with
 * TCP_NODELAY; on a virtual loop connected in memory to a port made by a listener of the loop. */

enum iw_port_end {
    IW_PORT_FIN,    /* the peer has closed its half; writing still works */
    IW_PORT_RST,    /* the peer has reset the connection */
    IW_PORT_FAILED, /* could not connect, or connection lost */
};

/* The loop calls the handlers. `connected` may be NULL for an accepted port, `writable` always. */
struct iw_port_handlers {
    void (*connected)(void *user);
    void (*received)(void *user, const uint8_t *octets, size_t length); /* of one read; `length` > 0 */
    void (*writable)(void *user); /* the queue was full and accepts octets again */
    /* After FIN, writing still works; after RST or FAILED, nothing works. `text`: one line that starts with
     * the peer's address, such as "127.0.0.1:7174: connection refused". */
    void (*ended)(void *user, enum iw_port_end end, const char *text);
};

enum {
    IW_PORT_TEXT_OCTETS = 160, /* enough for any text of this module */
    IW_PORT_PIECES_MAX = 192,  /* in one call of iw_port_write_quick */
};

struct iw_port;

/* Starts to connect to `port` of `host`, a name or an IPv4 or IPv6 address; copies `handlers`. Returns NULL
 * with a line in `text` (of IW_PORT_TEXT_OCTETS octets) if the name is unknown or memory runs out; other
 * failures are reported by `ended`. */
struct iw_port *iw_port_connect(struct iw_loop *loop, const char *host, uint16_t port,
    const struct iw_port_handlers *handlers, void *user, char *text);

/* Whether the connection was opened, even if it has ended since; if not, `connected` or `ended` follows. */
bool iw_port_connected(const struct iw_port *port);

/* Sets the handlers of an accepted port and starts to read, or changes those of a connecting port. */
void iw_port_handle(struct iw_port *port, const struct iw_port_handlers *handlers, void *user);

/* Sees each octet that TCP took or delivered, and each FIN and RST, as chunks in order of time; side A is the
 * opener. Each side has a START chunk once the connection is open and the port has handlers. A chunk sent is
 * one write, or the part that TCP took; a chunk received is one read, whose bounds are not those of the
 * peer's segments. `frame` is 0. `acked` is what the port has received so far, or for a chunk of the peer, an
 * upper bound: what the port has sent so far. */
typedef void iw_port_tap(void *user, const struct iw_chunk *chunk);
void iw_port_set_tap(struct iw_port *port, iw_port_tap *tap, void *user);

/* Writes all octets; copies what TCP does not take at once. While TCP keeps up, each write is a segment of
 * its own. No effect before `connected`, after iw_port_close, or once the connection is reset or lost.
 * Returns IW_ERR_NOMEM if memory runs out: then TCP may have taken a part. */
enum iw_status iw_port_write(struct iw_port *port, const uint8_t *octets, size_t length);

struct iw_port_piece {
    const uint8_t *octets;
    size_t length;
};

/* Writes the pieces in sequence, in one write without copying, and returns how many octets TCP took; the rest
 * is not queued. Allowed only if iw_port_quick returns true. */
size_t iw_port_write_quick(struct iw_port *port, const struct iw_port_piece *pieces, unsigned count);

/* Whether writes go straight to TCP: the port is an open socket, its queue is empty, and it has no tap, which
 * must see each write whole. */
bool iw_port_quick(const struct iw_port *port);

/* The largest segment that TCP sends now (EMSS, RFC 5044 4.5); 0 if unknown. */
uint32_t iw_port_emss(const struct iw_port *port);

/* Octets queued for TCP. */
size_t iw_port_queued(const struct iw_port *port);

/* Whether to wait for `writable`: on a socket, once anything is queued, as the kernel has a queue, too. */
bool iw_port_full(const struct iw_port *port);

/* Limits reads, so that they end with an FPDU: a read returns at most `first` octets plus a multiple of
 * `unit` octets. `unit` 0: a read may fill the buffer. A virtual port ignores this. */
void iw_port_read_units(struct iw_port *port, uint32_t first, uint32_t unit);

/* Stops or resumes reading: the peer's octets stay in TCP's buffers, and once these are full, the peer cannot
 * send. No effect on a virtual port. */
void iw_port_pause(struct iw_port *port, bool pause);

/* Sends FIN after everything written. Reading continues. */
void iw_port_close(struct iw_port *port);

/* Sends RST, and calls no handler afterwards. A socket drops queued octets. */
void iw_port_reset(struct iw_port *port);

/* Frees the port: no handler is called afterwards. If the connection is open, FIN follows everything written.
 * May be called from a handler. NULL is allowed. */
void iw_port_free(struct iw_port *port);

/* The side of the port; A is the opener. */
enum iw_side iw_port_side(const struct iw_port *port);

/* The addresses of the connection by enum iw_side, known once it is open. */
const struct iw_tcp_address *iw_port_addresses(const struct iw_port *port);

struct iw_loop *iw_port_loop(const struct iw_port *port);

/* Writes the address and port into `text`. Examples: "127.0.0.1:7174", "[::1]:7174". */
void iw_port_name(const struct iw_tcp_address *address, char text[64]);

struct iw_listener;

/* A connection was accepted. The callee owns the port, sets its tap and handlers, or frees it. */
typedef void iw_listener_accept(void *user, struct iw_port *port);

/* Listens on `port` of `host`; 0 lets the system choose. Returns NULL with a line in `text`, such as
 * "127.0.0.1:7174: port in use", on failure. */
struct iw_listener *iw_listener_new(struct iw_loop *loop, const char *host, uint16_t port,
    iw_listener_accept *accept, void *user, char *text);
uint16_t iw_listener_port(const struct iw_listener *listener);
void iw_listener_free(struct iw_listener *listener);

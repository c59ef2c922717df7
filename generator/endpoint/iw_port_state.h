#ifndef IW_PORT_STATE_H
#define IW_PORT_STATE_H

#include <netdb.h>

#include "iw_loop_state.h"
#include "iw_port.h"

/* The inside of a port: what all kinds have in common, and what iw_port.c calls in each. */

struct iw_port_link;

/* What a kind of port does with what iw_port.h asks of it. None may be NULL but where it says so. */
struct iw_port_kind {
    void (*handle)(struct iw_port *port); /* it is open, and has its first handlers */
    enum iw_status (*write)(struct iw_port *port, const uint8_t *octets, size_t length);
    size_t (*queued)(const struct iw_port *port);
    size_t full;                                     /* so many octets that wait are enough */
    uint32_t (*emss)(const struct iw_port *port);    /* NULL: it does not tell */
    void (*pause)(struct iw_port *port, bool pause); /* NULL: it reads on */
    void (*close)(struct iw_port *port);
    void (*reset)(struct iw_port *port);
    void (*release)(struct iw_port *port); /* of what stands behind the port, which is then freed */
};

extern const struct iw_port_kind iw_port_tcp, iw_port_virtual;

/* Of a virtual port: octets on their way from which on its queue counts as full, and at which it has room
 * again. */
enum { IW_PORT_QUEUE_HIGH = 262144, IW_PORT_QUEUE_LOW = 65536 };

/* The socket of a real port is a thing of its own, since libuv closes it only after the port may be gone. */
struct iw_port_socket {
    uv_tcp_t tcp;
    uv_connect_t connect;
    uv_shutdown_t shutdown;
    struct iw_port *port; /* NULL: released */
    bool shut;            /* FIN is out, or cannot be sent */
};

struct iw_port {
    const struct iw_port_kind *kind;
    struct iw_loop *loop;
    struct iw_port_handlers handlers;
    void *user;
    bool handled; /* it has handlers */
    iw_port_tap *tap;
    void *tap_user;
    bool opener;
    bool open;    /* connected */
    bool started; /* the START chunks are out */
    bool closing; /* iw_port_close was called */
    bool over;    /* reset, refused or lost: nothing works any more */
    bool full;    /* the queue was full, and `writable` has not been called since */
    struct iw_tcp_address addresses[2];
    uint64_t offset[2]; /* octets that the tap has seen, by side */
    char label[128];    /* the peer, in texts */
    struct iw_timer later;

    struct iw_port_socket *socket; /* real */
    struct addrinfo *found;        /* real, connecting: all addresses of the name */
    struct addrinfo *trying;
    uint32_t read_first; /* real: octets of the next read, see iw_port_read_units */
    uint32_t read_unit;
    int error;  /* real: why connecting could not begin */
    bool reset; /* real: a reset of the peer has come, and is still to be told */

    struct iw_port_link *link; /* virtual */
    void *beneath;             /* of another kind: what it stands on */
};

struct iw_listener {
    struct iw_loop *loop;
    iw_listener_accept *accept;
    void *user;
    struct iw_tcp_address address;
    uv_tcp_t tcp;             /* real */
    struct iw_listener *next; /* virtual: of the loop */
};

struct iw_port *iw_port_make(struct iw_loop *loop, const struct iw_port_kind *kind, bool opener);

/* Puts a chunk to the tap; DATA moves the offset of its side on. */
void iw_port_see(
    struct iw_port *port, enum iw_chunk_kind kind, enum iw_side side, const uint8_t *octets, size_t length);

/* Puts out the START chunks, once. */
void iw_port_start(struct iw_port *port);

/* Calls `ended`; the port may be gone afterwards. */
void iw_port_end_with(struct iw_port *port, enum iw_port_end end, const char *reason);

/* The address that `host` is, if it is numeric. */
bool iw_port_parse(const char *host, uint16_t port, struct iw_tcp_address *address);

struct iw_tcp_address iw_port_address_of(const struct sockaddr_storage *storage);

/* Real. */
enum iw_status iw_port_tcp_connect(struct iw_port *port, const char *host, uint16_t number, char *text);
/* How many octets the next read of a socket may take; and what it gave: octets in `octets`, UV_EOF or an
 * error of libuv. The port may be gone afterwards. */
size_t iw_port_tcp_read_octets(const struct iw_port *port);
void iw_port_tcp_take(struct iw_port *port, ssize_t count, const uint8_t *octets);
enum iw_status iw_port_tcp_write(struct iw_port *port, const uint8_t *octets, size_t length);
size_t iw_port_tcp_write_quick(struct iw_port *port, const struct iw_port_piece *pieces, unsigned count);
size_t iw_port_tcp_queued(const struct iw_port *port);
uint32_t iw_port_tcp_emss(const struct iw_port *port);
int iw_port_tcp_listen(struct iw_listener *listener, const char *host, uint16_t number, const char **reason);
void iw_port_tcp_unlisten(struct iw_listener *listener);

/* Virtual. */
enum iw_status iw_port_virtual_connect(struct iw_port *port, const char *host, uint16_t number, char *text);
int iw_port_virtual_listen(
    struct iw_listener *listener, const char *host, uint16_t number, const char **reason);
void iw_port_virtual_unlisten(struct iw_listener *listener);

#endif

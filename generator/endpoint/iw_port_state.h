#pragma once

#include <netdb.h>

#include "iw_loop_state.h"
#include "iw_port.h"

struct iw_port_link;

/* Operations of a kind of port. May be NULL only where noted. */
struct iw_port_kind {
    void (*handle)(struct iw_port *port); /* an open port gets its first handlers: start to read */
    enum iw_status (*write)(struct iw_port *port, const uint8_t *octets, size_t length);
    size_t (*queued)(const struct iw_port *port);
    size_t full;                                     /* queued octets at which the port is full */
    uint32_t (*emss)(const struct iw_port *port);    /* NULL: unknown */
    void (*pause)(struct iw_port *port, bool pause); /* NULL: ignored */
    void (*close)(struct iw_port *port);
    void (*reset)(struct iw_port *port);
    void (*release)(struct iw_port *port); /* frees the kind's state; the port is freed next */
};

extern const struct iw_port_kind iw_port_tcp, iw_port_virtual;

/* Octets in flight at which a virtual port is full, and at which it accepts octets again. */
enum { IW_PORT_QUEUE_HIGH = 262144, IW_PORT_QUEUE_LOW = 65536 };

/* The socket of a port. It is a separate struct because libuv may close it after the port is freed. */
struct iw_port_socket {
    uv_tcp_t tcp;
    uv_connect_t connect;
    uv_shutdown_t shutdown;
    struct iw_port *port; /* NULL: freed */
    bool shut;            /* FIN was sent, or cannot be sent */
};

/* The state that only a port on a socket has. */
struct iw_port_tcp_state {
    struct iw_port_socket *socket;
    struct iw_port_host *host;     /* connecting: the host, if the port owns it */
    const struct addrinfo *trying; /* connecting: the next address of the host */
    uint32_t read_first;           /* see iw_port_read_units */
    uint32_t read_unit;
    uint32_t segment_octets; /* see iw_port_segment.h */
    int error;               /* why connecting failed at once */
    bool reset;              /* the peer's reset is known but not yet reported */
};

enum { IW_PORT_LABEL_OCTETS = 128 };

struct iw_port_host {
    struct addrinfo *found; /* all addresses of the name */
    char label[IW_PORT_LABEL_OCTETS];
};

struct iw_port_tap_state {
    iw_port_tap *call; /* NULL: none */
    void *user;
    bool started;       /* the tap has had the START chunks */
    uint64_t offset[2]; /* octets of each side so far, with or without a tap */
    bool ended[2];      /* the side has sent its FIN */
};

struct iw_port {
    const struct iw_port_kind *kind;
    struct iw_loop *loop;
    struct iw_port_handlers handlers;
    void *user;
    bool handled; /* it has handlers */
    bool opener;
    bool open;    /* connected */
    bool closing; /* iw_port_close was called */
    bool over;    /* reset, refused or lost */
    bool full;    /* the queue was full, and `writable` has not been called since */
    struct iw_port_tap_state tap;
    struct iw_port_tcp_state tcp;
    struct iw_port_link *link; /* virtual */
    void *beneath;             /* for other kinds of port: the state of the lower layer */
    struct iw_tcp_address addresses[2];
    char label[IW_PORT_LABEL_OCTETS]; /* the peer, as named in error texts */
    struct iw_timer later;
};

struct iw_listener {
    struct iw_loop *loop;
    iw_listener_accept *accept;
    void *user;
    struct iw_tcp_address address;
    uv_tcp_t tcp;                    /* on a real loop */
    SLIST_ENTRY(iw_listener) others; /* on a virtual loop: its other listeners */
};

/* Creates a port of this kind, still without its socket, link or lower layer. Returns NULL if memory runs
 * out. */
struct iw_port *iw_port_make(struct iw_loop *loop, const struct iw_port_kind *kind, bool opener);

/* Passes a chunk to the tap; DATA advances the offset of its side. */
void iw_port_see(
    struct iw_port *port, enum iw_chunk_kind kind, enum iw_side side, const uint8_t *octets, size_t length);

/* Passes the START chunks to the tap, once. */
void iw_port_start(struct iw_port *port);

/* Calls `ended`, which may free the port. */
void iw_port_end_with(struct iw_port *port, enum iw_port_end end, const char *reason);

/* Parses a numeric address, or "localhost" as 127.0.0.1. */
bool iw_port_parse(const char *host, uint16_t port, struct iw_tcp_address *address);

struct iw_tcp_address iw_port_address_of(const struct sockaddr_storage *storage);

/* Returns 0 or an error of getaddrinfo. */
int iw_port_host_resolve(const char *host, uint16_t number, struct addrinfo **found);
void iw_port_host_label(const char *host, uint16_t number, char label[IW_PORT_LABEL_OCTETS]);

/* `host` lives as long as the port connects. Returns IW_OK or IW_ERR_NOMEM. */
enum iw_status iw_port_tcp_connect(struct iw_port *port, const struct iw_port_host *host);
size_t iw_port_tcp_read_octets(const struct iw_port *port);
enum iw_status iw_port_tcp_write(struct iw_port *port, const uint8_t *octets, size_t length);
size_t iw_port_tcp_queued(const struct iw_port *port);
uint32_t iw_port_tcp_emss(const struct iw_port *port);
int iw_port_tcp_listen(struct iw_listener *listener, const char *host, uint16_t number, const char **reason);
void iw_port_tcp_unlisten(struct iw_listener *listener);

/* Announces that maximum segment size to the peers of the socket; 0: that of the network. */
void iw_port_tcp_limit_segments(uv_tcp_t *tcp, uint32_t octets);

enum iw_status iw_port_virtual_connect(struct iw_port *port, const char *host, uint16_t number, char *text);
int iw_port_virtual_listen(
    struct iw_listener *listener, const char *host, uint16_t number, const char **reason);
void iw_port_virtual_unlisten(struct iw_listener *listener);

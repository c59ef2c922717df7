#include "iw_port_segment.h"
#include "iw_port_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

/* Ports on sockets: connecting, receiving, ending, listening. Sending is in iw_port_tcp_write.c. */

/* Keep-alive of accepted connections: seconds of silence before TCP probes the peer. */
enum { KEEPALIVE_S = 60 };

static const char *tcp_reason(int error) {
    return error == UV_EADDRINUSE ? "port in use" : uv_strerror(error);
}

static void tcp_on_closed(uv_handle_t *handle) {
    free(handle->data);
}

static void tcp_close_socket(struct iw_port_socket *socket) {
    if (!uv_is_closing((uv_handle_t *)&socket->tcp))
        uv_close((uv_handle_t *)&socket->tcp, tcp_on_closed);
}

static void tcp_drop_socket(struct iw_port *port) {
    if (port->tcp.socket == NULL)
        return;
    iw_busy_poll_forget(&port->loop->busy_poll, port);
    port->tcp.socket->port = NULL;
    tcp_close_socket(port->tcp.socket);
    port->tcp.socket = NULL;
}

static struct iw_port_socket *tcp_open_socket(struct iw_loop *loop) {
    struct iw_port_socket *socket = calloc(1, sizeof *socket);

    if (socket == NULL)
        return NULL;
    uv_tcp_init(&loop->uv, &socket->tcp);
    socket->tcp.data = socket;
    return socket;
}

void iw_port_tcp_limit_segments(uv_tcp_t *tcp, uint32_t octets) {
    uv_os_fd_t descriptor;
    int limit = (int)octets;

    if (uv_fileno((uv_handle_t *)tcp, &descriptor) == 0)
        setsockopt(descriptor, IPPROTO_TCP, TCP_MAXSEG, &limit, sizeof limit);
}

size_t iw_port_tcp_read_octets(const struct iw_port *port) {
    size_t first = port->tcp.read_first;
    size_t limit = IW_LOOP_BUFFER_OCTETS;

    if (port->tcp.read_unit == 0 || first + port->tcp.read_unit > limit)
        return limit;
    return first + (limit - first) / port->tcp.read_unit * port->tcp.read_unit;
}

static void tcp_on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
    struct iw_port_socket *socket = handle->data;

    (void)suggested;
    *buffer = uv_buf_init(NULL, 0);
    if (socket->port != NULL)
        *buffer = uv_buf_init(socket->port->loop->buffer, (unsigned)iw_port_tcp_read_octets(socket->port));
}

/* Whether the EOF that libuv reports is a reset, which happens if octets are unread. The error is then still
 * in SO_ERROR, unless a failed write has reported it. */
static bool tcp_was_reset(struct iw_port *port) {
    uv_os_fd_t descriptor;
    int error = 0;
    socklen_t length = sizeof error;

    if (!port->tcp.reset && uv_fileno((uv_handle_t *)&port->tcp.socket->tcp, &descriptor) == 0 &&
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0)
        port->tcp.reset = error == ECONNRESET;
    return port->tcp.reset;
}

static void tcp_take(struct iw_port *port, ssize_t count, const uint8_t *octets) {
    enum iw_side peer = iw_side_other(iw_port_side(port));

    if (count == UV_EOF && tcp_was_reset(port))
        count = UV_ECONNRESET;
    if (count > 0) {
        iw_port_see(port, IW_CHUNK_DATA, peer, octets, (size_t)count);
        port->handlers.received(port->user, octets, (size_t)count);
    } else if (count == UV_EOF) {
        iw_port_see(port, IW_CHUNK_FIN, peer, NULL, 0);
        iw_port_end_with(port, IW_PORT_FIN, "closed");
    } else {
        iw_busy_poll_forget(&port->loop->busy_poll, port);
        uv_read_stop((uv_stream_t *)&port->tcp.socket->tcp);
        if (count == UV_ECONNRESET)
            iw_port_see(port, IW_CHUNK_RST, peer, NULL, 0);
        iw_port_end_with(port, count == UV_ECONNRESET ? IW_PORT_RST : IW_PORT_FAILED, tcp_reason((int)count));
    }
}

/* Reads once, for iw_loop_busy_poll. */
static bool tcp_poll(void *user) {
    struct iw_port *port = user;
    char *buffer = port->loop->buffer;
    uv_os_fd_t descriptor;

    if (uv_fileno((uv_handle_t *)&port->tcp.socket->tcp, &descriptor) != 0)
        return false;
    ssize_t count = recv(descriptor, buffer, iw_port_tcp_read_octets(port), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (count == 0) /* libuv will read the EOF again and report it; an error can be read only once */
        iw_busy_poll_forget(&port->loop->busy_poll, port);
    else
        tcp_take(port, count > 0 ? count : uv_translate_sys_error(errno), (const uint8_t *)buffer);
    return true;
}

static void tcp_on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
    struct iw_port_socket *socket = stream->data;
    struct iw_port *port = socket->port;

    if (port == NULL || port->over || count == 0)
        return;
    const struct iw_busy_poll_source source = {
        .sent = &port->tap.offset[iw_port_side(port)], .read = tcp_poll, .user = port};

    if (count > 0)
        iw_busy_poll_note(&port->loop->busy_poll, &source);
    tcp_take(port, count, (const uint8_t *)buffer->base);
}

static void tcp_handle(struct iw_port *port) {
    uv_read_start((uv_stream_t *)&port->tcp.socket->tcp, tcp_on_alloc, tcp_on_read);
}

static void tcp_pause(struct iw_port *port, bool pause) {
    if (pause) {
        iw_busy_poll_forget(&port->loop->busy_poll, port);
        uv_read_stop((uv_stream_t *)&port->tcp.socket->tcp);
    } else {
        tcp_handle(port);
    }
}

/* Sets the addresses of the connection. Returns 0, or an error of libuv if an address is unknown. */
static int tcp_set_addresses(struct iw_port *port, struct iw_port_socket *socket) {
    struct sockaddr_storage storage = {0};
    int length = sizeof storage;
    enum iw_side mine = iw_port_side(port);
    int error = uv_tcp_getsockname(&socket->tcp, (struct sockaddr *)&storage, &length);
    socklen_t peer_length = (socklen_t)length;
    uv_os_fd_t descriptor;

    if (error != 0)
        return error;
    port->addresses[mine] = iw_port_address_of(&storage);
    error = uv_fileno((uv_handle_t *)&socket->tcp, &descriptor);
    if (error != 0)
        return error;
    /* getpeername fails if the peer has already reset the connection. */
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERNAME, &storage, &peer_length) != 0)
        return uv_translate_sys_error(errno);
    port->addresses[iw_side_other(mine)] = iw_port_address_of(&storage);
    return 0;
}

static void tcp_on_connect(uv_connect_t *connect, int status);

/* The SYN announces the limit, so the socket must exist before uv_tcp_connect. Returns 0 or an error of
 * libuv. */
static int tcp_limit_before_connect(struct iw_port *port, int family) {
    int descriptor;

    if (port->tcp.segment_octets == 0)
        return 0;
    descriptor = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return uv_translate_sys_error(errno);
    uv_tcp_open(&port->tcp.socket->tcp, descriptor);
    iw_port_tcp_limit_segments(&port->tcp.socket->tcp, port->tcp.segment_octets);
    return 0;
}

/* Tries the next addresses of the name until a connect starts. Returns 0, or the last error of libuv if no
 * connect starts, or `error` if there is no next address. */
static int tcp_try_next_address(struct iw_port *port, int error) {
    while (port->tcp.trying != NULL) {
        const struct sockaddr *address = port->tcp.trying->ai_addr;

        port->tcp.trying = port->tcp.trying->ai_next;
        tcp_drop_socket(port);
        port->tcp.socket = tcp_open_socket(port->loop);
        if (port->tcp.socket == NULL)
            return UV_ENOMEM;
        port->tcp.socket->port = port;
        port->tcp.socket->connect.data = port->tcp.socket;
        error = tcp_limit_before_connect(port, address->sa_family);
        if (error == 0)
            error =
                uv_tcp_connect(&port->tcp.socket->connect, &port->tcp.socket->tcp, address, tcp_on_connect);
        if (error == 0)
            return 0;
    }
    return error;
}

static void tcp_on_connect(uv_connect_t *connect, int status) {
    struct iw_port_socket *socket = connect->data;
    struct iw_port *port = socket->port;

    if (port == NULL || status == UV_ECANCELED)
        return;
    if (status == 0)
        status = tcp_set_addresses(port, socket);
    if (status != 0) {
        status = tcp_try_next_address(port, status);
        if (status != 0)
            iw_port_end_with(port, IW_PORT_FAILED, tcp_reason(status));
        return;
    }
    port->open = true;
    uv_tcp_nodelay(&socket->tcp, 1);
    iw_port_start(port);
    tcp_handle(port);
    port->handlers.connected(port->user);
}

static void tcp_fail_later(void *user) {
    struct iw_port *port = user;

    iw_port_end_with(port, IW_PORT_FAILED, tcp_reason(port->tcp.error));
}

enum iw_status iw_port_tcp_connect(struct iw_port *port, const struct iw_port_host *host) {
    int error;

    port->tcp.trying = host->found;
    error = tcp_try_next_address(port, UV_EADDRNOTAVAIL);
    if (error == UV_ENOMEM)
        return IW_ERR_NOMEM;
    port->tcp.error = error;
    if (error != 0)
        iw_timer_start(&port->later, port->loop, 0, tcp_fail_later, port);
    return IW_OK;
}

static void tcp_on_shutdown(uv_shutdown_t *shutdown, int status) {
    struct iw_port_socket *socket = shutdown->data;

    socket->shut = true;
    if (socket->port == NULL)
        tcp_close_socket(socket);
    else if (status == 0 && !socket->port->over)
        iw_port_see(socket->port, IW_CHUNK_FIN, iw_port_side(socket->port), NULL, 0);
}

static void tcp_shut(struct iw_port_socket *socket) {
    socket->shutdown.data = socket;
    socket->shut = uv_shutdown(&socket->shutdown, (uv_stream_t *)&socket->tcp, tcp_on_shutdown) != 0;
}

static void tcp_close(struct iw_port *port) {
    tcp_shut(port->tcp.socket);
}

static void tcp_reset(struct iw_port *port) {
    struct linger hard = {.l_onoff = 1};
    uv_os_fd_t descriptor;

    if (port->tcp.socket != NULL && uv_fileno((uv_handle_t *)&port->tcp.socket->tcp, &descriptor) == 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    tcp_drop_socket(port);
}

/* The socket of an open port still sends everything written, then FIN. */
static void tcp_release(struct iw_port *port) {
    struct iw_port_socket *socket = port->tcp.socket;

    iw_port_host_free(port->tcp.host);
    if (socket == NULL)
        return;
    if (port->over || !port->open) {
        tcp_drop_socket(port);
        return;
    }
    iw_busy_poll_forget(&port->loop->busy_poll, port);
    socket->port = NULL;
    uv_read_stop((uv_stream_t *)&socket->tcp);
    if (!port->closing)
        tcp_shut(socket);
    if (socket->shut)
        tcp_close_socket(socket);
}

static void tcp_on_connection(uv_stream_t *server, int status) {
    struct iw_listener *listener = server->data;

    if (status != 0)
        return;
    struct iw_port_socket *socket = tcp_open_socket(listener->loop);
    struct iw_port *port = iw_port_make(listener->loop, &iw_port_tcp, false);
    if (socket == NULL || port == NULL || uv_accept(server, (uv_stream_t *)&socket->tcp) != 0 ||
        tcp_set_addresses(port, socket) != 0) {
        if (socket != NULL)
            tcp_close_socket(socket);
        free(port);
        return;
    }
    socket->port = port;
    port->tcp.socket = socket;
    port->open = true;
    uv_tcp_nodelay(&socket->tcp, 1);
    uv_tcp_keepalive(&socket->tcp, 1, KEEPALIVE_S);
    iw_port_name(&port->addresses[IW_SIDE_A], port->label);
    listener->accept(listener->user, port);
}

void iw_port_tcp_unlisten(struct iw_listener *listener) {
    uv_close((uv_handle_t *)&listener->tcp, tcp_on_closed);
}

int iw_port_tcp_listen(struct iw_listener *listener, const char *host, uint16_t number, const char **reason) {
    struct sockaddr_storage storage = {0};
    struct addrinfo *found = NULL;
    int length = sizeof storage;
    int error = iw_port_host_resolve(host, number, &found);

    if (error != 0) {
        *reason = gai_strerror(error);
        free(listener);
        return error;
    }
    uv_tcp_init(&listener->loop->uv, &listener->tcp);
    listener->tcp.data = listener;
    error = uv_tcp_bind(&listener->tcp, found->ai_addr, 0);
    if (error == 0)
        error = uv_listen((uv_stream_t *)&listener->tcp, SOMAXCONN, tcp_on_connection);
    freeaddrinfo(found);
    if (error != 0) {
        *reason = tcp_reason(error);
        iw_port_tcp_unlisten(listener);
        return error;
    }
    uv_tcp_getsockname(&listener->tcp, (struct sockaddr *)&storage, &length);
    listener->address = iw_port_address_of(&storage);
    return 0;
}

const struct iw_port_kind iw_port_tcp = {
    .handle = tcp_handle,
    .write = iw_port_tcp_write,
    .queued = iw_port_tcp_queued,
    .full = 1, /* full once anything is queued: the kernel has a queue, too */
    .emss = iw_port_tcp_emss,
    .pause = tcp_pause,
    .close = tcp_close,
    .reset = tcp_reset,
    .release = tcp_release,
};

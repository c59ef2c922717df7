#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "iw_port_state.h"

/* Octets that TCP did not take at once. */
struct waiting {
    uv_write_t write;
    struct iw_port_socket *socket;
    size_t length;
    uint8_t octets[];
};

static void tcp_report_failed_write(void *user) {
    struct iw_port *port = user;
    bool reset = port->tcp.error == UV_ECONNRESET || port->tcp.error == UV_EPIPE;

    if (port->over)
        return;
    if (reset)
        iw_port_see(port, IW_CHUNK_RST, iw_side_other(iw_port_side(port)), NULL, 0);
    iw_port_end_with(
        port, reset ? IW_PORT_RST : IW_PORT_FAILED, uv_strerror(reset ? UV_ECONNRESET : port->tcp.error));
}

/* Ends the port 1 ms after a failed write. In that time, a read may still find octets, or end the port with
 * the reset that the write reports only as EPIPE. */
static void tcp_report_failed_write_later(struct iw_port *port, int error) {
    port->tcp.reset |= error == UV_ECONNRESET;
    if (iw_timer_runs(&port->later))
        return;
    port->tcp.error = error;
    iw_timer_start(&port->later, port->loop, 1000, tcp_report_failed_write, port);
}

static void tcp_on_written(uv_write_t *write, int status) {
    struct waiting *waiting = write->data;
    struct iw_port *port = waiting->socket->port;

    if (port != NULL && status == 0) {
        iw_port_see(port, IW_CHUNK_DATA, iw_port_side(port), waiting->octets, waiting->length);
        if (port->full && iw_port_tcp_queued(port) == 0) {
            port->full = false;
            if (!port->over && port->handlers.writable != NULL)
                port->handlers.writable(port->user);
        }
    } else if (port != NULL && status != UV_ECANCELED && !port->over) {
        tcp_report_failed_write_later(port, status);
    }
    free(waiting);
}

static enum iw_status tcp_queue(struct iw_port_socket *socket, const uint8_t *octets, size_t length) {
    struct waiting *waiting = malloc(sizeof *waiting + length);

    if (waiting == NULL)
        return IW_ERR_NOMEM;
    waiting->socket = socket;
    waiting->length = length;
    waiting->write.data = waiting;
    memcpy(waiting->octets, octets, length);
    uv_buf_t buffer = uv_buf_init((char *)waiting->octets, (unsigned)length);
    int error = uv_write(&waiting->write, (uv_stream_t *)&socket->tcp, &buffer, 1, tcp_on_written);
    if (error != 0) {
        free(waiting);
        tcp_report_failed_write_later(socket->port, error);
    }
    return IW_OK;
}

/* Bypasses libuv, whose write() takes 10 % longer than send(). The queue of libuv must be empty. */
static ssize_t tcp_send_pieces(int descriptor, const struct iw_port_piece *pieces, unsigned count) {
    struct iovec vector[IW_PORT_PIECES_MAX];
    const struct msghdr message = {.msg_iov = vector, .msg_iovlen = count};

    if (count == 1)
        return send(descriptor, pieces->octets, pieces->length, MSG_DONTWAIT | MSG_NOSIGNAL);
    for (unsigned i = 0; i < count; i++)
        vector[i] = (struct iovec){(void *)(uintptr_t)pieces[i].octets, pieces[i].length};
    return sendmsg(descriptor, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

size_t iw_port_write_quick(struct iw_port *port, const struct iw_port_piece *pieces, unsigned count) {
    uv_os_fd_t descriptor;
    ssize_t taken = -1;

    if (uv_fileno((uv_handle_t *)&port->tcp.socket->tcp, &descriptor) == 0)
        taken = tcp_send_pieces(descriptor, pieces, count);
    if (taken < 0)
        return 0; /* the caller writes the rest through libuv, which reports the same error */
    port->tap.offset[iw_port_side(port)] += (size_t)taken;
    return (size_t)taken;
}

enum iw_status iw_port_tcp_write(struct iw_port *port, const uint8_t *octets, size_t length) {
    struct iw_port_socket *socket = port->tcp.socket;
    uv_buf_t buffer = uv_buf_init((char *)(uintptr_t)octets, (unsigned)length);
    int taken = uv_try_write((uv_stream_t *)&socket->tcp, &buffer, 1);

    if (taken < 0 && taken != UV_EAGAIN) {
        tcp_report_failed_write_later(port, taken);
        return IW_OK;
    }
    if (taken < 0)
        taken = 0;
    if (taken > 0)
        iw_port_see(port, IW_CHUNK_DATA, iw_port_side(port), octets, (size_t)taken);
    if ((size_t)taken == length)
        return IW_OK;
    return tcp_queue(socket, octets + taken, length - (size_t)taken);
}

size_t iw_port_tcp_queued(const struct iw_port *port) {
    return port->tcp.socket == NULL
               ? 0
               : uv_stream_get_write_queue_size((const uv_stream_t *)&port->tcp.socket->tcp);
}

uint32_t iw_port_tcp_emss(const struct iw_port *port) {
    uv_os_fd_t descriptor;
    int emss = 0;
    socklen_t length = sizeof emss;

    if (port->tcp.socket == NULL ||
        uv_fileno((const uv_handle_t *)&port->tcp.socket->tcp, &descriptor) != 0 ||
        getsockopt(descriptor, IPPROTO_TCP, TCP_MAXSEG, &emss, &length) != 0 || emss < 0)
        return 0;
    return (uint32_t)emss;
}

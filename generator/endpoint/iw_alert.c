#include "iw_alert.h"

#include <errno.h>
#include <sys/socket.h>

#include "iw_port_state.h"

/* Falling asleep and being woken takes some five microseconds; a peer that needs longer than this to answer
 * is better waited for asleep. */
enum { WATCH_NS = 50000 };

/* After so many messages of one port the others, and the timers, have their turn. */
enum { ROUNDS_MAX = 64 };

/* After watching in vain so often in a row, or more, the loop sleeps at once for 2^10 - 1 rounds; before, for
 * 1, 3, 7, ... */
enum { VAIN_MAX = 10 };

static uint64_t sent_by(const struct iw_port *port) {
    return port->offset[iw_port_side(port)];
}

/* Whether something was sent after the last read, so that an answer may be on its way. */
static bool expects(const struct iw_alert *alert) {
    return alert->last != NULL && sent_by(alert->last) != alert->sent;
}

/* Returns whether the port had something to read; it may be gone then. */
static bool try_read(struct iw_port *port) {
    struct iw_loop *loop = port->loop;
    uv_os_fd_t descriptor;
    ssize_t count;

    if (uv_fileno((uv_handle_t *)&port->socket->tcp, &descriptor) != 0)
        return false;
    count = recv(descriptor, loop->buffer, iw_port_tcp_read_octets(port), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    loop->alert.sent = sent_by(port);
    if (count == 0)
        iw_alert_forget(port); /* libuv will see the end as well, and tells of it; an error it would not */
    else
        iw_port_tcp_take(
            port, count > 0 ? count : uv_translate_sys_error(errno), (const uint8_t *)loop->buffer);
    return true;
}

/* Until nothing has come for a while. Returns how often something came. */
static unsigned watch(struct iw_loop *loop) {
    uint64_t since = uv_hrtime();
    unsigned rounds = 0;

    while (expects(&loop->alert) && !loop->stopping && rounds < ROUNDS_MAX) {
        if (try_read(loop->alert.last)) {
            since = uv_hrtime();
            rounds++;
        } else if (uv_hrtime() - since >= WATCH_NS) {
            break;
        }
    }
    return rounds;
}

static void on_prepare(uv_prepare_t *prepare) {
    struct iw_loop *loop = prepare->data;
    struct iw_alert *alert = &loop->alert;

    if (expects(alert) && alert->patience > 0) {
        alert->patience--;
    } else if (expects(alert)) {
        if (watch(loop) > 0) {
            alert->vain = 0;
            uv_update_time(&loop->uv);
        } else {
            alert->vain += alert->vain < VAIN_MAX;
            alert->patience = (1u << alert->vain) - 1;
        }
    }
    alert->last = NULL;
    alert->several = false;
}

void iw_alert_init(struct iw_loop *loop) {
    uv_prepare_init(&loop->uv, &loop->alert.prepare);
    uv_unref((uv_handle_t *)&loop->alert.prepare);
    loop->alert.prepare.data = loop;
}

void iw_alert_start(struct iw_loop *loop) {
    uv_prepare_start(&loop->alert.prepare, on_prepare);
}

void iw_alert_note(struct iw_port *port) {
    struct iw_alert *alert = &port->loop->alert;

    alert->several |= alert->last != NULL && alert->last != port;
    alert->last = alert->several ? NULL : port;
    alert->sent = sent_by(port);
}

void iw_alert_forget(const struct iw_port *port) {
    if (port->loop->alert.last == port)
        port->loop->alert.last = NULL;
}

#include "iw_alert.h"

#include <errno.h>
#include <sys/socket.h>

#include "iw_port_state.h"

/* Going to sleep and waking up takes about five microseconds; a slower peer is better waited for asleep. */
enum { WATCH_NS = 50000 };

/* After this many messages of one port, the other ports and the timers get their turn. */
enum { ROUNDS_MAX = 64 };

/* After n vain watches in a row the loop skips watching for 2^n - 1 rounds, with n at most this. */
enum { VAIN_MAX = 10 };

static uint64_t alert_octets_sent(const struct iw_port *port) {
    return port->tap.offset[iw_port_side(port)];
}

/* Something was sent after the last read, so an answer may be on its way. */
static bool alert_expects_answer(const struct iw_alert *alert) {
    return alert->last != NULL && alert_octets_sent(alert->last) != alert->sent;
}

/* Returns whether there was something to read; the port may have been freed by then. */
static bool alert_try_read(struct iw_port *port) {
    struct iw_loop *loop = port->loop;
    uv_os_fd_t descriptor;
    ssize_t count;

    if (uv_fileno((uv_handle_t *)&port->tcp.socket->tcp, &descriptor) != 0)
        return false;
    count = recv(descriptor, loop->buffer, iw_port_tcp_read_octets(port), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    loop->alert.sent = alert_octets_sent(port);
    if (count == 0)
        iw_alert_forget(port); /* libuv reports the end, too; it would not report an error again */
    else
        iw_port_tcp_take(
            port, count > 0 ? count : uv_translate_sys_error(errno), (const uint8_t *)loop->buffer);
    return true;
}

/* Reads until nothing has come for WATCH_NS. Returns the number of reads that found something. */
static unsigned alert_watch(struct iw_loop *loop) {
    uint64_t since = uv_hrtime();
    unsigned rounds = 0;

    while (alert_expects_answer(&loop->alert) && !loop->stopping && rounds < ROUNDS_MAX) {
        if (alert_try_read(loop->alert.last)) {
            since = uv_hrtime();
            rounds++;
        } else if (uv_hrtime() - since >= WATCH_NS) {
            break;
        }
    }
    return rounds;
}

static void alert_on_prepare(uv_prepare_t *prepare) {
    struct iw_loop *loop = prepare->data;
    struct iw_alert *alert = &loop->alert;

    if (alert_expects_answer(alert) && alert->skipped_rounds > 0) {
        alert->skipped_rounds--;
    } else if (alert_expects_answer(alert)) {
        if (alert_watch(loop) > 0) {
            alert->vain_watches = 0;
            uv_update_time(&loop->uv);
        } else {
            alert->vain_watches += alert->vain_watches < VAIN_MAX;
            alert->skipped_rounds = (1u << alert->vain_watches) - 1;
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
    uv_prepare_start(&loop->alert.prepare, alert_on_prepare);
}

void iw_alert_note(struct iw_port *port) {
    struct iw_alert *alert = &port->loop->alert;

    alert->several |= alert->last != NULL && alert->last != port;
    alert->last = alert->several ? NULL : port;
    alert->sent = alert_octets_sent(port);
}

void iw_alert_forget(const struct iw_port *port) {
    if (port->loop->alert.last == port)
        port->loop->alert.last = NULL;
}

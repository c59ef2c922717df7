#ifndef IW_ALERT_H
#define IW_ALERT_H

#include <stdbool.h>
#include <uv.h>

/* Busy polling for short round trips: before libuv sleeps, the loop polls the socket that it read last and
 * answered. A loop that only receives does better asleep: the longer it sleeps, the more it reads at once.
 * See iw_loop_be_alert. */

struct iw_loop;
struct iw_port;

/* Part of a real loop. */
struct iw_alert {
    uv_prepare_t prepare;
    struct iw_port *last; /* the port read last, if it is the only one read since the loop slept; or NULL */
    bool several;         /* other ports were read, too */
    uint64_t sent;        /* octets that the port had sent before that read */
    unsigned skipped_rounds; /* rounds left without watching, since watching was in vain */
    unsigned vain_watches;   /* vain watches in a row */
};

void iw_alert_init(struct iw_loop *loop);
void iw_alert_start(struct iw_loop *loop);

/* libuv has read octets of the port. */
void iw_alert_note(struct iw_port *port);

/* The port must not be read again. */
void iw_alert_forget(const struct iw_port *port);

#endif

#ifndef IW_ALERT_H
#define IW_ALERT_H

#include <stdbool.h>
#include <uv.h>

/* A loop that does not fall asleep between two messages of a short round trip: before libuv waits, the socket
 * that was read last, and answered, is tried again and again for a while. What only receives is better off
 * asleep: the longer it sleeps, the more there is to read at once. See iw_loop_be_alert. */

struct iw_loop;
struct iw_port;

/* Part of a real loop. */
struct iw_alert {
    uv_prepare_t prepare;
    struct iw_port *last; /* the port read last, if nothing else was read since the loop has slept; or NULL */
    bool several;         /* others were read, too */
    uint64_t sent;        /* octets that the port had sent before that read */
    unsigned patience;    /* rounds in which it sleeps at once, since watching was in vain */
    unsigned vain;        /* how often that was, in a row */
};

void iw_alert_init(struct iw_loop *loop);
void iw_alert_start(struct iw_loop *loop);

/* libuv has read octets of the port. */
void iw_alert_note(struct iw_port *port);

/* The port is not to be read any more. */
void iw_alert_forget(const struct iw_port *port);

#endif

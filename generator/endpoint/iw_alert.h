#ifndef IW_ALERT_H
#define IW_ALERT_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

/* Busy polling for short round trips: before libuv sleeps, the loop polls the source that it read last and
 * answered. A loop that only receives does better asleep: the longer it sleeps, the more it reads at once.
 * See iw_loop_be_alert. */

/* What can be polled: a socket. */
struct iw_alert_source {
    const uint64_t *sent; /* octets that it has sent so far; NULL: no source */
    /* Reads once. Returns whether there was something to read; the source may have been freed by then. */
    bool (*read)(void *user);
    void *user;
};

/* Part of a real loop. */
struct iw_alert {
    uv_prepare_t prepare;
    const bool *stopping;        /* the loop is to return */
    struct iw_alert_source last; /* read last, if it is the only one read since the loop slept */
    bool several;                /* other sources were read, too */
    uint64_t sent;               /* octets that the source had sent before that read */
    unsigned skipped_rounds;     /* rounds left without watching, since watching found nothing */
    unsigned vain_watches;       /* vain watches in a row */
};

void iw_alert_init(struct iw_alert *alert, uv_loop_t *loop, const bool *stopping);
void iw_alert_start(struct iw_alert *alert);

/* libuv has read octets of the source, which is copied. */
void iw_alert_note(struct iw_alert *alert, const struct iw_alert_source *source);

/* The source with that `user` must not be read again. */
void iw_alert_forget(struct iw_alert *alert, const void *user);

#endif

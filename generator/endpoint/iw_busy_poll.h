#ifndef IW_BUSY_POLL_H
#define IW_BUSY_POLL_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

/* Busy polling for short round trips: before libuv sleeps, the loop polls the source that it has just read
 * and answered, if that is the only one. A loop that only receives does not poll: the longer it sleeps, the
 * more octets one read returns. See iw_loop_busy_poll. */

/* A socket that the loop can poll. */
struct iw_busy_poll_source {
    const uint64_t *sent; /* octets that the socket has sent so far; NULL: no source */
    /* Reads the socket once. Returns whether there was something to read; the call may free the source. */
    bool (*read)(void *user);
    void *user;
};

/* Part of a loop of kind IW_LOOP_REAL. */
struct iw_busy_poll {
    uv_prepare_t prepare;
    const bool *stopping;            /* iw_loop_stop was called */
    struct iw_busy_poll_source last; /* the only source read since the loop slept; its `sent` is NULL if no
                                    source was read, or several */
    bool several;                    /* several sources were read since the loop slept */
    uint64_t sent;                   /* octets that `last` had sent before its last read */
    unsigned skipped_rounds;         /* iterations of the loop still to sleep without polling */
    unsigned vain_polls;             /* polls in a row that found nothing, at most VAIN_MAX */
};

void iw_busy_poll_init(struct iw_busy_poll *poll, uv_loop_t *loop, const bool *stopping);
void iw_busy_poll_start(struct iw_busy_poll *poll);

/* libuv has read octets from the source; copies the struct. */
void iw_busy_poll_note(struct iw_busy_poll *poll, const struct iw_busy_poll_source *source);

/* Forgets the source with that `user`: the loop no longer polls it. */
void iw_busy_poll_forget(struct iw_busy_poll *poll, const void *user);

#endif

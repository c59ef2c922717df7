#include "iw_relay_state.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Octets pass through a pipe inside the kernel, without a copy to this program. A connection has a pipe only
 * while octets wait in it, so that idle connections need none. */

static bool splice_take_pipe(struct iw_relay *relay, int pipe[2]) {
    if (relay->pipe_count > 0) {
        relay->pipe_count--;
        pipe[RELAY_READ] = relay->pipes[relay->pipe_count][RELAY_READ];
        pipe[RELAY_WRITE] = relay->pipes[relay->pipe_count][RELAY_WRITE];
        return true;
    }
    if (!relay_take_descriptors(relay, 2))
        return false;
    if (pipe2(pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
        relay->descriptors -= 2;
        return false;
    }
    fcntl(pipe[RELAY_WRITE], F_SETPIPE_SZ,
        RELAY_READ_OCTETS); /* smaller beyond the user's limit: still correct */
    return true;
}

static void splice_close_pipe(struct iw_relay *relay, const int pipe[2]) {
    close(pipe[RELAY_READ]);
    close(pipe[RELAY_WRITE]);
    relay->descriptors -= 2;
}

/* Takes back an empty pipe. */
static void splice_return_pipe(struct iw_relay *relay, const int pipe[2]) {
    if (relay->pipe_count == RELAY_PIPES) {
        splice_close_pipe(relay, pipe);
        return;
    }
    relay->pipes[relay->pipe_count][RELAY_READ] = pipe[RELAY_READ];
    relay->pipes[relay->pipe_count][RELAY_WRITE] = pipe[RELAY_WRITE];
    relay->pipe_count++;
}

void relay_splice_close_pipes(struct iw_relay *relay) {
    while (relay->pipe_count > 0)
        splice_close_pipe(relay, relay->pipes[--relay->pipe_count]);
}

void relay_splice_dispose(struct relay_pair *pair, enum iw_side from) {
    struct relay_way *way = &pair->ways[from];

    if (way->waiting > 0)
        splice_close_pipe(pair->relay, way->pipe);
    way->waiting = 0;
}

static ssize_t splice_octets(int from, int to, size_t octets) {
    ssize_t moved;

    do
        moved = splice(from, NULL, to, NULL, octets, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
    while (moved < 0 && errno == EINTR);
    return moved;
}

enum relay_step relay_splice_flush(struct relay_pair *pair, enum iw_side from) {
    struct relay_way *way = &pair->ways[from];

    while (way->waiting > 0) {
        ssize_t moved =
            splice_octets(way->pipe[RELAY_READ], pair->ends[iw_side_other(from)].descriptor, way->waiting);

        if (moved <= 0)
            return moved < 0 && errno == EAGAIN ? RELAY_BLOCKED : RELAY_GONE;
        way->waiting -= (size_t)moved;
        if (way->waiting == 0)
            splice_return_pipe(pair->relay, way->pipe);
    }
    return RELAY_DRY;
}

/* Reads into the pipe. Returns the octets; 0 at the FIN; -1 with errno. */
static ssize_t splice_read(struct relay_pair *pair, enum iw_side from) {
    struct relay_way *way = &pair->ways[from];
    ssize_t moved = splice_octets(pair->ends[from].descriptor, way->pipe[RELAY_WRITE], RELAY_READ_OCTETS);
    int error = errno;

    if (moved > 0)
        way->waiting = (size_t)moved;
    else
        splice_return_pipe(pair->relay, way->pipe);
    errno = error;
    return moved;
}

enum relay_step relay_splice_move(struct relay_pair *pair, enum iw_side from) {
    enum relay_step step = relay_splice_flush(pair, from);

    for (size_t moved = 0; step == RELAY_DRY && moved < RELAY_TURN_OCTETS;) {
        ssize_t octets;

        if (!splice_take_pipe(pair->relay, pair->ways[from].pipe))
            return relay_copy_begin(pair, from) ? relay_copy_move(pair, from) : RELAY_FAILED;
        octets = splice_read(pair, from);
        if (octets == 0)
            return RELAY_FIN;
        if (octets < 0)
            return errno == EAGAIN ? RELAY_DRY : RELAY_BROKEN;
        moved += (size_t)octets;
        step = relay_splice_flush(pair, from);
    }
    return step == RELAY_DRY ? RELAY_MORE : step;
}

#include "iw_live_pipe.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iw_capture_file.h"

enum { QUEUE_OCTETS = 16 << 20, ERROR_OCTETS = 512 };

/* A packet in the queue; its octets follow. A packet never wraps around the end of the queue. */
struct live_pipe_entry {
    size_t octets; /* of the entry, with its padding; 0: the queue continues at its begin */
    struct iw_packet packet;
};

struct iw_live_pipe {
    char *path;
    int wake;
    pthread_mutex_t mutex;
    pthread_cond_t space;        /* the reader has taken packets */
    uint8_t *queue;              /* a ring of QUEUE_OCTETS */
    size_t begin, end, used;     /* octets; `used` includes the unused rest before the end of the queue */
    size_t taken;                /* octets of the entry that the reader still looks at */
    bool closed;                 /* by the reader: the thread frees the pipe at its end */
    enum iw_live_pipe_step over; /* IW_LIVE_PIPE_END or _ERROR once the file has ended; else _PACKET */
    char error[ERROR_OCTETS];
};

/* ---- the thread ---- */

static void live_pipe_wake(const struct iw_live_pipe *pipe) {
    uint64_t one = 1;

    if (write(pipe->wake, &one, sizeof one) < 0)
        return; /* the counter is at its limit: the reader is awake anyway */
}

static size_t live_pipe_entry_octets(const struct iw_packet *packet) {
    size_t align = _Alignof(struct live_pipe_entry);

    return (sizeof(struct live_pipe_entry) + packet->captured + align - 1) / align * align;
}

/* Returns whether an entry of `octets` fits; `*skip` is the unused rest of the queue before it. */
static bool live_pipe_has_space(const struct iw_live_pipe *pipe, size_t octets, size_t *skip) {
    size_t rest = QUEUE_OCTETS - pipe->end;

    *skip = octets <= rest ? 0 : rest;
    return pipe->used + *skip + octets <= QUEUE_OCTETS;
}

/* The mutex is locked, and the entry fits. */
static void live_pipe_append(
    struct iw_live_pipe *pipe, const struct iw_packet *packet, size_t octets, size_t skip) {
    struct live_pipe_entry *entry;

    if (skip >= sizeof *entry)
        ((struct live_pipe_entry *)(void *)(pipe->queue + pipe->end))->octets = 0;
    if (skip > 0)
        pipe->end = 0;
    entry = (struct live_pipe_entry *)(void *)(pipe->queue + pipe->end);
    entry->octets = octets;
    entry->packet = *packet;
    entry->packet.octets = (uint8_t *)(entry + 1);
    memcpy(entry + 1, packet->octets, packet->captured);
    pipe->end = (pipe->end + octets) % QUEUE_OCTETS;
    pipe->used += skip + octets;
}

/* Waits until the packet fits into the queue. Returns false if the reader has closed the pipe. */
static bool live_pipe_put(struct iw_live_pipe *pipe, const struct iw_packet *packet) {
    size_t octets = live_pipe_entry_octets(packet), skip;
    bool closed;

    pthread_mutex_lock(&pipe->mutex);
    while (!live_pipe_has_space(pipe, octets, &skip) && !pipe->closed)
        pthread_cond_wait(&pipe->space, &pipe->mutex);
    closed = pipe->closed;
    if (!closed && pipe->used == 0)
        live_pipe_wake(pipe);
    if (!closed)
        live_pipe_append(pipe, packet, octets, skip);
    pthread_mutex_unlock(&pipe->mutex);
    return !closed;
}

static enum iw_live_pipe_step live_pipe_read(struct iw_live_pipe *pipe) {
    struct iw_capture_file *file;
    struct iw_packet packet;
    int step = iw_capture_file_open(pipe->path, &file, pipe->error, sizeof pipe->error);

    if (step != IW_OK)
        return IW_LIVE_PIPE_ERROR;
    while ((step = iw_capture_file_next(file, &packet, pipe->error, sizeof pipe->error)) == IW_CAPTURE_PACKET)
        if (!live_pipe_put(pipe, &packet))
            break;
    iw_capture_file_close(file);
    return step < 0 ? IW_LIVE_PIPE_ERROR : IW_LIVE_PIPE_END;
}

static void live_pipe_free(struct iw_live_pipe *pipe) {
    pthread_cond_destroy(&pipe->space);
    pthread_mutex_destroy(&pipe->mutex);
    free(pipe->path);
    free(pipe->queue);
    free(pipe);
}

static void *live_pipe_run(void *user) {
    struct iw_live_pipe *pipe = user;
    enum iw_live_pipe_step over = live_pipe_read(pipe);
    bool closed;

    pthread_mutex_lock(&pipe->mutex);
    pipe->over = over;
    closed = pipe->closed;
    if (!closed)
        live_pipe_wake(pipe);
    pthread_mutex_unlock(&pipe->mutex);
    if (closed)
        live_pipe_free(pipe);
    return NULL;
}

/* ---- the reader ---- */

static bool live_pipe_begin(struct iw_live_pipe *pipe) {
    pthread_t thread;

    if (pipe->path == NULL || pipe->queue == NULL || pthread_create(&thread, NULL, live_pipe_run, pipe) != 0)
        return false;
    pthread_detach(thread);
    return true;
}

struct iw_live_pipe *iw_live_pipe_open(const char *path, int wake) {
    struct iw_live_pipe *pipe = calloc(1, sizeof *pipe);

    if (pipe == NULL)
        return NULL;
    pipe->wake = wake;
    pipe->path = strdup(path);
    pipe->queue = malloc(QUEUE_OCTETS);
    pthread_mutex_init(&pipe->mutex, NULL);
    pthread_cond_init(&pipe->space, NULL);
    if (live_pipe_begin(pipe))
        return pipe;
    live_pipe_free(pipe);
    return NULL;
}

/* Frees the entry that the latest call has returned. The mutex is locked. */
static void live_pipe_release(struct iw_live_pipe *pipe) {
    if (pipe->taken == 0)
        return;
    pipe->begin = (pipe->begin + pipe->taken) % QUEUE_OCTETS;
    pipe->used -= pipe->taken;
    pipe->taken = 0;
    pthread_cond_signal(&pipe->space);
}

/* Skips the unused rest of the queue. The mutex is locked, and the queue is not empty. */
static void live_pipe_skip(struct iw_live_pipe *pipe) {
    size_t rest = QUEUE_OCTETS - pipe->begin;

    if (rest >= sizeof(struct live_pipe_entry) &&
        ((struct live_pipe_entry *)(void *)(pipe->queue + pipe->begin))->octets > 0)
        return;
    pipe->begin = 0;
    pipe->used -= rest;
}

enum iw_live_pipe_step iw_live_pipe_next(
    struct iw_live_pipe *pipe, struct iw_packet *packet, const char **error) {
    enum iw_live_pipe_step step;

    pthread_mutex_lock(&pipe->mutex);
    live_pipe_release(pipe);
    step = pipe->used > 0 ? IW_LIVE_PIPE_PACKET : pipe->over;
    if (pipe->used > 0) {
        const struct live_pipe_entry *entry;

        live_pipe_skip(pipe);
        entry = (struct live_pipe_entry *)(void *)(pipe->queue + pipe->begin);
        *packet = entry->packet;
        pipe->taken = entry->octets;
    } else if (step == IW_LIVE_PIPE_PACKET) {
        step = IW_LIVE_PIPE_EMPTY;
    }
    pthread_mutex_unlock(&pipe->mutex);
    *error = pipe->error;
    return step;
}

void iw_live_pipe_close(struct iw_live_pipe *pipe) {
    bool ended;

    if (pipe == NULL)
        return;
    pthread_mutex_lock(&pipe->mutex);
    pipe->closed = true;
    ended = pipe->over != IW_LIVE_PIPE_PACKET;
    pthread_cond_signal(&pipe->space);
    pthread_mutex_unlock(&pipe->mutex);
    if (ended)
        live_pipe_free(pipe);
}

#pragma once

#include "iw_packet.h"

/* Reads a capture from a pipe, a FIFO or a file in a thread of its own, so that a slow writer does not hold
 * up other sources. */

struct iw_live_pipe;

/* Begins to read the file at `path`, or standard input ("-"). For each packet that finds the queue empty, and
 * at the end, the thread adds 1 to the eventfd `wake`. Returns NULL if memory runs out. */
struct iw_live_pipe *iw_live_pipe_open(const char *path, int wake);

enum iw_live_pipe_step {
    IW_LIVE_PIPE_PACKET,
    IW_LIVE_PIPE_EMPTY, /* no packet yet */
    IW_LIVE_PIPE_END,
    IW_LIVE_PIPE_ERROR,
};

/* Takes the next packet, which is valid until the next call; sets its members except `frame`. Never waits.
 * IW_LIVE_PIPE_ERROR: *error is a line that starts with the path. The end or an error comes after all packets
 * before it, and again with each further call. */
enum iw_live_pipe_step iw_live_pipe_next(
    struct iw_live_pipe *pipe, struct iw_packet *packet, const char **error);

/* Ends the reading. A thread that waits for the writer of the pipe goes on to wait, and frees the rest once
 * it ends. NULL is allowed. */
void iw_live_pipe_close(struct iw_live_pipe *pipe);

#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

/* Terminates that a driver reports only in the kernel's log: siw logs each one that it receives, without the
 * connection. So a Terminate belongs to a connection only if no other one was open. */

/* A connection whose Terminates the log has. Initialise it with zeros. */
struct iw_kernel_log_stream {
    bool joined;
    bool terminated;
    uint16_t terminate; /* layer, EType, code as on the wire */
    LIST_ENTRY(iw_kernel_log_stream) others;
};

struct iw_kernel_log {
    int fd;                                    /* of /dev/kmsg, or -1 */
    LIST_HEAD(, iw_kernel_log_stream) streams; /* open connections of all sessions */
};

/* Opens the log at its end. If it is not readable, the functions below find no messages. */
void iw_kernel_log_open(struct iw_kernel_log *log);
void iw_kernel_log_close(struct iw_kernel_log *log);

/* From now on, the connection can receive a Terminate. */
void iw_kernel_log_join(struct iw_kernel_log *log, struct iw_kernel_log_stream *stream);

/* The connection has ended and receives nothing more. A Terminate that is not taken yet is lost. Does nothing
 * to a stream that has not joined. */
void iw_kernel_log_leave(struct iw_kernel_log *log, struct iw_kernel_log_stream *stream);

/* Reads the messages logged since the last call. A Terminate is kept for the only stream; with several
 * streams, or none, it is ignored. */
void iw_kernel_log_read(struct iw_kernel_log *log);

/* Removes the Terminate of the stream. Returns false if there is no Terminate. */
bool iw_kernel_log_take(struct iw_kernel_log_stream *stream, uint16_t *terminate);

/* Reads a message of the log: "6,339,5140900,-;siw: got TERMINATE. layer 1, type 0, code 2" gives 0102h, as
 * siw exchanges the layer and the EType. Returns false for any other message. */
bool iw_kernel_log_parse(const char *message, uint16_t *terminate);

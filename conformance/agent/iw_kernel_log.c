#include "iw_kernel_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RECORD_OCTETS = 8192 }; /* of the longest record of /dev/kmsg; a shorter buffer gives EINVAL */

void iw_kernel_log_open(struct iw_kernel_log *log) {
    LIST_INIT(&log->streams);
    log->fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (log->fd >= 0)
        lseek(log->fd, 0, SEEK_END);
}

void iw_kernel_log_close(struct iw_kernel_log *log) {
    if (log->fd >= 0)
        close(log->fd);
    log->fd = -1;
}

bool iw_kernel_log_parse(const char *message, uint16_t *terminate) {
    const char *text = strstr(message, ";siw: got TERMINATE. ");
    unsigned type, layer, code;

    if (!text || sscanf(text, ";siw: got TERMINATE. layer %u, type %u, code %u", &type, &layer, &code) != 3 ||
        layer > 0xF || type > 0xF || code > 0xFF)
        return false;
    *terminate = (uint16_t)(layer << 12 | type << 8 | code);
    return true;
}

static void kernel_log_add(struct iw_kernel_log *log, const char *message) {
    struct iw_kernel_log_stream *stream = LIST_FIRST(&log->streams);
    uint16_t terminate;

    if (!iw_kernel_log_parse(message, &terminate) || !stream || LIST_NEXT(stream, others))
        return;
    stream->terminated = true;
    stream->terminate = terminate;
}

void iw_kernel_log_read(struct iw_kernel_log *log) {
    char record[RECORD_OCTETS];
    ssize_t octets;

    if (log->fd < 0)
        return;
    /* EPIPE: the kernel has overwritten messages before they were read. */
    while ((octets = read(log->fd, record, sizeof record - 1)) > 0 || (octets < 0 && errno == EPIPE)) {
        record[octets < 0 ? 0 : octets] = '\0';
        kernel_log_add(log, record);
    }
}

void iw_kernel_log_join(struct iw_kernel_log *log, struct iw_kernel_log_stream *stream) {
    iw_kernel_log_read(log);
    LIST_INSERT_HEAD(&log->streams, stream, others);
    stream->joined = true;
}

void iw_kernel_log_leave(struct iw_kernel_log *log, struct iw_kernel_log_stream *stream) {
    if (!stream->joined)
        return;
    iw_kernel_log_read(log);
    LIST_REMOVE(stream, others);
    *stream = (struct iw_kernel_log_stream){0};
}

bool iw_kernel_log_take(struct iw_kernel_log_stream *stream, uint16_t *terminate) {
    if (!stream->terminated)
        return false;
    *terminate = stream->terminate;
    stream->terminated = false;
    return true;
}

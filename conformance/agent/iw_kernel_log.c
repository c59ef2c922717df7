#include "iw_kernel_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RECORD_OCTETS = 8192 }; /* of the longest record of /dev/kmsg; a shorter buffer gives EINVAL */

void iw_kernel_log_open(struct iw_kernel_log *log) {
    log->count = 0;
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
    uint16_t terminate;

    if (!iw_kernel_log_parse(message, &terminate))
        return;
    if (log->count == IW_KERNEL_LOG_MAX)
        memmove(log->terminates, log->terminates + 1, --log->count * sizeof *log->terminates);
    log->terminates[log->count++] = terminate;
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

bool iw_kernel_log_take(struct iw_kernel_log *log, uint16_t *terminate) {
    if (log->count == 0)
        return false;
    *terminate = log->terminates[0];
    memmove(log->terminates, log->terminates + 1, --log->count * sizeof *log->terminates);
    return true;
}

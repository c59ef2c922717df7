#ifndef IW_KERNEL_LOG_H
#define IW_KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Terminates that a driver reports only in the kernel's log: siw logs each one that it receives. */

enum { IW_KERNEL_LOG_MAX = 16 };

struct iw_kernel_log {
    int fd;                                 /* of /dev/kmsg, or -1 */
    uint16_t terminates[IW_KERNEL_LOG_MAX]; /* the latest, oldest first; layer, EType, code as on the wire */
    size_t count;
};

/* Opens the log at its end. If it is not readable, the functions below find no messages. */
void iw_kernel_log_open(struct iw_kernel_log *log);
void iw_kernel_log_close(struct iw_kernel_log *log);

/* Reads the messages logged since the last call, and keeps their Terminates. */
void iw_kernel_log_read(struct iw_kernel_log *log);

/* Removes the oldest Terminate. Returns false if there is no Terminate. */
bool iw_kernel_log_take(struct iw_kernel_log *log, uint16_t *terminate);

/* Reads a message of the log: "6,339,5140900,-;siw: got TERMINATE. layer 1, type 0, code 2" gives 0102h, as
 * siw exchanges the layer and the EType. Returns false for any other message. */
bool iw_kernel_log_parse(const char *message, uint16_t *terminate);

#endif

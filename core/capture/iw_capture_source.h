#ifndef IW_CAPTURE_SOURCE_H
#define IW_CAPTURE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "iw_status.h"

/* The octets of a capture file from the first to the last: of a regular file, a FIFO or standard input, and
 * decompressed if the file is compressed. For the readers of this room only. */
struct iw_capture_source;

/* Opens the file at `path`; "-" is standard input. On success *source is to be closed by the caller;
 * otherwise *source is NULL and `reason`, of `reason_octets` octets, says why in a few words. IW_ERR_IO: the
 * file cannot be opened or read. IW_ERR_FORMAT: it is empty. IW_ERR_NOMEM. */
enum iw_status iw_capture_source_open(
    const char *path, struct iw_capture_source **source, char *reason, size_t reason_octets);
void iw_capture_source_close(struct iw_capture_source *source);

/* Reads up to `octets` octets, at least 1, to `to`, and waits for no more than one. Returns how many; 0 at
 * the end of the file, which may have grown when it is read again; -1: they cannot be read or decompressed,
 * and iw_capture_source_reason says why. All octets before the fault have been given out. */
ssize_t iw_capture_source_read(struct iw_capture_source *source, uint8_t *to, size_t octets);
enum iw_status iw_capture_source_status(const struct iw_capture_source *source); /* after -1 */
const char *iw_capture_source_reason(const struct iw_capture_source *source);

/* Copies the first octets that a read will give, `octets` at most and 16 at most, which stay unread. Returns
 * how many; fewer only if the file has no more, or they cannot be read. Before the first read only. */
size_t iw_capture_source_peek(struct iw_capture_source *source, uint8_t *to, size_t octets);

/* Octets of the file itself, compressed or not, that have been read. */
uint64_t iw_capture_source_taken(const struct iw_capture_source *source);
bool iw_capture_source_compressed(const struct iw_capture_source *source);

#endif

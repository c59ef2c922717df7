#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "iw_status.h"

/* Reads the octets of a capture file (a regular file, a FIFO or standard input) from first to last, and
 * decompresses a compressed file. Used only by the readers in core/capture. */
struct iw_capture_source;

/* Opens the file at `path`; "-" is standard input. On success the caller must close *source. Otherwise
 * *source is NULL, and `reason`, of `reason_octets` octets, says why in a few words. IW_ERR_IO: the file
 * cannot be opened or read. IW_ERR_FORMAT: the file is empty, or compressed data is damaged before its first
 * output. IW_ERR_TRUNCATED: compressed data ends before its first output. IW_ERR_NOMEM: memory ran out. */
enum iw_status iw_capture_source_open(
    const char *path, struct iw_capture_source **source, char *reason, size_t reason_octets);
void iw_capture_source_close(struct iw_capture_source *source);

/* Reads 1 to `octets` octets into `to`; blocks only until the first octet is present. Returns the number of
 * octets. Returns 0 at the end of the file, which may have grown before the next call. Returns -1 on a read
 * or decompression error, after all octets before the error: see iw_capture_source_reason. */
ssize_t iw_capture_source_read(struct iw_capture_source *source, uint8_t *to, size_t octets);

/* IW_OK, or the error of a failed read. */
enum iw_status iw_capture_source_status(const struct iw_capture_source *source);
const char *iw_capture_source_reason(const struct iw_capture_source *source);

/* Copies the first `octets` octets, at most 16, to `to` without consuming them. Must be called before the
 * first read. Returns the number of octets copied: fewer only if the file ends earlier or cannot be read. */
size_t iw_capture_source_peek(struct iw_capture_source *source, uint8_t *to, size_t octets);

/* Octets of the file read so far, before decompression. */
uint64_t iw_capture_source_taken(const struct iw_capture_source *source);
bool iw_capture_source_compressed(const struct iw_capture_source *source);

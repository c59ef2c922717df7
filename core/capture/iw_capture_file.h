#ifndef IW_CAPTURE_FILE_H
#define IW_CAPTURE_FILE_H

#include <stddef.h>

#include "iw_packet.h"
#include "iw_status.h"

/* A capture file being read, packet by packet: pcap in either byte order, with microseconds or nanoseconds,
 * and pcapng whose interfaces are of one kind. */
struct iw_capture_file;

/* Opens the file at `path`. On success *file is to be closed by the caller; otherwise *file is NULL and
 * `error`, of `error_octets` octets, holds one line without a newline that starts with `path`. IW_ERR_IO: it
 * cannot be opened or read. IW_ERR_FORMAT: it is empty, no capture, or of a link type that iw_packet_decode
 * does not know. IW_ERR_TRUNCATED: it ends before its first packet could begin. IW_ERR_NOMEM. */
enum iw_status iw_capture_file_open(
    const char *path, struct iw_capture_file **file, char *error, size_t error_octets);

enum iw_capture_step {
    IW_CAPTURE_PACKET = 0, /* *packet is filled in */
    IW_CAPTURE_END = 1,    /* the file ended where it should */
};

/* Reads the next packet; its octets are valid until the next call. Returns one of enum iw_capture_step, or a
 * negative enum iw_status with a line in `error` as above: IW_ERR_TRUNCATED: the file ends in the middle of a
 * packet; IW_ERR_FORMAT: what follows is damaged; IW_ERR_IO: it could not be read. All packets before that
 * have been given out, and no more will come: each further call gives the same answer. */
int iw_capture_file_next(
    struct iw_capture_file *file, struct iw_packet *packet, char *error, size_t error_octets);

/* Packets may come in blocks: then the octets of one stay where they are until a packet comes whose block is
 * three above its own. The block of the latest packet; 0 if they do not. */
uint64_t iw_capture_file_block(const struct iw_capture_file *file);

/* Closes the file; NULL is allowed. */
void iw_capture_file_close(struct iw_capture_file *file);

#endif

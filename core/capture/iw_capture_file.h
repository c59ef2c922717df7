#pragma once

#include "iw_capture_option.h"
#include "iw_capture_unread.h"
#include "iw_packet.h"
#include "iw_status.h"

/* Reads a capture file packet by packet: pcap in either byte order, with microseconds or nanoseconds; pcapng;
 * and the other formats of libpcap. The file may be compressed by gzip, bzip2, xz, zstd or LZ4. */
struct iw_capture_file;

/* Opens the file at `path`, which may be a FIFO; "-" is standard input. On success the caller must close
 * *file. Otherwise *file is NULL, and `error`, of `error_octets` octets, is a line without newline that
 * starts with `path` or "standard input". IW_ERR_IO: the file cannot be opened or read. IW_ERR_FORMAT: it is
 * empty, no capture, damaged compressed data, or pcap with a link type unknown to iw_packet_find.
 * IW_ERR_TRUNCATED: it ends in the pcap header, or in compressed data before any output. IW_ERR_NOMEM. */
enum iw_status iw_capture_file_open(
    const char *path, struct iw_capture_file **file, char *error, size_t error_octets);

enum iw_capture_step {
    IW_CAPTURE_PACKET = 0, /* *packet is filled in */
    IW_CAPTURE_END = 1,    /* the file has ended, and is not truncated */
};

/* Reads the next packet; its octets are valid until the next call, or longer: see iw_capture_file_block.
 * Numbers frames as Wireshark does. Skips blocks that are not packets, and packets with a link type that
 * iw_packet_find does not know. Returns an enum iw_capture_step, or a negative enum iw_status with a line in
 * `error` as above. IW_ERR_TRUNCATED: the file ends within a header, packet, block or compressed data.
 * IW_ERR_FORMAT: the rest is damaged, or all packets have unknown link types. IW_ERR_IO, IW_ERR_NOMEM: as
 * above. The end or an error is returned after all packets before it; each further call returns the same. */
int iw_capture_file_next(
    struct iw_capture_file *file, struct iw_packet *packet, char *error, size_t error_octets);

/* Number of the memory block in use. The octets of a packet stay valid until this number has grown by 3 since
 * the packet was returned; a call that returns no packet can also increase it. 0: the octets are valid only
 * until the next call of iw_capture_file_next. */
uint64_t iw_capture_file_block(const struct iw_capture_file *file);

/* Number of frames so far as Wireshark counts them: packets, and skipped blocks that Wireshark numbers. */
uint64_t iw_capture_file_frames(const struct iw_capture_file *file);

/* Octets of the file read so far, before decompression. */
uint64_t iw_capture_file_octets(const struct iw_capture_file *file);

/* Counts the packets so far whose link type iw_packet_find does not know. */
const struct iw_capture_unread *iw_capture_file_unread(const struct iw_capture_file *file);

/* Lets `section` take the comment of each section header of a pcapng file, when iw_capture_file_next reaches
 * it. Call this function before the first packet. */
void iw_capture_file_on_section(struct iw_capture_file *file,
    void (*section)(void *user, const char *comment, size_t octets), void *user);

/* Reads the options of the latest packet; valid as long as its octets. Without options, *note is zeroed. */
void iw_capture_file_note(const struct iw_capture_file *file, struct iw_capture_note *note);

/* Closes the file; NULL is allowed. */
void iw_capture_file_close(struct iw_capture_file *file);

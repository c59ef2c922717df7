#ifndef IW_CAPTURE_PLAIN_H
#define IW_CAPTURE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The packets of a pcap file on a disk, in blocks: where a file is read as fast as it can be judged, what
 * libpcap takes per packet is a third of the whole. Which file that is, libpcap has found out. For
 * iw_capture_file.c only. */

enum {
    IW_CAPTURE_PLAIN_BLOCKS = 3, /* in turn, so that the octets of a packet stay for two blocks more */
    IW_CAPTURE_PLAIN_PACKET_MAX = 1 << 18, /* octets; libpcap takes no more either */
};

struct iw_capture_plain {
    int file;
    off_t offset; /* in the file, behind what is in the block */
    bool swapped; /* its numbers are in the other order of octets */
    uint32_t tick_ns;
    uint32_t packet_max; /* octets that are taken of a packet */
    uint64_t block;      /* ordinal of the latest, from 1; 0 before the first */
    size_t used, filled; /* octets of it */
    size_t block_octets;
    uint8_t *memory; /* of all blocks; NULL if the file is none that can be read so */
};

struct iw_capture_plain_packet {
    const uint8_t *octets;
    uint32_t captured, length;
    uint64_t time_ns;
};

/* Prepares to read the file behind the descriptor, which stays the caller's: a regular file that begins with
 * the header of pcap 2.4, as its writer left it. `packet_max`: octets that are taken of a packet. Returns
 * false, and takes nothing, if it is another, or there is no memory. */
bool iw_capture_plain_init(struct iw_capture_plain *plain, int file, uint32_t packet_max);
void iw_capture_plain_dispose(struct iw_capture_plain *plain);

enum iw_capture_plain_step {
    IW_CAPTURE_PLAIN_PACKET,
    IW_CAPTURE_PLAIN_END,
    IW_CAPTURE_PLAIN_TRUNCATED,
    IW_CAPTURE_PLAIN_DAMAGED, /* a packet is longer than any */
    IW_CAPTURE_PLAIN_ERROR,   /* errno says why */
};

/* The next packet. One call goes on by one block at the most. A file that has ended, in a packet or before
 * it, may have grown when it is asked again. */
enum iw_capture_plain_step iw_capture_plain_next(
    struct iw_capture_plain *plain, struct iw_capture_plain_packet *packet);

#endif

#ifndef IW_PCAPNG_H
#define IW_PCAPNG_H

#include <stddef.h>
#include <stdint.h>

/* The blocks of a pcapng file of one Ethernet interface with times in nanoseconds
 * (draft-ietf-opsawg-pcapng), in the byte order of big-endian hosts so that every run writes the same octets.
 */

enum {
    IW_PCAPNG_HEAD_MAX = 128,     /* octets of the section header and the interface */
    IW_PCAPNG_COMMENT_MAX = 4096, /* octets of a comment; what is longer is cut */
};

/* Writes the section header and the interface description. Returns their size. */
size_t iw_pcapng_head(uint8_t octets[IW_PCAPNG_HEAD_MAX]);

/* Octets of the block of a packet of `length` octets with `comment`, which may be NULL. */
size_t iw_pcapng_packet_octets(size_t length, const char *comment);

/* Writes that block; `time_ns` are nanoseconds since the epoch. */
void iw_pcapng_packet(
    const uint8_t *packet, size_t length, uint64_t time_ns, const char *comment, uint8_t *octets);

#endif

#ifndef IW_PCAPNG_H
#define IW_PCAPNG_H

#include <stddef.h>
#include <stdint.h>

/* The blocks of a pcapng file of one interface with times in nanoseconds
 * (draft-ietf-opsawg-pcapng), in the byte order of big-endian hosts so that every run writes the same octets.
 */

enum {
    IW_PCAPNG_HEAD_MAX = 128,     /* octets of the section header and the interface */
    IW_PCAPNG_COMMENT_MAX = 4096, /* octets of a comment; what is longer is cut */
};

enum { IW_PCAPNG_ETHERNET = 1 }; /* link type of an interface, LINKTYPE_... */

/* Writes the section header and the description of an interface of that link type, which keeps `snaplen`
 * octets of a packet; 0: all. Returns their size. */
size_t iw_pcapng_head(uint16_t link, uint32_t snaplen, uint8_t octets[IW_PCAPNG_HEAD_MAX]);

struct iw_pcapng_packet {
    const uint8_t *octets;
    size_t captured;     /* octets that are there */
    size_t length;       /* that were on the wire */
    uint64_t time_ns;    /* nanoseconds since the epoch */
    const char *comment; /* or NULL */
};

/* Octets of the block of a packet. */
size_t iw_pcapng_packet_octets(const struct iw_pcapng_packet *packet);

/* Writes that block. */
void iw_pcapng_packet(const struct iw_pcapng_packet *packet, uint8_t *octets);

#endif

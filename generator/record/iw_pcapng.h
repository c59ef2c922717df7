#ifndef IW_PCAPNG_H
#define IW_PCAPNG_H

#include <stddef.h>
#include <stdint.h>

/* The blocks of a pcapng file of one interface with times in nanoseconds
 * (draft-ietf-opsawg-pcapng). */

enum {
    IW_PCAPNG_HEAD_MAX = 128,     /* octets of the section header and the interface */
    IW_PCAPNG_COMMENT_MAX = 4096, /* octets of a comment; what is longer is cut */
};

/* The byte order of all that is not of the packets: it is that of whoever writes, and readers have to take
 * both. Ours is BIG, so that every run writes the same octets on every host; but Wireshark takes nothing from
 * a pipe that is not in the order of its host. */
enum iw_pcapng_order {
    IW_PCAPNG_BIG,
    IW_PCAPNG_LITTLE,
    IW_PCAPNG_HOST = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? IW_PCAPNG_LITTLE : IW_PCAPNG_BIG
};

/* The order for an open file: that of the host for a pipe. */
enum iw_pcapng_order iw_pcapng_order_for(int descriptor);

enum { IW_PCAPNG_ETHERNET = 1 }; /* link type of an interface, LINKTYPE_... */

/* Writes the section header and the description of an interface of that link type, which keeps `snaplen`
 * octets of a packet; 0: all. Returns their size. */
size_t iw_pcapng_head(
    enum iw_pcapng_order order, uint16_t link, uint32_t snaplen, uint8_t octets[IW_PCAPNG_HEAD_MAX]);

/* Writes the description of one more interface, at most IW_PCAPNG_HEAD_MAX octets. Returns its length. */
size_t iw_pcapng_interface(enum iw_pcapng_order order, uint16_t link, uint32_t snaplen, uint8_t *octets);

struct iw_pcapng_packet {
    uint32_t interface; /* index of the interface, in the order of descriptions; the file header describes
                           interface 0 */
    const uint8_t *octets;
    size_t captured;            /* octets that are there */
    size_t length;              /* that were on the wire */
    uint64_t time_ns;           /* nanoseconds since the epoch */
    const char *comment;        /* or NULL */
    enum iw_pcapng_order order; /* of the file's head */
};

/* Octets of the block of a packet. */
size_t iw_pcapng_packet_octets(const struct iw_pcapng_packet *packet);

/* Writes that block. */
void iw_pcapng_packet(const struct iw_pcapng_packet *packet, uint8_t *octets);

#endif

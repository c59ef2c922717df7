#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Blocks of a pcapng file with nanosecond timestamps (draft-ietf-opsawg-pcapng). */

enum {
    IW_PCAPNG_HEAD_MAX = 128,     /* octets of section header and interface */
    IW_PCAPNG_COMMENT_MAX = 4096, /* octets of a comment; longer ones are truncated */
};

/* Byte order of all fields; the octets of packets do not change. Readers of files must accept both orders; we
 * use BIG, for the same octets on every host. Wireshark reads a pipe only in the host's order. */
enum iw_pcapng_order {
    IW_PCAPNG_BIG,
    IW_PCAPNG_LITTLE,
    IW_PCAPNG_HOST = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? IW_PCAPNG_LITTLE : IW_PCAPNG_BIG
};

/* The order to use for an open file: IW_PCAPNG_HOST for a pipe, IW_PCAPNG_BIG for others. */
enum iw_pcapng_order iw_pcapng_order_for(int descriptor);

enum { IW_PCAPNG_ETHERNET = 1 }; /* link type (LINKTYPE_...) */

/* Writes the section header and an interface of that link type and snaplen (0: none). Returns the octets. */
size_t iw_pcapng_head(
    enum iw_pcapng_order order, uint16_t link, uint32_t snaplen, uint8_t octets[IW_PCAPNG_HEAD_MAX]);

/* Writes a section header with this comment, of which it keeps IW_PCAPNG_SECTION_COMMENT_MAX octets. Returns
 * its size; an upper bound of it if `octets` is NULL. */
enum { IW_PCAPNG_SECTION_COMMENT_MAX = 65000 };
size_t iw_pcapng_section(enum iw_pcapng_order order, const char *comment, uint8_t *octets);

/* Writes a further interface, at most IW_PCAPNG_HEAD_MAX octets. Returns its size. */
size_t iw_pcapng_interface(enum iw_pcapng_order order, uint16_t link, uint32_t snaplen, uint8_t *octets);

/* The same with a name (if_name), of which it keeps IW_PCAPNG_NAME_MAX octets. NULL: none. */
enum { IW_PCAPNG_NAME_MAX = 32 };
size_t iw_pcapng_named_interface(
    enum iw_pcapng_order order, uint16_t link, uint32_t snaplen, const char *name, uint8_t *octets);

struct iw_pcapng_packet {
    uint32_t interface; /* index in the order of descriptions; iw_pcapng_head describes interface 0 */
    const uint8_t *octets;
    size_t captured;            /* octets in the file */
    size_t length;              /* octets on the wire */
    uint64_t time_ns;           /* since the epoch */
    const char *comment;        /* or NULL */
    uint64_t id;                /* epb_packetid; 0: none */
    enum iw_pcapng_order order; /* the file's byte order */
};

size_t iw_pcapng_packet_octets(const struct iw_pcapng_packet *packet);
void iw_pcapng_packet(const struct iw_pcapng_packet *packet, uint8_t *octets);

/* Shortens the block of a packet in place: to at most `captured` octets of the packet, without a comment. The
 * length on the wire and the time remain. Sets *length to the new size of the block. Returns whether octets
 * of the packet were removed. */
bool iw_pcapng_shorten(enum iw_pcapng_order order, uint8_t *block, uint32_t captured, size_t *length);

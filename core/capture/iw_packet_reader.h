#ifndef IW_PACKET_READER_H
#define IW_PACKET_READER_H

#include "iw_packet.h"

/* Reads the packets of a capture one after the other, and puts IP fragments together: those of what a tunnel
 * carries, and those of the tunnel's own packets. */
struct iw_packet_reader;

/* NULL if there is no memory. */
struct iw_packet_reader *iw_packet_reader_new(void);
void iw_packet_reader_free(struct iw_packet_reader *reader);

/* As iw_packet_find, but that a fragment completes its packet: then the segment is of the frame of that
 * fragment, and its payload does not point into the packet; it is valid until the next call. A fragment of a
 * packet that is not whole yet, or one that repeats another, is IW_PACKET_FRAGMENT. Packets that are no
 * fragments cost nothing more than with iw_packet_find. */
enum iw_packet_kind iw_packet_read(struct iw_packet_reader *reader, const struct iw_packet *packet,
    struct iw_tcp_segment *segment, struct iw_packet_facts *facts);

/* Frames so far with fragments of packets that were not whole, those in which octets differed from what other
 * fragments had brought, and whether there was no memory for some. */
struct iw_packet_reader_counts {
    uint64_t fragments;
    uint64_t differing;
    bool no_memory;
};
struct iw_packet_reader_counts iw_packet_reader_counts(const struct iw_packet_reader *reader);

#endif

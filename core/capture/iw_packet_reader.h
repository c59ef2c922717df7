#ifndef IW_PACKET_READER_H
#define IW_PACKET_READER_H

#include "iw_packet.h"

/* Reads the packets of a capture one after the other and reassembles IP fragments, inside and outside of
 * tunnels. */
struct iw_packet_reader;

/* Returns NULL if memory runs out. */
struct iw_packet_reader *iw_packet_reader_new(void);
void iw_packet_reader_free(struct iw_packet_reader *reader);

/* Like iw_packet_find, but reassembles fragments. When a fragment completes its packet, the segment has the
 * frame of that fragment, and its payload is valid until the next call. A fragment of an incomplete packet,
 * or a repeated one, is IW_PACKET_FRAGMENT. Unfragmented packets cost no more than with iw_packet_find. */
enum iw_packet_kind iw_packet_read(struct iw_packet_reader *reader, const struct iw_packet *packet,
    struct iw_tcp_segment *segment, struct iw_packet_facts *facts);

/* Counts so far: frames with fragments of incomplete packets; frames whose octets contradict earlier
 * fragments; and whether memory ran out for some. */
struct iw_packet_reader_counts {
    uint64_t fragments;
    uint64_t differing;
    bool no_memory;
};
struct iw_packet_reader_counts iw_packet_reader_counts(const struct iw_packet_reader *reader);

#endif

#ifndef IW_CHUNK_H
#define IW_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

/* The one input type: sockets, capture files and Wireshark all hand over TCP stream octets as chunks, per
 * side in stream order. Offsets count the octets of one direction from its first octet after the SYN (or from
 * the first octet seen, when the beginning was not captured) and never wrap. */

/* Who sent it: A opened the TCP connection (or spoke first in a capture without the handshake), B is the
 * other. */
enum iw_side { IW_SIDE_A = 0, IW_SIDE_B = 1 };

static inline enum iw_side iw_side_other(enum iw_side side) {
    return (enum iw_side)(1 - side);
}

enum iw_chunk_kind {
    IW_CHUNK_START, /* the SYN was seen: the next octet of this side is the first of its stream; offset 0,
                       length 0 */
    IW_CHUNK_DATA,  /* `length` octets at `octets` */
    IW_CHUNK_GAP, /* `length` octets were sent but are not there; `cut` and `limited` tell why; octets is NULL
                   */
    IW_CHUNK_FIN, /* the side has closed its half; length 0 */
    IW_CHUNK_RST, /* the side has reset the connection; length 0 */
    IW_CHUNK_OUTSIDE,   /* `length` octets were captured that do not belong to the stream and are not handed
                           over; `octets` is NULL, `offset` does not move */
    IW_CHUNK_DIFFERING, /* `length` octets were retransmitted with another content than that of the copy
                           captured first, which is the one handed over; `octets` is NULL, `offset` does not
                           move
                           */
};

struct iw_chunk {
    enum iw_chunk_kind kind;
    enum iw_side side;
    bool cut; /* GAP: true if the packet was there but the capture cut it (snaplen), false if it was not seen
               */
    bool limited; /* GAP: true if more waited for these octets than is kept, and nobody says that they have
                     come already: they may come later in the capture, and are not handed over then */
    bool answers_unseen; /* its sender has acknowledged octets of the other side that were not captured (yet)
                          */
    bool acked_known;    /* DATA: `acked` is known */
    bool acked_exact;    /* DATA: `acked` counts from the first octet that the other side ever sent */
    uint16_t mss;        /* START: the Maximum Segment Size that the SYN announces, in octets; 0: unknown */
    uint32_t length;     /* octets */
    uint64_t offset;     /* stream offset of the first octet */
    uint64_t acked; /* DATA: stream offset of the other side up to which the sender had received octets when
                       it sent these: its acknowledgement. For retransmitted octets that of the
                       retransmission, an upper bound */
    const uint8_t *octets; /* DATA: borrowed, valid only during the call that hands the chunk over */
    uint64_t frame;        /* capture frame number, from 1; 0 if there is none */
    uint64_t time_ns;      /* nanoseconds since the epoch */
};

#endif

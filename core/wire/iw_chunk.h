#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The input over TCP: sockets, capture files and Wireshark all deliver the octets of a TCP stream as chunks,
 * for each side in stream order. Offsets count the octets of one direction from the first octet after the SYN
 * (or from the first captured octet, if the capture lacks the beginning) and never wrap. */

/* The sender. A opened the TCP connection; over SCTP, or without a captured handshake, A sent first. */
enum iw_side { IW_SIDE_A = 0, IW_SIDE_B = 1 };

static inline enum iw_side iw_side_other(enum iw_side side) {
    return (enum iw_side)(1 - side);
}

enum iw_chunk_kind {
    IW_CHUNK_START,   /* SYN captured: the side's next octet is its first; offset and length 0 */
    IW_CHUNK_DATA,    /* `length` octets at `octets` */
    IW_CHUNK_GAP,     /* `length` octets are missing; `cut` and `limited` give the reason; octets is NULL */
    IW_CHUNK_FIN,     /* the side has closed its half; length 0 */
    IW_CHUNK_RST,     /* the side has reset the connection; length 0 */
    IW_CHUNK_OUTSIDE, /* `length` captured octets do not belong to the stream and are not delivered; `octets`
                         is NULL, `offset` does not advance */
    IW_CHUNK_DIFFERING, /* `length` octets were retransmitted with different content; the copy captured first
                           is delivered; `octets` is NULL, `offset` does not advance */
};

struct iw_chunk {
    enum iw_chunk_kind kind;
    enum iw_side side;
    bool cut;     /* GAP: the capture truncated the packet (snaplen); false: the packet was not captured */
    bool limited; /* GAP: a limit ended the wait for these octets, and no acknowledgement shows that they have
                     arrived: the capture may have them later, and they are not delivered then */
    bool acknowledges_missing; /* acknowledges octets of the other side that are not captured yet */
    bool acked_known;          /* DATA: `acked` is known */
    bool acked_exact;          /* DATA: `acked` counts from the first octet that the other side ever sent */
    uint16_t mss;    /* START: the Maximum Segment Size that the SYN announces, in octets; 0: unknown */
    uint32_t length; /* octets */
    uint64_t offset; /* stream offset of the first octet */
    uint64_t acked; /* DATA: the sender's acknowledgement when it sent these octets, as a stream offset of the
                       other side; the FIN counts as an octet. For retransmitted octets, the acknowledgement
                       of the retransmission, an upper bound; so is that of a peer without a capture */
    const uint8_t *octets; /* DATA: borrowed, valid only during the call that hands the chunk over */
    uint64_t frame;        /* capture frame number, from 1; 0: none */
    uint64_t time_ns;      /* nanoseconds since the epoch */
};

#pragma once

#include "iw_chunk.h"
#include "iw_status.h"
#include "iw_tcp_segment.h"

/* Impairments make a capture hard to analyse, but keep its conversation. Example of a plan:
 * "loss=1%,segment=1..1448,vlan=7". */

/* What may happen to a packet, each with its own probability. */
enum iw_impairment_chance {
    IW_IMPAIRMENT_LOSS,       /* missing from the capture, but received */
    IW_IMPAIRMENT_RETRANSMIT, /* lost before the capture point and retransmitted later */
    IW_IMPAIRMENT_REORDER,    /* overtaken by a few packets of its side */
    IW_IMPAIRMENT_DUPLICATE,  /* captured twice; a few packets may come between */
    IW_IMPAIRMENT_OVERLAP,    /* begins with octets of earlier packets */
    IW_IMPAIRMENT_RESETS,     /* preceded by a RST with an unexpected sequence number, near or far */
    IW_IMPAIRMENT_CROSS,      /* captured after the other side's next packet, which may acknowledge it */
    IW_IMPAIRMENT_ACKS,       /* answered with an acknowledgement without payload */
    IW_IMPAIRMENT_CHANCES,
};

enum {
    IW_IMPAIRMENT_CERTAIN = 1000000, /* probabilities are in millionths */
    IW_IMPAIRMENT_TEXT_OCTETS = 256,
};

/* A zeroed struct impairs nothing. */
struct iw_impairment_plan {
    uint64_t seed;                          /* selects all random choices */
    uint32_t chance[IW_IMPAIRMENT_CHANCES]; /* millionths */
    uint32_t segment_least;                 /* payload octets per packet */
    uint32_t segment_most;                  /* 0: packets keep their size */
    bool wrap;
    uint32_t wrap_octets; /* octets of each side before its sequence numbers wrap; 0: depends on the seed */
    uint16_t vlan;        /* 0: untagged */
    bool ipv6;
    uint32_t snaplen;          /* octets captured per packet; 0: all */
    bool midstream;            /* the capture begins after the handshake */
    uint32_t midstream_octets; /* with `midstream`: payload octets of both sides before the capture */
    bool reuse; /* replaces the handshake by the end of an earlier connection between the same ports */
    bool one_direction;
    enum iw_side direction; /* with `one_direction`: the sender of the captured packets */
};

/* Reads "NAME[=VALUE],...". Does not change the seed. On failure returns false and writes the reason to
 * `error`, of IW_IMPAIRMENT_TEXT_OCTETS octets. */
bool iw_impairment_parse(const char *text, struct iw_impairment_plan *plan, char *error);

/* Octets of each side before its sequence numbers wrap; 1 to 4,096 if the seed decides. */
uint32_t iw_impairment_wrap(const struct iw_impairment_plan *plan);

/* The name of an impairment of the plan that cannot be applied to SCTP, or NULL. */
const char *iw_impairment_of_tcp(const struct iw_impairment_plan *plan);

/* Whether number, size or order of packets may change: an octet's frame is then not known at once. */
bool iw_impairment_changes_packets(const struct iw_impairment_plan *plan);

/* Impairs the capture of one TCP connection: segments its octets differently, reorders, repeats and omits
 * packets. The result is always possible in a real capture: a packet follows all packets that its sender had
 * received (except with `cross`), and acknowledgements cover only octets sent. */

struct iw_impairment;

/* Captures the next packet. `comment` (borrowed, or NULL) ends with what happened to the packet, in brackets;
 * with nothing if it was only divided again. Example: "[duplicate]". */
typedef enum iw_status iw_impairment_sink(
    void *user, const struct iw_tcp_segment *segment, const char *comment);

/* Impairs connection `number`: each has its own random choices. Borrows the plan. NULL if memory runs out. */
struct iw_impairment *iw_impairment_new(
    const struct iw_impairment_plan *plan, uint64_t number, iw_impairment_sink *sink, void *user);

/* Frees the impairment and drops its held packets. NULL is allowed. */
void iw_impairment_free(struct iw_impairment *impairment);

/* Takes the next segment that `side` sends. Pass the segments of both sides in order of time; the octets of a
 * side have no gap. A packet of a transport other than TCP is allowed, too: its payload is the whole packet
 * (`captured` octets), `length` counts its user data. A packet without user data is not moved. The plan must
 * not segment, overlap or acknowledge such packets. Returns IW_ERR_NOMEM or the sink's first error. */
enum iw_status iw_impairment_segment(struct iw_impairment *impairment, enum iw_side side,
    const struct iw_tcp_segment *segment, const char *comment);

/* Whether a packet is held that the receiver has not got yet (a held duplicate does not count). Until it
 * comes, the receiver acknowledges no later packet. */
bool iw_impairment_holds(const struct iw_impairment *impairment);

/* Captures the held packets at the end of the connection. */
enum iw_status iw_impairment_finish(struct iw_impairment *impairment);

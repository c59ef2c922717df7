#ifndef IW_IMPAIRMENT_PLAN_H
#define IW_IMPAIRMENT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_chunk.h"

/* What makes a capture hard to read though the conversation in it is what it is: given as text, such as
 * "loss=1%,segment=1..1448,vlan=7". */

/* What may happen to a packet, each with a chance of its own. */
enum iw_impairment_chance {
    IW_IMPAIRMENT_LOSS,       /* the capture lacks it; the other side has received it */
    IW_IMPAIRMENT_RETRANSMIT, /* it was lost on its way to where the capture is taken, and comes again: late
                               */
    IW_IMPAIRMENT_REORDER,    /* a few packets of its side overtake it */
    IW_IMPAIRMENT_DUPLICATE,  /* it is there twice, the second time a few packets later, or at once */
    IW_IMPAIRMENT_OVERLAP,    /* it begins with octets that packets before it have carried */
    IW_IMPAIRMENT_RESETS, /* a RST that its receiver ignores precedes it: inside the window, or far outside */
    IW_IMPAIRMENT_CROSS,  /* the capture has it before the latest packet of the other side, even if it
                           acknowledges that */
    IW_IMPAIRMENT_ACKS,   /* the other side sends an acknowledgement without payload */
    IW_IMPAIRMENT_CHANCES,
};

enum {
    IW_IMPAIRMENT_CERTAIN = 1000000, /* a chance is given in millionths */
    IW_IMPAIRMENT_TEXT_OCTETS = 256,
};

/* All zero: none. */
struct iw_impairment_plan {
    uint64_t seed;                          /* of all that is left to chance */
    uint32_t chance[IW_IMPAIRMENT_CHANCES]; /* millionths */
    uint32_t segment_least;                 /* octets of payload of a packet; both 0: as they come */
    uint32_t segment_most;
    bool wrap;
    uint32_t wrap_octets; /* of each side before its sequence numbers wrap; 0: some, as the seed has it */
    uint16_t vlan;        /* 0: none */
    bool ipv6;
    uint32_t snaplen;          /* octets of a packet that the capture keeps; 0: all */
    bool midstream;            /* the capture begins behind the handshake, */
    uint32_t midstream_octets; /* and behind so many octets of payload of both sides */
    bool reuse; /* the capture has no handshake, but the end of an earlier connection between the
                   same ports */
    bool one_direction;
    enum iw_side direction; /* the only one that is captured */
};

/* Reads "NAME[=VALUE],...". The seed stays. Returns false with a line in `error`, of
 * IW_IMPAIRMENT_TEXT_OCTETS octets, that tells which part is wrong and what it takes. */
bool iw_impairment_parse(const char *text, struct iw_impairment_plan *plan, char *error);

/* Octets of each side before the wrap: 1 to 4,096 if the plan leaves it to the seed. */
uint32_t iw_impairment_wrap(const struct iw_impairment_plan *plan);

/* The first hardship of the plan that has no likeness over SCTP, or NULL. */
const char *iw_impairment_of_tcp(const struct iw_impairment_plan *plan);

/* Whether packets of the capture may be others, or elsewhere, than without: then nobody can tell in which
 * frame an octet will stand while the conversation goes on. */
bool iw_impairment_moves(const struct iw_impairment_plan *plan);

#endif

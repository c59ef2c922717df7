#pragma once

#include "iw_frame_store.h"
#include "iw_hf.h"
#include "iw_segment.h"
#include "iw_startup.h"

/* A stored item that is being shown in the tree of its frame. */
struct iw_pdu {
    packet_info *pinfo;
    const struct iw_item *item;
    tvbuff_t *payload; /* of the TCP segment in this frame; over SCTP, the user data of the chunk */
    const struct iw_tcp_segment *segment;
    tvbuff_t *image; /* startup frame, FPDU without Markers, or user data of an SCTP chunk; or NULL */
    struct iw_startup startup;
    struct iw_segment ddp;
    unsigned lead;   /* octets of Markers in the payload, directly before the item */
    unsigned ddp_at; /* index in the image of the DDP segment */
    bool has_ddp;    /* the DDP header is complete */
    proto_tree *tree;
    proto_item *shown[IW_FIELD_COUNT]; /* tree item of each field, to attach findings to; or NULL */
    proto_item *pad;                   /* tree item of PAD, to attach findings to; or NULL */
};

/* Sets *pdu for the item: finds and decodes its octets. If they are not contiguous in this frame, they become
 * a separate data source. */
void iw_pdu_init(struct iw_pdu *pdu, packet_info *pinfo, tvbuff_t *payload,
    const struct iw_tcp_segment *segment, const struct iw_item *item);

/* Like iw_pdu_init for the user data of an SCTP chunk (RFC 5043 5.2), which has no TCP segment and no MPA. */
void iw_pdu_init_chunk(struct iw_pdu *pdu, packet_info *pinfo, tvbuff_t *chunk, const struct iw_item *item);

/* Like iw_pdu_init for an item of a frame that is not being dissected: decodes its `captured` octets at
 * `octets`, which may be NULL, without a tvbuff. */
void iw_pdu_init_unshown(
    struct iw_pdu *pdu, packet_info *pinfo, const struct iw_item *item, const uint8_t *octets);

/* Returns true if the item ends in this segment of its frame, or may end in it. */
bool iw_pdu_ends_in(const struct iw_item *item, const struct iw_tcp_segment *segment);

/* Finds `octets` octets from stream offset `offset` on in the payload, and sets *at to their index. Returns
 * false if the payload does not hold all of them. */
bool iw_pdu_place(const struct iw_pdu *pdu, uint64_t offset, unsigned octets, int *at);

/* Like iw_pdu_place for octets that `side` of `flow` sent, in the payload of `segment`. */
bool iw_pdu_place_in(const struct iw_stored_flow *flow, enum iw_side side,
    const struct iw_tcp_segment *segment, uint64_t offset, unsigned octets, int *at);

/* Returns the tvbuff in which to highlight `octets` octets from index `at` of the image on: the payload if
 * they are contiguous there, otherwise the image. Sets *first to their index in this tvbuff. */
tvbuff_t *iw_pdu_source(const struct iw_pdu *pdu, unsigned at, unsigned octets, int *first);

/* Returns the payload of the DDP segment, whose header must be complete. */
tvbuff_t *iw_pdu_payload(const struct iw_pdu *pdu);

/* Adds the captured fields of the header at index `at` of `tvb`. If `main`, findings can be attached to these
 * fields; otherwise it is a header that a Terminate includes. */
void iw_pdu_layout(
    struct iw_pdu *pdu, proto_tree *tree, enum iw_layout_id layout, tvbuff_t *tvb, int at, bool main);

/* Adds `octets` octets of the image from index `at` on, as far as captured. Returns NULL for 0 octets. */
proto_item *iw_pdu_octets(const struct iw_pdu *pdu, proto_tree *tree, int hf, unsigned at, unsigned octets);

/* Adds the tree item of the whole PDU, including Markers directly before it. */
proto_item *iw_pdu_top(const struct iw_pdu *pdu, proto_tree *tree);

/* Adds a tree of `protocol` for these octets of the image; `title` follows the name of the protocol. */
proto_tree *iw_pdu_protocol(
    const struct iw_pdu *pdu, int protocol, unsigned at, unsigned octets, const char *title);

/* Returns the time of the packet in nanoseconds since the epoch. */
static inline uint64_t iw_pdu_time(const packet_info *pinfo) {
    return (uint64_t)pinfo->abs_ts.secs * 1000000000u + (uint64_t)pinfo->abs_ts.nsecs;
}

/* Add generated fields: a link to a frame (not for 0 or this frame), a number, a text. */
void iw_pdu_frame(const struct iw_pdu *pdu, proto_tree *tree, enum iw_hf hf, uint32_t frame);
proto_item *iw_pdu_number(proto_tree *tree, enum iw_hf hf, uint32_t number);
proto_item *iw_pdu_number64(proto_tree *tree, enum iw_hf hf, uint64_t number);
proto_item *iw_pdu_text(proto_tree *tree, enum iw_hf hf, const char *text);

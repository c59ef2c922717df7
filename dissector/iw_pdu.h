#ifndef IW_PDU_H
#define IW_PDU_H

#include "iw_frame_store.h"
#include "iw_hf.h"
#include "iw_segment.h"
#include "iw_startup.h"

/* One stored item being shown in the tree of its frame. */
struct iw_pdu {
    packet_info *pinfo;
    const struct iw_item *item;
    tvbuff_t *payload; /* of the TCP segment in this frame; over SCTP, user data of the chunk */
    const struct iw_tcp_segment *segment;
    tvbuff_t *image; /* startup frame, FPDU without Markers, or user data of an SCTP chunk; or NULL */
    struct iw_startup startup;
    struct iw_segment ddp;
    unsigned lead;   /* octets of the Markers directly before the first octet, if all are in the payload */
    unsigned ddp_at; /* octet of the image at which the DDP segment begins */
    bool has_ddp;    /* the DDP header is whole */
    proto_tree *tree;
    proto_item *shown[IW_FIELD_COUNT]; /* the tree item of each field, for findings about the field; NULL if
                                          not shown */
    proto_item *pad;                   /* the tree item of PAD, for findings about PAD; or NULL */
};

/* Finds and decodes the octets of the item. If the frame does not hold them in one piece, they become a
 * separate data source. */
void iw_pdu_init(struct iw_pdu *pdu, packet_info *pinfo, tvbuff_t *payload,
    const struct iw_tcp_segment *segment, const struct iw_item *item);

/* Like iw_pdu_init, for the user data of an SCTP chunk (RFC 5043 5.2): without TCP segment and MPA. */
void iw_pdu_init_chunk(struct iw_pdu *pdu, packet_info *pinfo, tvbuff_t *chunk, const struct iw_item *item);

/* Like iw_pdu_init, for an item of a frame that is not being dissected: decodes the `captured` octets at
 * `octets` (may be NULL) without a tvbuff. */
void iw_pdu_init_unshown(
    struct iw_pdu *pdu, packet_info *pinfo, const struct iw_item *item, const uint8_t *octets);

/* True if the item ends in this segment of its frame, or may do so. */
bool iw_pdu_ends_in(const struct iw_item *item, const struct iw_tcp_segment *segment);

/* Sets *at to the payload offset of `octets` octets from stream offset `offset` on. Returns false if the
 * payload does not hold all of them. */
bool iw_pdu_place(const struct iw_pdu *pdu, uint64_t offset, unsigned octets, int *at);

/* Like iw_pdu_place, for octets that `side` of `flow` sent, in the payload of `segment`. */
bool iw_pdu_place_in(const struct iw_stored_flow *flow, enum iw_side side,
    const struct iw_tcp_segment *segment, uint64_t offset, unsigned octets, int *at);

/* The tvbuff in which to highlight `octets` octets from octet `at` of the image on: the payload if they are
 * contiguous there, otherwise the image; sets *first to their offset. Both tvbuffs have the same values. */
tvbuff_t *iw_pdu_source(const struct iw_pdu *pdu, unsigned at, unsigned octets, int *first);

/* The payload of the segment, which must have a complete DDP header. */
tvbuff_t *iw_pdu_payload(const struct iw_pdu *pdu);

/* Adds the captured fields of the header at octet `at` of `tvb`. With `main`, findings are attached to
 * these fields; without, the opcode is shown as that of an included header. */
void iw_pdu_layout(
    struct iw_pdu *pdu, proto_tree *tree, enum iw_layout_id layout, tvbuff_t *tvb, int at, bool main);

/* Adds `octets` octets from octet `at` of the image on, as far as they are captured. Returns the item, or
 * NULL for 0 octets. */
proto_item *iw_pdu_octets(const struct iw_pdu *pdu, proto_tree *tree, int hf, unsigned at, unsigned octets);

/* Adds the item of the whole PDU, including Markers directly before it. */
proto_item *iw_pdu_top(const struct iw_pdu *pdu, proto_tree *tree);

/* Adds a tree of `protocol`, with a title, for octets of the image. */
proto_tree *iw_pdu_protocol(
    const struct iw_pdu *pdu, int protocol, unsigned at, unsigned octets, const char *title);

/* Add generated fields: a link to another frame (unless `frame` is 0 or this frame), a number, a text. */
void iw_pdu_frame(const struct iw_pdu *pdu, proto_tree *tree, enum iw_hf hf, uint32_t frame);
proto_item *iw_pdu_number(proto_tree *tree, enum iw_hf hf, uint32_t number);
proto_item *iw_pdu_number64(proto_tree *tree, enum iw_hf hf, uint64_t number);
proto_item *iw_pdu_text(proto_tree *tree, enum iw_hf hf, const char *text);

#endif

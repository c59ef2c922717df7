#ifndef IW_PDU_H
#define IW_PDU_H

#include "iw_epan.h"

#include "iw_frame_store.h"
#include "iw_hf.h"
#include "iw_segment.h"
#include "iw_startup.h"

/* One stored item on its way into the tree of the frame being shown. */
struct iw_pdu {
    packet_info *pinfo;
    const struct iw_item *item;
    tvbuff_t *payload; /* of the TCP segment in this frame */
    const struct iw_tcp_segment *segment;
    tvbuff_t *image; /* the startup frame, the FPDU without markers, or the user data of an SCTP chunk, from
                        its first octet; or NULL */
    struct iw_startup startup;
    struct iw_segment ddp;
    unsigned lead;   /* octets of the Markers directly before the first octet, if all are in the payload */
    unsigned ddp_at; /* octet of the image at which the DDP segment begins */
    bool has_ddp;    /* the DDP header is whole */
    proto_tree *tree;
    proto_item *shown[IW_FIELD_COUNT]; /* where a finding about a field goes; NULL if it is not shown */
    proto_item *pad;                   /* or about PAD */
};

/* Finds the octets of the item and decodes them. Those that do not stand in one piece in the frame get a data
 * source of their own. */
void iw_pdu_init(struct iw_pdu *pdu, packet_info *pinfo, tvbuff_t *payload,
    const struct iw_tcp_segment *segment, const struct iw_item *item);

/* The same for a DDP Segment Chunk, whose user data are `chunk` (RFC 5043 5.2.2): it has neither a TCP
 * segment nor MPA around it. */
void iw_pdu_init_chunk(struct iw_pdu *pdu, packet_info *pinfo, tvbuff_t *chunk, const struct iw_item *item);

/* The same for an item that is not shown in the frame being dissected, whose `captured` octets are at
 * `octets`: decodes them, or nothing if that is NULL. There is no tvbuff. */
void iw_pdu_init_unshown(
    struct iw_pdu *pdu, packet_info *pinfo, const struct iw_item *item, const uint8_t *octets);

/* Whether the item ends in this segment of its frame, as far as can be told. */
bool iw_pdu_ends_in(const struct iw_item *item, const struct iw_tcp_segment *segment);

/* Where `octets` octets from stream offset `offset` on stand in the payload. False if this frame does not
 * hold all of them. */
bool iw_pdu_place(const struct iw_pdu *pdu, uint64_t offset, unsigned octets, int *at);

/* The same for the octets that `side` of `flow` sent, and any segment. */
bool iw_pdu_place_in(const struct iw_stored_flow *flow, enum iw_side side,
    const struct iw_tcp_segment *segment, uint64_t offset, unsigned octets, int *at);

/* Where `octets` octets from octet `at` of the image on are to be highlighted: in the payload at `*first` if
 * they stand there in one piece, otherwise in the image. The values are the same in both. */
tvbuff_t *iw_pdu_source(const struct iw_pdu *pdu, unsigned at, unsigned octets, int *first);

/* Adds the captured fields of the header at octet `at` of `tvb`. With `main`, findings about these fields are
 * attached to them; without, the opcode is shown as that of an included header. */
void iw_pdu_layout(
    struct iw_pdu *pdu, proto_tree *tree, enum iw_layout_id layout, tvbuff_t *tvb, int at, bool main);

/* Adds `octets` octets from octet `at` of the image on, as far as they were captured. Returns the item, NULL
 * for no octets. */
proto_item *iw_pdu_octets(const struct iw_pdu *pdu, proto_tree *tree, int hf, unsigned at, unsigned octets);

/* Adds the item of the whole PDU, Markers before it included. */
proto_item *iw_pdu_top(const struct iw_pdu *pdu, proto_tree *tree);

/* Adds a tree of that protocol, or one with nothing but a title, about octets of the image. */
proto_tree *iw_pdu_protocol(
    const struct iw_pdu *pdu, int protocol, unsigned at, unsigned octets, const char *title);
proto_tree *iw_pdu_subtree(const struct iw_pdu *pdu, proto_tree *tree, unsigned at, unsigned octets,
    enum iw_ett ett, const char *title);

/* Add what was found out, and stands in no octet: a link to another frame (none to 0 or to the frame itself),
 * a number, a text. */
void iw_pdu_frame(const struct iw_pdu *pdu, proto_tree *tree, enum iw_hf_own own, uint32_t frame);
proto_item *iw_pdu_number(proto_tree *tree, enum iw_hf_own own, uint32_t number);
proto_item *iw_pdu_number64(proto_tree *tree, enum iw_hf_own own, uint64_t number);
proto_item *iw_pdu_text(proto_tree *tree, enum iw_hf_own own, const char *text);

#endif

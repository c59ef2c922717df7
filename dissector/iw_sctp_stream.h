#ifndef IW_SCTP_STREAM_H
#define IW_SCTP_STREAM_H

#include "iw_frame_store.h"

/* DDP over SCTP: on the first pass each SCTP packet goes through the same reader and monitor as in
 * `warpcheck check` (iw_sctp_judge.h); their results for each chunk are stored as plain
 * values. */

/* A DDP Stream Session, shared by its chunks. */
struct iw_stored_session {
    uint32_t number;         /* on its DDP Stream, from 1 */
    uint32_t initiate_frame; /* 0 if it was not seen */
    uint32_t answer_frame;   /* of the Accept, the Reject, or the Terminate sent instead; 0: none */
};

/* One chunk, or the end of a session. */
struct iw_stored_chunk {
    struct iw_item item;
    const struct iw_stored_session *session; /* NULL if its position in the order of DDP-SSNs is unknown */
    enum iw_session_state state;             /* state of the session after the chunk */
    uint16_t stream;                         /* SCTP stream identifier */
    uint16_t ssn_expected;                   /* DDP-SSN expected when the chunk arrived */
    bool ssn_unexpected;                     /* the DDP-SSN of the chunk differs from `ssn_expected` */
    bool limited;                       /* an end: missing chunks of the session were given up at a limit */
    uint64_t key;                       /* in its map */
    const struct iw_stored_chunk *next; /* an end: the next end in the frame */
};

/* The flow of all SCTP items: without TCP connection and ULP. */
extern const struct iw_stored_flow iw_sctp_flow;

/* Initialises the item of a chunk: without a frame, and without results of a monitor. */
void iw_sctp_stream_item(struct iw_item *item, uint32_t length, uint32_t captured);

/* Processes the next SCTP packet; `tvb` begins with its common header. First pass only. */
void iw_sctp_stream_packet(packet_info *pinfo, tvbuff_t *tvb);

/* The stored chunk with that TSN, and the stored fragmented user data, in this frame; or NULL.
 * Both may change until the last frame of the file has been processed. */
const struct iw_stored_chunk *iw_sctp_stream_chunk(uint32_t frame, uint32_t tsn);
const struct iw_stored_chunk *iw_sctp_stream_fragmented(uint32_t frame);

/* The first session that ends in this frame with something to show, or NULL. */
const struct iw_stored_chunk *iw_sctp_stream_ends(uint32_t frame);

/* Call after the last frame: judges the chunks that still wait for missing ones. */
void iw_sctp_stream_finish(void);

/* Call when the file is closed: releases what Wireshark's file scope does not hold. */
void iw_sctp_stream_close(void);

/* ---- iw_tree_sctp.c ---- */

/* Shows the user data of a DDP Segment Chunk (RFC 5043 5.2.2) or a DDP Stream Session Control chunk (RFC
 * 5043 5.2.3, RFC 6581 7): columns and tree. `stored` may be NULL. Leaves stored values unchanged, so every
 * pass shows the same. */
void iw_tree_sctp_segment(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_stored_chunk *stored);
void iw_tree_sctp_control(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_stored_chunk *stored);

/* Shows the end of a session in the frame with the SCTP packet `tvb`. */
void iw_tree_sctp_end(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_stored_chunk *stored);

#endif

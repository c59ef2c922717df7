#pragma once

#include "iw_frame_store.h"

/* Judges DDP over SCTP. On the first pass, each SCTP packet goes through the reader and monitor that
 * `warpcheck check` uses too (iw_sctp_judge.h); their results for each chunk are stored. */

/* A DDP Stream Session, shared by its chunks. */
struct iw_stored_session {
    uint32_t number;         /* among the sessions of its DDP Stream, from 1 */
    uint32_t initiate_frame; /* 0: not captured */
    uint32_t answer_frame;   /* frame of the Accept, the Reject, or the Terminate sent instead; 0: none */
};

/* A chunk, or the end of a session. */
struct iw_stored_chunk {
    struct iw_item item;
    const struct iw_stored_session *session; /* NULL: not known, as the chunk was not judged */
    enum iw_session_state state;             /* state of the session after the chunk */
    uint16_t stream;                         /* SCTP stream identifier */
    uint16_t ssn_expected;                   /* DDP-SSN expected when the chunk arrived */
    bool ssn_unexpected;                     /* the DDP-SSN of the chunk differs from `ssn_expected` */
    bool limited; /* of an end: missing chunks of the session were given up at a limit */
    uint64_t key; /* its key in the map */
    const struct iw_stored_chunk *next; /* of an end: the next end in the frame */
};

/* The flow of all SCTP items; it has no TCP connection and no ULP. */
extern const struct iw_stored_flow iw_sctp_flow;

/* Initialises the item of a chunk: no frame, no results of a monitor. */
void iw_sctp_stream_item(struct iw_item *item, uint32_t length, uint32_t captured);

/* Judges the next SCTP packet; `tvb` begins with the SCTP common header. Call this function only on the first
 * pass. */
void iw_sctp_stream_packet(packet_info *pinfo, tvbuff_t *tvb);

/* Return the stored chunk with this TSN, or the fragmented user data, in this frame; or NULL. They may change
 * until the last frame was processed. */
const struct iw_stored_chunk *iw_sctp_stream_chunk(uint32_t frame, uint32_t tsn);
const struct iw_stored_chunk *iw_sctp_stream_fragmented(uint32_t frame);

/* Returns the first end of a session in this frame with something to show, or NULL. */
const struct iw_stored_chunk *iw_sctp_stream_ends(uint32_t frame);

/* Call this function after the last frame. Judges the chunks that still wait for missing chunks. */
void iw_sctp_stream_finish(void);

/* Call this function when the file is closed. Frees what Wireshark's file scope does not hold. */
void iw_sctp_stream_close(void);

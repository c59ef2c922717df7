#ifndef IW_SCTP_STREAM_H
#define IW_SCTP_STREAM_H

#include "iw_epan.h"

#include "iw_frame_store.h"

/* DDP over SCTP: a DDP Stream is the two SCTP streams of one identifier, and DDP Stream Sessions follow one
 * another on it (RFC 5043 6 and 8). On the first pass its chunks are put in the order of their DDP-SSN, which
 * is not the order in which unordered chunks arrive, and what they mean to one another is stored as plain
 * values. */

enum iw_session_state {
    IW_SESSION_UNSEEN, /* its Initiate is not in the capture */
    IW_SESSION_INITIATED,
    IW_SESSION_ACCEPTED,
    IW_SESSION_REJECTED,
    IW_SESSION_TERMINATED,
};

const char *iw_session_state_name(enum iw_session_state state); /* "accepted" */

/* A DDP Stream Session; that of each of its chunks. */
struct iw_stored_session {
    uint32_t number;         /* on its DDP Stream, from 1 */
    uint32_t initiate_frame; /* 0 if it was not seen */
    uint32_t answer_frame;   /* of the Accept, the Reject, or the Terminate that stands for one; 0 if there is
                                none */
};

/* One chunk. */
struct iw_stored_chunk {
    struct iw_item item;                     /* a DDP Segment's place among messages and operations */
    const struct iw_stored_session *session; /* NULL if it could not be put in its place */
    enum iw_session_state state;             /* of the session after it */
    uint16_t stream;                         /* SCTP stream identifier */
    uint16_t ssn_expected;                   /* when it came */
    bool ssn_odd;                            /* and it has another */
};

/* What the items of SCTP belong to: no TCP connection, and nothing known of what is above. */
extern const struct iw_stored_flow iw_sctp_flow;

/* A chunk as it comes. */
struct iw_sctp_input {
    uint16_t stream;
    bool control; /* a DDP Stream Session Control chunk, otherwise a DDP Segment Chunk */
    const uint8_t *octets;
    uint32_t captured; /* of its user data, at `octets` */
    uint32_t length;   /* of its user data */
};

/* Takes the next chunk of the association that the frame belongs to. Returns what is stored about it, in file
 * scope; it may still be filled in until the last frame of the file has been seen. */
const struct iw_stored_chunk *iw_sctp_stream_take(packet_info *pinfo, const struct iw_sctp_input *input);

/* All frames of the file have been seen: what waits for missing chunks is followed without them. */
void iw_sctp_stream_finish(void);

/* The file is closed: releases everything that is not in file scope. */
void iw_sctp_stream_close(void);

#endif

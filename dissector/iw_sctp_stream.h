#ifndef IW_SCTP_STREAM_H
#define IW_SCTP_STREAM_H

#include "iw_epan.h"

#include "iw_frame_store.h"

/* DDP over SCTP: on the first pass each SCTP packet goes to the same readers and judges that `warpcheck
 * check` has (iw_sctp_table.h, iw_sctp_monitor.h), and what they say about its chunks is stored as plain
 * values. */

/* A DDP Stream Session; that of each of its chunks. */
struct iw_stored_session {
    uint32_t number;         /* on its DDP Stream, from 1 */
    uint32_t initiate_frame; /* 0 if it was not seen */
    uint32_t answer_frame;   /* of the Accept, the Reject, or the Terminate that stands for one; 0 if there is
                                none */
};

/* One chunk, or the end of a session. */
struct iw_stored_chunk {
    struct iw_item item;
    const struct iw_stored_session *session; /* NULL if it could not be put in its place */
    enum iw_session_state state;             /* of the session after it */
    uint16_t stream;                         /* SCTP stream identifier */
    uint16_t ssn_expected;                   /* when it came */
    bool ssn_odd;                            /* and it has another */
    bool limited; /* an end: chunks of the session were too much for a limit, and not waited for */
    uint64_t key; /* of the table that it stands in */
    const struct iw_stored_chunk *next; /* an end: the next of those in the frame */
};

/* What the items of SCTP belong to: no TCP connection, and nothing known of what is above. */
extern const struct iw_stored_flow iw_sctp_flow;

/* Takes the next SCTP packet, which `tvb` is from its common header on. First pass only. */
void iw_sctp_stream_packet(packet_info *pinfo, tvbuff_t *tvb);

/* What is stored about the chunk with that TSN, or about user data that were fragmented, in this frame; NULL
 * for nothing. It may still be filled in until the last frame of the file has been seen. */
const struct iw_stored_chunk *iw_sctp_stream_chunk(uint32_t frame, uint32_t tsn);
const struct iw_stored_chunk *iw_sctp_stream_fragmented(uint32_t frame);

/* The first of the sessions that end with this frame and leave something to say about it, or NULL. */
const struct iw_stored_chunk *iw_sctp_stream_ends(uint32_t frame);

/* All frames of the file have been seen: what waits for missing chunks is followed without them. */
void iw_sctp_stream_finish(void);

/* The file is closed: releases everything that is not in the file's memory. */
void iw_sctp_stream_close(void);

#endif

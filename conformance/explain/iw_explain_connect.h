#pragma once

#include "iw_check.h"
#include "iw_diagnosis.h"

/* Connects that TCP did not accept, or on which the opener sent nothing, at an address and port that accepts
 * iWARP in the same capture: without startup frames, only that shows that they are for iWARP. In bounded
 * memory. */

enum { IW_EXPLAIN_LISTENERS = 256, IW_EXPLAIN_CONNECTS = 256 }; /* of a capture; further ones are ignored */

/* An address and port at which a responder accepted. */
struct iw_explain_listener {
    struct iw_tcp_address address;
    uint64_t stream, frame; /* the first connection that it accepted, and where that begins */
};

enum iw_explain_connect_outcome {
    IW_EXPLAIN_CONNECT_UNANSWERED,
    IW_EXPLAIN_CONNECT_REFUSED, /* by a RST */
    IW_EXPLAIN_CONNECT_UNUSED,  /* accepted, and closed by that side after a wait without any octets */
    IW_EXPLAIN_CONNECT_OUTCOMES,
};

/* Failed connects to one address and port with the same outcome. */
struct iw_explain_connect {
    struct iw_tcp_address from, to; /* of the first */
    uint64_t frame;                 /* the SYN of the first */
    uint64_t end_frame; /* the RST that answers it, or the end by that side; 0 if there was no answer */
    uint64_t waited_ns; /* UNUSED: its longest silence */
    uint64_t connections, syns;
    struct iw_tcp_rejection rejection; /* the ICMP errors about the SYNs of the first */
    enum iw_explain_connect_outcome outcome;
};

/* A zeroed struct is empty. */
struct iw_explain_connects {
    struct iw_explain_listener *listeners;
    struct iw_explain_connect *connects;
    size_t listener_count, connect_count;
    bool no_memory; /* memory ran out: something is missing */
};

/* Frees and empties `connects`. */
void iw_explain_connects_clear(struct iw_explain_connects *connects);

/* Takes a TCP connection or a session that has ended: as a listener if it is iWARP, or as a failed connect.
 */
void iw_explain_connects_accepted(struct iw_explain_connects *connects, const struct iw_check_stream *stream);
void iw_explain_connects_ended(struct iw_explain_connects *connects, const struct iw_check_stream *stream);

/* Fills in why the connect failed. Returns false if nothing shows that it was for iWARP. */
bool iw_explain_connect_diagnose(const struct iw_explain_connects *connects,
    const struct iw_explain_connect *connect, const struct iw_check_chain *chain,
    struct iw_diagnosed *diagnosed);

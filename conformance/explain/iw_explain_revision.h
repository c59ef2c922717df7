#pragma once

#include "iw_explained.h"

/* Which revisions of MPA the responders of a capture accept: a connection that its responder closed without a
 * Reply does not show it. In bounded memory. */

enum { IW_EXPLAIN_REVISIONS = 256, IW_EXPLAIN_DEFERRED = 256 }; /* of a capture; further ones are ignored */

/* The first connection whose Request had this Rev: answered by the responder, or, for Rev 1, accepted from
 * this host. */
struct iw_explain_revision {
    struct iw_tcp_address initiator, responder;
    unsigned rev;
    uint64_t stream, frame; /* where it begins */
};

/* A zeroed struct is empty. */
struct iw_explain_revisions {
    struct iw_explain_revision *rows;
    size_t count;
    unsigned deferred; /* connections */
    bool no_memory;    /* memory ran out: something is missing */
};

/* Frees and empties `revisions`. */
void iw_explain_revisions_clear(struct iw_explain_revisions *revisions);

/* Takes a connection that has ended. */
void iw_explain_revisions_ended(struct iw_explain_revisions *revisions, const struct iw_check_stream *stream);

/* Sets `stream->deferred` if connections that end later may show why this one got no Reply. Returns whether
 * it has: false for a stream that was deferred before. */
bool iw_explain_revisions_defer(struct iw_explain_revisions *revisions, struct iw_check_stream *stream);

/* Adds to the facts of a connection what the others show of its responder. */
void iw_explain_revisions_add(const struct iw_explain_revisions *revisions, struct iw_explained *explained);

#pragma once

#include "iw_rpcrdma.h"
#include "iw_upper_state.h"

/* The parts of RPC-over-RDMA version 1. */

/* Details of a call. */
enum {
    RPC_VERSION,      /* rdma_vers; 0: not certain */
    RPC_WRITE_CHUNKS, /* number of them */
    RPC_REPLY_CHUNK,  /* whether it has one */
    RPC_SEGMENTS,     /* of the Write list and the Reply chunk */
    RPC_BUFFERS,      /* segments of all lists */
    RPC_LISTS_KEPT,   /* the buffers of the call are those of its lists */
    RPC_REPEATED, /* the lists kept may not be those of the reply: it was sent more than once, or is hidden */
    RPC_NAMED,    /* the members below are known (struct iw_rpc_procedure) */
    RPC_PROGRAM,
    RPC_PROGRAM_VERSION,
    RPC_PROCEDURE,
};

/* ---- iw_upper_rpc_private.c ---- */

/* Judges the length of a message by the private data of both sides. */
void iw_upper_rpc_judge_size(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header);

/* ---- iw_upper_rpc_call.c ---- */

void iw_upper_rpc_call(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header);

/* Takes a call whose chunk lists are not known: of another version than 1, or one that cannot be read. */
void iw_upper_rpc_hidden_call(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header);

/* Takes a call with two XIDs: its reply may have either. */
void iw_upper_rpc_doubtful_call(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header);

/* ---- iw_upper_rpc_reply.c ---- */

void iw_upper_rpc_reply(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header);

/* Takes a reply that the caller may discard, or take for that to another call: the call with its XID, or all
 * open calls without one, may be answered. */
void iw_upper_rpc_unclear_reply(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header);

/* Takes an RDMA_ERROR of any version: all versions have its fixed fields (RFC 8166 4.2). */
void iw_upper_rpc_error(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header);

/* Whether a call of `caller` with this XID had a reply a short time ago. */
enum iw_upper_rpc_recent {
    IW_UPPER_RPC_UNKNOWN,
    IW_UPPER_RPC_ANSWERED,
    IW_UPPER_RPC_EARLY, /* the reply was captured before the call */
};
enum iw_upper_rpc_recent iw_upper_rpc_recent(const struct iw_upper *upper, enum iw_side caller, uint32_t xid);

/* The call of an early reply has come. */
void iw_upper_rpc_recent_called(struct iw_upper *upper, enum iw_side caller, uint32_t xid);

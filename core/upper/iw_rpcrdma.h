#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The header of RPC-over-RDMA version 1 (RFC 8166 4). */

enum iw_rpcrdma_proc {
    IW_RPCRDMA_MSG = 0,
    IW_RPCRDMA_NOMSG = 1,
    IW_RPCRDMA_MSGP = 2,
    IW_RPCRDMA_DONE = 3,
    IW_RPCRDMA_ERROR = 4,
};

enum iw_rpcrdma_list { IW_RPCRDMA_READ, IW_RPCRDMA_WRITE, IW_RPCRDMA_REPLY, IW_RPCRDMA_LISTS };

enum { IW_RPCRDMA_SEGMENTS_MAX = 64, IW_RPCRDMA_HEADER_MIN = 28 };

/* A segment of a chunk: registered memory. */
struct iw_rpcrdma_segment {
    uint8_t list;      /* enum iw_rpcrdma_list */
    uint32_t position; /* of a Read segment */
    uint32_t handle;   /* STag */
    uint32_t length;   /* octets */
    uint64_t offset;   /* TO */
};

struct iw_rpcrdma {
    uint32_t xid, vers, credit, proc;
    bool lists; /* the lists are complete: the members below are valid (MSG and NOMSG) */
    struct iw_rpcrdma_segment segments[IW_RPCRDMA_SEGMENTS_MAX]; /* in the order of the header */
    unsigned segment_count;
    unsigned count[IW_RPCRDMA_LISTS]; /* segments of each list, stored or not */
    unsigned write_chunks;
    bool reply_chunk;
    size_t body; /* octets of the header with its lists */
    bool rpc;    /* MSG: XID and msg_type of the RPC message were captured */
    uint32_t rpc_xid;
    uint32_t rpc_type; /* 0 CALL, 1 REPLY */
    bool error;        /* ERROR: `err` was captured; with ERR_VERS (1) `low` and `high` too */
    uint32_t err, low, high;
};

enum { IW_RPCRDMA_ERR_VERS = 1, IW_RPCRDMA_ERR_CHUNK = 2 };

/* Decodes a message whose first `octets` octets are at `data`. Returns false if the fixed header of 16 octets
 * is incomplete. `lists` stays false if a list is incomplete, wrong, or has more than IW_RPCRDMA_SEGMENTS_MAX
 * segments together with the others. */
bool iw_rpcrdma_decode(const uint8_t *data, size_t octets, struct iw_rpcrdma *header);

/* Whether the message of `octets` octets, of which the first `captured` are at `data`, is one of version 1:
 * its lists are complete, and the RPC message after them has its XID. Sets the fixed header in *header; of
 * MSG, MSGP and NOMSG also `count`, `write_chunks`, `reply_chunk` and `body`; of MSG and MSGP also `rpc_xid`
 * and `rpc_type`. Unlike iw_rpcrdma_decode, it accepts any number of segments. */
bool iw_rpcrdma_is_message(const uint8_t *data, size_t captured, uint64_t octets, struct iw_rpcrdma *header);

/* Which procedure an RPC call names (RFC 5531 9). */
struct iw_rpc_procedure {
    uint32_t program, version, number;
};

/* Decodes the RPC call at `data`. Returns false if it is incomplete, or not of RPC version 2. */
bool iw_rpc_procedure_decode(const uint8_t *data, size_t octets, struct iw_rpc_procedure *procedure);

/* Returns what the RPC call at `data` does, such as "NFS READ": a string that lives for ever. */
const char *iw_rpcrdma_operation(const uint8_t *data, size_t octets);

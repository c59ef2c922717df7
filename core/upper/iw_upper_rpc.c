#include "iw_upper_rpc.h"

#include <inttypes.h>
#include <stdio.h>

/* RPC-over-RDMA version 1 (RFC 8166), both directions (RFC 8167): which message is a call, a reply or an
 * error. */

/* RDMA_NOMSG with a Read chunk of position 0 is a Long Call; with an empty Read list, a Long Reply. */
static void rpc_take_nomsg(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    bool call = false;

    for (unsigned i = 0; i < header->segment_count; i++)
        call |= header->segments[i].list == IW_RPCRDMA_READ && header->segments[i].position == 0;
    if (send->octets > header->body)
        iw_upper_report(upper, IW_UPPER_RFC8166_4_2_4_02, 0, "no octets", "",
            "%" PRIu64 " octets after the chunk lists of RDMA_NOMSG", send->octets - header->body);
    if (call) {
        iw_upper_rpc_call(upper, send, header);
    } else if (header->count[IW_RPCRDMA_READ] == 0 && header->reply_chunk) {
        iw_upper_rpc_reply(upper, send, header);
    } else {
        iw_upper_report(upper, IW_UPPER_RFC8166_4_2_4_02, 0, "", "",
            "RDMA_NOMSG has %s Read chunk of position 0%s",
            header->count[IW_RPCRDMA_READ] > 0 ? "Read chunks, but no" : "no",
            header->reply_chunk ? "" : ", and no Reply chunk");
        upper->lost = true; /* a call or a reply */
    }
}

static void rpc_take_msg(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    char expected[32], actual[32];

    if (header->rpc_xid != header->xid) {
        snprintf(expected, sizeof expected, "0x%08" PRIx32, header->rpc_xid);
        snprintf(actual, sizeof actual, "0x%08" PRIx32, header->xid);
        iw_upper_report(upper, IW_UPPER_RFC8166_4_2_1_01, 0, expected, actual,
            "rdma_xid is 0x%08" PRIx32 ", but the XID of the RPC message is 0x%08" PRIx32, header->xid,
            header->rpc_xid);
        upper->lost = true; /* to which call it belongs is not clear */
        return;
    }
    if (header->rpc_type == 0)
        iw_upper_rpc_call(upper, send, header);
    else
        iw_upper_rpc_reply(upper, send, header);
}

/* A call of another version asks whether the other side knows it: legal, and ERR_VERS is the answer (RFC 8166
 * 4.5.1). All versions have the four fixed fields in common (4.2). */
static void rpc_take_other_version(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    const struct iw_upper_call *call = iw_upper_call_find(upper, iw_side_other(send->side), header->xid);

    if (header->proc == IW_RPCRDMA_ERROR) {
        iw_upper_rpc_error(upper, send, header);
        return;
    }
    if (call == NULL) {
        iw_upper_rpc_call_of_version(upper, send, header);
        return;
    }
    upper->lost = true; /* both sides know the version */
    if (call->detail[RPC_VERSION] == 1 && header->rpc && header->rpc_type == 1 &&
        header->rpc_xid == header->xid)
        iw_upper_report(upper, IW_UPPER_RFC8166_4_2_2_01, call->frame, "1", "",
            "rdma_vers of the reply is %" PRIu32 ", expected 1", header->vers);
}

void iw_upper_send_rpc(struct iw_upper *upper, const struct iw_upper_send *send) {
    struct iw_rpcrdma header;

    if (!iw_rpcrdma_decode(send->data, (size_t)send->captured, &header)) {
        upper->lost = true;
        return;
    }
    iw_upper_rpc_judge_size(upper, send, &header);
    if (header.vers != 1)
        rpc_take_other_version(upper, send, &header);
    else if (header.proc == IW_RPCRDMA_MSGP || header.proc == IW_RPCRDMA_DONE) {
        iw_upper_report(upper, IW_UPPER_RFC8166_4_6_01, 0, "RDMA_MSG, RDMA_NOMSG or RDMA_ERROR",
            header.proc == IW_RPCRDMA_MSGP ? "RDMA_MSGP" : "RDMA_DONE", "rdma_proc is %" PRIu32 " (%s)",
            header.proc, header.proc == IW_RPCRDMA_MSGP ? "RDMA_MSGP" : "RDMA_DONE");
        upper->lost |= header.proc == IW_RPCRDMA_MSGP;
    } else if (header.proc == IW_RPCRDMA_ERROR)
        iw_upper_rpc_error(upper, send, &header);
    else if (header.lists && header.proc == IW_RPCRDMA_NOMSG)
        rpc_take_nomsg(upper, send, &header);
    else if (header.lists && header.rpc)
        rpc_take_msg(upper, send, &header);
    else
        upper->lost = true;
}

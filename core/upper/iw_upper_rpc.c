#include "iw_upper_rpc.h"

#include <inttypes.h>
#include <stdio.h>

/* RPC-over-RDMA version 1 (RFC 8166), both directions (RFC 8167): which message is a call, a reply or an
 * error. */

/* ---- messages that cannot be read as a whole ---- */

static bool rpc_has_open_calls(const struct iw_upper *upper, enum iw_side caller) {
    for (uint32_t i = 0; i < upper->call_count; i++)
        if (upper->calls[i].caller == caller)
            return true;
    return false;
}

/* A message whose lists or procedure cannot be read. Its sender asks, unless it may owe a reply: then it is a
 * call whose chunks are not known, until RDMA_ERROR or a reply answers it. If the sender never asked, it is a
 * reply, and the caller discards it (RFC 8166 4.5). */
static void rpc_take_unclear(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    enum iw_side other = iw_side_other(send->side);

    if (send->received > upper->reached[other])
        upper->lost = true; /* a call that it answers may be captured later */
    else if (!rpc_has_open_calls(upper, other))
        iw_upper_rpc_hidden_call(upper, send, header);
    else if (upper->counts.calls[send->side] == 0)
        iw_upper_rpc_unclear_reply(upper, send, header);
    else
        upper->lost = true;
}

/* ---- procedures ---- */

/* RDMA_NOMSG without a Read chunk of position 0 and without a Reply chunk: nothing holds the RPC message. */
static void rpc_take_nomsg_without_message(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    const struct iw_upper_call *asked = iw_upper_call_find(upper, iw_side_other(send->side), header->xid);
    bool reads = header->count[IW_RPCRDMA_READ] > 0; /* of a call: a reply has none (RFC 8166 4.3.1) */

    iw_upper_report(upper, IW_UPPER_RFC8166_4_2_4_02, 0, "", "",
        "RDMA_NOMSG has %s Read chunk of position 0%s", reads ? "Read chunks, but no" : "no",
        header->reply_chunk ? "" : ", and no Reply chunk");
    if (reads)
        iw_upper_rpc_call(upper, send, header);
    else if (asked != NULL)
        iw_upper_rpc_reply(upper, send, header);
    else
        rpc_take_unclear(upper, send, header);
}

/* RDMA_NOMSG with a Read chunk of position 0 is a Long Call; with an empty Read list, a Long Reply. */
static void rpc_take_nomsg(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    bool call = false;

    for (unsigned i = 0; i < header->segment_count; i++)
        call |= header->segments[i].list == IW_RPCRDMA_READ && header->segments[i].position == 0;
    if (send->octets > header->body)
        iw_upper_report(upper, IW_UPPER_RFC8166_4_2_4_02, 0, "no octets", "",
            "%" PRIu64 " octets after the chunk lists of RDMA_NOMSG", send->octets - header->body);
    if (call)
        iw_upper_rpc_call(upper, send, header);
    else if (header->count[IW_RPCRDMA_READ] == 0 && header->reply_chunk)
        iw_upper_rpc_reply(upper, send, header);
    else
        rpc_take_nomsg_without_message(upper, send, header);
}

/* To which call the message belongs is not clear: the receiver may go by either XID (RFC 8166 4.2.1). */
static void rpc_take_two_xids(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    char expected[32], actual[32];

    snprintf(expected, sizeof expected, "0x%08" PRIx32, header->rpc_xid);
    snprintf(actual, sizeof actual, "0x%08" PRIx32, header->xid);
    iw_upper_report(upper, IW_UPPER_RFC8166_4_2_1_01, 0, expected, actual,
        "rdma_xid is 0x%08" PRIx32 ", but the XID of the RPC message is 0x%08" PRIx32, header->xid,
        header->rpc_xid);
    if (header->rpc_type == 0)
        iw_upper_rpc_doubtful_call(upper, send, header);
    else
        iw_upper_rpc_unclear_reply(upper, send, header);
}

static void rpc_take_msg(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    if (header->rpc_xid != header->xid)
        rpc_take_two_xids(upper, send, header);
    else if (header->rpc_type == 0)
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
        iw_upper_rpc_hidden_call(upper, send, header);
        return;
    }
    if (call->detail[RPC_VERSION] != 1) {
        upper->lost = true; /* both sides know the version */
        return;
    }
    if (header->rpc && header->rpc_type == 1 && header->rpc_xid == header->xid)
        iw_upper_report(upper, IW_UPPER_RFC8166_4_2_2_01, call->frame, "1", "",
            "rdma_vers of the reply is %" PRIu32 ", expected 1", header->vers);
    rpc_take_unclear(upper, send, header);
}

/* Reports a procedure that version 1 does not use. */
static void rpc_judge_procedure(struct iw_upper *upper, const struct iw_rpcrdma *header) {
    const char *name = header->proc == IW_RPCRDMA_MSGP ? "RDMA_MSGP" : "RDMA_DONE";

    if (header->proc > IW_RPCRDMA_ERROR)
        iw_upper_report(upper, IW_UPPER_RFC8166_4_2_4_03, 0, "0 to 4", "",
            "rdma_proc is %" PRIu32 ", which is no procedure of version 1", header->proc);
    else if (header->proc == IW_RPCRDMA_MSGP || header->proc == IW_RPCRDMA_DONE)
        iw_upper_report(upper, IW_UPPER_RFC8166_4_6_01, 0, "RDMA_MSG, RDMA_NOMSG or RDMA_ERROR", name,
            "rdma_proc is %" PRIu32 " (%s)", header->proc, name);
}

void iw_upper_send_rpc(struct iw_upper *upper, const struct iw_upper_send *send) {
    struct iw_rpcrdma header;

    if (!iw_rpcrdma_decode(send->data, (size_t)send->captured, &header)) {
        upper->lost |=
            send->captured < send->octets; /* a receiver discards a shorter message (RFC 8166 4.5) */
        return;
    }
    iw_upper_rpc_judge_size(upper, send, &header);
    if (header.vers != 1) {
        rpc_take_other_version(upper, send, &header);
        return;
    }
    rpc_judge_procedure(upper, &header);
    if (header.proc == IW_RPCRDMA_ERROR)
        iw_upper_rpc_error(upper, send, &header);
    else if (header.lists && header.proc == IW_RPCRDMA_NOMSG)
        rpc_take_nomsg(upper, send, &header);
    else if (header.lists && header.rpc)
        rpc_take_msg(upper, send, &header);
    else if (header.proc != IW_RPCRDMA_DONE) /* which a receiver discards (RFC 8166 4.6.2) */
        rpc_take_unclear(upper, send, &header);
}

#include <inttypes.h>
#include <stdio.h>

#include "iw_upper_rpc.h"

/* Calls of RPC-over-RDMA, and the credits that they need. */

/* ---- rules ---- */

static void rpc_judge_credits(struct iw_upper *upper, const struct iw_upper_send *send) {
    const struct iw_upper_grants *grants = &upper->grants[send->side];
    uint32_t open = iw_upper_calls_of(upper, send->side);
    char expected[48], actual[48];

    if (!iw_upper_all_messages_seen(upper))
        return;
    snprintf(actual, sizeof actual, "%" PRIu32 " calls", open);
    if (grants->replies == 0) {
        if (open > 1)
            iw_upper_report_later(upper, IW_UPPER_RFC8166_3_3_3_01, 0, send->received,
                (struct iw_upper_refuter){IW_UPPER_BY_ANY_REPLY, 0}, "1 call", actual,
                "%" PRIu32 " calls before the first reply; one credit until then", open);
        return;
    }
    if (open <= grants->largest)
        return;
    snprintf(expected, sizeof expected, "at most %" PRIu32 " call%s", grants->largest,
        grants->largest == 1 ? "" : "s");
    iw_upper_report_later(upper, IW_UPPER_RFC8166_3_3_1_01, 0, send->received,
        (struct iw_upper_refuter){IW_UPPER_BY_ANY_REPLY, 0}, expected, actual,
        "%" PRIu32 " calls without a reply, but at most %" PRIu32 " credit%s granted", open, grants->largest,
        grants->largest == 1 ? " was" : "s were");
}

static void rpc_judge_positions(struct iw_upper *upper, const struct iw_rpcrdma *header) {
    for (unsigned i = 0; i < header->segment_count; i++) {
        const struct iw_rpcrdma_segment *segment = &header->segments[i];

        if (segment->list != IW_RPCRDMA_READ)
            continue;
        if (segment->position % 4 != 0)
            iw_upper_report(upper, IW_UPPER_RFC8166_3_4_5_01, 0, "a multiple of 4", "",
                "position %" PRIu32 " of a Read chunk is no multiple of 4", segment->position);
        else if (segment->position == 0 && header->proc == IW_RPCRDMA_MSG)
            iw_upper_report(upper, IW_UPPER_RFC8166_3_4_5_01, 0, "RDMA_NOMSG", "RDMA_MSG",
                "position 0 of a Read chunk in RDMA_MSG, which has the RPC message itself");
    }
}

/* ---- buffers ---- */

static bool rpc_is_same_chunk(const struct iw_rpcrdma_segment *a, const struct iw_rpcrdma_segment *b) {
    return a->list == b->list && a->position == b->position;
}

/* Adds the segments of all lists as buffers of the sender. Returns false if one was not kept. */
static bool rpc_add_buffers(struct iw_upper *upper, const struct iw_upper_send *send,
    const struct iw_upper_call *call, const struct iw_rpcrdma *header) {
    uint32_t place[IW_RPCRDMA_LISTS] = {0};
    bool kept = true;

    for (unsigned i = 0; i < header->segment_count; i++) {
        const struct iw_rpcrdma_segment *segment = &header->segments[i];
        struct iw_upper_buffer buffer = {.stag = segment->handle,
            .to = segment->offset,
            .length = segment->length,
            .list = segment->list,
            .rpc_message = segment->list == IW_RPCRDMA_REPLY ||
                           (segment->list == IW_RPCRDMA_READ && segment->position == 0),
            .place = place[segment->list]++,
            .access = segment->list == IW_RPCRDMA_READ ? IW_UPPER_ACCESS_READ : IW_UPPER_ACCESS_WRITE};

        for (unsigned k = 0; k < header->segment_count; k++)
            if (rpc_is_same_chunk(segment, &header->segments[k])) {
                buffer.at += k < i ? header->segments[k].length : 0;
                buffer.whole += header->segments[k].length;
            }
        buffer.rpc_message &= buffer.at == 0; /* in the first segment */
        kept &= iw_upper_buffer_add(upper, send, call, &buffer) != NULL;
    }
    return kept;
}

/* ---- which call ---- */

static bool rpc_procedure(
    const struct iw_upper_send *send, const struct iw_rpcrdma *header, struct iw_rpc_procedure *procedure) {
    return header->rpc && iw_rpc_procedure_decode(
                              send->data + header->body, (size_t)send->captured - header->body, procedure);
}

static void rpc_note_call(
    struct iw_upper_call *call, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    struct iw_rpc_procedure procedure;

    call->detail[RPC_VERSION] = header->vers;
    call->detail[RPC_WRITE_CHUNKS] = header->write_chunks;
    call->detail[RPC_REPLY_CHUNK] = header->reply_chunk;
    call->detail[RPC_SEGMENTS] = header->count[IW_RPCRDMA_WRITE] + header->count[IW_RPCRDMA_REPLY];
    call->detail[RPC_BUFFERS] = header->segment_count;
    if (!rpc_procedure(send, header, &procedure))
        return;
    call->detail[RPC_NAMED] = true;
    call->detail[RPC_PROGRAM] = procedure.program;
    call->detail[RPC_PROGRAM_VERSION] = procedure.version;
    call->detail[RPC_PROCEDURE] = procedure.number;
}

/* Whether the message is certainly another call. A call that is sent again has the same procedure, but may
 * have other credentials and other chunks, up to a Long Call, which hides the procedure. */
static bool rpc_is_another(
    const struct iw_upper_call *call, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    struct iw_rpc_procedure procedure;

    return call->detail[RPC_NAMED] && rpc_procedure(send, header, &procedure) &&
           (call->detail[RPC_PROGRAM] != procedure.program ||
               call->detail[RPC_PROGRAM_VERSION] != procedure.version ||
               call->detail[RPC_PROCEDURE] != procedure.number);
}

/* ---- calls ---- */

/* A caller may send a call again with the same XID, which is no new call (RFC 8167 5.4). Each message may
 * have its own chunks and its own reply. */
static void rpc_take_repeated(struct iw_upper *upper, const struct iw_upper_send *send,
    struct iw_upper_call *call, const struct iw_rpcrdma *header) {
    if (rpc_is_another(call, send, header) && iw_upper_all_messages_seen(upper))
        iw_upper_report_later(upper, IW_UPPER_RFC8167_2_4_01, call->frame, send->received,
            (struct iw_upper_refuter){IW_UPPER_BY_REPLY, header->xid}, "", "",
            "XID 0x%08" PRIx32 " of the call in frame %" PRIu64 ", which has no reply, in another call",
            header->xid, call->frame);
    if (call->detail[RPC_VERSION] != header->vers)
        call->detail[RPC_VERSION] = 0;
    call->detail[RPC_REPEATED] = true;
    rpc_add_buffers(upper, send, call, header);
    iw_upper_call_detach(upper, call);
}

static void rpc_take_new(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header, bool hidden) {
    const char *operation =
        header->rpc ? iw_rpcrdma_operation(send->data + header->body, (size_t)send->captured - header->body)
                    : "RPC call";
    enum iw_upper_rpc_recent recent = iw_upper_rpc_recent(upper, send->side, header->xid);
    struct iw_upper_call *call = iw_upper_call_add(upper, send, header->xid, operation);
    bool kept = hidden || rpc_add_buffers(upper, send, call, header);

    if (call == NULL)
        return;
    rpc_note_call(call, send, header);
    call->detail[RPC_LISTS_KEPT] = kept;
    if (recent == IW_UPPER_RPC_ANSWERED) { /* a reply may answer an earlier message */
        call->may_be_answered = true;
        call->detail[RPC_REPEATED] = true;
        iw_upper_call_detach(upper, call);
    }
    if (hidden) {
        call->hidden = true;
        call->detail[RPC_REPEATED] = true; /* its lists are not known */
        upper->hidden++;
    }
    if (recent == IW_UPPER_RPC_EARLY) {
        iw_upper_rpc_recent_called(upper, send->side, header->xid);
        upper->counts.replies[send->side]++;
        iw_upper_call_drop(upper, call);
    } else if (recent == IW_UPPER_RPC_UNKNOWN && !hidden) {
        rpc_judge_credits(upper, send);
    }
}

void iw_upper_rpc_call(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    struct iw_upper_call *call = iw_upper_call_find(upper, send->side, header->xid);

    iw_upper_refute(upper, send->side, send->end, IW_UPPER_BY_CALL, header->xid);
    rpc_judge_positions(upper, header);
    if (call != NULL)
        rpc_take_repeated(upper, send, call, header);
    else
        rpc_take_new(upper, send, header, false);
    if (send->invalidates && upper->private_data[send->side].rpc)
        iw_upper_report(upper, IW_UPPER_RFC8797_4_1_03, 0, "a Send without Invalidate", "",
            "a call invalidates STag 0x%08" PRIx32, send->stag);
}

void iw_upper_rpc_doubtful_call(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    struct iw_upper_call *call;

    iw_upper_rpc_call(upper, send, header);
    call = iw_upper_call_find(upper, send->side, header->xid);
    if (call == NULL)
        return;
    call->may_be_answered = true;
    call->detail[RPC_REPEATED] = true;
    iw_upper_call_detach(upper, call);
}

void iw_upper_rpc_hidden_call(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    const struct iw_rpcrdma fixed = {.xid = header->xid, .vers = header->vers, .credit = header->credit};
    struct iw_upper_call *call = iw_upper_call_find(upper, send->side, header->xid);

    iw_upper_refute(upper, send->side, send->end, IW_UPPER_BY_CALL, header->xid);
    if (call == NULL) {
        rpc_take_new(upper, send, &fixed, true);
        return;
    }
    if (call->detail[RPC_VERSION] != header->vers)
        call->detail[RPC_VERSION] = 0;
    call->detail[RPC_REPEATED] = true;
    upper->lost |= !call->hidden;
}

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "iw_upper_rpc.h"

/* Replies of RPC-over-RDMA, and what they answer. */

/* ---- credits ---- */

/* RDMA_ERROR grants credits like every message of a responder (RFC 8166 3.3.1). One call is always allowed
 * (3.3.3), so a grant of 0 changes nothing. */
static void rpc_take_grant(struct iw_upper *upper, enum iw_side caller, uint32_t credit) {
    struct iw_upper_grants *grants = &upper->grants[caller];

    grants->replies++;
    if (credit == 0)
        credit = grants->latest > 0 ? grants->latest : 1;
    grants->latest = credit;
    if (credit > grants->largest)
        grants->largest = credit;
}

/* ---- recent replies ---- */

static void rpc_recent_add(struct iw_upper *upper, enum iw_side caller, uint32_t xid, bool early) {
    struct iw_upper_recent *recent = upper->recent[caller];

    if (recent == NULL) {
        recent = upper->recent[caller] = calloc(1, sizeof *recent);
        if (recent == NULL) {
            iw_upper_set_no_memory(upper);
            return;
        }
    }
    if (recent->count < IW_UPPER_RECENT_MAX)
        recent->count++;
    else if (recent->replies[recent->next].early)
        upper->lost = true; /* its call will look unanswered */
    recent->replies[recent->next].xid = xid;
    recent->replies[recent->next].early = early;
    recent->next = (recent->next + 1) % IW_UPPER_RECENT_MAX;
}

enum iw_upper_rpc_recent iw_upper_rpc_recent(
    const struct iw_upper *upper, enum iw_side caller, uint32_t xid) {
    const struct iw_upper_recent *recent = upper->recent[caller];

    for (unsigned i = 0; recent != NULL && i < recent->count; i++)
        if (recent->replies[i].xid == xid)
            return recent->replies[i].early ? IW_UPPER_RPC_EARLY : IW_UPPER_RPC_ANSWERED;
    return IW_UPPER_RPC_UNKNOWN;
}

void iw_upper_rpc_recent_called(struct iw_upper *upper, enum iw_side caller, uint32_t xid) {
    struct iw_upper_recent *recent = upper->recent[caller];

    for (unsigned i = 0; recent != NULL && i < recent->count; i++)
        if (recent->replies[i].xid == xid)
            recent->replies[i].early = false;
}

static void rpc_refute(struct iw_upper *upper, const struct iw_upper_send *send, uint32_t xid) {
    iw_upper_refute(upper, send->side, send->end, IW_UPPER_BY_REPLY, xid);
    iw_upper_refute(upper, send->side, send->end, IW_UPPER_BY_ANY_REPLY, 0);
}

/* Ends the call. Without one, the reply may answer a call sent twice, or one that is captured later. */
static void rpc_take_answer(
    struct iw_upper *upper, const struct iw_upper_send *send, uint32_t xid, struct iw_upper_call *call) {
    enum iw_side caller = iw_side_other(send->side);

    if (call != NULL) {
        iw_upper_call_end(upper, call);
        rpc_recent_add(upper, caller, xid, false);
    } else if (send->received > upper->reached[caller] &&
               iw_upper_rpc_recent(upper, caller, xid) == IW_UPPER_RPC_UNKNOWN) {
        rpc_recent_add(upper, caller, xid, true);
    }
}

/* ---- remote invalidation ---- */

static void rpc_judge_stag(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_upper_call *call) {
    uint32_t kept = 0;

    for (uint32_t i = 0; i < upper->buffer_count; i++)
        if (upper->buffers[i].number == call->number) {
            if (upper->buffers[i].stag == send->stag)
                return;
            kept++;
        }
    if (kept == call->detail[RPC_BUFFERS])
        iw_upper_report(upper, IW_UPPER_RFC8797_4_1_02, call->frame, "an STag of the call's chunk lists", "",
            "a reply invalidates STag 0x%08" PRIx32 ", which its call in frame %" PRIu64 " does not name",
            send->stag, call->frame);
}

/* RFC 8797 concerns a sender that uses its private data; another may know of the receiver by other means. */
static void rpc_judge_invalidation(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_upper_call *call) {
    const struct iw_upper_private *own = &upper->private_data[send->side];
    const struct iw_upper_private *peer = &upper->private_data[iw_side_other(send->side)];

    if (!send->invalidates || !own->rpc)
        return;
    if (peer->seen && !peer->rpc_other && !(own->invalidate && peer->invalidate))
        iw_upper_report(upper, IW_UPPER_RFC8797_4_1_01, own->invalidate ? peer->frame : own->frame,
            "a Send without Invalidate", "Send with Invalidate",
            "a reply invalidates STag 0x%08" PRIx32 ", but R is 0 in the private data of %s", send->stag,
            own->invalidate    ? "the requester"
            : peer->invalidate ? "the responder"
                               : "both sides");
    if (call != NULL && call->detail[RPC_LISTS_KEPT] && !call->detail[RPC_REPEATED])
        rpc_judge_stag(upper, send, call);
}

/* ---- chunk lists ---- */

static void rpc_judge_segment(struct iw_upper *upper, const struct iw_upper_call *call,
    const struct iw_rpcrdma_segment *segment, uint32_t place) {
    const struct iw_upper_buffer *buffer = iw_upper_buffer_of(upper, call, segment->list, place);
    char expected[96], actual[96];

    if (buffer == NULL)
        return;
    snprintf(actual, sizeof actual, "handle 0x%08" PRIx32 ", offset 0x%" PRIx64 ", length %" PRIu32,
        segment->handle, segment->offset, segment->length);
    snprintf(expected, sizeof expected, "handle 0x%08" PRIx32 ", offset 0x%" PRIx64 ", length up to %" PRIu64,
        buffer->stag, buffer->to, buffer->length);
    if (segment->handle != buffer->stag || segment->offset != buffer->to || segment->length > buffer->length)
        iw_upper_report(upper, IW_UPPER_RFC8166_3_4_6_03, call->frame, expected, actual,
            "segment %" PRIu32 " of the %s is not that of the call in frame %" PRIu64, place + 1,
            segment->list == IW_RPCRDMA_WRITE ? "Write list" : "Reply chunk", call->frame);
    else if (segment->length > buffer->done && !buffer->shared && iw_upper_all_seen(upper))
        iw_upper_report(upper, IW_UPPER_RFC8166_3_4_6_04, call->frame, "", "",
            "the reply states %" PRIu32 " octets in STag 0x%08" PRIx32 ", but %" PRIu64 " were written",
            segment->length, segment->handle, buffer->done);
}

static void rpc_judge_lists(
    struct iw_upper *upper, const struct iw_upper_call *call, const struct iw_rpcrdma *header) {
    uint32_t place[IW_RPCRDMA_LISTS] = {0};
    unsigned segments = header->count[IW_RPCRDMA_WRITE] + header->count[IW_RPCRDMA_REPLY];
    char expected[96], actual[96];

    if (header->proc == IW_RPCRDMA_NOMSG && !call->detail[RPC_REPLY_CHUNK])
        iw_upper_report(upper, IW_UPPER_RFC8166_3_5_3_01, call->frame, "RDMA_MSG", "RDMA_NOMSG",
            "Long Reply, but the call in frame %" PRIu64 " has no Reply chunk", call->frame);
    if (!call->detail[RPC_LISTS_KEPT])
        return;
    snprintf(expected, sizeof expected, "%" PRIu32 " Write chunks, %s Reply chunk, %" PRIu32 " segments",
        call->detail[RPC_WRITE_CHUNKS], call->detail[RPC_REPLY_CHUNK] ? "a" : "no",
        call->detail[RPC_SEGMENTS]);
    snprintf(actual, sizeof actual, "%u Write chunks, %s Reply chunk, %u segments", header->write_chunks,
        header->reply_chunk ? "a" : "no", segments);
    if (header->write_chunks != call->detail[RPC_WRITE_CHUNKS] ||
        header->reply_chunk != call->detail[RPC_REPLY_CHUNK] || segments != call->detail[RPC_SEGMENTS]) {
        iw_upper_report(upper, IW_UPPER_RFC8166_3_4_6_03, call->frame, expected, actual,
            "the chunk lists of the reply are not those of the call in frame %" PRIu64, call->frame);
        return;
    }
    for (unsigned i = 0; i < header->segment_count; i++)
        if (header->segments[i].list != IW_RPCRDMA_READ)
            rpc_judge_segment(upper, call, &header->segments[i], place[header->segments[i].list]++);
}

/* A reply has no Read list. How the caller uses it is not defined: it may read the segments. */
static void rpc_take_read_list(struct iw_upper *upper, const struct iw_upper_send *send,
    const struct iw_upper_call *call, const struct iw_rpcrdma *header) {
    iw_upper_report(upper, IW_UPPER_RFC8166_4_3_1_01, call != NULL ? call->frame : 0, "an empty Read list",
        "", "the reply has %u segments in its Read list", header->count[IW_RPCRDMA_READ]);
    for (unsigned i = 0; i < header->segment_count; i++) {
        const struct iw_rpcrdma_segment *segment = &header->segments[i];
        const struct iw_upper_buffer buffer = {.stag = segment->handle,
            .to = segment->offset,
            .length = segment->length,
            .whole = segment->length,
            .list = IW_RPCRDMA_READ,
            .access = IW_UPPER_ACCESS_READ};

        if (segment->list == IW_RPCRDMA_READ)
            iw_upper_buffer_add(upper, send, NULL, &buffer);
    }
}

/* The Reply chunk of a Long Reply begins with the XID. */
static void rpc_judge_long_reply(
    struct iw_upper *upper, const struct iw_upper_call *call, const struct iw_rpcrdma *header) {
    const struct iw_upper_buffer *buffer = iw_upper_buffer_of(upper, call, IW_RPCRDMA_REPLY, 0);
    char expected[32], actual[32];

    if (header->proc != IW_RPCRDMA_NOMSG || buffer == NULL || !buffer->head_known || buffer->shared ||
        buffer->head == header->xid || !iw_upper_all_seen(upper))
        return;
    snprintf(expected, sizeof expected, "0x%08" PRIx32, buffer->head);
    snprintf(actual, sizeof actual, "0x%08" PRIx32, header->xid);
    iw_upper_report(upper, IW_UPPER_RFC8166_4_2_1_01, call->frame, expected, actual,
        "rdma_xid is 0x%08" PRIx32 ", but the RPC message in the Reply chunk has XID 0x%08" PRIx32,
        header->xid, buffer->head);
}

/* ---- replies ---- */

void iw_upper_rpc_reply(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    enum iw_side caller = iw_side_other(send->side);
    struct iw_upper_call *call = iw_upper_call_find(upper, caller, header->xid);

    rpc_refute(upper, send, header->xid);
    if (header->credit == 0)
        iw_upper_report(upper, IW_UPPER_RFC8166_3_3_1_02, 0, "at least 1", "0", "the reply grants 0 credits");
    if (header->count[IW_RPCRDMA_READ] > 0)
        rpc_take_read_list(upper, send, call, header);
    rpc_judge_invalidation(upper, send, call);
    rpc_take_grant(upper, caller, header->credit);
    if (call != NULL && !call->detail[RPC_REPEATED]) {
        rpc_judge_lists(upper, call, header);
        rpc_judge_long_reply(upper, call, header);
        iw_upper_read_judge_reply(upper, send, call, IW_UPPER_RFC8166_3_5_2_01);
    }
    rpc_take_answer(upper, send, header->xid, call);
}

void iw_upper_rpc_unclear_reply(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    enum iw_side caller = iw_side_other(send->side);
    struct iw_upper_call *named = iw_upper_call_find(upper, caller, header->xid);

    upper->lost |= send->received > upper->reached[caller]; /* its call may be captured later */
    rpc_refute(upper, send, header->xid);
    if (header->credit > 0)
        rpc_take_grant(upper, caller, header->credit);
    for (uint32_t i = 0; i < upper->call_count; i++) {
        struct iw_upper_call *call = &upper->calls[i];

        if (call->caller != caller || (named != NULL && call != named && call->key != header->rpc_xid))
            continue;
        call->may_be_answered = true;
        call->detail[RPC_REPEATED] = true;
        iw_upper_call_detach(upper, call);
    }
}

/* ---- errors ---- */

/* ERR_CHUNK may answer a call of an earlier connection (RFC 8166 4.5.3), but no call of its own sender. */
static void rpc_judge_unsolicited_error(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    bool own = iw_upper_call_find(upper, send->side, header->xid) != NULL ||
               iw_upper_rpc_recent(upper, send->side, header->xid) == IW_UPPER_RPC_ANSWERED;

    if (header->error && header->vers == 1 && (own || header->err != IW_RPCRDMA_ERR_CHUNK) &&
        iw_upper_rpc_recent(upper, iw_side_other(send->side), header->xid) == IW_UPPER_RPC_UNKNOWN &&
        iw_upper_all_messages_seen(upper))
        iw_upper_report_later(upper, IW_UPPER_RFC8166_4_2_4_01, 0, send->received,
            (struct iw_upper_refuter){IW_UPPER_BY_CALL, header->xid}, "", "",
            "RDMA_ERROR for XID 0x%08" PRIx32 ", to which no call is open", header->xid);
}

static void rpc_judge_error(
    struct iw_upper *upper, const struct iw_upper_call *call, const struct iw_rpcrdma *header) {
    uint32_t version = call != NULL ? call->detail[RPC_VERSION] : 0;
    uint64_t frame = call != NULL ? call->frame : 0;
    char expected[16], actual[16];

    if (version != 0 && header->vers != version) {
        snprintf(expected, sizeof expected, "%" PRIu32, version);
        snprintf(actual, sizeof actual, "%" PRIu32, header->vers);
        iw_upper_report(upper, IW_UPPER_RFC8166_4_5_01, frame, expected, actual,
            "rdma_vers of RDMA_ERROR is %" PRIu32 ", and that of the call is %" PRIu32, header->vers,
            version);
    }
    if (!header->error || header->err != IW_RPCRDMA_ERR_VERS)
        return;
    if (header->low > header->high)
        iw_upper_report(upper, IW_UPPER_RFC8166_4_5_01, frame, "", "",
            "ERR_VERS names the versions %" PRIu32 " to %" PRIu32, header->low, header->high);
    else if (version != 0 && header->low <= version && version <= header->high)
        iw_upper_report(upper, IW_UPPER_RFC8166_4_5_01, frame, "", "",
            "ERR_VERS names the versions %" PRIu32 " to %" PRIu32 ", and the call has version %" PRIu32,
            header->low, header->high, version);
}

void iw_upper_rpc_error(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    enum iw_side caller = iw_side_other(send->side);
    struct iw_upper_call *call = iw_upper_call_find(upper, caller, header->xid);

    rpc_refute(upper, send, header->xid);
    if (call == NULL)
        rpc_judge_unsolicited_error(upper, send, header);
    rpc_judge_error(upper, call, header);
    if (call != NULL)
        rpc_judge_invalidation(upper, send, call);
    else if (send->invalidates && upper->private_data[send->side].rpc && iw_upper_all_messages_seen(upper))
        iw_upper_report_later(upper, IW_UPPER_RFC8797_4_1_03, 0, send->received,
            (struct iw_upper_refuter){IW_UPPER_BY_CALL, header->xid}, "a Send without Invalidate", "",
            "RDMA_ERROR without a call invalidates STag 0x%08" PRIx32, send->stag);
    rpc_take_grant(upper, caller, header->credit);
    rpc_take_answer(upper, send, header->xid, call);
}

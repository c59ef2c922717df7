#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "iw_private_format.h"
#include "iw_rpcrdma.h"
#include "iw_upper_state.h"

/* RPC-over-RDMA version 1 (RFC 8166), both directions (RFC 8167), and its private data (RFC 8797). */

enum { INLINE_OCTETS = 1024 }; /* without private data (RFC 8166 3.3.3) */

/* Details of a call. */
enum { DETAIL_WRITE_CHUNKS, DETAIL_REPLY_CHUNK, DETAIL_LISTS_KEPT, DETAIL_SEGMENTS };

/* ---- private data ---- */

/* Returns the offset of the format identifier, which is 0 or behind other data; -1: none. */
static int rpc_private_find(const struct iw_upper_private *data) {
    size_t kept = iw_upper_private_kept(data);

    for (size_t i = 0; i + iw_private_rpc.octets <= kept; i++)
        if (iw_private_get(&iw_private_rpc, IW_PRIVATE_RPC_FORMAT, data->data + i) ==
            IW_PRIVATE_RPC_IDENTIFIER)
            return (int)i;
    return -1;
}

/* Four octets that resemble the identifier may be anything in the data of another protocol. */
static void rpc_report_displaced(struct iw_upper *upper, const struct iw_upper_private *data) {
    if (upper->protocol == IW_ULP_RPC)
        iw_upper_report(upper, IW_UPPER_RFC8797_4_01, 0, "octet 0", "",
            "the private data of RPC-over-RDMA begin at octet %d", rpc_private_find(data));
}

void iw_upper_identified_rpc(struct iw_upper *upper) {
    enum iw_side side = upper->side;
    uint64_t frame = upper->frame;

    for (enum iw_side sender = IW_SIDE_A; sender <= IW_SIDE_B; sender++) {
        const struct iw_upper_private *data = &upper->private_data[sender];

        upper->side = sender;
        upper->frame = data->frame;
        if (data->seen && rpc_private_find(data) > 0)
            rpc_report_displaced(upper, data);
    }
    upper->side = side;
    upper->frame = frame;
}

void iw_upper_startup_rpc(struct iw_upper *upper, struct iw_upper_private *data) {
    const struct iw_private_format *format = &iw_private_rpc;
    int at = rpc_private_find(data);
    uint32_t version, flags;
    char actual[32];

    if (at < 0)
        return;
    if (at > 0) {
        rpc_report_displaced(upper, data);
        return;
    }
    version = iw_private_get(format, IW_PRIVATE_RPC_VERSION, data->data);
    if (version != 1) {
        iw_upper_report(upper, IW_UPPER_RFC8797_4_03, 0, "1", "",
            "version %" PRIu32 " of the private data, expected 1", version);
        return;
    }
    flags = iw_private_get(format, IW_PRIVATE_RPC_FLAGS, data->data);
    if ((flags & ~(uint32_t)IW_PRIVATE_RPC_INVALIDATION) != 0) {
        snprintf(actual, sizeof actual, "0x%02" PRIx32, flags);
        iw_upper_report(upper, IW_UPPER_RFC8797_4_02, 0, "0x00 or 0x01", actual,
            "reserved bits are set in the flags of the private data: 0x%02" PRIx32, flags);
    }
    data->rpc = true;
    data->invalidate = (flags & IW_PRIVATE_RPC_INVALIDATION) != 0;
    data->send_octets = iw_private_rpc_octets(iw_private_get(format, IW_PRIVATE_RPC_SEND, data->data));
    data->receive_octets = iw_private_rpc_octets(iw_private_get(format, IW_PRIVATE_RPC_RECEIVE, data->data));
}

/* ---- rules for every message ---- */

static void rpc_judge_size(struct iw_upper *upper, const struct iw_upper_send *send) {
    const struct iw_upper_private *own = &upper->private_data[send->side];
    const struct iw_upper_private *peer = &upper->private_data[iw_side_other(send->side)];
    uint32_t limit = INLINE_OCTETS;
    enum iw_upper_rule_id rule;
    char expected[48], actual[48];

    if (!own->seen || !peer->seen)
        return;
    rule = own->rpc ? IW_UPPER_RFC8797_5_1_01 : IW_UPPER_RFC8166_3_3_3_02;
    if (own->rpc && peer->rpc) {
        limit = own->send_octets < peer->receive_octets ? own->send_octets : peer->receive_octets;
        rule = IW_UPPER_RFC8797_4_2_01;
    }
    if (send->octets <= limit)
        return;
    snprintf(expected, sizeof expected, "at most %" PRIu32 " octets", limit);
    snprintf(actual, sizeof actual, "%" PRIu64 " octets", send->octets);
    iw_upper_report(upper, rule, 0, expected, actual,
        "Send of %" PRIu64 " octets, but the inline threshold is %" PRIu32, send->octets, limit);
}

/* ---- calls ---- */

static void rpc_judge_credits(struct iw_upper *upper, const struct iw_upper_send *send) {
    const struct iw_upper_grants *grants = &upper->grants[send->side];
    uint32_t open = iw_upper_calls_of(upper, send->side);
    char expected[48], actual[48];

    if (!iw_upper_complete(upper))
        return;
    snprintf(actual, sizeof actual, "%" PRIu32 " calls", open);
    if (grants->replies == 0) {
        if (open > 1)
            iw_upper_report_later(upper, IW_UPPER_RFC8166_3_3_3_01, 0, send->received, NULL, "1 call", actual,
                "%" PRIu32 " calls before the first reply; one credit until then", open);
        return;
    }
    if (open <= grants->largest)
        return;
    snprintf(expected, sizeof expected, "at most %" PRIu32 " calls", grants->largest);
    iw_upper_report_later(upper, IW_UPPER_RFC8166_3_3_1_01, 0, send->received, NULL, expected, actual,
        "%" PRIu32 " calls without a reply, but at most %" PRIu32 " credits were granted", open,
        grants->largest);
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

static bool rpc_is_same_chunk(const struct iw_rpcrdma_segment *a, const struct iw_rpcrdma_segment *b) {
    return a->list == b->list && a->position == b->position;
}

static void rpc_add_buffers(struct iw_upper *upper, const struct iw_upper_send *send,
    struct iw_upper_call *call, const struct iw_rpcrdma *header) {
    uint32_t place[IW_RPCRDMA_LISTS] = {0};
    bool kept = true;

    for (unsigned i = 0; i < header->segment_count; i++) {
        const struct iw_rpcrdma_segment *segment = &header->segments[i];
        struct iw_upper_buffer buffer = {.stag = segment->handle,
            .to = segment->offset,
            .length = segment->length,
            .list = segment->list,
            .place = place[segment->list]++,
            .access = segment->list == IW_RPCRDMA_READ ? IW_UPPER_ACCESS_READ : IW_UPPER_ACCESS_WRITE};

        for (unsigned k = 0; k < header->segment_count; k++)
            if (rpc_is_same_chunk(segment, &header->segments[k])) {
                buffer.at += k < i ? header->segments[k].length : 0;
                buffer.whole += header->segments[k].length;
            }
        kept &= iw_upper_buffer_add(upper, send, call, &buffer) != NULL;
    }
    if (call == NULL)
        return;
    call->detail[DETAIL_WRITE_CHUNKS] = header->write_chunks;
    call->detail[DETAIL_REPLY_CHUNK] = header->reply_chunk;
    call->detail[DETAIL_LISTS_KEPT] = kept;
    call->detail[DETAIL_SEGMENTS] = header->count[IW_RPCRDMA_WRITE] + header->count[IW_RPCRDMA_REPLY];
}

static const char *rpc_operation(const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    return header->rpc
               ? iw_rpcrdma_operation(send->data + header->body, (size_t)send->captured - header->body)
               : "RPC call";
}

/* A client may send a call again with the same XID, which is no new call. */
static bool rpc_is_repeated(
    struct iw_upper *upper, const struct iw_upper_send *send, uint32_t xid, const char *operation) {
    const struct iw_upper_call *call = iw_upper_call_find(upper, send->side, xid);

    if (call == NULL)
        return false;
    if (call->operation != operation && iw_upper_complete(upper))
        iw_upper_report_later(upper, IW_UPPER_RFC8167_2_4_01, call->frame, send->received, NULL, "", "",
            "XID 0x%08" PRIx32 " of the call in frame %" PRIu64 ", which has no reply, in another call", xid,
            call->frame);
    return true;
}

static void rpc_take_call(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    const char *operation = rpc_operation(send, header);
    struct iw_upper_call *call = NULL;

    iw_upper_refute(upper, send, NULL);
    rpc_judge_positions(upper, header);
    if (!rpc_is_repeated(upper, send, header->xid, operation)) {
        call = iw_upper_call_add(upper, send, header->xid, operation);
        rpc_judge_credits(upper, send);
    }
    rpc_add_buffers(upper, send, call, header);
    if (send->invalidates)
        iw_upper_report(upper, IW_UPPER_RFC8797_4_1_03, 0, "a Send without Invalidate", "",
            "a call invalidates STag 0x%08" PRIx32, send->stag);
}

/* ---- replies ---- */

static void rpc_judge_invalidation(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_upper_call *call) {
    const struct iw_upper_private *own = &upper->private_data[send->side];
    const struct iw_upper_private *peer = &upper->private_data[iw_side_other(send->side)];

    if (!send->invalidates)
        return;
    if (own->seen && peer->seen && !(own->invalidate && peer->invalidate))
        iw_upper_report(upper, IW_UPPER_RFC8797_4_1_01, own->invalidate ? peer->frame : own->frame,
            "a Send without Invalidate", "Send with Invalidate",
            "a reply invalidates STag 0x%08" PRIx32 ", but R is 0 in the private data of %s", send->stag,
            own->invalidate    ? "the requester"
            : peer->invalidate ? "the responder"
                               : "both sides");
    if (call == NULL || !call->detail[DETAIL_LISTS_KEPT])
        return;
    for (uint32_t i = 0; i < upper->buffer_count; i++)
        if (upper->buffers[i].number == call->number && upper->buffers[i].stag == send->stag)
            return;
    iw_upper_report(upper, IW_UPPER_RFC8797_4_1_02, call->frame, "an STag of the call's chunk lists", "",
        "a reply invalidates STag 0x%08" PRIx32 ", which its call in frame %" PRIu64 " does not name",
        send->stag, call->frame);
}

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
    else if (segment->length > buffer->done && iw_upper_complete(upper))
        iw_upper_report(upper, IW_UPPER_RFC8166_3_4_6_04, call->frame, "", "",
            "the reply states %" PRIu32 " octets in STag 0x%08" PRIx32 ", but %" PRIu64 " were written",
            segment->length, segment->handle, buffer->done);
}

static void rpc_judge_lists(
    struct iw_upper *upper, const struct iw_upper_call *call, const struct iw_rpcrdma *header) {
    uint32_t place[IW_RPCRDMA_LISTS] = {0};
    unsigned segments = header->count[IW_RPCRDMA_WRITE] + header->count[IW_RPCRDMA_REPLY];
    char expected[96], actual[96];

    if (header->proc == IW_RPCRDMA_NOMSG && !call->detail[DETAIL_REPLY_CHUNK])
        iw_upper_report(upper, IW_UPPER_RFC8166_3_5_3_01, call->frame, "RDMA_MSG", "RDMA_NOMSG",
            "Long Reply, but the call in frame %" PRIu64 " has no Reply chunk", call->frame);
    if (!call->detail[DETAIL_LISTS_KEPT])
        return;
    snprintf(expected, sizeof expected, "%" PRIu32 " Write chunks, %s Reply chunk, %" PRIu32 " segments",
        call->detail[DETAIL_WRITE_CHUNKS], call->detail[DETAIL_REPLY_CHUNK] ? "a" : "no",
        call->detail[DETAIL_SEGMENTS]);
    snprintf(actual, sizeof actual, "%u Write chunks, %s Reply chunk, %u segments", header->write_chunks,
        header->reply_chunk ? "a" : "no", segments);
    if (header->write_chunks != call->detail[DETAIL_WRITE_CHUNKS] ||
        header->reply_chunk != call->detail[DETAIL_REPLY_CHUNK] ||
        segments != call->detail[DETAIL_SEGMENTS]) {
        iw_upper_report(upper, IW_UPPER_RFC8166_3_4_6_03, call->frame, expected, actual,
            "the chunk lists of the reply are not those of the call in frame %" PRIu64, call->frame);
        return;
    }
    for (unsigned i = 0; i < header->segment_count; i++)
        if (header->segments[i].list != IW_RPCRDMA_READ)
            rpc_judge_segment(upper, call, &header->segments[i], place[header->segments[i].list]++);
}

static void rpc_take_grant(struct iw_upper *upper, enum iw_side caller, uint32_t credit) {
    struct iw_upper_grants *grants = &upper->grants[caller];

    grants->replies++;
    grants->latest = credit;
    if (credit > grants->largest)
        grants->largest = credit;
}

static void rpc_take_reply(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    enum iw_side caller = iw_side_other(send->side);
    struct iw_upper_call *call = iw_upper_call_find(upper, caller, header->xid);

    iw_upper_refute(upper, send, NULL);
    if (header->credit == 0)
        iw_upper_report(upper, IW_UPPER_RFC8166_3_3_1_02, 0, "at least 1", "0", "the reply grants 0 credits");
    if (header->count[IW_RPCRDMA_READ] > 0)
        iw_upper_report(upper, IW_UPPER_RFC8166_4_3_1_01, call != NULL ? call->frame : 0,
            "an empty Read list", "", "the reply has %u segments in its Read list",
            header->count[IW_RPCRDMA_READ]);
    rpc_judge_invalidation(upper, send, call);
    rpc_take_grant(upper, caller, header->credit);
    if (call == NULL)
        return;
    rpc_judge_lists(upper, call, header);
    iw_upper_call_end(upper, call);
}

static void rpc_take_error(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    struct iw_upper_call *call = iw_upper_call_find(upper, iw_side_other(send->side), header->xid);

    iw_upper_refute(upper, send, NULL);
    if (call == NULL && iw_upper_complete(upper))
        iw_upper_report_later(upper, IW_UPPER_RFC8166_4_2_4_01, 0, send->received, NULL, "", "",
            "RDMA_ERROR for XID 0x%08" PRIx32 ", to which no call is open", header->xid);
    if (header->error && header->err == IW_RPCRDMA_ERR_VERS &&
        (header->low > header->high || (header->low <= 1 && header->high >= 1 && call != NULL)))
        iw_upper_report(upper, IW_UPPER_RFC8166_4_5_01, call != NULL ? call->frame : 0, "", "",
            "ERR_VERS names the versions %" PRIu32 " to %" PRIu32 "%s", header->low, header->high,
            header->low > header->high ? "" : ", and the call has version 1");
    if (send->invalidates && call == NULL)
        iw_upper_report(upper, IW_UPPER_RFC8797_4_1_03, 0, "a Send without Invalidate", "",
            "RDMA_ERROR without a call invalidates STag 0x%08" PRIx32, send->stag);
    rpc_take_grant(upper, iw_side_other(send->side), upper->grants[iw_side_other(send->side)].latest);
    if (call != NULL)
        iw_upper_call_end(upper, call);
}

/* ---- dispatch ---- */

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
        rpc_take_call(upper, send, header);
    else if (header->count[IW_RPCRDMA_READ] == 0 && header->reply_chunk)
        rpc_take_reply(upper, send, header);
    else
        iw_upper_report(upper, IW_UPPER_RFC8166_4_2_4_02, 0, "", "",
            "RDMA_NOMSG has neither a Read chunk of position 0 nor a Reply chunk");
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
        rpc_take_call(upper, send, header);
    else
        rpc_take_reply(upper, send, header);
}

/* A call of another version is a legal probe; a reply to a call of version 1 is not. */
static void rpc_take_other_version(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    const struct iw_upper_call *call = iw_upper_call_find(upper, iw_side_other(send->side), header->xid);

    upper->lost = true; /* its chunks are not known */
    if (call != NULL && header->rpc && header->rpc_type == 1 && header->rpc_xid == header->xid)
        iw_upper_report(upper, IW_UPPER_RFC8166_4_2_2_01, call->frame, "1", "",
            "rdma_vers of the reply is %" PRIu32 ", expected 1", header->vers);
}

void iw_upper_send_rpc(struct iw_upper *upper, const struct iw_upper_send *send) {
    struct iw_rpcrdma header;

    if (!iw_rpcrdma_decode(send->data, (size_t)send->captured, &header)) {
        upper->lost = true;
        return;
    }
    rpc_judge_size(upper, send);
    if (header.vers != 1)
        rpc_take_other_version(upper, send, &header);
    else if (header.proc == IW_RPCRDMA_MSGP || header.proc == IW_RPCRDMA_DONE) {
        iw_upper_report(upper, IW_UPPER_RFC8166_4_6_01, 0, "RDMA_MSG, RDMA_NOMSG or RDMA_ERROR",
            header.proc == IW_RPCRDMA_MSGP ? "RDMA_MSGP" : "RDMA_DONE", "rdma_proc is %" PRIu32 " (%s)",
            header.proc, header.proc == IW_RPCRDMA_MSGP ? "RDMA_MSGP" : "RDMA_DONE");
        upper->lost |= header.proc == IW_RPCRDMA_MSGP;
    } else if (header.proc == IW_RPCRDMA_ERROR)
        rpc_take_error(upper, send, &header);
    else if (header.lists && header.proc == IW_RPCRDMA_NOMSG)
        rpc_take_nomsg(upper, send, &header);
    else if (header.lists && header.rpc)
        rpc_take_msg(upper, send, &header);
    else
        upper->lost = true;
}

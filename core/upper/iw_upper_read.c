#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "iw_upper_state.h"

/* RDMA Reads and the calls that they are for: which Read Response answers which request. */

enum { XID_OCTETS = 4 };

/* The response begins with an RPC message whose Read Request was noted: a Long Call (RFC 8166 3.5.3). */
static void read_judge_head(
    struct iw_upper *upper, struct iw_upper_reads *reads, const struct iw_segment *segment) {
    struct iw_upper_heads *heads = reads->heads;
    uint32_t xid;

    while (heads != NULL && heads->count > 0 && heads->head[0].read <= reads->answers + 1) {
        uint64_t read = heads->head[0].read, key = heads->head[0].key, frame = heads->head[0].frame;

        heads->count--;
        for (unsigned i = 0; i < heads->count; i++)
            heads->head[i] = heads->head[i + 1];
        if (read != reads->answers + 1 || segment->payload_captured < XID_OCTETS || !iw_upper_all_seen(upper))
            continue;
        xid = iw_upper_big32(segment->payload);
        if (xid != key)
            iw_upper_report(upper, IW_UPPER_RFC8166_4_2_1_01, frame, "", "",
                "rdma_xid of the call in frame %" PRIu64 " is 0x%08" PRIx64
                ", but its RPC message in the Read chunk has XID 0x%08" PRIx32,
                frame, key, xid);
    }
}

void iw_upper_read_response(struct iw_upper *upper, const struct iw_segment *segment, uint64_t end) {
    struct iw_upper_reads *reads = &upper->reads[iw_side_other(upper->side)];

    if (!reads->answer_open)
        read_judge_head(upper, reads, segment);
    reads->answer_open = !segment->last;
    if (!segment->last)
        return;
    reads->answers++;
    reads->answer_end = end;
    iw_upper_refute(upper, upper->side, end, IW_UPPER_BY_READ_RESPONSE, reads->answers);
}

/* Remembers a request for the XID of a Long Call. */
static void read_add_head(struct iw_upper *upper, struct iw_upper_reads *reads,
    const struct iw_upper_buffer *buffer, uint64_t read) {
    struct iw_upper_heads *heads = reads->heads;

    if (heads == NULL)
        heads = reads->heads = calloc(1, sizeof *heads);
    if (heads == NULL) {
        iw_upper_set_no_memory(upper);
        return;
    }
    if (heads->count == sizeof heads->head / sizeof *heads->head)
        return;
    heads->head[heads->count].read = read;
    heads->head[heads->count].key = buffer->key;
    heads->head[heads->count].frame = buffer->frame;
    heads->count++;
}

void iw_upper_read_note(
    struct iw_upper *upper, struct iw_upper_buffer *buffer, uint64_t at, uint64_t octets, uint64_t read) {
    struct iw_upper_reads *reads = &upper->reads[upper->side];

    buffer->read = read;
    buffer->read_frame = upper->frame;
    if (buffer->rpc_message && buffer->number != 0 && !buffer->shared && at == 0 && octets >= XID_OCTETS &&
        read > reads->answers && iw_upper_all_seen(upper))
        read_add_head(upper, reads, buffer, read);
}

/* Returns the buffer of the call with the latest Read Request, or NULL. Of shared buffers it is not known for
 * which call they are read. */
static const struct iw_upper_buffer *read_latest(
    const struct iw_upper *upper, const struct iw_upper_call *call) {
    const struct iw_upper_buffer *latest = NULL;

    for (uint32_t i = 0; i < upper->buffer_count; i++) {
        const struct iw_upper_buffer *buffer = &upper->buffers[i];

        if (buffer->number == call->number && !buffer->shared &&
            buffer->read > (latest != NULL ? latest->read : 0))
            latest = buffer;
    }
    return latest;
}

void iw_upper_read_judge_reply(struct iw_upper *upper, const struct iw_upper_send *send,
    const struct iw_upper_call *call, enum iw_upper_rule_id rule) {
    const struct iw_upper_reads *reads = &upper->reads[send->side];
    const struct iw_upper_buffer *latest;

    if (!iw_upper_all_messages_seen(upper) || (latest = read_latest(upper, call)) == NULL ||
        latest->read < reads->answers ||
        (latest->read == reads->answers && reads->answer_end <= send->received))
        return;
    iw_upper_report_later(upper, rule, latest->read_frame, send->received,
        (struct iw_upper_refuter){IW_UPPER_BY_READ_RESPONSE, latest->read},
        "the Read Response before the reply", "",
        "the reply is sent before the Read Request in frame %" PRIu64 " for STag 0x%08" PRIx32 " is answered",
        latest->read_frame, latest->stag);
}

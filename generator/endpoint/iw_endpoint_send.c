#include "iw_endpoint_state.h"

#include <string.h>

#include "iw_mulpdu.h"

size_t iw_endpoint_payload_limit(const struct iw_endpoint *endpoint, size_t headers) {
    size_t octets = endpoint->config.mulpdu;

    if (octets == 0)
        octets = iw_mulpdu(IW_ENDPOINT_EMSS, endpoint->terms.markers_out);
    return octets > headers ? octets - headers : 1;
}

static void send_count_sent(struct iw_endpoint *endpoint, struct iw_endpoint_post *own, size_t octets) {
    own->sent += octets;
    endpoint->posts.unsent -= octets;
}

static void send_fill_segment(
    struct iw_endpoint *endpoint, struct iw_endpoint_post *own, struct iw_emit *emit) {
    const struct iw_post *post = &own->post;
    size_t left = post->payload_octets - own->sent;

    iw_endpoint_prepare_fpdu(endpoint, post->opcode, emit);
    emit->cause = own->silent ? IW_EMIT_BY_RTR : IW_EMIT_BY_POST;
    if (post->opcode == IW_RDMAP_OP_READ_REQUEST)
        iw_read_request_encode(&post->read, emit->header);
    else if (post->header != NULL)
        memcpy(emit->header, post->header, emit->header_octets);
    size_t headers =
        (emit->segment.tagged ? iw_ddp_tagged_octets : iw_ddp_untagged_octets) + emit->header_octets;
    size_t limit = iw_endpoint_payload_limit(endpoint, headers);
    emit->segment.last = left <= limit;
    emit->segment.invalidate_stag = post->invalidate_stag;
    emit->segment.stag = post->stag;
    emit->segment.to = post->to + own->sent;
    emit->segment.mo = (uint32_t)own->sent;
    if (own->sent > 0)
        emit->header_octets = 0;
    emit->payload = post->payload + own->sent;
    emit->payload_octets = emit->segment.last ? left : limit;
    send_count_sent(endpoint, own, emit->payload_octets);
}

static void send_use_msn(struct iw_endpoint *endpoint, uint8_t opcode) {
    const struct iw_opcode *op = iw_opcode_find(opcode, IW_EXT_ALL);
    unsigned qn = op == NULL ? IW_QN_SEND : op->qn;

    if (qn < IW_QN_COUNT)
        endpoint->output.next_msn[qn]++;
}

static void send_note_request(struct iw_endpoint_post *own, const struct iw_emit *emit) {
    struct iw_atomic_request atomic;

    if (own->post.opcode == IW_RDMAP_OP_READ_REQUEST)
        iw_read_request_decode(emit->header, &own->read);
    if (own->post.opcode != IW_RDMAP_OP_ATOMIC_REQUEST)
        return;
    iw_atomic_request_decode(emit->header, &atomic);
    own->identifier = atomic.identifier;
}

static void send_finish_post(struct iw_endpoint *endpoint, struct iw_endpoint_post *own) {
    iw_post_list_pop(&endpoint->posts.queued);
    send_use_msn(endpoint, own->post.opcode);
    iw_endpoint_post_sent(endpoint, own);
}

/* Whether iw_endpoint_gather can send the message: it has no RDMAP header, and no filter must see it. */
static bool send_can_gather(const struct iw_endpoint *endpoint, const struct iw_endpoint_post *own) {
    const struct iw_opcode *op = iw_opcode_find(own->post.opcode, IW_EXT_ALL);

    return own->post.adjust == NULL && op != NULL && op->header == IW_LAYOUT_NONE &&
           iw_endpoint_gathers(endpoint);
}

static unsigned send_gather_post(struct iw_endpoint *endpoint) {
    struct iw_endpoint_post *own = endpoint->posts.queued.first;
    const struct iw_post *post = &own->post;
    const struct iw_opcode *op = iw_opcode_find(post->opcode, IW_EXT_ALL);
    size_t left = post->payload_octets - own->sent;
    const struct iw_segment segment = {.tagged = op->tagged,
        .dv = 1,
        .control = iw_segment_control(1, 0, post->opcode),
        .stag = post->stag,
        .to = post->to + own->sent,
        .invalidate_stag = post->invalidate_stag,
        .qn = op->tagged ? 0 : op->qn,
        .msn = op->tagged ? 0 : endpoint->output.next_msn[op->qn],
        .mo = (uint32_t)own->sent};
    unsigned sent = iw_endpoint_gather(endpoint, &segment, post->payload + own->sent, &left);

    if (own != endpoint->posts.queued.first)
        return sent; /* out of memory: all posts were flushed */
    send_count_sent(endpoint, own, post->payload_octets - left - own->sent);
    if (left == 0)
        send_finish_post(endpoint, own);
    return sent;
}

static void send_post_segment(struct iw_endpoint *endpoint) {
    struct iw_endpoint_post *own = endpoint->posts.queued.first;
    struct iw_emit emit;
    unsigned times = 1;
    bool last;

    send_fill_segment(endpoint, own, &emit);
    last = emit.segment.last;
    if (own->post.adjust != NULL)
        times = own->post.adjust(own->post.adjust_user, &emit);
    if (own->sent == emit.payload_octets)
        send_note_request(own, &emit);
    while (times-- > 0)
        iw_endpoint_put_filtered(endpoint, &emit);
    if (last && own == endpoint->posts.queued.first)
        send_finish_post(endpoint, own);
}

static bool send_post_ready(const struct iw_endpoint *endpoint) {
    const struct iw_endpoint_post *post = endpoint->posts.queued.first;

    if (post == NULL || endpoint->end.fin_by_emit)
        return false;
    if (endpoint->posts.outstanding.count > 0 &&
        iw_policy_enforces(&endpoint->config.policy, IW_POLICY_CHECK_FENCE))
        return false;
    if (!iw_endpoint_is_request(post->post.opcode))
        return true;
    return !endpoint->end.half_closed && endpoint->posts.outstanding.count < endpoint->terms.ord;
}

bool iw_endpoint_can_send(const struct iw_endpoint *endpoint) {
    return endpoint->replies.first != NULL || send_post_ready(endpoint);
}

/* Sends FPDUs of one message. Returns their number; 0: nothing to send. A message that was begun is completed
 * first; then responses and posts alternate. */
static unsigned send_step(struct iw_endpoint *endpoint) {
    bool post_open = endpoint->posts.queued.first != NULL && endpoint->posts.queued.first->sent > 0;
    bool late = iw_timer_runs(&endpoint->replies.timer);
    bool reply = endpoint->replies.first != NULL && !post_open && !late;

    if (reply && !endpoint->replies.first->begun && endpoint->output.reply_last && send_post_ready(endpoint))
        reply = false;
    if (!reply && !send_post_ready(endpoint))
        return 0;
    endpoint->output.reply_last = reply;
    if (reply)
        return iw_endpoint_reply_step(endpoint);
    if (send_can_gather(endpoint, endpoint->posts.queued.first))
        return send_gather_post(endpoint);
    send_post_segment(endpoint);
    return 1;
}

/* Whether nothing more can be sent, and no response can come. After IW_EVENT_CLOSED no response comes, so
 * posts that wait for a response are never sent. */
static bool send_may_close(const struct iw_endpoint *endpoint) {
    bool ended = endpoint->end.reported;
    bool sent = endpoint->end.fin_by_emit ||
                (ended ? !send_post_ready(endpoint) : endpoint->posts.queued.first == NULL);

    return sent && endpoint->replies.first == NULL && (ended || endpoint->posts.outstanding.first == NULL);
}

void iw_endpoint_pump(struct iw_endpoint *endpoint) {
    bool pumping = endpoint->pumping;
    unsigned burst = 0;
    unsigned sent;

    endpoint->pumping = true;
    while (endpoint->phase == IW_PHASE_FULL && endpoint->output.allowed && !iw_port_full(endpoint->port)) {
        if (burst >= IW_ENDPOINT_BURST) {
            iw_endpoint_schedule(endpoint);
            break;
        }
        sent = send_step(endpoint);
        if (sent == 0)
            break;
        burst += sent;
    }
    endpoint->pumping = pumping;
    if (endpoint->phase == IW_PHASE_FULL && endpoint->end.fin_wanted && !endpoint->output.allowed)
        iw_endpoint_flush(endpoint);
    if (endpoint->phase == IW_PHASE_FULL && endpoint->end.half_closed && !iw_endpoint_can_send(endpoint)) {
        endpoint->phase = IW_PHASE_DEAF;
        iw_endpoint_flush(endpoint);
        iw_endpoint_shut(endpoint, IW_EMIT_BY_TERMINATE);
    }
    if (endpoint->phase > IW_PHASE_CONNECTING && endpoint->end.fin_wanted && send_may_close(endpoint)) {
        if (endpoint->end.reported)
            iw_endpoint_flush(endpoint);
        iw_endpoint_shut(endpoint, IW_EMIT_BY_USER);
    }
}

/* Sends an RTR. Its STag must be ignored (RFC 6581 9.2), but some receivers reject an STag of 0. */
void iw_endpoint_send_rtr(struct iw_endpoint *endpoint, enum iw_rtr rtr) {
    struct iw_endpoint_post *own = iw_endpoint_post_new(endpoint, 0);

    if (own == NULL) {
        iw_endpoint_give_up(endpoint, IW_ERROR_RDMAP_LOCAL_CATASTROPHIC, "out of memory");
        return;
    }
    own->silent = true;
    own->post.payload = own->octets;
    own->post.opcode = rtr == IW_RTR_SEND    ? IW_RDMAP_OP_SEND
                       : rtr == IW_RTR_WRITE ? IW_RDMAP_OP_RDMA_WRITE
                                             : IW_RDMAP_OP_READ_REQUEST;
    own->post.stag = 1;
    own->post.read.sink_stag = own->post.read.source_stag = 1;
    iw_post_list_push_first(&endpoint->posts.queued, own);
    send_post_segment(endpoint);
}

void iw_endpoint_prepare_fpdu(const struct iw_endpoint *endpoint, uint8_t opcode, struct iw_emit *emit) {
    iw_emit_init_fpdu(emit, opcode);
    if (!emit->segment.tagged)
        emit->segment.msn = endpoint->output.next_msn[emit->segment.qn];
}

/* Notes an FPDU of iw_endpoint_emit: uses up its MSN, and adds a request to the outstanding requests. */
static void send_note_by_hand(struct iw_endpoint *endpoint, const struct iw_emit *emit) {
    const struct iw_segment *segment = &emit->segment;

    if (emit->bare || segment->tagged || segment->qn >= IW_QN_COUNT || !segment->last)
        return;
    if (segment->msn == endpoint->output.next_msn[segment->qn])
        endpoint->output.next_msn[segment->qn]++;
    if (!iw_endpoint_is_request(segment->opcode) || segment->qn != IW_QN_REQUEST ||
        emit->header_octets < iw_layouts[iw_opcodes[segment->opcode].header].octets)
        return;
    struct iw_endpoint_post *own = iw_endpoint_post_new(endpoint, emit->payload_octets);
    if (own == NULL)
        return;
    iw_endpoint_request_open(endpoint, own);
    own->by_emit = true;
    own->post.opcode = segment->opcode;
    own->post.payload = own->octets;
    own->post.payload_octets = emit->payload_octets;
    if (emit->payload_octets > 0)
        memcpy(own->octets, emit->payload, emit->payload_octets);
    send_note_request(own, emit);
}

/* Sends FIN, but flushes posts only at the end of the stream: the peer may still answer earlier requests. */
static void send_close_by_hand(struct iw_endpoint *endpoint) {
    endpoint->end.fin_by_emit = true;
    iw_endpoint_fin(endpoint);
    if (endpoint->end.reported)
        iw_endpoint_flush(endpoint);
}

enum iw_status iw_endpoint_emit(struct iw_endpoint *endpoint, const struct iw_emit *emit) {
    if (emit->kind == IW_EMIT_CLOSE) {
        if (emit->reset)
            iw_endpoint_reset(endpoint);
        else
            send_close_by_hand(endpoint);
        return IW_OK;
    }
    enum iw_status status = iw_endpoint_put(endpoint, emit);
    if (status == IW_OK && emit->kind == IW_EMIT_STARTUP)
        iw_endpoint_startup_note(endpoint, emit);
    else if (status == IW_OK && emit->kind == IW_EMIT_FPDU)
        send_note_by_hand(endpoint, emit);
    return status;
}

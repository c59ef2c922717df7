#include "iw_endpoint_state.h"

#include <stdlib.h>
#include <string.h>

#include "iw_mulpdu.h"

/* What an endpoint sends, message by message. */

enum { DEFAULT_EMSS = 1448 };

uint16_t iw_endpoint_mulpdu(const struct iw_endpoint *endpoint) {
    if (endpoint->config.mulpdu != 0)
        return endpoint->config.mulpdu;
    return iw_mulpdu(DEFAULT_EMSS, endpoint->terms.markers_out);
}

/* ---- octets to the port ---- */

static bool make_scratch(struct iw_endpoint *endpoint, size_t octets) {
    uint8_t *larger;

    if (octets <= endpoint->scratch_octets)
        return true;
    larger = realloc(endpoint->scratch, octets);
    if (larger == NULL)
        return false;
    endpoint->scratch = larger;
    endpoint->scratch_octets = octets;
    return true;
}

static enum iw_status write_split(
    struct iw_endpoint *endpoint, const struct iw_emit *emit, const uint8_t *octets, size_t length) {
    enum iw_status status = IW_OK;

    for (size_t i = 0; i < emit->split_count && i < IW_EMIT_SPLIT_MAX && status == IW_OK; i++) {
        size_t piece = emit->split[i] < length ? emit->split[i] : length;

        status = iw_port_write(endpoint->port, octets, piece);
        octets += piece;
        length -= piece;
    }
    return status == IW_OK ? iw_port_write(endpoint->port, octets, length) : status;
}

enum iw_status iw_endpoint_put(struct iw_endpoint *endpoint, const struct iw_emit *emit) {
    size_t most = iw_emit_max(emit);
    struct iw_output output;

    if (endpoint->freed)
        return IW_OK;
    if (!make_scratch(endpoint, most))
        return IW_ERR_NOMEM;
    output = iw_output_into(endpoint->scratch, most);
    iw_emit_write(emit, &endpoint->writer, &output);
    return write_split(endpoint, emit, endpoint->scratch, output.length);
}

void iw_endpoint_put_filtered(struct iw_endpoint *endpoint, struct iw_emit *emit) {
    const struct iw_endpoint_config *config = &endpoint->config;
    unsigned times = config->filter == NULL ? 1 : config->filter(config->filter_user, emit);

    while (times-- > 0)
        iw_endpoint_put(endpoint, emit);
}

/* ---- posts ---- */

enum iw_status iw_endpoint_post(struct iw_endpoint *endpoint, const struct iw_post *post) {
    const struct iw_opcode *op = iw_opcode_find(post->opcode, IW_EXT_ALL);
    size_t header = post->header == NULL || op == NULL || op->header == IW_LAYOUT_NONE
                        ? 0
                        : iw_layouts[op->header].octets;
    struct iw_endpoint_post *own;

    if (post->payload_octets > UINT32_MAX)
        return IW_ERR_ARGUMENT;
    own = calloc(1, sizeof *own + post->payload_octets + header);
    if (own == NULL)
        return IW_ERR_NOMEM;
    own->post = *post;
    own->post.payload = own->octets;
    own->post.header = header == 0 ? NULL : own->octets + post->payload_octets;
    if (post->payload_octets > 0)
        memcpy(own->octets, post->payload, post->payload_octets);
    if (header > 0)
        memcpy(own->octets + post->payload_octets, post->header, header);
    if (endpoint->phase >= IW_PHASE_OUTSIDE || endpoint->fin_wanted || endpoint->fin_sent)
        iw_post_list_push(&endpoint->flushed, own);
    else
        iw_post_list_push(&endpoint->posts, own);
    iw_endpoint_turn(endpoint);
    return IW_OK;
}

size_t iw_endpoint_backlog(const struct iw_endpoint *endpoint) {
    size_t octets = endpoint->port == NULL ? 0 : iw_port_queued(endpoint->port);

    for (const struct iw_endpoint_post *post = endpoint->posts.first; post != NULL; post = post->next)
        octets += post->post.payload_octets - post->sent + 1;
    return octets;
}

static void fill_header(const struct iw_post *post, struct iw_emit *emit) {
    if (post->opcode == IW_RDMAP_OP_READ_REQUEST)
        iw_read_request_encode(&post->read, emit->header);
    else if (post->header != NULL)
        memcpy(emit->header, post->header, emit->header_octets);
}

/* The next segment of the message. */
static void fill_segment(struct iw_endpoint *endpoint, struct iw_endpoint_post *own, struct iw_emit *emit) {
    const struct iw_post *post = &own->post;
    size_t left = post->payload_octets - own->sent;
    size_t headers;
    size_t room;

    iw_endpoint_prepare_fpdu(endpoint, post->opcode, emit);
    emit->cause = own->silent ? IW_EMIT_BY_RTR : IW_EMIT_BY_POST;
    fill_header(post, emit);
    headers = (emit->segment.tagged ? iw_ddp_tagged_octets : iw_ddp_untagged_octets) + emit->header_octets;
    room = iw_endpoint_mulpdu(endpoint) > headers ? iw_endpoint_mulpdu(endpoint) - headers : 1;
    emit->segment.last = left <= room;
    emit->segment.invalidate_stag = post->invalidate_stag;
    emit->segment.stag = post->stag;
    emit->segment.to = post->to + own->sent;
    emit->segment.mo = (uint32_t)own->sent;
    if (own->sent > 0)
        emit->header_octets = 0;
    emit->payload = post->payload + own->sent;
    emit->payload_octets = emit->segment.last ? left : room;
    own->sent += emit->payload_octets;
}

static void use_msn(struct iw_endpoint *endpoint, uint8_t opcode) {
    const struct iw_opcode *op = iw_opcode_find(opcode, IW_EXT_ALL);
    unsigned qn = op == NULL ? IW_QN_SEND : op->qn;

    if (qn < IW_QN_COUNT)
        endpoint->next_msn[qn]++;
}

static void finish_post(struct iw_endpoint *endpoint, struct iw_endpoint_post *own) {
    struct iw_event event = {
        .kind = IW_EVENT_SENT, .error = IW_NO_ERROR, .opcode = own->post.opcode, .id = own->post.id};
    bool silent = own->silent;

    iw_post_list_pop(&endpoint->posts);
    use_msn(endpoint, own->post.opcode);
    if (own->post.opcode == IW_RDMAP_OP_READ_REQUEST)
        iw_post_list_push(&endpoint->open_reads, own);
    else
        free(own);
    if (!silent)
        iw_endpoint_tell(endpoint, &event);
}

static void send_post_segment(struct iw_endpoint *endpoint) {
    struct iw_endpoint_post *own = endpoint->posts.first;
    struct iw_emit emit;
    unsigned times = 1;
    bool last;

    fill_segment(endpoint, own, &emit);
    last = emit.segment.last;
    if (own->post.adjust != NULL)
        times = own->post.adjust(own->post.adjust_user, &emit);
    if (own->post.opcode == IW_RDMAP_OP_READ_REQUEST)
        iw_read_request_decode(emit.header, &own->read);
    while (times-- > 0)
        iw_endpoint_put_filtered(endpoint, &emit);
    if (last)
        finish_post(endpoint, own);
}

/* ---- the order of messages ---- */

static bool post_ready(const struct iw_endpoint *endpoint) {
    const struct iw_endpoint_post *post = endpoint->posts.first;

    if (post == NULL)
        return false;
    return post->post.opcode != IW_RDMAP_OP_READ_REQUEST || endpoint->open_reads.count < endpoint->terms.ord;
}

/* Sends one FPDU. A message once begun is finished; otherwise answers and own messages take turns. */
static bool step(struct iw_endpoint *endpoint) {
    bool post_open = endpoint->posts.first != NULL && endpoint->posts.first->sent > 0;
    bool reply = endpoint->reads != NULL && !post_open;

    if (reply && !endpoint->reads->begun && endpoint->reply_last && post_ready(endpoint))
        reply = false;
    if (!reply && !post_ready(endpoint))
        return false;
    endpoint->reply_last = reply;
    if (reply)
        iw_endpoint_reply_step(endpoint);
    else
        send_post_segment(endpoint);
    return true;
}

void iw_endpoint_pump(struct iw_endpoint *endpoint) {
    unsigned burst = 0;

    while (endpoint->phase == IW_PHASE_FULL && endpoint->may_send && !iw_port_full(endpoint->port)) {
        if (burst++ == IW_ENDPOINT_BURST) {
            iw_endpoint_turn(endpoint);
            return;
        }
        if (!step(endpoint))
            break;
    }
    if (endpoint->phase == IW_PHASE_FULL && endpoint->fin_wanted && !endpoint->may_send)
        iw_endpoint_flush(endpoint);
    if (endpoint->phase > IW_PHASE_CONNECTING && endpoint->fin_wanted && endpoint->posts.first == NULL &&
        endpoint->open_reads.first == NULL && endpoint->reads == NULL)
        iw_endpoint_shut(endpoint, IW_EMIT_BY_USER);
}

/* STags and TOs of an RTR are not looked at; there are peers that take an STag of 0 amiss (RFC 6581 9.2). */
void iw_endpoint_send_rtr(struct iw_endpoint *endpoint, enum iw_rtr rtr) {
    struct iw_endpoint_post *own = calloc(1, sizeof *own);
    struct iw_endpoint_post *waiting = endpoint->posts.first;

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
    own->next = waiting;
    endpoint->posts.first = own;
    if (waiting == NULL)
        endpoint->posts.last = &own->next;
    endpoint->posts.count++;
    send_post_segment(endpoint);
}

/* ---- by hand ---- */

void iw_endpoint_prepare_fpdu(const struct iw_endpoint *endpoint, uint8_t opcode, struct iw_emit *emit) {
    iw_emit_init_fpdu(emit, opcode);
    if (!emit->segment.tagged)
        emit->segment.msn = endpoint->next_msn[emit->segment.qn];
}

/* A Read Request sent by hand is open like any other. */
static void note_by_hand(struct iw_endpoint *endpoint, const struct iw_emit *emit) {
    const struct iw_segment *segment = &emit->segment;
    struct iw_endpoint_post *own;

    if (emit->bare || segment->tagged || segment->qn >= IW_QN_COUNT || !segment->last)
        return;
    if (segment->msn == endpoint->next_msn[segment->qn])
        endpoint->next_msn[segment->qn]++;
    if ((segment->control & 0xF) != IW_RDMAP_OP_READ_REQUEST || segment->qn != IW_QN_REQUEST ||
        emit->header_octets < iw_read_request_octets)
        return;
    own = calloc(1, sizeof *own);
    if (!iw_post_list_push(&endpoint->open_reads, own))
        return;
    own->post.opcode = IW_RDMAP_OP_READ_REQUEST;
    iw_read_request_decode(emit->header, &own->read);
}

enum iw_status iw_endpoint_emit(struct iw_endpoint *endpoint, const struct iw_emit *emit) {
    enum iw_status status;

    if (emit->kind == IW_EMIT_CLOSE) {
        if (emit->reset)
            iw_endpoint_reset(endpoint);
        else
            iw_port_close(endpoint->port);
        return IW_OK;
    }
    status = iw_endpoint_put(endpoint, emit);
    if (status == IW_OK && emit->kind == IW_EMIT_STARTUP)
        iw_endpoint_startup_note(endpoint, emit);
    else if (status == IW_OK)
        note_by_hand(endpoint, emit);
    return status;
}

enum iw_status iw_endpoint_octets(struct iw_endpoint *endpoint, const uint8_t *octets, size_t length) {
    enum iw_status status = iw_port_write(endpoint->port, octets, length);

    if (status == IW_OK && endpoint->phase == IW_PHASE_FULL)
        endpoint->writer.position += length;
    return status;
}

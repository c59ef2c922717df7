#include "iw_sctp_stream.h"

#include "iw_ip.h"
#include "iw_limit.h"
#include "iw_links.h"
#include "iw_preference.h"
#include "iw_sctp_judge.h"
#include "packet-iwarp.h"

/* The data of a session, in its `user` pointer. */
struct session {
    struct iw_stored_session *stored;
    struct iw_links links;
};

const struct iw_stored_flow iw_sctp_flow;

static struct iw_sctp_judge *judge; /* `judge` and `config` are for the open file */
static struct iw_monitor_config config;
static wmem_map_t *chunks;     /* stored chunks, by frame and TSN */
static wmem_map_t *fragmented; /* by frame */
static wmem_map_t *ends;       /* by frame */

static uint64_t sctp_stream_chunk_key(uint64_t frame, uint32_t tsn) {
    return frame << 32 | tsn;
}

static void *sctp_stream_find(wmem_map_t *map, uint64_t key) {
    return map == NULL ? NULL : wmem_map_lookup(map, &key);
}

void iw_sctp_stream_item(struct iw_item *item, uint32_t length, uint32_t captured) {
    iw_item_init(item);
    item->flow = &iw_sctp_flow;
    item->kind = IW_LLP_SEGMENT;
    item->crc = IW_CRC_UNCHECKED;
    item->length = length;
    item->captured = MIN(captured, IW_ITEM_CAPTURED_MAX) & IW_ITEM_CAPTURED_MAX;
}

static struct iw_stored_chunk *sctp_stream_new_chunk(
    uint32_t frame, enum iw_side side, uint32_t length, uint32_t captured) {
    struct iw_stored_chunk *chunk = wmem_new0(wmem_file_scope(), struct iw_stored_chunk);

    iw_sctp_stream_item(&chunk->item, length, captured);
    chunk->item.frame = frame;
    chunk->item.side = side;
    return chunk;
}

/* Stores the chunk when it arrives. It may be judged later, in the order of DDP-SSNs. */
static void sctp_stream_store_chunk(
    void *user _U_, const struct iw_sctp_monitor *monitor, const struct iw_sctp_message *message) {
    struct iw_stored_chunk *chunk =
        sctp_stream_new_chunk((uint32_t)message->frame, message->side, message->length, message->captured);
    struct iw_sctp_segment head;

    chunk->stream = message->stream;
    if (message->captured >= iw_sctp_segment_octets &&
        iw_sctp_monitor_next(monitor, message->side, message->stream, &chunk->ssn_expected)) {
        iw_sctp_segment_decode(message->octets, &head);
        chunk->ssn_unexpected = head.ssn != chunk->ssn_expected;
    }
    chunk->key = message->fragmented ? message->frame : sctp_stream_chunk_key(message->frame, message->tsn);
    wmem_map_insert(message->fragmented ? fragmented : chunks, &chunk->key, chunk);
}

static struct session *sctp_stream_session(struct iw_judged_session *session) {
    struct session *own = session->user;

    if (own == NULL) {
        own = session->user = g_new0(struct session, 1);
        own->stored = wmem_new0(wmem_file_scope(), struct iw_stored_session);
    }
    own->stored->number = session->session->number;
    own->stored->initiate_frame = (uint32_t)session->session->initiate_frame;
    own->stored->answer_frame = (uint32_t)session->session->answer_frame;
    return own;
}

static void sctp_stream_end_session(void *user _U_, struct iw_judged_session *session) {
    struct session *own = session->user;

    if (own == NULL)
        return;
    iw_links_dispose(&own->links);
    g_free(own);
    session->user = NULL;
}

static void sctp_stream_store_end(const struct iw_monitor_event *event) {
    uint32_t frame = (uint32_t)event->llp->frame;
    struct iw_stored_chunk *chunk = sctp_stream_new_chunk(frame, event->llp->side, 0, 0);

    chunk->item.kind = IW_LLP_CLOSE;
    chunk->item.role = event->role;
    chunk->stream = event->llp->session->session->stream;
    iw_frame_store_findings(&chunk->item, event);
    chunk->limited = event->llp->session->limited > 0;
    if (chunk->item.more->finding_count == 0 && !chunk->limited)
        return;
    chunk->key = frame;
    chunk->next = sctp_stream_find(ends, frame);
    wmem_map_insert(ends, &chunk->key, chunk);
}

/* An Initiate restarts the DDP-SSNs (RFC 5043 6.1). When it arrived, sctp_stream_store_chunk expected the
 * earlier numbering: corrects the stored chunk. */
static void sctp_stream_correct_order(struct iw_stored_chunk *chunk, const struct iw_llp_event *event) {
    if (event->session->session->initiate_frame == event->frame && event->kind == IW_LLP_CONTROL) {
        chunk->ssn_expected = event->session->ssn_expected;
        chunk->ssn_unexpected = event->session->order != IW_SESSION_IN_ORDER;
    }
}

static void sctp_stream_on_event(void *user _U_, const struct iw_sctp_association *association _U_,
    struct iw_judged_session *session, const struct iw_monitor_event *event) {
    struct session *own = sctp_stream_session(session);
    const struct iw_sctp_message *message;
    struct iw_stored_chunk *chunk;

    if (event->llp->kind == IW_LLP_CLOSE) {
        iw_links_close(&own->links, event);
        sctp_stream_store_end(event);
        return;
    }
    message = event->llp->session->message;
    chunk = message->fragmented
                ? sctp_stream_find(fragmented, message->frame)
                : sctp_stream_find(chunks, sctp_stream_chunk_key(message->frame, message->tsn));
    if (chunk == NULL)
        return;
    chunk->session = own->stored;
    chunk->state = session->session->state;
    chunk->item.role = event->role;
    sctp_stream_correct_order(chunk, event->llp);
    iw_frame_store_findings(&chunk->item, event);
    iw_links_event(&own->links, event, &chunk->item);
}

static bool sctp_stream_open(void) {
    static const struct iw_sctp_judge_handlers handlers = {
        .event = sctp_stream_on_event, .end = sctp_stream_end_session, .message = sctp_stream_store_chunk};

    if (judge != NULL)
        return true;
    config = (struct iw_monitor_config){.extensions = iw_preferences->extensions};
    judge = iw_sctp_judge_new(&config, NULL, &handlers, NULL);
    chunks = wmem_map_new(wmem_file_scope(), g_int64_hash, g_int64_equal);
    fragmented = wmem_map_new(wmem_file_scope(), g_int64_hash, g_int64_equal);
    ends = wmem_map_new(wmem_file_scope(), g_int64_hash, g_int64_equal);
    return judge != NULL;
}

void iw_sctp_stream_packet(packet_info *pinfo, tvbuff_t *tvb) {
    struct iw_tcp_segment packet;

    if (iwarp_take_packet(tvb, pinfo, IW_IP_SCTP, &packet) == IW_PACKET_SCTP &&
        (!sctp_stream_open() || iw_sctp_judge_packet(judge, &packet) != IW_OK))
        iw_limit_note(pinfo);
}

const struct iw_stored_chunk *iw_sctp_stream_chunk(uint32_t frame, uint32_t tsn) {
    return sctp_stream_find(chunks, sctp_stream_chunk_key(frame, tsn));
}

const struct iw_stored_chunk *iw_sctp_stream_fragmented(uint32_t frame) {
    return sctp_stream_find(fragmented, frame);
}

const struct iw_stored_chunk *iw_sctp_stream_ends(uint32_t frame) {
    return sctp_stream_find(ends, frame);
}

void iw_sctp_stream_finish(void) {
    if (judge != NULL)
        iw_sctp_judge_finish(judge);
}

/* Wireshark frees the maps with its file scope. */
void iw_sctp_stream_close(void) {
    iw_sctp_stream_finish();
    iw_sctp_judge_free(judge);
    judge = NULL;
    chunks = fragmented = ends = NULL;
}

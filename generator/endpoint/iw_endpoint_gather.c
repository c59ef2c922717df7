#include <string.h>

#include "iw_crc32c.h"
#include "iw_endpoint_state.h"

/* The fast path of a message to TCP: large payloads are not copied, and one write can send several FPDUs. It
 * is used if no filter or tap must see the segments; the octets sent are the same as without it. */

/* A write has three pieces for each FPDU: headers, payload, PAD and CRC. OCTETS_MAX keeps a write within the
 * processor's cache. Up to SMALL_OCTETS, copying the payload is faster than writing three pieces. */
enum { FPDUS_MAX = IW_PORT_PIECES_MAX / 3, OCTETS_MAX = 262144, SMALL_OCTETS = 2048 };

struct frame {
    uint8_t head[iw_mpa_fpdu_octets + iw_ddp_untagged_octets];
    uint8_t tail[3 + iw_mpa_crc_octets]; /* PAD and CRC */
};

bool iw_endpoint_gathers(const struct iw_endpoint *endpoint) {
    return endpoint->config.policy.send == NULL && endpoint->output.merged_octets == 0 &&
           !endpoint->output.writer.markers && iw_port_quick(endpoint->port);
}

static uint32_t gather_crc(const struct iw_port_piece pieces[3]) {
    uint32_t state = iw_crc32c_begin();

    state = iw_crc32c_update(state, pieces[0].octets, pieces[0].length);
    state = iw_crc32c_update(state, pieces[1].octets, pieces[1].length);
    return iw_crc32c_end(iw_crc32c_update(state, pieces[2].octets, pieces[2].length));
}

/* Sets `pieces` to an FPDU of `segment` and the payload. Returns the length of the FPDU in octets. */
static size_t gather_frame_segment(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const uint8_t *payload, size_t count, struct frame *frame, struct iw_port_piece pieces[3]) {
    size_t ddp = iw_segment_encode_ddp(segment, frame->head + iw_mpa_fpdu_octets);
    struct iw_mpa_fpdu header = {.ulpdu_length = (uint16_t)(ddp + count)};
    uint32_t pad = iw_fpdu_pad((uint32_t)(ddp + count));
    struct iw_mpa_crc trailer = {0};

    iw_mpa_fpdu_encode(&header, frame->head);
    memset(frame->tail, 0, sizeof frame->tail);
    pieces[0] = (struct iw_port_piece){frame->head, iw_mpa_fpdu_octets + ddp};
    pieces[1] = (struct iw_port_piece){payload, count};
    pieces[2] = (struct iw_port_piece){frame->tail, pad};
    if (endpoint->output.writer.crc)
        trailer.crc = gather_crc(pieces);
    iw_mpa_crc_encode(&trailer, frame->tail + pad);
    pieces[2].length += iw_mpa_crc_octets;
    return pieces[0].length + count + pieces[2].length;
}

/* Copies the octets of an FPDU, without the first `skipped` ones. Returns the number copied. */
static size_t gather_join(const struct iw_port_piece pieces[3], size_t skipped, uint8_t *octets) {
    size_t length = 0;

    for (unsigned i = 0; i < 3; i++) {
        size_t skip = skipped < pieces[i].length ? skipped : pieces[i].length;

        if (pieces[i].length > skip)
            memcpy(octets + length, pieces[i].octets + skip, pieces[i].length - skip);
        length += pieces[i].length - skip;
        skipped -= skip;
    }
    return length;
}

static void gather_queue(struct iw_endpoint *endpoint, const uint8_t *octets, size_t length) {
    if (iw_port_write(endpoint->port, octets, length) != IW_OK)
        iw_endpoint_give_up(endpoint, IW_ERROR_RDMAP_LOCAL_CATASTROPHIC, "out of memory");
}

static size_t gather_octets(const struct iw_port_piece pieces[3]) {
    return pieces[0].length + pieces[1].length + pieces[2].length;
}

/* Returns the number of FPDUs written or queued. Queues the rest of an FPDU that TCP took in part, or the
 * first FPDU if TCP took nothing. */
static unsigned gather_write_frames(
    struct iw_endpoint *endpoint, const struct iw_port_piece *pieces, unsigned count) {
    uint8_t rest[iw_mpa_fpdu_octets + UINT16_MAX + 3 + iw_mpa_crc_octets];
    size_t taken = iw_port_write_quick(endpoint->port, pieces, 3 * count);
    unsigned whole = 0;

    for (; whole < count && taken >= gather_octets(pieces + (size_t)3 * whole); whole++)
        taken -= gather_octets(pieces + (size_t)3 * whole);
    if (whole == count || (taken == 0 && whole > 0))
        return whole;
    gather_queue(endpoint, rest, gather_join(pieces + (size_t)3 * whole, taken, rest));
    return whole + 1;
}

/* Writes one FPDU as one piece, and queues what TCP does not take. Returns whether TCP took all of it. */
static bool gather_write_small(
    struct iw_endpoint *endpoint, const struct iw_segment *segment, const uint8_t *payload, size_t count) {
    uint8_t octets[sizeof(struct frame) + SMALL_OCTETS];
    struct iw_port_piece pieces[3];
    struct iw_port_piece whole = {octets, 0};
    struct frame frame;

    gather_frame_segment(endpoint, segment, payload, count, &frame, pieces);
    whole.length = gather_join(pieces, 0, octets);
    endpoint->output.writer.position += whole.length;
    size_t taken = iw_port_write_quick(endpoint->port, &whole, 1);
    if (taken < whole.length)
        gather_queue(endpoint, octets + taken, whole.length - taken);
    return taken == whole.length;
}

/* Writes FPDUs one by one, as long as TCP takes them. Returns their number. */
static unsigned gather_write_each(struct iw_endpoint *endpoint, const struct iw_segment *first,
    const uint8_t *payload, size_t limit, size_t *left) {
    struct iw_segment segment = *first;
    unsigned sent = 0;
    bool more = true;

    while (more && sent < FPDUS_MAX) {
        size_t size = *left < limit ? *left : limit;

        segment.last = size == *left;
        more = gather_write_small(endpoint, &segment, payload, size) && !segment.last;
        payload += size;
        segment.to += size;
        segment.mo += (uint32_t)size;
        *left -= size;
        sent++;
    }
    return sent;
}

/* Writes as many FPDUs with one call as the limits allow. Returns the number of FPDUs written or queued. */
static unsigned gather_write_many(struct iw_endpoint *endpoint, const struct iw_segment *first,
    const uint8_t *payload, size_t limit, size_t *left) {
    unsigned most = endpoint->config.joined ? FPDUS_MAX : 1;
    struct iw_port_piece pieces[IW_PORT_PIECES_MAX];
    struct frame frames[FPDUS_MAX];
    struct iw_segment segment = *first;
    size_t octets = 0;
    unsigned count = 0;

    for (size_t at = 0; count < most && octets < OCTETS_MAX && !segment.last; count++) {
        size_t size = *left - at < limit ? *left - at : limit;

        segment.last = at + size == *left;
        segment.to = first->to + at;
        segment.mo = first->mo + (uint32_t)at;
        octets += gather_frame_segment(
            endpoint, &segment, payload + at, size, &frames[count], pieces + (size_t)3 * count);
        at += size;
    }
    unsigned sent = gather_write_frames(endpoint, pieces, count);
    for (unsigned i = 0; i < sent; i++) {
        *left -= pieces[(size_t)3 * i + 1].length;
        endpoint->output.writer.position += gather_octets(pieces + (size_t)3 * i);
    }
    return sent;
}

unsigned iw_endpoint_gather(
    struct iw_endpoint *endpoint, const struct iw_segment *first, const uint8_t *payload, size_t *left) {
    size_t limit =
        iw_endpoint_payload_limit(endpoint, first->tagged ? iw_ddp_tagged_octets : iw_ddp_untagged_octets);
    size_t size = *left < limit ? *left : limit;

    if (size > SMALL_OCTETS || (endpoint->config.joined && size < *left))
        return gather_write_many(endpoint, first, payload, limit, left);
    return gather_write_each(endpoint, first, payload, limit, left);
}

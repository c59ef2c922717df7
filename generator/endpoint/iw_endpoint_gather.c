#include <string.h>

#include "iw_crc32c.h"
#include "iw_endpoint_state.h"

/* The quick way of a message to TCP: FPDUs whose payload goes out from where it lies, in as few writes as may
 * be. It is for segments that nobody wants to see or change one by one; what they are is the same. */

/* Three pieces an FPDU, and not so much at once that it falls out of the processor's cache. Of payload up to
 * SMALL_OCTETS, copying it beside its headers takes less time than telling the system of three pieces. */
enum { FPDUS_MAX = IW_PORT_PIECES_MAX / 3, OCTETS_MAX = 262144, SMALL_OCTETS = 2048 };

/* What an FPDU has beside its payload. */
struct frame {
    uint8_t head[iw_mpa_fpdu_octets + iw_ddp_untagged_octets];
    uint8_t tail[3 + iw_mpa_crc_octets]; /* PAD and CRC */
};

bool iw_endpoint_gathers(const struct iw_endpoint *endpoint) {
    return endpoint->config.filter == NULL && endpoint->merged_octets == 0 && !endpoint->writer.markers &&
           iw_port_quick(endpoint->port);
}

static uint32_t crc_of(const struct iw_port_piece pieces[3]) {
    uint32_t state = iw_crc32c_begin();

    state = iw_crc32c_update(state, pieces[0].octets, pieces[0].length);
    state = iw_crc32c_update(state, pieces[1].octets, pieces[1].length);
    return iw_crc32c_end(iw_crc32c_update(state, pieces[2].octets, pieces[2].length));
}

/* Makes one FPDU of `segment` and the payload. Returns its octets. */
static size_t frame_segment(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
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
    if (endpoint->writer.crc)
        trailer.crc = crc_of(pieces);
    iw_mpa_crc_encode(&trailer, frame->tail + pad);
    pieces[2].length += iw_mpa_crc_octets;
    return pieces[0].length + count + pieces[2].length;
}

/* The octets of an FPDU behind the first `taken`, which TCP has, wait for it. */
static enum iw_status queue_rest(
    struct iw_endpoint *endpoint, const struct iw_port_piece pieces[3], size_t taken) {
    uint8_t octets[iw_mpa_fpdu_octets + UINT16_MAX + 3 + iw_mpa_crc_octets];
    size_t length = 0;

    for (unsigned i = 0; i < 3; i++) {
        size_t skip = taken < pieces[i].length ? taken : pieces[i].length;

        if (pieces[i].length > skip)
            memcpy(octets + length, pieces[i].octets + skip, pieces[i].length - skip);
        length += pieces[i].length - skip;
        taken -= skip;
    }
    return iw_port_write(endpoint->port, octets, length);
}

static size_t octets_of(const struct iw_port_piece pieces[3]) {
    return pieces[0].length + pieces[1].length + pieces[2].length;
}

/* Counts the FPDUs that TCP has; of one that it has in part, or of the first if it has none, the rest is put
 * into the queue. */
static unsigned write_frames(
    struct iw_endpoint *endpoint, const struct iw_port_piece *pieces, unsigned count) {
    size_t taken = iw_port_write_quick(endpoint->port, pieces, 3 * count);
    unsigned whole = 0;

    for (; whole < count && taken >= octets_of(pieces + (size_t)3 * whole); whole++)
        taken -= octets_of(pieces + (size_t)3 * whole);
    if (whole == count || (taken == 0 && whole > 0))
        return whole;
    if (queue_rest(endpoint, pieces + (size_t)3 * whole, taken) != IW_OK)
        iw_endpoint_give_up(endpoint, IW_ERROR_RDMAP_LOCAL_CATASTROPHIC, "out of memory");
    return whole + 1;
}

/* One FPDU in one piece. Returns whether TCP has taken it whole. */
static bool write_small(
    struct iw_endpoint *endpoint, const struct iw_segment *segment, const uint8_t *payload, size_t count) {
    uint8_t octets[sizeof(struct frame) + SMALL_OCTETS];
    size_t ddp = iw_segment_encode_ddp(segment, octets + iw_mpa_fpdu_octets);
    struct iw_mpa_fpdu header = {.ulpdu_length = (uint16_t)(ddp + count)};
    size_t length = iw_mpa_fpdu_octets + ddp + count;
    struct iw_mpa_crc trailer = {0};
    struct iw_port_piece piece = {octets, 0};
    size_t taken;

    iw_mpa_fpdu_encode(&header, octets);
    if (count > 0)
        memcpy(octets + iw_mpa_fpdu_octets + ddp, payload, count);
    for (uint32_t pad = iw_fpdu_pad(header.ulpdu_length); pad > 0; pad--)
        octets[length++] = 0;
    if (endpoint->writer.crc)
        trailer.crc = iw_crc32c(octets, length);
    iw_mpa_crc_encode(&trailer, octets + length);
    piece.length = length + iw_mpa_crc_octets;
    endpoint->writer.position += piece.length;
    taken = iw_port_write_quick(endpoint->port, &piece, 1);
    if (taken == piece.length)
        return true;
    if (iw_port_write(endpoint->port, octets + taken, piece.length - taken) != IW_OK)
        iw_endpoint_give_up(endpoint, IW_ERROR_RDMAP_LOCAL_CATASTROPHIC, "out of memory");
    return false;
}

/* One after the other, as long as TCP takes them. */
static unsigned write_each(struct iw_endpoint *endpoint, const struct iw_segment *first,
    const uint8_t *payload, size_t room, size_t *left) {
    struct iw_segment segment = *first;
    unsigned sent = 0;
    bool more = true;

    while (more && sent < FPDUS_MAX) {
        size_t size = *left < room ? *left : room;

        segment.last = size == *left;
        more = write_small(endpoint, &segment, payload, size) && !segment.last;
        payload += size;
        segment.to += size;
        segment.mo += (uint32_t)size;
        *left -= size;
        sent++;
    }
    return sent;
}

/* As many FPDUs as make a good write. */
static unsigned write_many(struct iw_endpoint *endpoint, const struct iw_segment *first,
    const uint8_t *payload, size_t room, size_t *left) {
    unsigned most = endpoint->config.joined ? FPDUS_MAX : 1;
    struct iw_port_piece pieces[IW_PORT_PIECES_MAX];
    struct frame frames[FPDUS_MAX];
    struct iw_segment segment = *first;
    size_t octets = 0;
    unsigned count = 0;
    unsigned sent;

    for (size_t at = 0; count < most && octets < OCTETS_MAX && !segment.last; count++) {
        size_t size = *left - at < room ? *left - at : room;

        segment.last = at + size == *left;
        segment.to = first->to + at;
        segment.mo = first->mo + (uint32_t)at;
        octets +=
            frame_segment(endpoint, &segment, payload + at, size, &frames[count], pieces + (size_t)3 * count);
        at += size;
    }
    sent = write_frames(endpoint, pieces, count);
    for (unsigned i = 0; i < sent; i++) {
        *left -= pieces[(size_t)3 * i + 1].length;
        endpoint->writer.position += octets_of(pieces + (size_t)3 * i);
    }
    return sent;
}

unsigned iw_endpoint_gather(
    struct iw_endpoint *endpoint, const struct iw_segment *first, const uint8_t *payload, size_t *left) {
    size_t room = iw_endpoint_room(endpoint, first->tagged ? iw_ddp_tagged_octets : iw_ddp_untagged_octets);
    size_t size = *left < room ? *left : room;

    if (size > SMALL_OCTETS || (endpoint->config.joined && size < *left))
        return write_many(endpoint, first, payload, room, left);
    return write_each(endpoint, first, payload, room, left);
}

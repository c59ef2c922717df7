#include "iw_sctp_writer.h"

#include <string.h>

#include "iw_bits.h"
#include "iw_crc32c.h"
#include "iw_frame.h"
#include "iw_sctp_packet.h"

enum {
    DATA_OCTETS = IW_SCTP_DATA_OCTETS - IW_SCTP_CHUNK_OCTETS, /* value of a DATA chunk before the user data */
    STREAMS = 16,                                             /* in each direction */
    WINDOW = 1 << 20,                                         /* octets */
    FLAGS_WHOLE = 7,                                          /* U (RFC 5043 10), B and E */
    COOKIE_ECHO = 10,
    COOKIE_ACK = 11,
    PARAMETER_COOKIE = 7,
};

static const uint8_t cookie[8] = "warpcook";

static enum iw_status write_sctp_packet(
    void *user, const struct iw_tcp_segment *packet, const char *comment) {
    struct iw_sctp_writer *writer = user;
    const struct iw_frame_path path = {
        .source = packet->source, .destination = packet->destination, .protocol = IW_IP_SCTP};

    return iw_recorder_packet(
        writer->recorder, &path, packet->payload, packet->captured, packet->time_ns, comment);
}

enum iw_status iw_sctp_writer_init(struct iw_sctp_writer *writer, struct iw_recorder *recorder,
    const struct iw_tcp_address addresses[2], const uint32_t tsn[2]) {
    memset(writer, 0, sizeof *writer);
    writer->recorder = recorder;
    for (int side = 0; side < 2; side++) {
        writer->addresses[side] = addresses[side];
        writer->tsn[side] = tsn[side];
        writer->tag[side] = tsn[side] * 2654435761u | 1u; /* not 0 (RFC 9260 3.3.2), and reproducible */
    }
    if (!iw_recorder_changes_packets(recorder))
        return IW_OK;
    writer->impairment =
        iw_impairment_new(iw_recorder_plan(recorder), tsn[IW_SIDE_A], write_sctp_packet, writer);
    return writer->impairment == NULL ? IW_ERR_NOMEM : IW_OK;
}

void iw_sctp_writer_dispose(struct iw_sctp_writer *writer) {
    if (writer->impairment != NULL)
        iw_impairment_finish(writer->impairment);
    iw_impairment_free(writer->impairment);
    writer->impairment = NULL;
}

/* Begins a packet with one chunk. Returns where to write the `length` octets of the chunk's value. */
static uint8_t *sctp_writer_chunk_begin(
    struct iw_sctp_writer *writer, unsigned type, unsigned flags, size_t length) {
    uint8_t *chunk = writer->packet + IW_SCTP_OCTETS;
    size_t padded = (IW_SCTP_CHUNK_OCTETS + length + 3) / 4 * 4;

    memset(writer->packet, 0, IW_SCTP_OCTETS + IW_SCTP_CHUNK_OCTETS);
    memset(chunk + IW_SCTP_CHUNK_OCTETS + length, 0, padded - IW_SCTP_CHUNK_OCTETS - length);
    iw_bits_put(chunk, 0, 8, type);
    iw_bits_put(chunk, 8, 8, flags);
    iw_bits_put(chunk, 16, 16, IW_SCTP_CHUNK_OCTETS + length);
    writer->length = IW_SCTP_OCTETS + padded;
    return chunk + IW_SCTP_CHUNK_OCTETS;
}

/* Writes the packet; `length` octets of it are user data. SCTP uses the same CRC-32C as MPA (RFC 9260 A). */
static enum iw_status sctp_writer_chunk_put(
    struct iw_sctp_writer *writer, enum iw_side side, uint32_t tag, uint32_t length) {
    enum iw_side other = iw_side_other(side);
    const struct iw_tcp_segment packet = {.source = writer->addresses[side],
        .destination = writer->addresses[other],
        .length = length,
        .captured = (uint32_t)writer->length,
        .payload = writer->packet,
        .time_ns = writer->time_ns};
    uint8_t *octets = writer->packet;

    iw_bits_put(octets, 0, 16, writer->addresses[side].port);
    iw_bits_put(octets, 16, 16, writer->addresses[other].port);
    iw_bits_put(octets, 32, 32, tag);
    iw_bits_put(octets, 64, 32, iw_crc32c(octets, writer->length));
    return writer->impairment == NULL
               ? write_sctp_packet(writer, &packet, writer->comment)
               : iw_impairment_segment(writer->impairment, side, &packet, writer->comment);
}

static enum iw_status sctp_writer_chunk_put_empty(
    struct iw_sctp_writer *writer, enum iw_side side, unsigned type) {
    sctp_writer_chunk_begin(writer, type, 0, 0);
    return sctp_writer_chunk_put(writer, side, writer->tag[iw_side_other(side)], 0);
}

/* The frame of the last packet; 0: still unknown. */
static uint64_t sctp_writer_last_frame(const struct iw_sctp_writer *writer) {
    return writer->impairment == NULL ? iw_recorder_frames(writer->recorder) : 0;
}

static uint8_t *sctp_writer_chunk_put_parameter(
    uint8_t *at, unsigned type, const uint8_t *octets, size_t length) {
    iw_bits_put(at, 0, 16, type);
    iw_bits_put(at, 16, 16, 4 + length);
    memcpy(at + 4, octets, length);
    return at + 4 + length;
}

/* Writes the INIT of side A, with Verification Tag 0, or the INIT ACK of side B, with the cookie (RFC 9260
 * 3.3.2, 3.3.3). Stores in `state` what the side announces. */
static enum iw_status sctp_writer_chunk_put_init(
    struct iw_sctp_writer *writer, enum iw_side side, struct iw_sctp_state *state) {
    static const uint8_t indication[4] = {0, 0, 0, IW_SCTP_INDICATION};
    bool ack = side == IW_SIDE_B;
    size_t length = 16 + 8 + (ack ? 4 + sizeof cookie : 0);
    uint8_t *value = sctp_writer_chunk_begin(writer, ack ? IW_SCTP_INIT_ACK : IW_SCTP_INIT, 0, length);
    uint8_t *at = value + 16;

    iw_bits_put(value, 0, 32, writer->tag[side]);
    iw_bits_put(value, 32, 32, WINDOW);
    iw_bits_put(value, 64, 16, STREAMS);
    iw_bits_put(value, 80, 16, STREAMS);
    iw_bits_put(value, 96, 32, writer->tsn[side]);
    if (ack)
        at = sctp_writer_chunk_put_parameter(at, PARAMETER_COOKIE, cookie, sizeof cookie);
    sctp_writer_chunk_put_parameter(at, IW_SCTP_PARAMETER_ADAPTATION, indication, sizeof indication);

    enum iw_status status = sctp_writer_chunk_put(writer, side, ack ? writer->tag[IW_SIDE_A] : 0, 0);
    uint64_t frame = sctp_writer_last_frame(writer);
    state->setup[side] =
        (struct iw_sctp_setup){.frame = frame > 1 ? frame : 1, /* 0 would mean: not captured */
            .ack = ack,
            .indicated = true,
            .indication = IW_SCTP_INDICATION,
            .outbound = STREAMS,
            .inbound = STREAMS};
    return status;
}

enum iw_status iw_sctp_writer_init_chunk(struct iw_sctp_writer *writer, struct iw_sctp_state *state) {
    return sctp_writer_chunk_put_init(writer, IW_SIDE_A, state);
}

enum iw_status iw_sctp_writer_accept(struct iw_sctp_writer *writer, struct iw_sctp_state *state) {
    enum iw_status status = sctp_writer_chunk_put_init(writer, IW_SIDE_B, state);

    memcpy(sctp_writer_chunk_begin(writer, COOKIE_ECHO, 0, sizeof cookie), cookie, sizeof cookie);
    if (status == IW_OK)
        status = sctp_writer_chunk_put(writer, IW_SIDE_A, writer->tag[IW_SIDE_B], 0);
    return status == IW_OK ? sctp_writer_chunk_put_empty(writer, IW_SIDE_B, COOKIE_ACK) : status;
}

static enum iw_status sctp_writer_chunk_put_sack(struct iw_sctp_writer *writer, enum iw_side side) {
    enum iw_side other = iw_side_other(side);
    uint8_t *value = sctp_writer_chunk_begin(writer, IW_SCTP_SACK, 0, 12);

    iw_bits_put(value, 0, 32, writer->tsn[other] - 1);
    iw_bits_put(value, 32, 32, WINDOW);
    iw_bits_put(value, 64, 32, 0); /* no gaps, no duplicates */
    return sctp_writer_chunk_put(writer, side, writer->tag[other], 0);
}

enum iw_status iw_sctp_writer_data(struct iw_sctp_writer *writer, struct iw_sctp_message *message) {
    enum iw_side side = message->side;
    uint8_t *value =
        sctp_writer_chunk_begin(writer, IW_SCTP_DATA, FLAGS_WHOLE, DATA_OCTETS + message->length);

    message->tsn = writer->tsn[side]++;
    iw_bits_put(value, 0, 32, message->tsn);
    iw_bits_put(value, 32, 16, message->stream);
    iw_bits_put(value, 48, 16, 0); /* Stream Sequence Number: unused when unordered */
    iw_bits_put(value, 64, 32, message->ppid);
    memcpy(value + DATA_OCTETS, message->octets, message->length);

    enum iw_status status =
        sctp_writer_chunk_put(writer, side, writer->tag[iw_side_other(side)], message->length);
    message->captured = message->length;
    message->frame = message->first_frame = sctp_writer_last_frame(writer);
    message->time_ns = writer->time_ns;
    if (status != IW_OK || (writer->impairment != NULL && iw_impairment_holds(writer->impairment)))
        return status;
    return sctp_writer_chunk_put_sack(writer, iw_side_other(side));
}

enum iw_status iw_sctp_writer_shutdown(struct iw_sctp_writer *writer, enum iw_side side) {
    enum iw_side other = iw_side_other(side);

    iw_bits_put(sctp_writer_chunk_begin(writer, IW_SCTP_SHUTDOWN, 0, 4), 0, 32, writer->tsn[other] - 1);
    enum iw_status status = sctp_writer_chunk_put(writer, side, writer->tag[other], 0);
    if (status == IW_OK)
        status = sctp_writer_chunk_put_empty(writer, other, IW_SCTP_SHUTDOWN_ACK);
    return status == IW_OK ? sctp_writer_chunk_put_empty(writer, side, IW_SCTP_SHUTDOWN_COMPLETE) : status;
}

enum iw_status iw_sctp_writer_abort(struct iw_sctp_writer *writer, enum iw_side side) {
    return sctp_writer_chunk_put_empty(writer, side, IW_SCTP_ABORT);
}

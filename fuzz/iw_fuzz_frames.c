#include "iw_fuzz_frames.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "iw_bits.h"
#include "iw_fpdu_writer.h"
#include "iw_frame.h"
#include "iw_fuzz_input.h"
#include "iw_sctp_packet.h"
#include "iw_startup.h"
#include "iw_tcp_segment.h"

enum {
    STREAM_OCTETS = 16384,
    STEP_NS = 1000000,
};

/* What one side of the connection writes and sends. */
struct side {
    uint8_t octets[STREAM_OCTETS];
    struct iw_output stream; /* into `octets` */
    struct iw_fpdu_writer writer;
    size_t sent;
    uint32_t first_seq;
    uint32_t tsn;
    uint16_t port;
};

struct builder {
    struct iw_packet *frames;
    unsigned count;
    struct iw_fuzz_scene scene;
    struct side sides[2];
    uint64_t time_ns;
};

/* ---- packets ---- */

/* Adds a copy of the first `captured` octets of a packet with `length` octets. */
static void add_frame(struct builder *builder, const uint8_t *packet, size_t length, size_t captured) {
    uint8_t *octets;

    if (captured > length)
        captured = length;
    octets = builder->count < IW_FUZZ_FRAMES_MAX ? malloc(captured) : NULL;
    if (octets == NULL)
        return;
    memcpy(octets, packet, captured);
    builder->time_ns += STEP_NS;
    builder->frames[builder->count] = (struct iw_packet){.link = IW_LINK_IP,
        .octets = octets,
        .captured = (uint32_t)captured,
        .length = (uint32_t)length,
        .frame = builder->count + 1,
        .time_ns = builder->time_ns};
    builder->count++;
}

static uint8_t *put_ip(
    const struct builder *builder, uint8_t *at, unsigned from, uint8_t protocol, size_t payload) {
    static const struct iw_tcp_address addresses[2][2] = {
        {{.octets = {192, 0, 2, 1}, .version = 4}, {.octets = {192, 0, 2, 2}, .version = 4}},
        {{.octets = {0x20, 0x01, 0x0D, 0xB8, [15] = 1}, .version = 6},
            {.octets = {0x20, 0x01, 0x0D, 0xB8, [15] = 2}, .version = 6}}};
    const struct iw_tcp_address *ends = addresses[builder->scene.stream & IW_FUZZ_IPV6 ? 1 : 0];
    const struct iw_frame_path path = {
        .source = ends[from], .destination = ends[!from], .protocol = protocol};

    return at + iw_frame_ip(&path, payload, at);
}

/* Adds a segment with `captured` octets of its payload. */
static void add_segment(struct builder *builder, const struct iw_fuzz_record *record, uint8_t flags,
    uint32_t seq, const uint8_t *payload, size_t length, size_t captured) {
    unsigned from = record->options & IW_FUZZ_SIDE_B ? 1 : 0;
    const struct side *other = &builder->sides[!from];
    struct iw_tcp_segment segment = {.source = {.port = builder->sides[from].port},
        .destination = {.port = other->port},
        .seq = seq,
        .ack = other->first_seq + (uint32_t)other->sent,
        .flags = flags};
    uint8_t packet[IW_FUZZ_FRAME_OCTETS_MAX];
    uint8_t *at = put_ip(builder, packet, from, IW_IP_TCP, IW_TCP_OCTETS + length);

    if (record->options & IW_FUZZ_ACK_AHEAD)
        segment.ack += IW_FUZZ_SEGMENT_OCTETS_MAX;
    at += iw_frame_tcp(&segment, at);
    if (length > 0)
        memcpy(at, payload, length);
    add_frame(builder, packet, (size_t)(at - packet) + length, (size_t)(at - packet) + captured);
}

/* ---- streams ---- */

static uint32_t moved(uint32_t number, int16_t at) {
    return (uint32_t)((int64_t)number + at);
}

static struct side *side_of(struct builder *builder, const struct iw_fuzz_record *record) {
    return &builder->sides[record->options & IW_FUZZ_SIDE_B ? 1 : 0];
}

static uint8_t flags_of(const struct iw_fuzz_record *record) {
    return (uint8_t)(IW_TCP_ACK | IW_TCP_PSH | (record->options & IW_FUZZ_FIN ? IW_TCP_FIN : 0));
}

static size_t smaller_of(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Sends `length` octets of the stream from `from`, in as many segments as needed. */
static void send_stream(struct builder *builder, const struct iw_fuzz_record *record, size_t from,
    size_t length, size_t captured) {
    struct side *side = side_of(builder, record);
    size_t end = from + smaller_of(length, side->stream.length - from);

    do {
        size_t octets = smaller_of(end - from, IW_FUZZ_SEGMENT_OCTETS_MAX);

        add_segment(builder, record, flags_of(record), side->first_seq + (uint32_t)from, side->octets + from,
            octets, smaller_of(octets, captured));
        from += octets;
    } while (from < end && builder->count < IW_FUZZ_FRAMES_MAX);
    if (from > side->sent)
        side->sent = from;
}

static void send_rest(struct builder *builder, const struct iw_fuzz_record *record) {
    const struct side *side = side_of(builder, record);

    if (side->stream.length > side->sent)
        send_stream(builder, record, side->sent, side->stream.length - side->sent, SIZE_MAX);
}

/* The stream offset `at` octets after the last one sent. */
static size_t stream_offset_of(const struct side *side, int16_t at) {
    if (at < 0)
        return side->sent - smaller_of(side->sent, (size_t)-at);
    return side->sent + smaller_of(side->stream.length - side->sent, (size_t)at);
}

/* ---- records ---- */

static void do_segment(struct builder *builder, const struct iw_fuzz_record *record) {
    struct side *side = side_of(builder, record);
    size_t octets = smaller_of(record->length, IW_FUZZ_SEGMENT_OCTETS_MAX);
    uint32_t seq = moved(side->first_seq + (uint32_t)side->sent, record->at);

    add_segment(builder, record, flags_of(record), seq, record->octets, octets, octets);
    if (record->at == 0 && side->sent == side->stream.length) {
        iw_output_octets(&side->stream, record->octets, octets);
        side->sent = side->stream.length;
    }
}

static void do_fpdu(struct builder *builder, const struct iw_fuzz_record *record) {
    struct side *side = side_of(builder, record);
    struct iw_fpdu_parts parts = {.payload = record->octets, .payload_octets = record->length};

    if (record->options & IW_FUZZ_OWN_LENGTH) {
        parts.overrides = IW_FPDU_SET_LENGTH;
        parts.ulpdu_length = (uint16_t)(record->length + record->at);
    }
    parts.crc_flip = record->options & IW_FUZZ_BAD_CRC ? 1 : 0;
    parts.fpduptr_shift = record->options & IW_FUZZ_FPDUPTR ? record->at : 0;
    if (iw_fpdu_write_max(record->length) > STREAM_OCTETS - side->stream.length)
        return;
    iw_fpdu_write(&side->writer, &parts, &side->stream);
    if (record->options & IW_FUZZ_SEND)
        send_rest(builder, record);
}

static void do_startup(struct builder *builder, const struct iw_fuzz_record *record) {
    bool reply = !(record->options & IW_FUZZ_SIDE_B) == !!(record->options & IW_FUZZ_OTHER_KEY);
    struct side *side = side_of(builder, record);
    uint8_t rest[4] = {0};
    size_t given = smaller_of(record->length, 2);
    size_t octets = record->length - given;

    if (given > 0)
        memcpy(rest, record->octets, given);
    iw_bits_put(rest, 16, 16,
        (uint16_t)moved((uint32_t)octets, record->options & IW_FUZZ_OWN_LENGTH ? record->at : 0));
    iw_output_octets(&side->stream, reply ? iw_startup_key_reply : iw_startup_key_request, 16);
    iw_output_octets(&side->stream, rest, sizeof rest);
    if (octets > 0)
        iw_output_octets(&side->stream, record->octets + given, octets);
    if (record->options & IW_FUZZ_SEND)
        send_rest(builder, record);
}

static void do_octets(struct builder *builder, const struct iw_fuzz_record *record) {
    if (record->length > 0)
        iw_output_octets(&side_of(builder, record)->stream, record->octets, record->length);
}

static void do_sending(struct builder *builder, const struct iw_fuzz_record *record) {
    const struct side *side = side_of(builder, record);
    uint8_t words[4] = {0};
    size_t length, captured;

    if (record->length > 0)
        memcpy(words, record->octets, smaller_of(record->length, sizeof words));
    length = (size_t)(words[0] << 8 | words[1]);
    captured = (size_t)(words[2] << 8 | words[3]);
    send_stream(builder, record, stream_offset_of(side, record->at), length == 0 ? SIZE_MAX : length,
        captured == 0 ? SIZE_MAX : captured);
}

static void do_control(struct builder *builder, const struct iw_fuzz_record *record) {
    const struct side *side = side_of(builder, record);
    uint32_t seq = moved(side->first_seq + (uint32_t)side->sent, record->at);

    add_segment(builder, record, record->length > 0 ? record->octets[0] : IW_TCP_ACK, seq, NULL, 0, 0);
}

/* ---- connections ---- */

static void open_side(struct builder *builder, unsigned which) {
    struct side *side = &builder->sides[which];
    bool markers = builder->scene.stream & (which ? IW_FUZZ_MARKERS_B : IW_FUZZ_MARKERS_A);

    side->stream = iw_output_into(side->octets, sizeof side->octets);
    iw_fpdu_writer_init(&side->writer, markers, !(builder->scene.stream & IW_FUZZ_CRC_OFF));
    side->sent = 0;
    side->tsn = 1;
    side->first_seq = builder->scene.stream & IW_FUZZ_WRAP ? UINT32_MAX - 100 : 1000 * (which + 1);
}

static void open_connection(struct builder *builder) {
    static const uint16_t ports[] = {40000, 445, 4420, 5445};
    struct iw_fuzz_record a = {.options = 0}, b = {.options = IW_FUZZ_SIDE_B};

    builder->sides[1].port = ports[(builder->scene.stream & IW_FUZZ_PORT) >> 3];
    open_side(builder, 0);
    open_side(builder, 1);
    if (builder->scene.stream & IW_FUZZ_MIDSTREAM)
        return;
    add_segment(builder, &a, IW_TCP_SYN, builder->sides[0].first_seq - 1, NULL, 0, 0);
    add_segment(builder, &b, IW_TCP_SYN | IW_TCP_ACK, builder->sides[1].first_seq - 1, NULL, 0, 0);
}

static void do_reconnect(struct builder *builder, const struct iw_fuzz_record *record) {
    if (record->options & IW_FUZZ_SEND)
        builder->sides[0].port++;
    open_connection(builder);
    for (unsigned i = 0; i < 2; i++)
        builder->sides[i].first_seq = moved(builder->sides[i].first_seq, record->at);
}

/* ---- SCTP ---- */

static void do_data(struct builder *builder, const struct iw_fuzz_record *record) {
    unsigned from = record->options & IW_FUZZ_SIDE_B ? 1 : 0;
    struct side *side = side_of(builder, record);
    size_t octets = smaller_of(record->length, IW_FUZZ_SEGMENT_OCTETS_MAX);
    size_t padded = (octets + 3) / 4 * 4;
    uint8_t packet[IW_FUZZ_FRAME_OCTETS_MAX] = {0};
    uint8_t *at = put_ip(builder, packet, from, IW_IP_SCTP, IW_SCTP_OCTETS + IW_SCTP_DATA_OCTETS + padded);

    iw_bits_put(at, 0, 16, side->port);
    iw_bits_put(at, 16, 16, builder->sides[!from].port);
    iw_bits_put(at, 32, 32, 0x1234u + from);
    at += IW_SCTP_OCTETS;
    at[1] =
        (uint8_t)((record->options & IW_FUZZ_BAD_CRC ? 0 : 2) | (record->options & IW_FUZZ_FPDUPTR ? 0 : 1));
    iw_bits_put(at, 16, 16, IW_SCTP_DATA_OCTETS + octets);
    iw_bits_put(at, 32, 32, moved(side->tsn, record->at));
    iw_bits_put(at, 64, 16, record->options & IW_FUZZ_ACK_AHEAD ? 1 : 0);
    iw_bits_put(at, 80, 16, (uint16_t)side->tsn);
    iw_bits_put(at, 96, 32, record->options & IW_FUZZ_OTHER_KEY ? 17 : 16);
    at += IW_SCTP_DATA_OCTETS;
    if (octets > 0)
        memcpy(at, record->octets, octets);
    side->tsn++;
    add_frame(builder, packet, (size_t)(at - packet) + padded, SIZE_MAX);
}

static void do_record(struct builder *builder, const struct iw_fuzz_record *record) {
    static void (*const doing[IW_FUZZ_KINDS])(struct builder *, const struct iw_fuzz_record *) = {
        [IW_FUZZ_SEGMENT] = do_segment,
        [IW_FUZZ_FPDU] = do_fpdu,
        [IW_FUZZ_STARTUP] = do_startup,
        [IW_FUZZ_OCTETS] = do_octets,
        [IW_FUZZ_SENDING] = do_sending,
        [IW_FUZZ_CONTROL] = do_control,
        [IW_FUZZ_RECONNECT] = do_reconnect,
        [IW_FUZZ_DATA] = do_data,
    };

    doing[record->kind](builder, record);
}

unsigned iw_fuzz_frames_make(
    struct iw_packet frames[IW_FUZZ_FRAMES_MAX], const uint8_t *input, size_t length) {
    static struct builder builder;
    struct iw_cursor cursor = iw_cursor_over(input, length);
    struct iw_fuzz_record record;

    builder.frames = frames;
    builder.count = 0;
    builder.time_ns = 0;
    builder.scene = iw_fuzz_scene_take(&cursor);
    builder.sides[0].port = 50000;
    open_connection(&builder);
    while (builder.count < IW_FUZZ_FRAMES_MAX && iw_fuzz_record_take(&cursor, &record))
        do_record(&builder, &record);
    for (uint8_t side = 0; side < 2; side++)
        send_rest(&builder, &(struct iw_fuzz_record){.options = side});
    return builder.count;
}

void iw_fuzz_frames_dispose(struct iw_packet *frames, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        free((void *)frames[i].octets);
}

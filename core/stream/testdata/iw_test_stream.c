#include "iw_test_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_crc32c.h"

const struct iw_marked iw_marked[IW_MARKED_COUNT] = {
    {"K01", 0, 42, 1, {{0, 0}}, {0x52, 0x23, 0x99, 0x83}},
    {"K02", 492, 42, 1, {{20, 0x14}}, {0x84, 0x92, 0x58, 0x98}},
    {"K03", 0, 1014, 3, {{0, 0}, {512, 0x1FC}, {1024, 0x3FC}}, {0x8F, 0xE9, 0x79, 0xA9}},
    {"K04", 512, 22, 1, {{0, 0}}, {0x55, 0xA1, 0x0C, 0xE5}},
    {"K05", 0, 506, 2, {{0, 0}, {512, 0x1FC}}, {0x38, 0xCF, 0x64, 0xE8}},
    {"K06", 500, 22, 1, {{12, 0xC}}, {0x1A, 0x41, 0xD0, 0xFB}},
};

void iw_test_stream_clear(struct iw_test_stream *stream, uint64_t offset, bool markers, uint64_t origin) {
    stream->offset = offset;
    stream->markers = markers;
    stream->origin = origin;
    stream->length = 0;
}

void iw_test_stream_add(struct iw_test_stream *stream, const uint8_t *octets, size_t count) {
    assert_true(stream->length + count <= IW_TEST_STREAM_MAX);
    memcpy(stream->octets + stream->length, octets, count);
    stream->length += (uint32_t)count;
}

static bool marker_due(const struct iw_test_stream *stream, uint64_t offset) {
    return stream->markers && (offset - stream->origin) % 512 == 0;
}

void iw_test_stream_fill(struct iw_test_stream *stream, uint32_t wire) {
    uint8_t octets[4096] = {0};
    uint64_t offset = stream->offset + stream->length;
    uint32_t length_at = marker_due(stream, offset) ? 4 : 0;
    uint32_t plain = wire;
    uint32_t crc;

    assert_true(wire % 4 == 0 && wire >= 12 && wire <= sizeof octets);
    for (uint32_t at = 0; at < wire; at += 4) {
        if (!marker_due(stream, offset + at))
            continue;
        plain -= 4;
        octets[at + 2] = at == 0 ? 0 : (uint8_t)((at - length_at) >> 8);
        octets[at + 3] = at == 0 ? 0 : (uint8_t)(at - length_at);
    }
    octets[length_at] = (uint8_t)((plain - 6) >> 8);
    octets[length_at + 1] = (uint8_t)(plain - 6);
    crc = iw_crc32c(octets, wire - 4);
    for (uint32_t i = 0; i < 4; i++)
        octets[wire - 4 + i] = (uint8_t)(crc >> (24 - 8 * i));
    iw_test_stream_add(stream, octets, wire);
}

/* One octet of the image of an FPDU that begins at octet `begin` of the stream, after the Marker that is
 * due. */
static void add_image_octet(struct iw_test_stream *stream, uint32_t begin, uint8_t octet) {
    uint64_t offset = stream->offset + stream->length;

    if (marker_due(stream, offset)) {
        uint32_t length_at = marker_due(stream, stream->offset + begin) ? begin + 4 : begin;
        uint32_t pointer = stream->length < length_at ? 0 : stream->length - length_at;
        const uint8_t marker[4] = {0, 0, (uint8_t)(pointer >> 8), (uint8_t)pointer};

        iw_test_stream_add(stream, marker, sizeof marker);
    }
    iw_test_stream_add(stream, &octet, 1);
}

void iw_test_stream_send(struct iw_test_stream *stream, uint8_t msn, uint32_t payload_octets) {
    const uint32_t length = 18 + payload_octets;
    const uint8_t header[20] = {(uint8_t)(length >> 8), (uint8_t)length, 0x41, 0x43, [15] = msn};
    const uint32_t begin = stream->length;
    uint32_t crc;

    for (uint32_t i = 0; i < sizeof header; i++)
        add_image_octet(stream, begin, header[i]);
    for (uint32_t i = 0; i < payload_octets; i++)
        add_image_octet(stream, begin, (uint8_t)(1 + (7 * i + msn) % 255));
    for (uint32_t i = 2 + length; i % 4 != 0; i++)
        add_image_octet(stream, begin, 0);
    if (marker_due(stream, stream->offset + stream->length)) {
        add_image_octet(stream, begin, 0);
        stream->length--;
    }
    crc = iw_crc32c(stream->octets + begin, stream->length - begin);
    for (uint32_t i = 0; i < 4; i++)
        add_image_octet(stream, begin, (uint8_t)(crc >> (24 - 8 * i)));
}

struct iw_chunk iw_test_stream_chunk(
    struct iw_test_stream *stream, enum iw_side side, uint32_t from, uint32_t count, uint64_t frame) {
    for (uint32_t i = from; i < from + count; i++)
        stream->frames[i] = frame;
    return (struct iw_chunk){.kind = IW_CHUNK_DATA,
        .side = side,
        .length = count,
        .offset = stream->offset + from,
        .octets = stream->octets + from,
        .frame = frame,
        .time_ns = frame * 1000};
}

static void check_marker(const struct iw_test_stream *stream, uint32_t at, const struct iw_marker *marker) {
    const uint8_t *octets = stream->octets + at;

    assert_int_equal(marker->offset, stream->offset + at);
    assert_int_equal(marker->reserved, octets[0] << 8 | octets[1]);
    assert_int_equal(marker->fpduptr, octets[2] << 8 | octets[3]);
    assert_int_equal(marker->frame, stream->frames[at + 3]);
}

static void check_octet(
    const struct iw_test_stream *stream, uint32_t at, const struct iw_fpdu *fpdu, uint32_t image_at) {
    const struct iw_span *span = iw_span_find(fpdu->spans, fpdu->span_count, image_at);

    assert_int_equal(fpdu->image[image_at], stream->octets[at]);
    assert_in_range(image_at, span->at, span->at + span->octets - 1);
    assert_int_equal(span->offset + (image_at - span->at), stream->offset + at);
    assert_int_equal(span->frame, stream->frames[at]);
    assert_int_equal(span->time_ns, stream->frames[at] * 1000);
}

void iw_test_stream_check(const struct iw_test_stream *stream, const struct iw_fpdu *fpdu) {
    uint32_t begin = (uint32_t)(fpdu->offset - stream->offset);
    uint32_t at = begin;
    uint32_t markers = 0;
    uint32_t spanned = 0;

    assert_int_equal(fpdu->image_captured, fpdu->image_octets);
    for (uint32_t image_at = 0; image_at < fpdu->image_octets; image_at++) {
        if (marker_due(stream, stream->offset + at)) {
            assert_true(markers < fpdu->marker_count);
            check_marker(stream, at, &fpdu->markers[markers++]);
            at += 4;
        }
        check_octet(stream, at++, fpdu, image_at);
    }
    assert_int_equal(markers, fpdu->marker_count);
    assert_int_equal(fpdu->wire_octets, at - begin);
    assert_int_equal(fpdu->position, fpdu->offset - stream->origin);
    assert_int_equal(fpdu->first_frame, stream->frames[begin]);
    assert_int_equal(fpdu->frame, stream->frames[at - 1]);
    assert_int_equal(fpdu->time_ns, stream->frames[at - 1] * 1000);
    for (uint32_t i = 0; i < fpdu->span_count; i++) {
        assert_int_equal(fpdu->spans[i].at, spanned);
        spanned += fpdu->spans[i].octets;
    }
    assert_int_equal(spanned, fpdu->image_octets);
}

uint32_t iw_test_random(uint32_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

void iw_test_stream_start(
    struct iw_test_stream *stream, struct iw_fpdu_reader *reader, bool markers, enum iw_crc_use crc) {
    iw_test_stream_clear(stream, 0, markers, 0);
    iw_fpdu_reader_init(reader, markers, crc, 0, 0);
}

void iw_test_stream_feed(struct iw_test_stream *stream, struct iw_fpdu_reader *reader, uint32_t from,
    uint32_t count, uint64_t frame) {
    struct iw_chunk chunk = iw_test_stream_chunk(stream, IW_SIDE_B, from, count, frame);

    iw_fpdu_reader_feed(reader, &chunk);
}

uint32_t iw_cut_next(struct iw_cut *cut, uint32_t left) {
    uint32_t size = cut->size;

    if (size == 0) {
        uint32_t random = iw_test_random(&cut->seed);

        size = 1 + (random >> 8) % (random % 3 == 0 ? 2000 : 20);
    }
    return size < left ? size : left;
}

void iw_event_log_init(struct iw_event_log *log) {
    memset(log, 0, sizeof *log);
    log->file = open_memstream(&log->text, &log->length);
    assert_non_null(log->file);
}

void iw_event_log_dispose(struct iw_event_log *log) {
    fclose(log->file);
    free(log->text);
}

void iw_event_log_clear(struct iw_event_log *log) {
    iw_event_log_text(log);
    rewind(log->file);
    memset(log->count, 0, sizeof log->count);
}

const char *iw_event_log_text(struct iw_event_log *log) {
    fputc('\0', log->file);
    fflush(log->file);
    fseek(log->file, -1, SEEK_CUR);
    return log->text;
}

void iw_event_log_fpdu(struct iw_event_log *log, const struct iw_fpdu *fpdu) {
    static const char *const crc[] = {"good", "bad", "unchecked", "unproven", "not captured"};

    fprintf(log->file, " ulpdu %u crc %s", fpdu->ulpdu_length, crc[fpdu->crc]);
    if (fpdu->image_captured < fpdu->image_octets)
        fprintf(log->file, " captured %u of %u", fpdu->image_captured, fpdu->image_octets);
    for (uint32_t i = 0; i < fpdu->marker_count; i++)
        fprintf(log->file, " marker %u", fpdu->markers[i].fpduptr);
}

static void write_startup(struct iw_event_log *log, const struct iw_llp_event *event) {
    static const char *const keys[] = {"request", "reply", "unknown"};
    const struct iw_mpa_startup *header = &event->startup->header;

    fprintf(log->file, " %s rev %u%s%s%s%s pd %u", keys[event->startup->key], header->rev,
        header->m ? " M" : "", header->c ? " C" : "", header->r ? " R" : "", header->s ? " S" : "",
        header->pd_length);
    if (event->image_captured < event->octets)
        fprintf(log->file, " captured %u", event->image_captured);
}

static void write_loss(struct iw_event_log *log, const struct iw_llp_event *event) {
    fprintf(log->file, " missing %u", (unsigned)event->loss.missing);
    if (event->loss.given_up > 0)
        fprintf(log->file, " given up %u", (unsigned)event->loss.given_up);
    fprintf(log->file, "%s%s%s", event->loss.cut ? " cut" : "", event->loss.open ? " open" : "",
        event->loss.private_data ? " private data" : "");
}

static void write_close(struct iw_event_log *log, const struct iw_llp_event *event) {
    static const char *const closes[] = {"fin", "rst", "input"};

    fprintf(log->file, " %s pending %u", closes[event->close], event->pending.octets);
}

void iw_event_log_sink(void *user, const struct iw_llp_event *event) {
    static const char *const kinds[] = {"startup", "fpdu", "loss", "close"};
    struct iw_event_log *log = user;

    log->count[event->kind]++;
    fprintf(log->file, "%c %s %u+%u", event->side == IW_SIDE_A ? 'A' : 'B', kinds[event->kind],
        (unsigned)event->offset, (unsigned)event->octets);
    if (log->frames)
        fprintf(log->file, " f%u-%u", (unsigned)event->first_frame, (unsigned)event->frame);
    switch (event->kind) {
    case IW_LLP_STARTUP:
        write_startup(log, event);
        break;
    case IW_LLP_SEGMENT:
        iw_event_log_fpdu(log, event->fpdu);
        if (log->streams[event->side] != NULL)
            iw_test_stream_check(log->streams[event->side], event->fpdu);
        if (event->markers_unexpected)
            fputs(" unexpected", log->file);
        break;
    case IW_LLP_LOSS:
        write_loss(log, event);
        break;
    case IW_LLP_CLOSE:
        write_close(log, event);
        break;
    case IW_LLP_CONTROL:
        break; /* no chunk of TCP makes one */
    }
    fputc('\n', log->file);
}

#pragma once

#include <stdlib.h>

#include "iw_array.h"
#include "iw_capture_file.h"
#include "iw_packet.h"
#include "iw_tcp_table.h"

/* The streams of a capture of one relayed connection, as the checker reads them: of the initiator's
 * connection (0) and of the device's (1), by enum iw_side. */

enum { CAPTURED_SEGMENTS = 256 };

struct captured_stream {
    uint8_t *octets;
    uint32_t capacity;
    size_t length;
    unsigned starts, fins, rsts, others;
    struct {
        size_t at; /* its first octet */
        uint64_t time_ns;
    } segments[CAPTURED_SEGMENTS]; /* the first of them */
    size_t segment_count;
};

struct captured {
    size_t flows;
    struct iw_tcp_address address[2][2];
    struct captured_stream stream[2][2];
};

static void captured_flow(void *user, struct iw_tcp_flow *flow) {
    struct captured *captured = user;

    assert_true(captured->flows < 2);
    for (int side = 0; side < 2; side++)
        captured->address[captured->flows][side] = flow->address[side];
    captured->flows++;
}

static void captured_chunk(void *user, struct iw_tcp_flow *flow, const struct iw_chunk *chunk) {
    struct captured *captured = user;
    struct captured_stream *stream = &captured->stream[flow->id][chunk->side];

    switch (chunk->kind) {
    case IW_CHUNK_START:
        stream->starts++;
        break;
    case IW_CHUNK_DATA:
        assert_true(iw_array_reserve(&stream->octets, &stream->capacity, stream->length + chunk->length, 1));
        if (stream->segment_count < CAPTURED_SEGMENTS) {
            stream->segments[stream->segment_count].at = stream->length;
            stream->segments[stream->segment_count++].time_ns = chunk->time_ns;
        }
        memcpy(stream->octets + stream->length, chunk->octets, chunk->length);
        stream->length += chunk->length;
        break;
    case IW_CHUNK_FIN:
        stream->fins++;
        break;
    case IW_CHUNK_RST:
        stream->rsts++;
        break;
    case IW_CHUNK_GAP:
    case IW_CHUNK_OUTSIDE:
    case IW_CHUNK_DIFFERING:
        stream->others++;
        break;
    }
}

/* Whether a segment begins with this octet of the stream. */
static inline bool captured_begins(const struct captured_stream *stream, size_t at) {
    for (size_t i = 0; i < stream->segment_count; i++)
        if (stream->segments[i].at == at)
            return true;
    return false;
}

/* The time of the segment with this octet. */
static inline uint64_t captured_time(const struct captured_stream *stream, size_t at) {
    size_t i = stream->segment_count;

    while (i > 0 && stream->segments[i - 1].at > at)
        i--;
    assert_true(i > 0);
    return stream->segments[i - 1].time_ns;
}

static inline void captured_free(struct captured *captured) {
    for (int i = 0; i < 4; i++)
        free(captured->stream[i / 2][i % 2].octets);
    free(captured);
}

/* The caller frees it by captured_free. */
static inline struct captured *captured_read(const char *path) {
    const struct iw_tcp_handlers handlers = {.flow_new = captured_flow, .chunk = captured_chunk};
    struct captured *captured = calloc(1, sizeof *captured);
    struct iw_tcp_table *table = iw_tcp_table_new(NULL, &handlers, captured);
    struct iw_tcp_segment segment;
    struct iw_capture_file *file;
    struct iw_packet packet;
    char error[512];

    assert_int_equal(iw_capture_file_open(path, &file, error, sizeof error), IW_OK);
    while (iw_capture_file_next(file, &packet, error, sizeof error) == IW_CAPTURE_PACKET) {
        assert_int_equal(iw_packet_find(&packet, &segment, &(struct iw_packet_facts){0}), IW_PACKET_TCP);
        assert_int_equal(iw_tcp_table_segment(table, &segment), IW_OK);
    }
    iw_capture_file_close(file);
    iw_tcp_table_finish(table);
    iw_tcp_table_free(table);
    return captured;
}

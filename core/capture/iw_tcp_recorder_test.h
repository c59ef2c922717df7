#pragma once

/* For the tests of reassembly: sends segments and compares recorded chunks. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "iw_chunk.h"
#include "iw_tcp_segment.h"

/* Records chunks as text, each as <side><offset><what>@<frame> and a space. What: ^ START, =octets DATA,
 * ?length GAP of octets not captured, !length GAP of truncated octets, ~length GAP at a limit, $ FIN, # RST,
 * xlength OUTSIDE. */
struct iw_tcp_recorder {
    char log[4096];
    size_t length;
};

static inline void iw_tcp_recorder_print(struct iw_tcp_recorder *recorder, const char *text) {
    int printed =
        snprintf(recorder->log + recorder->length, sizeof recorder->log - recorder->length, "%s", text);
    recorder->length += (size_t)printed;
}

static inline void iw_tcp_recorder_chunk(void *context, const struct iw_chunk *chunk) {
    char what[256] = "";
    int length = (int)chunk->length;
    switch (chunk->kind) {
    case IW_CHUNK_START:
        snprintf(what, sizeof what, "^");
        break;
    case IW_CHUNK_DATA:
        snprintf(what, sizeof what, "=%.*s", length, (const char *)chunk->octets);
        break;
    case IW_CHUNK_GAP:
        snprintf(what, sizeof what, "%c%d", chunk->cut ? '!' : chunk->limited ? '~' : '?', length);
        break;
    case IW_CHUNK_FIN:
        snprintf(what, sizeof what, "$");
        break;
    case IW_CHUNK_RST:
        snprintf(what, sizeof what, "#");
        break;
    case IW_CHUNK_DIFFERING:
        snprintf(what, sizeof what, "/%d", length);
        break;
    case IW_CHUNK_OUTSIDE:
        snprintf(what, sizeof what, "x%d", length);
        break;
    }
    char text[512];
    snprintf(text, sizeof text, "%c%" PRIu64 "%s@%" PRIu64 " ", chunk->side == IW_SIDE_A ? 'A' : 'B',
        chunk->offset, what, chunk->frame);
    iw_tcp_recorder_print(context, text);
}

/* Compares what was recorded since the last call. */
static inline void iw_tcp_recorder_expect(
    struct iw_tcp_recorder *recorder, const char *log, const char *file, int line) {
    _assert_string_equal(recorder->log, log, file, line);
    recorder->log[0] = '\0';
    recorder->length = 0;
}

/* A segment with `text` as its payload, from port 1000 of 10.0.0.1 to port 2000 of 10.0.0.2; time is frame
 * seconds. */
static inline struct iw_tcp_segment iw_tcp_recorder_segment(
    uint64_t frame, uint32_t seq, unsigned flags, const char *text) {
    struct iw_tcp_segment segment = {
        .source = {.octets = {10, 0, 0, 1}, .port = 1000, .version = 4},
        .destination = {.octets = {10, 0, 0, 2}, .port = 2000, .version = 4},
        .seq = seq,
        .flags = (uint8_t)flags,
        .length = (uint32_t)strlen(text),
        .captured = (uint32_t)strlen(text),
        .payload = (const uint8_t *)text,
        .frame = frame,
        .time_ns = frame * 1000000000u,
    };
    return segment;
}

#pragma once

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_mpa.h"
#include "iw_stream_fixture.h"

/* Streams with FPDUs at unexpected places or of unexpected form: side A sends, and any segmentation gives
 * the same events. Sends of 40 octets of payload have 64 octets, those of 600 have 624, without Markers. */

static struct iw_test_stream stream;
static struct iw_mpa_config config;
static const char *request; /* vectors; NULL: not captured */
static const char *reply;

static inline void begin(const char *request_id, const char *reply_id, bool markers) {
    uint64_t origin = request_id == NULL ? 0 : iw_stream_fixture_vector(request_id)->length;

    memset(&config, 0, sizeof config);
    request = request_id;
    reply = reply_id;
    iw_test_stream_clear(&stream, origin, markers, origin);
}

/* In mid-stream: Markers are at `origin` and every 512 octets from there. */
static inline void begin_late(bool markers, uint64_t origin) {
    begin(NULL, NULL, markers);
    stream.origin = origin;
}

static inline void sends(unsigned count, uint32_t payload_octets) {
    static uint8_t msn;

    for (unsigned i = 0; i < count; i++)
        iw_test_stream_send(&stream, ++msn, payload_octets);
}

static inline void add_garbage(uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        iw_test_stream_add(&stream, (const uint8_t[1]){(uint8_t)(0x55 + 31 * i)}, 1);
}

/* `at` counts from the first octet after the startup. */
static inline void change(uint32_t at, uint8_t value) {
    stream.octets[at] = value;
}

static inline void play(struct iw_cut cut, struct iw_event_log *log) {
    struct iw_mpa mpa;
    uint64_t frame = 3;

    iw_mpa_init(&mpa, &config, iw_event_log_sink, log);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B && request != NULL; side++) {
        const struct iw_chunk syn = {.kind = IW_CHUNK_START, .side = side};
        const struct iw_vector *vector = iw_stream_fixture_vector(side == IW_SIDE_A ? request : reply);
        const struct iw_chunk startup = {.kind = IW_CHUNK_DATA,
            .side = side,
            .octets = vector->octets,
            .length = (uint32_t)vector->length,
            .frame = 1 + side};

        iw_mpa_feed(&mpa, &syn);
        iw_mpa_feed(&mpa, &startup);
    }
    iw_event_log_clear(log);
    for (uint32_t at = 0; at < stream.length;) {
        uint32_t count = iw_cut_next(&cut, stream.length - at);
        struct iw_chunk chunk = iw_test_stream_chunk(&stream, IW_SIDE_A, at, count, frame++);

        iw_mpa_feed(&mpa, &chunk);
        at += count;
    }
    iw_half_finish(&mpa.half[IW_SIDE_A]);
    iw_mpa_dispose(&mpa);
}

/* As `expect`, but only in a single TCP segment, because other segment boundaries prove less. */
static inline void expect_uncut(const char *text) {
    struct iw_event_log log;

    iw_event_log_init(&log);
    play((struct iw_cut){.size = UINT32_MAX}, &log);
    assert_string_equal(iw_event_log_text(&log), text);
    iw_event_log_dispose(&log);
}

static inline void expect(const char *text) {
    static const uint32_t evenly[] = {1, 2, 3, 4, 19, 64, 127, 624, 1460};
    struct iw_event_log log;

    iw_event_log_init(&log);
    play((struct iw_cut){.size = UINT32_MAX}, &log);
    assert_string_equal(iw_event_log_text(&log), text);
    for (uint32_t i = 0; i < 24; i++) {
        bool even = i < sizeof evenly / sizeof *evenly;

        play((struct iw_cut){.size = even ? evenly[i] : 0, .seed = i}, &log);
        assert_string_equal(iw_event_log_text(&log), text);
    }
    iw_event_log_dispose(&log);
}

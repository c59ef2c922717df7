#include "iw_stream_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define VECTORS WARPCHECK_SOURCE_DIR "/core/wire/testdata/vectors.json"

static struct iw_vector_set vectors;

int iw_stream_fixture_load(void **state) {
    (void)state;
    return iw_vector_set_init(&vectors, VECTORS) ? 0 : -1;
}

int iw_stream_fixture_unload(void **state) {
    (void)state;
    iw_vector_set_dispose(&vectors);
    return 0;
}

const struct iw_vector *iw_stream_fixture_vector(const char *id) {
    const struct iw_vector *vector = iw_vector_find(&vectors, id);

    assert_non_null(vector);
    return vector;
}

void iw_stream_fixture_add_vector(struct iw_test_stream *stream, const char *id) {
    const struct iw_vector *vector = iw_stream_fixture_vector(id);

    iw_test_stream_add(stream, vector->octets, vector->length);
}

void iw_stream_fixture_init_config(struct iw_stream_fixture *fixture, const struct iw_mpa_config *config) {
    memset(fixture, 0, sizeof *fixture);
    iw_event_log_init(&fixture->log);
    iw_mpa_init(&fixture->mpa, config, iw_event_log_sink, &fixture->log);
}

void iw_stream_fixture_init(struct iw_stream_fixture *fixture, bool expected) {
    iw_stream_fixture_init_config(fixture, &(struct iw_mpa_config){.expected = expected});
}

void iw_stream_fixture_init_alone(struct iw_stream_fixture *fixture, struct iw_half *half) {
    memset(fixture, 0, sizeof *fixture);
    iw_event_log_init(&fixture->log);
    iw_half_init(half, IW_SIDE_A, iw_event_log_sink, &fixture->log);
    fixture->alone = half;
}

void iw_stream_fixture_dispose(struct iw_stream_fixture *fixture) {
    if (fixture->alone != NULL)
        iw_half_dispose(fixture->alone);
    else
        iw_mpa_dispose(&fixture->mpa);
    iw_event_log_dispose(&fixture->log);
}

static void feed(struct iw_stream_fixture *fixture, struct iw_chunk chunk) {
    chunk.offset = fixture->offset[chunk.side];
    chunk.frame = ++fixture->frame;
    chunk.time_ns = 1000 * fixture->frame;
    if (fixture->alone != NULL)
        iw_half_feed(fixture->alone, &chunk);
    else
        iw_mpa_feed(&fixture->mpa, &chunk);
    fixture->offset[chunk.side] += chunk.length;
}

void iw_stream_fixture_start(struct iw_stream_fixture *fixture, enum iw_side side) {
    feed(fixture, (struct iw_chunk){.kind = IW_CHUNK_START, .side = side});
    fixture->frame--;
}

/* The octets are lent in separate memory, so that a sanitizer detects a use after the call. */
void iw_stream_fixture_octets(
    struct iw_stream_fixture *fixture, enum iw_side side, const void *octets, size_t count) {
    uint8_t *lent = malloc(count);

    assert_non_null(lent);
    memcpy(lent, octets, count);
    feed(fixture,
        (struct iw_chunk){.kind = IW_CHUNK_DATA, .side = side, .length = (uint32_t)count, .octets = lent});
    free(lent);
}

void iw_stream_fixture_zeros(struct iw_stream_fixture *fixture, enum iw_side side, uint32_t count) {
    uint8_t *zeros = calloc(count, 1);

    assert_non_null(zeros);
    iw_stream_fixture_octets(fixture, side, zeros, count);
    free(zeros);
}

void iw_stream_fixture_gap(struct iw_stream_fixture *fixture, enum iw_side side, uint32_t count, bool cut) {
    feed(fixture, (struct iw_chunk){.kind = IW_CHUNK_GAP, .side = side, .length = count, .cut = cut});
}

void iw_stream_fixture_fin(struct iw_stream_fixture *fixture, enum iw_side side) {
    feed(fixture, (struct iw_chunk){.kind = IW_CHUNK_FIN, .side = side});
}

void iw_stream_fixture_rst(struct iw_stream_fixture *fixture, enum iw_side side) {
    feed(fixture, (struct iw_chunk){.kind = IW_CHUNK_RST, .side = side});
}

static size_t concatenate(const char *ids, uint8_t *octets, size_t capacity) {
    size_t length = 0;

    while (*ids != '\0') {
        size_t width = strcspn(ids, " ");
        char id[8] = {0};
        const struct iw_vector *vector;

        assert_true(width < sizeof id);
        memcpy(id, ids, width);
        vector = iw_stream_fixture_vector(id);
        assert_true(length + vector->length <= capacity);
        memcpy(octets + length, vector->octets, vector->length);
        length += vector->length;
        ids += width + strspn(ids + width, " ");
    }
    return length;
}

void iw_stream_fixture_send(struct iw_stream_fixture *fixture, enum iw_side side, const char *ids) {
    uint8_t octets[8192];
    size_t count = concatenate(ids, octets, sizeof octets);

    iw_stream_fixture_octets(fixture, side, octets, count);
}

void iw_stream_fixture_part(
    struct iw_stream_fixture *fixture, enum iw_side side, const char *ids, size_t from, size_t to) {
    uint8_t octets[8192];
    size_t length = concatenate(ids, octets, sizeof octets);

    assert_true(from < to && to <= length);
    iw_stream_fixture_octets(fixture, side, octets + from, to - from);
}

void iw_stream_fixture_expect(struct iw_stream_fixture *fixture, const char *text) {
    assert_string_equal(iw_event_log_text(&fixture->log), text);
    iw_event_log_clear(&fixture->log);
}

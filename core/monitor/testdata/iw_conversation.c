#include "iw_conversation.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_crc32c.h"
#include "iw_vector.h"

static struct iw_vector_set vectors;

int iw_conversation_load(void **state) {
    (void)state;
    return iw_vector_set_init(&vectors, WARPCHECK_SOURCE_DIR "/core/wire/testdata/vectors.json") ? 0 : -1;
}

int iw_conversation_unload(void **state) {
    (void)state;
    iw_vector_set_dispose(&vectors);
    return 0;
}

/* ---- octets ---- */

struct octets {
    uint8_t *at;
    size_t count;
};

static void put(struct octets *octets, const uint8_t *more, size_t count) {
    octets->at = realloc(octets->at, octets->count + count + 1);
    assert_non_null(octets->at);
    for (size_t i = 0; i < count; i++)
        octets->at[octets->count++] = more == NULL ? 0 : more[i];
}

static uint8_t nibble(char c) {
    assert_true(isxdigit((unsigned char)c));
    return (uint8_t)(isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10);
}

/* A word of three characters is an id, because hexadecimal octets have two digits each. */
static bool is_id(const char *word, size_t length) {
    return length == 3 && strchr("MFKS", word[0]) != NULL;
}

static void put_word(struct octets *octets, const char *word, size_t length) {
    if (is_id(word, length)) {
        char id[4] = {word[0], word[1], word[2], 0};
        const struct iw_vector *vector = iw_vector_find(&vectors, id);

        assert_non_null(vector);
        put(octets, vector->octets, vector->length);
        return;
    }
    if (word[0] == '*') {
        put(octets, NULL, strtoul(word + 1, NULL, 10));
        return;
    }
    assert_int_equal(length % 2, 0);
    for (size_t i = 0; i < length; i += 2) {
        uint8_t octet = (uint8_t)(nibble(word[i]) << 4 | nibble(word[i + 1]));

        put(octets, &octet, 1);
    }
}

static struct octets read_text(const char *text) {
    struct octets octets = {0};

    while (*text != 0) {
        size_t length = strcspn(text, " ");

        put_word(&octets, text, length);
        text += length;
        text += strspn(text, " ");
    }
    return octets;
}

/* Least significant octet first (RFC 5044 4.4). */
static void put_crc(struct octets *octets) {
    uint32_t crc = iw_crc32c_end(iw_crc32c_update_portable(iw_crc32c_begin(), octets->at, octets->count));
    uint8_t field[4] = {(uint8_t)(crc >> 24), (uint8_t)(crc >> 16), (uint8_t)(crc >> 8), (uint8_t)crc};

    put(octets, field, sizeof field);
}

static struct octets make_fpdu(const char *ulpdu, size_t zeros) {
    struct octets inner = read_text(ulpdu);
    struct octets octets = {0};
    uint8_t length[2];

    put(&inner, NULL, zeros);
    length[0] = (uint8_t)(inner.count >> 8);
    length[1] = (uint8_t)inner.count;
    put(&octets, length, 2);
    put(&octets, inner.at, inner.count);
    while (octets.count % 4 != 0)
        put(&octets, NULL, 1);
    put_crc(&octets);
    free(inner.at);
    return octets;
}

/* ---- chunks ---- */

static void feed(struct iw_conversation *c, struct iw_chunk chunk) {
    chunk.offset = c->offset[chunk.side];
    chunk.frame = chunk.kind == IW_CHUNK_START ? 0 : ++c->frame;
    chunk.time_ns = c->frame * 1000;
    chunk.acknowledges_missing = c->unseen;
    chunk.acked_known = c->acks;
    chunk.acked = c->acked;
    c->offset[chunk.side] += chunk.length;
    c->chunks = realloc(c->chunks, (c->chunk_count + 1) * sizeof *c->chunks);
    assert_non_null(c->chunks);
    c->chunks[c->chunk_count++] = chunk;
    iw_monitor_feed(c->monitor, &chunk);
}

/* Becomes the owner of the octets. */
static uint64_t feed_octets(struct iw_conversation *c, enum iw_side side, struct octets octets) {
    uint64_t offset = c->offset[side];

    feed(c, (struct iw_chunk){
                .kind = IW_CHUNK_DATA, .side = side, .length = (uint32_t)octets.count, .octets = octets.at});
    return offset;
}

void iw_conversation_start(struct iw_conversation *c, enum iw_side side) {
    feed(c, (struct iw_chunk){.kind = IW_CHUNK_START, .side = side, .mss = c->mss});
}

uint64_t iw_conversation_say(struct iw_conversation *c, enum iw_side side, const char *text) {
    return feed_octets(c, side, read_text(text));
}

uint64_t iw_conversation_sum(struct iw_conversation *c, enum iw_side side, const char *text) {
    struct octets octets = read_text(text);

    put_crc(&octets);
    return feed_octets(c, side, octets);
}

uint64_t iw_conversation_fill(struct iw_conversation *c, enum iw_side side, const char *ulpdu, size_t zeros) {
    return feed_octets(c, side, make_fpdu(ulpdu, zeros));
}

uint64_t iw_conversation_fpdu(struct iw_conversation *c, enum iw_side side, const char *ulpdu) {
    return iw_conversation_fill(c, side, ulpdu, 0);
}

uint64_t iw_conversation_two(
    struct iw_conversation *c, enum iw_side side, const char *ulpdu, const char *ulpdu_after) {
    struct octets octets = make_fpdu(ulpdu, 0);
    struct octets after = make_fpdu(ulpdu_after, 0);
    size_t first = octets.count;

    put(&octets, after.at, after.count);
    free(after.at);
    return feed_octets(c, side, octets) + first;
}

uint64_t iw_conversation_change(
    struct iw_conversation *c, enum iw_side side, const char *id, size_t at, const char *octets) {
    struct octets whole = read_text(id);
    struct octets other = read_text(octets);

    assert_true(at + other.count + 4 <= whole.count);
    memcpy(whole.at + at, other.at, other.count);
    free(other.at);
    whole.count -= 4;
    put_crc(&whole);
    return feed_octets(c, side, whole);
}

/* Becomes the owner of the octets. */
static uint64_t feed_some(struct iw_conversation *c, enum iw_side side, struct octets octets, size_t count,
    size_t whole, bool cut) {
    uint64_t offset;

    assert_true(count <= octets.count && count < whole);
    octets.count = count;
    offset = feed_octets(c, side, octets);
    iw_conversation_gap(c, side, (uint32_t)(whole - count), cut);
    return offset;
}

uint64_t iw_conversation_cut(
    struct iw_conversation *c, enum iw_side side, const char *ulpdu, size_t count, bool cut) {
    struct octets octets = make_fpdu(ulpdu, 0);

    return feed_some(c, side, octets, count, octets.count, cut);
}

uint64_t iw_conversation_say_cut(
    struct iw_conversation *c, enum iw_side side, const char *text, size_t count, size_t whole) {
    return feed_some(c, side, read_text(text), count, whole, true);
}

void iw_conversation_gap(struct iw_conversation *c, enum iw_side side, uint32_t count, bool cut) {
    feed(c, (struct iw_chunk){.kind = IW_CHUNK_GAP, .side = side, .length = count, .cut = cut});
}

void iw_conversation_fin(struct iw_conversation *c, enum iw_side side) {
    feed(c, (struct iw_chunk){.kind = IW_CHUNK_FIN, .side = side});
}

void iw_conversation_rst(struct iw_conversation *c, enum iw_side side) {
    feed(c, (struct iw_chunk){.kind = IW_CHUNK_RST, .side = side});
}

void iw_conversation_outside(struct iw_conversation *c, enum iw_side side, uint32_t octets) {
    feed(c, (struct iw_chunk){.kind = IW_CHUNK_OUTSIDE, .side = side, .length = octets});
    c->offset[side] -= octets;
}

void iw_conversation_differing(struct iw_conversation *c, enum iw_side side, uint32_t octets) {
    feed(c, (struct iw_chunk){.kind = IW_CHUNK_DIFFERING, .side = side, .length = octets});
    c->offset[side] -= octets;
}

/* ---- findings ---- */

static void sink(void *user, const struct iw_monitor_event *event) {
    struct iw_conversation *c = user;

    c->events[event->llp->kind]++;
    c->requests_waiting = event->requests_waiting;
    if (event->response != NULL)
        c->response = *event->response;
    for (size_t i = 0; i < event->finding_count; i++) {
        assert_true(c->finding_count < IW_CONVERSATION_FINDING_MAX);
        c->findings[c->finding_count++] = event->findings[i];
    }
}

void iw_conversation_init(struct iw_conversation *c, unsigned extensions) {
    memset(c, 0, sizeof *c);
    c->config.extensions = extensions;
    c->monitor = iw_monitor_new(&c->config, sink, c);
    assert_non_null(c->monitor);
}

void iw_conversation_open(struct iw_conversation *c, const char *request, const char *reply) {
    iw_conversation_init(c, IW_EXT_ALL);
    iw_conversation_start(c, IW_SIDE_A);
    iw_conversation_start(c, IW_SIDE_B);
    iw_conversation_say(c, IW_SIDE_A, request);
    iw_conversation_say(c, IW_SIDE_B, reply);
}

void iw_conversation_finish(struct iw_conversation *c) {
    iw_monitor_finish(c->monitor);
}

uint64_t iw_conversation_unjudged(const struct iw_conversation *c, enum iw_unjudged reason) {
    return iw_monitor_counts(c->monitor)->unjudged[reason];
}

/* "X is <actual>, expected <expected>" */
static void check_message(const struct iw_finding *finding, const char *file, int line) {
    char tail[256];
    size_t length;

    snprintf(tail, sizeof tail, " is %s, expected %s", finding->actual, finding->expected);
    length = strlen(finding->message);
    if (length <= strlen(tail))
        _fail(file, line);
    _assert_string_equal(finding->message + length - strlen(tail), tail, file, line);
}

static const struct iw_finding *next_of(
    struct iw_conversation *c, const char *id, const char *file, int line) {
    const struct iw_finding *finding = &c->findings[c->expected_count];

    if (c->expected_count == c->finding_count) {
        print_error("no finding, expected %s\n", id);
        _fail(file, line);
    }
    c->expected_count++;
    _assert_string_equal(finding->requirement->id, id, file, line);
    return finding;
}

void iw_conversation_found_at(struct iw_conversation *c, const char *id, const char *file, int line) {
    next_of(c, id, file, line);
}

void iw_conversation_expect_at(
    struct iw_conversation *c, struct iw_expectation expectation, const char *file, int line) {
    const struct iw_finding *finding = next_of(c, expectation.id, file, line);

    _assert_int_equal(finding->side, expectation.side, file, line);
    _assert_int_equal(finding->role, expectation.role, file, line);
    _assert_int_equal(finding->frame, expectation.frame, file, line);
    _assert_int_equal(finding->time_ns, expectation.frame * 1000, file, line);
    _assert_int_equal(finding->offset, expectation.offset, file, line);
    _assert_int_equal(finding->octets, expectation.octets, file, line);
    _assert_string_equal(finding->field == NULL ? "" : finding->field->filter,
        expectation.field == NULL ? "" : expectation.field, file, line);
    _assert_string_equal(finding->expected, expectation.expected, file, line);
    _assert_string_equal(finding->actual, expectation.actual, file, line);
    check_message(finding, file, line);
    for (unsigned i = 0; i < IW_FINDING_CONTEXT_MAX; i++)
        _assert_int_equal(
            i < finding->context_count ? finding->context[i] : 0, expectation.context[i], file, line);
}

/* ---- the end ---- */

static void feed_by_octets(struct iw_monitor *monitor, const struct iw_chunk *chunk) {
    struct iw_chunk one = *chunk;

    if (chunk->kind != IW_CHUNK_DATA) {
        iw_monitor_feed(monitor, chunk);
        return;
    }
    one.length = 1;
    for (uint32_t i = 0; i < chunk->length; i++, one.offset++, one.octets++)
        iw_monitor_feed(monitor, &one);
}

static void compare(
    const struct iw_conversation *c, const struct iw_conversation *again, const char *file, int line) {
    const struct iw_monitor_counts *counts = iw_monitor_counts(c->monitor);
    const struct iw_monitor_counts *others = iw_monitor_counts(again->monitor);

    _assert_int_equal(again->finding_count, c->finding_count, file, line);
    for (size_t i = 0; i < c->finding_count; i++) {
        const struct iw_finding *a = &c->findings[i];
        const struct iw_finding *b = &again->findings[i];

        _assert_string_equal(b->requirement->id, a->requirement->id, file, line);
        _assert_string_equal(b->message, a->message, file, line);
        _assert_int_equal(b->frame, a->frame, file, line);
        _assert_int_equal(b->offset, a->offset, file, line);
        _assert_int_equal(b->octets, a->octets, file, line);
    }
    _assert_memory_equal(again->events, c->events, sizeof c->events, file, line);
    _assert_memory_equal(others, counts, sizeof *counts, file, line);
}

void iw_conversation_end_at(struct iw_conversation *c, const char *file, int line) {
    struct iw_conversation again;

    iw_conversation_finish(c);
    if (c->finding_count != c->expected_count) {
        for (size_t i = c->expected_count; i < c->finding_count; i++)
            print_error("unexpected: %s frame %u: %s\n", c->findings[i].requirement->id,
                (unsigned)c->findings[i].frame, c->findings[i].message);
        _fail(file, line);
    }
    iw_conversation_init(&again, c->config.extensions);
    for (size_t i = 0; i < c->chunk_count; i++)
        feed_by_octets(again.monitor, &c->chunks[i]);
    iw_conversation_finish(&again);
    compare(c, &again, file, line);
    iw_monitor_free(again.monitor);
    iw_monitor_free(c->monitor);
    for (size_t i = 0; i < c->chunk_count; i++)
        free((void *)(uintptr_t)c->chunks[i].octets);
    free(c->chunks);
}

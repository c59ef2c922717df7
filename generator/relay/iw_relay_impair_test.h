#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <cmocka.h>

#include "iw_hex.h"
#include "iw_relay_capture_test.h"
#include "iw_relay_test.h"
#include "iw_temporary_test.h"
#include "iw_vector.h"

/* For tests of impairments, as the capture of the relay shows them: the first connection has what the peers
 * have sent, the second has exactly the wanted changes. Streams are texts of words: a vector of vectors.json,
 * N*VECTOR, or octets in hexadecimal. The first word of each direction is its startup frame. */

enum { RULES_MAX = 3, WORD_OCTETS = 2048, STREAM_OCTETS = 1 << 16 };

static struct iw_vector_set vectors;
static struct relay_test test;
static struct iw_relay_rule rules[RULES_MAX];
static char path[TEMPORARY_PATH];
static unsigned impaired, unfit;
static struct iw_relay_note noted; /* the last one about a rule */

struct stream {
    uint8_t octets[STREAM_OCTETS];
    size_t length, startup;
};

static inline void append_word(struct stream *stream, const char *word) {
    const struct iw_vector *vector = iw_vector_find(&vectors, word);

    if (vector != NULL) {
        memcpy(stream->octets + stream->length, vector->octets, vector->length);
        stream->length += vector->length;
        return;
    }
    assert_int_equal(strlen(word) % 2, 0);
    for (; *word != '\0'; word += 2)
        stream->octets[stream->length++] = (uint8_t)(iw_hex_digit(word[0]) << 4 | iw_hex_digit(word[1]));
}

static inline void read_stream(const char *text, struct stream *stream) {
    char word[WORD_OCTETS];
    int used;

    memset(stream, 0, sizeof *stream);
    for (; sscanf(text, "%2047s%n", word, &used) == 1; text += used) {
        char *times = strchr(word, '*');

        for (int i = 0; i < (times == NULL ? 1 : atoi(word)); i++)
            append_word(stream, times == NULL ? word : times + 1);
        if (stream->startup == 0)
            stream->startup = stream->length;
    }
}

static inline void take_note(void *user, const struct iw_relay_note *note) {
    (void)user;
    impaired += note->kind == IW_RELAY_IMPAIRED;
    unfit += note->kind == IW_RELAY_UNFIT;
    if (note->rule != NULL)
        noted = *note;
}

/* Begins a relay with these rules, separated by blanks. */
static inline struct iw_recorder *begin(const char *text, const char *repair, uint64_t seed) {
    static char words[RULES_MAX][256];
    char error[IW_RECORDER_TEXT_OCTETS];
    struct iw_recorder *recorder;
    unsigned count = 0;
    int used;

    for (; sscanf(text, "%255s%n", words[count], &used) == 1; text += used) {
        if (!iw_relay_rule_parse(words[count], &rules[count], error))
            fail_msg("%s: %s", words[count], error);
        count++;
    }
    impaired = unfit = 0;
    close(mkstemp(temporary_path(path, "iw_relay_impair")));
    recorder = iw_recorder_open(path, NULL, error);
    assert_non_null(recorder);
    test = (struct relay_test){
        .config = {
            .recorders = {recorder}, .rules = rules, .rule_count = count, .seed = seed, .note = take_note}};
    if (repair != NULL)
        assert_true(iw_relay_repair_parse(repair, &test.config.repair));
    relay_test_start(&test);
    return recorder;
}

static inline struct captured *end(struct iw_recorder *recorder) {
    struct captured *captured;

    relay_test_join(&test);
    relay_test_free(&test);
    assert_int_equal(iw_recorder_close(recorder, NULL), IW_OK);
    captured = captured_read(path);
    unlink(path);
    return captured;
}

/* All at once, or each octet in a segment of its own. A relay that has reset the connection takes no more. */
static inline void write_stream(int descriptor, const uint8_t *octets, size_t length, bool one_by_one) {
    size_t piece = one_by_one ? 1 : length;
    int on = 1;

    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    for (size_t at = 0; at < length; at += piece)
        if (send(descriptor, octets + at, piece, MSG_NOSIGNAL) < 0)
            return;
}

static inline void read_to_end(int descriptor) {
    uint8_t octets[4096];

    do
        relay_test_await(descriptor, POLLIN);
    while (recv(descriptor, octets, sizeof octets, 0) > 0);
}

static inline void hold_conversation(
    const struct stream sent[2], const struct stream expected[2], bool one_by_one) {
    uint8_t startup[1024];
    int initiator = relay_test_connect(&test), device = relay_test_accept(&test);

    write_stream(initiator, sent[0].octets, sent[0].startup, one_by_one);
    relay_test_read(device, startup, expected[0].startup);
    write_stream(device, sent[1].octets, sent[1].startup, one_by_one);
    relay_test_read(initiator, startup, expected[1].startup);
    write_stream(initiator, sent[0].octets + sent[0].startup, sent[0].length - sent[0].startup, one_by_one);
    write_stream(device, sent[1].octets + sent[1].startup, sent[1].length - sent[1].startup, one_by_one);
    shutdown(initiator, SHUT_WR);
    shutdown(device, SHUT_WR);
    read_to_end(device);
    read_to_end(initiator);
    close(initiator);
    close(device);
}

struct row {
    const char *rules, *repair;
    const char *sent[2];     /* NULL: as in the first row */
    const char *expected[2]; /* NULL: as sent */
};

#define A "M01 F07 F03 F01"
#define B "M03 F05 F12"

static inline void assert_octets(const char *what, const struct row *row, const struct captured_stream *found,
    const struct stream *expected) {
    if (found->length != expected->length || memcmp(found->octets, expected->octets, found->length) != 0) {
        for (size_t i = 0; i < found->length; i++)
            printf("%02x", found->octets[i]);
        fail_msg(" are the %zu octets of %s with %s, expected %zu", found->length, what, row->rules,
            expected->length);
    }
    assert_int_equal(found->others, 0);
}

/* Runs a row and returns its capture. */
static inline struct captured *run(const struct row *row, bool one_by_one) {
    struct iw_recorder *recorder = begin(row->rules, row->repair, 1);
    static struct stream sent[2], expected[2];
    struct captured *captured;

    for (int side = 0; side < 2; side++) {
        const char *text = row->sent[side] != NULL ? row->sent[side] : side == 0 ? A : B;

        read_stream(text, &sent[side]);
        read_stream(row->expected[side] != NULL ? row->expected[side] : text, &expected[side]);
    }
    hold_conversation(sent, expected, one_by_one);
    captured = end(recorder);
    assert_int_equal(captured->flows, 2);
    assert_octets("the initiator", row, &captured->stream[0][IW_SIDE_A], &sent[0]);
    assert_octets("the relay to the device", row, &captured->stream[1][IW_SIDE_A], &expected[0]);
    assert_octets("the device", row, &captured->stream[1][IW_SIDE_B], &sent[1]);
    assert_octets("the relay to the initiator", row, &captured->stream[0][IW_SIDE_B], &expected[1]);
    assert_int_equal(unfit, 0);
    return captured;
}

static inline int set_up(void **state) {
    (void)state;
    return iw_vector_set_init(&vectors, WARPCHECK_SOURCE_DIR "/core/wire/testdata/vectors.json") ? 0 : -1;
}

static inline int tear_down(void **state) {
    (void)state;
    iw_vector_set_dispose(&vectors);
    return 0;
}

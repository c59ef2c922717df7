#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_sctp_packet.h"

/* An INIT as RFC 9260 3.3.2 draws it: a parameter of 5 octets with its padding, then the Adaptation Layer
 * Indication 1 (RFC 5061 4.2.6). */
static const uint8_t init_chunk[] = {1, 0, 0, 36, 0xab, 0xcd, 0, 7, 0, 1, 0, 0, 0, 16, 0, 8, 0, 0, 3, 0xe8,
    0x80, 0x08, 0, 5, 0xc1, 0, 0, 0, 0xc0, 6, 0, 8, 0, 0, 0, 1};

/* DATA of five octets with their padding, then a SACK. */
static const uint8_t data_and_sack[] = {0, 7, 0, 21, 0xff, 0xff, 0xff, 0xff, 0, 3, 0, 9, 0, 0, 0, 16, 'h',
    'e', 'l', 'l', 'o', 0, 0, 0, 3, 0, 0, 16, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0};

/* A copy in its own allocation, so that a sanitizer detects reads beyond the end. */
static uint8_t *heap_copy(const uint8_t *octets, uint32_t count) {
    uint8_t *at = malloc(count > 0 ? count : 1);

    assert_non_null(at);
    memcpy(at, octets, count);
    return at;
}

static void steps_over_padding(void **state) {
    struct iw_sctp_chunks left = {data_and_sack, sizeof data_and_sack, sizeof data_and_sack};
    struct iw_sctp_chunk chunk;
    uint32_t tsn;

    (void)state;
    assert_true(iw_sctp_chunk_next(&left, &chunk));
    assert_int_equal(chunk.type, IW_SCTP_DATA);
    assert_int_equal(chunk.flags, 7);
    assert_int_equal(chunk.length, 17);
    assert_int_equal(chunk.captured, 17);
    assert_true(iw_sctp_chunk_next(&left, &chunk));
    assert_int_equal(chunk.type, IW_SCTP_SACK);
    assert_true(iw_sctp_ack_decode(&chunk, &tsn));
    assert_int_equal(tsn, 9);
    assert_false(iw_sctp_chunk_next(&left, &chunk));
}

static void accepts_a_last_chunk_without_padding(void **state) {
    struct iw_sctp_chunks left = {data_and_sack, 21, 21};
    struct iw_sctp_chunk chunk;

    (void)state;
    assert_true(iw_sctp_chunk_next(&left, &chunk));
    assert_int_equal(chunk.captured, 17);
    assert_false(iw_sctp_chunk_next(&left, &chunk));
}

static void ends_at_an_impossible_length(void **state) {
    static const uint8_t lengths[][4] = {{0, 3, 0, 0}, {0, 3, 0, 3}, {0, 3, 0, 9}, {0, 3, 0xff, 0xff}};
    uint8_t octets[8] = {0};

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct iw_sctp_chunks left = {octets, sizeof octets, sizeof octets};
        struct iw_sctp_chunk chunk;

        memcpy(octets, lengths[i], 4);
        assert_false(iw_sctp_chunk_next(&left, &chunk));
    }
}

/* Truncated octets are missing from a chunk; a truncated header is not read. */
static void reads_only_captured_octets(void **state) {
    (void)state;
    for (uint32_t captured = 0; captured <= sizeof data_and_sack; captured++) {
        uint8_t *octets = heap_copy(data_and_sack, captured);
        struct iw_sctp_chunks left = {octets, captured, sizeof data_and_sack};
        struct iw_sctp_chunk chunk;
        struct iw_sctp_data data;
        uint32_t tsn;

        assert_int_equal(iw_sctp_chunk_next(&left, &chunk), captured >= 4);
        if (captured >= 4) {
            assert_int_equal(chunk.length, 17);
            assert_int_equal(chunk.captured, captured < 21 ? captured - 4 : 17);
            assert_int_equal(iw_sctp_data_decode(&chunk, &data), captured >= 16);
        }
        if (captured >= 16) {
            assert_int_equal(data.length, 5);
            assert_int_equal(data.captured, captured < 21 ? captured - 16 : 5);
        }
        if (captured >= 28) {
            assert_true(iw_sctp_chunk_next(&left, &chunk));
            assert_int_equal(iw_sctp_ack_decode(&chunk, &tsn), captured >= 32);
        }
        free(octets);
    }
}

static void decodes_data(void **state) {
    struct iw_sctp_chunk chunk = {IW_SCTP_DATA, 7, data_and_sack + 4, 17, 17};
    struct iw_sctp_data data;

    (void)state;
    assert_true(iw_sctp_data_decode(&chunk, &data));
    assert_false(data.ordered);
    assert_true(data.first && data.last);
    assert_int_equal(data.tsn, 0xffffffff);
    assert_int_equal(data.stream, 3);
    assert_int_equal(data.ppid, 16);
    assert_memory_equal(data.octets, "hello", 5);
    chunk.flags = 2;
    assert_true(iw_sctp_data_decode(&chunk, &data));
    assert_true(data.ordered && data.first && !data.last);
    chunk.flags = 1;
    assert_true(iw_sctp_data_decode(&chunk, &data));
    assert_true(!data.first && data.last);
}

/* RFC 8260 2.1: 16 octets before the user data, the last four of them the identifier of the payload. */
static void decodes_i_data(void **state) {
    static const uint8_t value[] = {0, 0, 0, 5, 0, 2, 0, 0, 0, 0, 0, 9, 0, 0, 0, 17, 'x'};
    const struct iw_sctp_chunk chunk = {IW_SCTP_I_DATA, 7, value, sizeof value, sizeof value};
    const struct iw_sctp_chunk cut = {IW_SCTP_I_DATA, 7, value, sizeof value, 15};
    struct iw_sctp_data data;

    (void)state;
    assert_true(iw_sctp_data_decode(&chunk, &data));
    assert_int_equal(data.tsn, 5);
    assert_int_equal(data.stream, 2);
    assert_int_equal(data.ppid, 17);
    assert_int_equal(data.length, 1);
    assert_int_equal(data.octets[0], 'x');
    assert_false(iw_sctp_data_decode(&cut, &data));
}

static bool decode_init(const uint8_t *octets, uint32_t captured, struct iw_sctp_init *init) {
    const struct iw_sctp_chunk chunk = {
        octets[0], 0, octets + 4, sizeof init_chunk - 4, captured < 4 ? 0 : captured - 4};

    return iw_sctp_init_decode(&chunk, init);
}

static void decodes_an_init(void **state) {
    struct iw_sctp_init init;

    (void)state;
    assert_true(decode_init(init_chunk, sizeof init_chunk, &init));
    assert_int_equal(init.tag, 0xabcd0007);
    assert_int_equal(init.tsn, 1000);
    assert_int_equal(init.setup.outbound, 16);
    assert_int_equal(init.setup.inbound, 8);
    assert_false(init.setup.ack);
    assert_false(init.setup.cut);
    assert_true(init.setup.indicated);
    assert_int_equal(init.setup.indication, 1);
}

static void reports_a_truncated_init(void **state) {
    struct iw_sctp_init init;

    (void)state;
    for (uint32_t captured = 4; captured < sizeof init_chunk; captured++) {
        uint8_t *octets = heap_copy(init_chunk, captured);

        assert_int_equal(decode_init(octets, captured, &init), captured >= 20);
        if (captured >= 20) {
            assert_true(init.setup.cut);
            assert_false(init.setup.indicated);
        }
        free(octets);
    }
}

/* Nothing is read after a parameter with an impossible length; an indication needs four octets. */
static void finds_no_indication_after_a_wrong_length(void **state) {
    static const struct {
        uint8_t at, value;
    } wrong[] = {{23, 0}, {23, 3}, {22, 0xff}, {31, 7}, {31, 4}, {31, 9}};
    struct iw_sctp_init init;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint8_t *octets = heap_copy(init_chunk, sizeof init_chunk);

        octets[wrong[i].at] = wrong[i].value;
        assert_true(decode_init(octets, sizeof init_chunk, &init));
        assert_false(init.setup.indicated);
        assert_false(init.setup.cut);
        free(octets);
    }
}

/* RFC 9260 3.3.4 */
static void reads_the_first_gap_of_a_sack(void **state) {
    uint8_t value[] = {0xff, 0xff, 0xff, 0xfe, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 4, 0, 9, 0, 9};
    struct iw_sctp_chunk sack = {
        .type = IW_SCTP_SACK, .length = sizeof value, .captured = sizeof value, .value = value};
    struct iw_sctp_gap gap = {.frame = 7};

    (void)state;
    assert_true(iw_sctp_ack_gap_decode(&sack, &gap));
    assert_int_equal(gap.missing, 0xffffffff);
    assert_int_equal(gap.from, 1);
    assert_int_equal(gap.to, 2);
    assert_int_equal(gap.frame, 7);
    sack.captured = 15;
    assert_false(iw_sctp_ack_gap_decode(&sack, &gap)); /* cut */
    sack.captured = sizeof value;
    sack.type = IW_SCTP_SHUTDOWN;
    assert_false(iw_sctp_ack_gap_decode(&sack, &gap));
    sack.type = IW_SCTP_SACK;
    value[13] = 1;
    assert_false(iw_sctp_ack_gap_decode(&sack, &gap)); /* a gap of zero chunks */
    value[9] = 0;
    assert_false(iw_sctp_ack_gap_decode(&sack, &gap)); /* no gap */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_first_gap_of_a_sack),
        cmocka_unit_test(steps_over_padding),
        cmocka_unit_test(accepts_a_last_chunk_without_padding),
        cmocka_unit_test(ends_at_an_impossible_length),
        cmocka_unit_test(reads_only_captured_octets),
        cmocka_unit_test(decodes_data),
        cmocka_unit_test(decodes_i_data),
        cmocka_unit_test(decodes_an_init),
        cmocka_unit_test(reports_a_truncated_init),
        cmocka_unit_test(finds_no_indication_after_a_wrong_length),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

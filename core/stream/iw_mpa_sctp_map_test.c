#include "iw_mpa_sctp_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "iw_mpa.h"

/* Octets of MPA and of SCTP, written by hand. */

struct heard {
    unsigned count;
    size_t length;
    uint32_t ppid;
    uint8_t octets[IW_MPA_SCTP_MAP_OCTETS_MAX];
};

static void hear(void *user, const struct iw_llp_event *event) {
    struct heard *heard = user;
    uint32_t ppid;
    size_t length = iw_mpa_sctp_map_sctp(event, 0x1234, heard->octets, &ppid);

    if (length == 0)
        return;
    heard->count++;
    heard->length = length;
    heard->ppid = ppid;
}

static void feed(struct iw_mpa *mpa, enum iw_side side, const void *octets, size_t length) {
    struct iw_chunk chunk = {
        .kind = IW_CHUNK_DATA, .side = side, .octets = octets, .length = (uint32_t)length};
    static uint64_t offset[2];

    if (octets == NULL) {
        chunk.kind = IW_CHUNK_START;
        offset[side] = 0;
    }
    chunk.offset = offset[side];
    offset[side] += length;
    iw_mpa_feed(mpa, &chunk);
}

#define REQUEST "MPA ID Req Frame"
#define REPLY "MPA ID Rep Frame"

static void test_from_mpa(void **state) {
    static const struct iw_mpa_config config = {.expected = true, .crc = IW_MPA_OFF};
    struct heard *heard = calloc(1, sizeof *heard);
    struct iw_mpa mpa;

    (void)state;
    assert_non_null(heard);
    iw_mpa_init(&mpa, &config, hear, heard);
    feed(&mpa, IW_SIDE_A, NULL, 0);
    feed(&mpa, IW_SIDE_B, NULL, 0);
    feed(&mpa, IW_SIDE_A, REQUEST "\x00\x01\x00\x02hi", 22);
    assert_int_equal(heard->count, 1);
    assert_int_equal(heard->ppid, 17);
    assert_int_equal(heard->length, 6);
    assert_memory_equal(heard->octets, "\x12\x34\x00\x01hi", 6);
    feed(&mpa, IW_SIDE_B, REPLY "\x00\x01\x00\x00", 20);
    assert_int_equal(heard->length, 4);
    assert_memory_equal(heard->octets, "\x12\x34\x00\x02", 4);
    /* A Send of "hello", last segment: PAD of one octet, CRC of zeros. */
    feed(&mpa, IW_SIDE_A,
        "\x00\x17\x41\x43\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00hello\x00\x00\x00"
        "\x00\x00\x00\x00",
        32);
    assert_int_equal(heard->count, 3);
    assert_int_equal(heard->ppid, 16);
    assert_int_equal(heard->length, 25);
    assert_memory_equal(heard->octets,
        "\x12\x34\x41\x43\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00hello", 25);
    iw_mpa_dispose(&mpa);
    free(heard);
}

static size_t mpa_of(uint32_t ppid, const char *octets, size_t length, uint8_t *out) {
    const struct iw_sctp_message message = {.ppid = ppid,
        .length = (uint32_t)length,
        .captured = (uint32_t)length,
        .octets = (const uint8_t *)octets};

    return iw_mpa_sctp_map_mpa(&message, out);
}

static void test_from_sctp(void **state) {
    uint8_t *octets = malloc(IW_MPA_SCTP_MAP_MPA_OCTETS_MAX);
    char much[4 + 513] = {0, 0, 0, 1};

    (void)state;
    assert_non_null(octets);
    assert_int_equal(mpa_of(17, "\x00\x00\x00\x01hi", 6, octets), 22);
    assert_memory_equal(octets, REQUEST "\x00\x01\x00\x02hi", 22);
    assert_int_equal(mpa_of(17, "\x00\x00\x00\x03", 4, octets), 20);
    assert_memory_equal(octets, REPLY "\x20\x01\x00\x00", 20);
    assert_int_equal(mpa_of(17, "\x00\x00\x00\x05\x80\x04\xC0\x04", 8, octets), 24);
    assert_memory_equal(octets, REQUEST "\x10\x02\x00\x04\x80\x04\xC0\x04", 24);
    assert_int_equal(mpa_of(17, "\x00\x00\x00\x07\x80\x04\xC0\x04", 8, octets), 24);
    assert_memory_equal(octets, REPLY "\x30\x02\x00\x04\x80\x04\xC0\x04", 24);
    assert_int_equal(mpa_of(16,
                         "\x00\x01"
                         "abcde",
                         7, octets),
        12);
    assert_memory_equal(octets,
        "\x00\x05"
        "abcde\x00\x00\x00\x00\x00",
        12);
    assert_int_equal(mpa_of(17, "\x00\x09\x00\x04", 4, octets), 0); /* a Terminate */
    assert_int_equal(mpa_of(17, "\x00\x09\x00\x08", 4, octets), 0);
    assert_int_equal(mpa_of(17, "\x00\x09\x00", 3, octets), 0);
    assert_int_equal(mpa_of(16, "\x00", 1, octets), 0);
    assert_int_equal(mpa_of(18, "\x00\x00\x00\x01", 4, octets), 0);
    assert_int_equal(mpa_of(17, much, sizeof much - 1, octets), 532);
    assert_int_equal(mpa_of(17, much, sizeof much, octets), 0);
    free(octets);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_from_mpa), cmocka_unit_test(test_from_sctp)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "iw_pcapng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    FIXED = 28, /* octets of an Enhanced Packet Block before its packet data */
};

/* Octets of the comment in the block of a packet without octets, as its option says. */
static unsigned comment_octets(const char *comment) {
    const struct iw_pcapng_packet packet = {.order = IW_PCAPNG_LITTLE, .comment = comment};
    size_t length = iw_pcapng_packet_octets(&packet);
    uint8_t *octets = malloc(length);
    unsigned found;

    assert_non_null(octets);
    iw_pcapng_packet(&packet, octets);
    assert_int_equal(octets[FIXED], 1); /* opt_comment */
    found = octets[FIXED + 2] + 256u * octets[FIXED + 3];
    assert_memory_equal(octets + FIXED + 4, comment, found);
    free(octets);
    return found;
}

/* A comment is UTF-8: a long one must not end inside a character. */
static void a_long_comment_is_cut_between_characters(void **state) {
    char text[IW_PCAPNG_COMMENT_MAX + 8] = "";

    (void)state;
    memset(text, 'a', IW_PCAPNG_COMMENT_MAX);
    assert_int_equal(comment_octets(text), IW_PCAPNG_COMMENT_MAX);
    strcpy(text + IW_PCAPNG_COMMENT_MAX, "b");
    assert_int_equal(comment_octets(text), IW_PCAPNG_COMMENT_MAX);
    strcpy(text + IW_PCAPNG_COMMENT_MAX - 1, "\xc3\xa9"); /* U+00E9 in two octets */
    assert_int_equal(comment_octets(text), IW_PCAPNG_COMMENT_MAX - 1);
    strcpy(text + IW_PCAPNG_COMMENT_MAX - 2, "\xc3\xa9z");
    assert_int_equal(comment_octets(text), IW_PCAPNG_COMMENT_MAX);
    strcpy(text + IW_PCAPNG_COMMENT_MAX - 3, "\xf0\x9f\x94\xa5"); /* U+1F525 in four octets */
    assert_int_equal(comment_octets(text), IW_PCAPNG_COMMENT_MAX - 3);
}

/* draft-ietf-opsawg-pcapng 4.3: epb_packetid is option 5, 8 octets, in the order of the section. */
static void a_packet_has_its_id_after_its_comment(void **state) {
    static const uint8_t expected[] = {0, 0, 0, 6, 0, 0, 0, 56, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* */
        0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 'h', 'i', 0, 0, /* opt_comment */
        0, 5, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 56};
    struct iw_pcapng_packet packet = {
        .order = IW_PCAPNG_BIG, .comment = "hi", .id = UINT64_C(0x0102030405060708)};
    uint8_t octets[sizeof expected];

    (void)state;
    assert_int_equal(iw_pcapng_packet_octets(&packet), sizeof expected);
    iw_pcapng_packet(&packet, octets);
    assert_memory_equal(octets, expected, sizeof expected);
    packet.order = IW_PCAPNG_LITTLE;
    iw_pcapng_packet(&packet, octets);
    assert_memory_equal(octets + 36, ((uint8_t[]){5, 0, 8, 0, 8, 7, 6, 5, 4, 3, 2, 1}), 12);
}

/* draft-ietf-opsawg-pcapng 4.1: opt_comment is option 1, shb_userappl option 4. */
static void a_section_has_a_comment(void **state) {
    static const uint8_t expected[] = {0x0a, 0x0d, 0x0d, 0x0a, 0, 0, 0, 56, 0x1a, 0x2b, 0x3c, 0x4d, 0, 1, 0,
        0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 1, 0, 3, 'o', 'n', 'e', 0, 0, 4, 0, 9, 'w', 'a',
        'r', 'p', 'c', 'h', 'e', 'c', 'k', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 56};
    uint8_t octets[256];

    (void)state;
    assert_true(iw_pcapng_section(IW_PCAPNG_BIG, "one", NULL) <= sizeof octets);
    assert_int_equal(iw_pcapng_section(IW_PCAPNG_BIG, "one", octets), sizeof expected);
    assert_memory_equal(octets, expected, sizeof expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_comment_is_cut_between_characters),
        cmocka_unit_test(a_packet_has_its_id_after_its_comment),
        cmocka_unit_test(a_section_has_a_comment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

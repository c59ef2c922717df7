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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_comment_is_cut_between_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

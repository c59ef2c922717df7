#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_show.h"

static void check_field(enum iw_field_id id, const uint8_t *header, const char *expected, const char *named) {
    char plain_text[64] = "", named_text[64] = "";
    FILE *plain = fmemopen(plain_text, sizeof plain_text, "w"),
         *full = fmemopen(named_text, sizeof named_text, "w");

    iw_show_field(plain, &iw_fields[id], header);
    iw_show_field_named(full, &iw_fields[id], header);
    fclose(plain);
    fclose(full);
    assert_string_equal(plain_text, expected);
    assert_string_equal(named_text, named);
}

static void numbers_have_the_digits_of_their_octets(void **state) {
    static const uint8_t control[] = {0x43}, terminate[] = {0x12, 0x04, 0xc0, 0x01};

    (void)state;
    check_field(iw_field_rdmap_control_rv, control, "1", "1");
    check_field(iw_field_rdmap_control_opcode, control, "0x03", "0x03 (Send)");
    check_field(iw_field_terminate_layer, terminate, "0x01", "0x01 (DDP)");
    check_field(iw_field_terminate_etype, terminate, "0x02", "0x02 (Untagged Buffer Error)");
    check_field(iw_field_terminate_code, terminate, "0x04", "0x04 (Invalid MO)");
    check_field(iw_field_terminate_m, terminate, "1", "1");
    /* 13 bits that occupy two octets */
    check_field(iw_field_terminate_reserved, terminate, "0x0001", "0x0001");
}

static void octets_and_keys_are_shown_as_text(void **state) {
    static const uint8_t request[20] = "MPA ID Req Frame", odd[20] = {0x4d, 0x00, 0xff};
    static const uint8_t immediate[] = {0, 1, 2, 3, 4, 5, 6, 0xfe};

    (void)state;
    check_field(iw_field_mpa_startup_key, request, "MPA ID Req Frame", "MPA ID Req Frame");
    check_field(iw_field_mpa_startup_key, odd, "4d00ff00000000000000000000000000",
        "4d00ff00000000000000000000000000");
    check_field(iw_field_immediate_data, immediate, "00010203040506fe", "00010203040506fe");
}

static void times_keep_their_nanoseconds(void **state) {
    char text[IW_SHOW_TIME_OCTETS];

    (void)state;
    iw_show_time(UINT64_C(951782400000000007), text); /* a leap day */
    assert_string_equal(text, "2000-02-29T00:00:00.000000007Z");
}

static void control_characters_are_replaced(void **state) {
    char *text = NULL;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);

    (void)state;
    /* ESC [, its one-octet form CSI as UTF-8, DEL and a tab; letters beyond ASCII stay */
    iw_show_text(out, "a\x1b[2J\n\xc2\x9b"
                      "b\x7f\t\xc3\xa9\xc2\xa0.");
    fclose(out);
    assert_string_equal(text, "a?[2J\n?b??\xc3\xa9\xc2\xa0.");
    free(text);
}

/* A name cannot begin a line of a report. */
static void a_name_stays_within_its_line(void **state) {
    char *text;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);

    (void)state;
    iw_show_name(out, "a\n  forged\r\x1b.\xc3\xa9");
    fclose(out);
    assert_string_equal(text, "a?  forged??.\xc3\xa9");
    free(text);
}

static void a_line_has_complete_characters_only(void **state) {
    char text[64];

    (void)state;
    /* an end of line, a tab, ESC, NEL as UTF-8, an octet that is not UTF-8, and three characters of 2, 3 and
     * 4 octets */
    iw_show_line(text, sizeof text, "a\nb\tc\x1b\xc2\x85\xff\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80.");
    assert_string_equal(text, "a b c???\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80.");
    iw_show_line(text, 4, "ab\xc3\xa9"); /* one more octet would fit */
    assert_string_equal(text, "ab");
    iw_show_line(text, 5, "ab\xc3\xa9");
    assert_string_equal(text, "ab\xc3\xa9");
    iw_show_line(text, sizeof text, "cut \xe2\x82"); /* truncated within a character */
    assert_string_equal(text, "cut ??");
    /* overlong forms of a newline and of ESC, a surrogate, and a character beyond U+10FFFF (RFC 3629 3, 4) */
    iw_show_line(text, sizeof text, "\xc0\x8a.\xe0\x80\x9b.\xed\xa0\x80.\xf7\xbf\xbf\xbf.\xf4\x90\x80\x80.");
    assert_string_equal(text, "??.???.???.????.????.");
    iw_show_line(text, sizeof text,
        "\xc2\xa0\xe0\xa0\x80\xed\x9f\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"); /* the limits */
    assert_string_equal(text, "\xc2\xa0\xe0\xa0\x80\xed\x9f\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
    strcpy(text, "in\nplace\xc2\x9b!");
    iw_show_line(text, sizeof text, text);
    assert_string_equal(text, "in place?!");
    iw_show_line(text, 1, "x");
    assert_string_equal(text, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_are_replaced),
        cmocka_unit_test(a_name_stays_within_its_line),
        cmocka_unit_test(a_line_has_complete_characters_only),
        cmocka_unit_test(numbers_have_the_digits_of_their_octets),
        cmocka_unit_test(octets_and_keys_are_shown_as_text),
        cmocka_unit_test(times_keep_their_nanoseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

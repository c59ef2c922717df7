#include "iw_html.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void assert_text(const char *text, const char *expected) {
    char *html = NULL;
    size_t octets;
    FILE *out = open_memstream(&html, &octets);

    assert_non_null(out);
    iw_html_print(out, "%s", text);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(html, expected);
    free(html);
}

static void test_text_is_escaped(void **state) {
    (void)state;
    assert_text("", "");
    assert_text("a plain one, 100%", "a plain one, 100%");
    assert_text(
        "<script>\"a\" & 'b'</script>", "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;");
    assert_text("&lt;", "&amp;lt;");
}

static void test_utf8_stays(void **state) {
    (void)state;
    assert_text("M\xc3\xbcnchen \xe2\x86\x92 \xf0\x9f\x98\x80 \xc2\xa0",
        "M\xc3\xbcnchen \xe2\x86\x92 \xf0\x9f\x98\x80 \xc2\xa0");
    assert_text("\xee\x80\x80\xf4\x8f\xbf\xbf", "\xee\x80\x80\xf4\x8f\xbf\xbf");
}

#define NONE "\xef\xbf\xbd"

static void test_other_octets_are_replaced(void **state) {
    (void)state;
    assert_text("a\x01"
                "b\tc\nd\x7f",
        "a" NONE "b" NONE "c" NONE "d" NONE);
    assert_text("\xff<", NONE "&lt;");
    /* overlong forms of '<', a surrogate, a value above U+10FFFF, a control character */
    assert_text("\xc0\xbc", NONE NONE);
    assert_text("\xe0\x80\xbc", NONE NONE NONE);
    assert_text("\xed\xa0\x80", NONE NONE NONE);
    assert_text("\xf4\x90\x80\x80", NONE NONE NONE NONE);
    assert_text("\xc2\x85", NONE NONE);
    /* a truncated character does not consume the text after it */
    assert_text("\xe2\x86", NONE NONE);
    assert_text("\xe2\x86<b>", NONE NONE "&lt;b&gt;");
    assert_text("\xc3", NONE);
}

static void test_print_escapes_its_texts(void **state) {
    char *html = NULL;
    size_t octets;
    FILE *out = open_memstream(&html, &octets);

    (void)state;
    assert_non_null(out);
    iw_html_print(out, "<td class=\"%s\">%" PRIu64 " of %s</td> 5%%", "a\"b", UINT64_MAX, "<x>");
    iw_html_print(out, "<br>");
    assert_int_equal(fclose(out), 0);
    assert_string_equal(html, "<td class=\"a&quot;b\">18446744073709551615 of &lt;x&gt;</td> 5%<br>");
    free(html);
}

static void test_bar_is_divided_by_the_counts(void **state) {
    static const struct iw_html_part parts[] = {{"good", 1}, {"none", 0}, {"bad", 2}, {NULL, 1}};
    char *html = NULL;
    size_t octets;
    FILE *out = open_memstream(&html, &octets);

    (void)state;
    assert_non_null(out);
    iw_html_bar(out, parts, 4);
    iw_html_bar(out, parts, 0);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(html, "<svg class=\"bar\" preserveAspectRatio=\"none\" viewBox=\"0 0 240 12\" "
                              "width=\"240\" height=\"12\" aria-hidden=\"true\">"
                              "<rect class=\"good\" x=\"0\" width=\"60\" height=\"12\"/>"
                              "<rect class=\"bad\" x=\"60\" width=\"120\" height=\"12\"/></svg>"
                              "<svg class=\"bar\" preserveAspectRatio=\"none\" viewBox=\"0 0 240 12\" "
                              "width=\"240\" height=\"12\" aria-hidden=\"true\"></svg>");
    free(html);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_escaped),
        cmocka_unit_test(test_utf8_stays),
        cmocka_unit_test(test_other_octets_are_replaced),
        cmocka_unit_test(test_print_escapes_its_texts),
        cmocka_unit_test(test_bar_is_divided_by_the_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

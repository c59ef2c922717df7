#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_markdown.h"

static void blocks_are_separated(void **state) {
    static const char text[] =
        "# Title\n\nOne\ntwo.\n- [Part](#part)\n- item\n  more\n\n![x](y.png)\n\n"
        "| a | b |\n|---|---|\n| c | |\n\n    code\n\n    more\n\n```console\n$ x\n```\nlast";
    static const struct {
        enum iw_markdown_kind kind;
        const char *text;
    } expected[] = {{IW_MARKDOWN_HEADING, "Title"}, {IW_MARKDOWN_PARAGRAPH, "One\ntwo."},
        {IW_MARKDOWN_ITEM, "item\n  more"}, {IW_MARKDOWN_TABLE, "| a | b |\n|---|---|\n| c | |"},
        {IW_MARKDOWN_CODE, "    code\n\n    more\n"}, {IW_MARKDOWN_CODE, "$ x\n"},
        {IW_MARKDOWN_PARAGRAPH, "last"}};
    const char *at = text;
    struct iw_markdown_block block;

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(iw_markdown_next(&at, text + sizeof text - 1, &block));
        assert_int_equal(block.kind, expected[i].kind);
        assert_int_equal(block.length, strlen(expected[i].text));
        assert_memory_equal(block.text, expected[i].text, block.length);
    }
    assert_false(iw_markdown_next(&at, text + sizeof text - 1, &block));
}

static void a_comment_is_no_text(void **state) {
    static const char text[] = "One\n<!-- not run:\nneeds a device -->\n\n    x\n<!-- unclosed\n";
    const char *at = text;
    struct iw_markdown_block block;

    (void)state;
    assert_true(iw_markdown_next(&at, text + sizeof text - 1, &block));
    assert_int_equal(block.kind, IW_MARKDOWN_PARAGRAPH);
    assert_int_equal(block.length, 3);
    assert_true(iw_markdown_next(&at, text + sizeof text - 1, &block));
    assert_int_equal(block.kind, IW_MARKDOWN_CODE);
    assert_int_equal(block.length, 6);
    assert_false(iw_markdown_next(&at, text + sizeof text - 1, &block));
}

static void append(void *user, char font, const char *text, size_t length) {
    char *to = user;

    snprintf(to + strlen(to), 200 - strlen(to), "%c(%.*s)", font, (int)length, text);
}

static const char *pieces(const char *text) {
    static char all[200];

    all[0] = '\0';
    iw_markdown_pieces(text, strlen(text), append, all);
    return all;
}

static void markup_becomes_fonts(void **state) {
    (void)state;
    assert_string_equal(pieces("a `b*c` **d** *e* f"), "R(a )C(b*c)R( )B(d)R( )I(e)R( f)");
    assert_string_equal(pieces("[the `x` page](y.md#z), [1]"), "R(the )C(x)R( page)R(, [1])");
    assert_string_equal(pieces("<a id=\"x\"></a>**Known**"), "B(Known)");
    assert_string_equal(pieces("`a\\|b` 2 * 3"), "C(a)C(|b)R( 2 * 3)");
    assert_string_equal(pieces("\\*.c"), "R(*.c)");
    assert_string_equal(pieces("`unclosed"), "C(unclosed)");
}

static void cells_are_trimmed(void **state) {
    static const char text[] = "| a | `b\\|c` | |\n| d |";
    const char *at = text, *end = text + sizeof text - 1, *cell;
    size_t length;

    (void)state;
    assert_true(iw_markdown_cell(&at, end, &cell, &length));
    assert_int_equal(length, 1);
    assert_true(iw_markdown_cell(&at, end, &cell, &length));
    assert_memory_equal(cell, "`b\\|c`", 6);
    assert_int_equal(length, 6);
    assert_true(iw_markdown_cell(&at, end, &cell, &length));
    assert_int_equal(length, 0);
    assert_false(iw_markdown_cell(&at, end, &cell, &length));
    assert_true(iw_markdown_cell(&at, end, &cell, &length));
    assert_memory_equal(cell, "d", 1);
    assert_false(iw_markdown_cell(&at, end, &cell, &length));
    assert_ptr_equal(at, end);
}

static char *print(const char *text) {
    char *printed;
    size_t octets;
    FILE *out = open_memstream(&printed, &octets);

    iw_markdown_print(out, text, strlen(text));
    fclose(out);
    return printed;
}

static void text_has_79_columns(void **state) {
    char *printed = print("## T\n\none two three four five six seven eight nine ten eleven twelve thirteen "
                          "fourteen\n\n- a\n- b\n\n| x | |\n|---|---|\n| `0` | conforms |\n"
                          "| a first cell that is too long for it | second |\n\n    $ x\n");

    (void)state;
    assert_string_equal(printed,
        "T\n\none two three four five six seven eight nine ten eleven twelve thirteen\nfourteen\n\n- a\n- "
        "b\n\n"
        "  `0`  conforms\n  a first cell that is too long for it\n       second\n\n    $ x\n");
    free(printed);
}

static void a_page_has_requests(void **state) {
    static const char text[] =
        "# T\n\nOne `x`.\n\n- a\n\n## S\n\n| x | y | |\n|---|---|---|\n| `0` | c | d |\n\n"
        "```\n.x\n```\n";
    struct iw_roff roff;
    char *written;
    size_t octets;
    FILE *out = open_memstream(&written, &octets);

    (void)state;
    iw_roff_begin(&roff, out, "t", 7);
    iw_markdown_roff(&roff, text, sizeof text - 1);
    fclose(out);
    assert_string_equal(strchr(written, '\n') + 1,
        "One \\fBx\\fR.\n.IP \\(bu 2\na\n.SH \"S\"\n.TP\n\\fB0\\fR\ny: c\n.br\nd\n.PP\n.EX\n\\&.x\n.EE\n");
    free(written);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_separated),
        cmocka_unit_test(a_comment_is_no_text),
        cmocka_unit_test(markup_becomes_fonts),
        cmocka_unit_test(cells_are_trimmed),
        cmocka_unit_test(text_has_79_columns),
        cmocka_unit_test(a_page_has_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

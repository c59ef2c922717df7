#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_usage.h"

static const struct iw_option options[] = {
    {"format", "text|jsonl", 'f', "format: as a user's\nprogram reads it; see above [text]", .take = NULL},
    {"defect", "NAME", 0, "have a defect [none]", .take = NULL, .lists = "defects"},
    {"profile", "NAME|FILE", 0, "what it claims", .take = NULL, .lists = "profiles"},
    {"out", "DIR", 'o', "folder", .take = NULL},
    {"quiet", NULL, 'q', "print less", .take = NULL},
    {"hardship", "LIST", 0, NULL, .take = NULL},
};

static const struct iw_usage usage = {.command = "check",
    .arguments = "[OPTION...] FILE...",
    .operand = "file",
    .operands = true,
    .summary = "Judges a thing.",
    .detail = "One.\nTwo.\n\n  a list\n  of lines\nThree.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck check a\n",
    .exits = "  0  good\n  1  bad\n     or worse\n",
    .see = "warpcheck-profile(5)"};

static char *print(const char *form) {
    char *text;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);

    iw_usage_form_find(form)->usage(out, &usage);
    fclose(out);
    return text;
}

static void values_follow_from_the_argument(void **state) {
    struct iw_usage_value value = iw_usage_value(&options[0]);

    (void)state;
    assert_string_equal(value.words, "text jsonl");
    assert_false(value.files || value.folders);
    value = iw_usage_value(&options[1]);
    assert_string_equal(value.words, "");
    assert_string_equal(value.lists, "defects");
    assert_false(value.files);
    value = iw_usage_value(&options[2]);
    assert_string_equal(value.lists, "profiles");
    assert_true(value.files);
    assert_true(iw_usage_value(&options[3]).folders);
    assert_string_equal(
        iw_usage_value(&(struct iw_option){"sctp", "[udp:]HOST:PORT", 0, "", .take = NULL}).words, "");
    assert_string_equal(iw_usage_value(&(struct iw_option){"rev", "1|2", 0, "", .take = NULL}).words, "1 2");
    assert_true(iw_usage_operand(&usage).files);
}

static void a_brief_ends_before_details(void **state) {
    char brief[IW_USAGE_BRIEF_OCTETS];

    (void)state;
    iw_usage_brief("a b\nc [d]", brief);
    assert_string_equal(brief, "a b c");
    iw_usage_brief("a; b", brief);
    assert_string_equal(brief, "a");
    iw_usage_brief("in IP, 1.5 or 12:30: see above", brief);
    assert_string_equal(brief, "in IP, 1.5 or 12:30");
    iw_usage_brief("[default]", brief);
    assert_string_equal(brief, "");
}

static void the_page_has_all_sections(void **state) {
    static const char *const parts[] = {".TH WARPCHECK\\-CHECK 1 ",
        ".SH \"NAME\"\nwarpcheck\\-check \\- judges a thing\n",
        ".SH \"SYNOPSIS\"\n\\fBwarpcheck check\\fR [OPTION...] FILE...\n",
        "One. Two.\n.EX\n  a list\n  of lines\n.EE\n.PP\nThree.\n",
        ".TP\n\\fB\\-f\\fR, \\fB\\-\\-format\\fR \\fItext|jsonl\\fR\nformat: as a user\\(aqs program reads "
        "it; see above "
        "[text]\n",
        ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\n", ".EX\n  warpcheck check a\n.EE\n",
        ".TP\n\\fB0\\fR\ngood\n.TP\n\\fB1\\fR\nbad or worse\n",
        "\\fBwarpcheck\\fR(1), \\fBwarpcheck\\-profile\\fR(5)\n"};
    char *text = print("man");

    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(text, parts[i]) == NULL)
            fail_msg("no \"%s\" in:\n%s", parts[i], text);
    free(text);
}

/* An old name of an option is accepted, but not offered. */
static void old_names_are_not_offered(void **state) {
    static const char *const forms[] = {"text", "man", "bash", "zsh", "fish"};

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char *text = print(forms[i]);

        assert_non_null(strstr(text, "quiet"));
        assert_null(strstr(text, "hardship) "));
        assert_null(strstr(text, "--hardship "));
        assert_null(strstr(text, "-l hardship"));
        free(text);
    }
    assert_null(iw_usage_form_find("tcsh"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_follow_from_the_argument),
        cmocka_unit_test(a_brief_ends_before_details),
        cmocka_unit_test(the_page_has_all_sections),
        cmocka_unit_test(old_names_are_not_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

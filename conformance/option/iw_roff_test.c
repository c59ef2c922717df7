#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_roff.h"

static char *written;
static size_t written_octets;

static struct iw_roff begin(void) {
    struct iw_roff roff;
    FILE *out = open_memstream(&written, &written_octets);

    iw_roff_begin(&roff, out, "warpcheck-check", 1);
    return roff;
}

/* What was written after the title line. */
static const char *end(struct iw_roff *roff) {
    iw_roff_end_line(roff);
    fclose(roff->out);
    assert_int_equal(strncmp(written, ".TH WARPCHECK\\-CHECK 1 2", 24), 0);
    return strchr(written, '\n') + 1;
}

static void text_is_filled_and_escaped(void **state) {
    struct iw_roff roff = begin();

    (void)state;
    iw_roff_text(&roff, "a --b\nc\\d  'e'", 14);
    assert_string_equal(end(&roff), "a \\-\\-b c\\ed \\(aqe\\(aq\n");
    free(written);
}

/* A word that begins with a period at the start of a line would be a request. */
static void a_period_begins_no_request(void **state) {
    struct iw_roff roff = begin();

    (void)state;
    iw_roff_text(&roff, ".pcap", 5);
    iw_roff_request(&roff, ".TP");
    iw_roff_verbatim(&roff, ".x\n  .y\n.z", 10);
    assert_string_equal(end(&roff), "\\&.pcap\n.TP\n.EX\n\\&.x\n  .y\n\\&.z\n.EE\n");
    free(written);
}

static void lines_have_at_most_78_letters(void **state) {
    struct iw_roff roff = begin();
    const char *text;

    (void)state;
    for (int i = 0; i < 100; i++)
        iw_roff_text(&roff, "octets ", 7);
    for (text = end(&roff); *text != '\0'; text += strcspn(text, "\n") + 1)
        assert_in_range(strcspn(text, "\n"), 1, 78);
    free(written);
}

static void a_font_change_stays_with_its_word(void **state) {
    struct iw_roff roff = begin();

    (void)state;
    iw_roff_text(&roff, "see (", 5);
    iw_roff_font(&roff, 'B');
    iw_roff_text(&roff, "x", 1);
    iw_roff_font(&roff, 'R');
    iw_roff_text(&roff, ").", 2);
    assert_string_equal(end(&roff), "see (\\fBx\\fR).\n");
    free(written);
}

static void no_paragraph_follows_a_heading(void **state) {
    struct iw_roff roff = begin();

    (void)state;
    iw_roff_section(&roff, ".SH", "A \"B\"", 5);
    iw_roff_paragraph(&roff);
    iw_roff_text(&roff, "a", 1);
    iw_roff_paragraph(&roff);
    iw_roff_text(&roff, "b", 1);
    assert_string_equal(end(&roff), ".SH \"A \\(dqB\\(dq\"\na\n.PP\nb\n");
    free(written);
}

static void a_word_may_exceed_the_buffer(void **state) {
    struct iw_roff roff = begin();
    size_t count = 0;

    (void)state;
    for (int i = 0; i < 3 * IW_ROFF_WORD_OCTETS; i++)
        iw_roff_text(&roff, "-", 1);
    for (const char *at = strchr(end(&roff), '-'); at != NULL; at = strchr(at + 1, '-'))
        count++;
    assert_int_equal(count, 3 * IW_ROFF_WORD_OCTETS);
    free(written);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_filled_and_escaped),
        cmocka_unit_test(a_period_begins_no_request),
        cmocka_unit_test(lines_have_at_most_78_letters),
        cmocka_unit_test(a_font_change_stays_with_its_word),
        cmocka_unit_test(no_paragraph_follows_a_heading),
        cmocka_unit_test(a_word_may_exceed_the_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_topic.h"

static void each_topic_has_a_text(void **state) {
    (void)state;
    for (size_t i = 0; i < iw_topic_count; i++) {
        const char *text;
        size_t length = 0, whole = 0;

        if (!iw_topic_text(&iw_topics[i], false, &text, &length) ||
            !iw_topic_text(&iw_topics[i], true, &text, &whole))
            fail_msg("docs/%s lacks the beginning of %s", iw_topics[i].file, iw_topics[i].name);
        assert_in_range(length, 100, whole);
        assert_ptr_equal(iw_topic_find(iw_topics[i].name), &iw_topics[i]);
        if (iw_topics[i].page != NULL)
            assert_ptr_equal(iw_topic_find(iw_topics[i].page), &iw_topics[i]);
    }
    assert_null(iw_topic_find("frobs"));
}

static const char *text_of(const char *name, bool whole) {
    static char copy[100000];
    const char *text;
    size_t length;

    assert_true(iw_topic_text(iw_topic_find(name), whole, &text, &length));
    snprintf(copy, sizeof copy, "%.*s", (int)length, text);
    return copy;
}

/* The pages themselves are the source of these words. */
static void a_text_ends_at_the_next_topic(void **state) {
    (void)state;
    assert_non_null(strstr(text_of("exit-codes", true), "internal error"));
    assert_null(strstr(text_of("exit-codes", true), "## "));
    assert_non_null(strstr(text_of("waivers", true), "`until`"));
    assert_null(strstr(text_of("waivers", true), "--extract"));
    assert_non_null(strstr(text_of("verdicts", true), "`INCONCL`"));
    assert_null(strstr(text_of("verdicts", true), "Not tested is not conforming"));
    assert_null(strstr(text_of("scripts", false), "\n## "));
    assert_non_null(strstr(text_of("scripts", true), "\n## Faults"));
    assert_non_null(strstr(text_of("packets", true), "VXLAN"));
}

static void a_topic_is_short_on_a_terminal(void **state) {
    (void)state;
    for (size_t i = 0; i < iw_topic_count; i++) {
        char *text;
        size_t octets, lines = 0;
        FILE *out = open_memstream(&text, &octets);

        iw_topic_print(out, &iw_topics[i]);
        fclose(out);
        for (const char *at = text; *at != '\0'; at++)
            lines += *at == '\n';
        if (lines < 5 || lines > 140)
            fail_msg("%s has %zu lines", iw_topics[i].name, lines);
        free(text);
    }
}

static void a_page_names_its_topic(void **state) {
    char *text;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);

    (void)state;
    iw_topic_man(out, iw_topic_find("waivers"));
    fclose(out);
    assert_int_equal(strncmp(text, ".TH WARPCHECK\\-WAIVERS 5 ", 25), 0);
    assert_non_null(strstr(text, "\n.SH \"NAME\"\nwarpcheck\\-waivers \\- known findings of"));
    assert_non_null(strstr(text, "\n.SH \"DESCRIPTION\"\nKnown findings can be waived"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_topic_has_a_text),
        cmocka_unit_test(a_text_ends_at_the_next_topic),
        cmocka_unit_test(a_topic_is_short_on_a_terminal),
        cmocka_unit_test(a_page_names_its_topic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_explain_page.h"
#include "iw_text.h"

static void add(struct iw_latency *latency, uint64_t ns, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        assert_true(iw_latency_add(latency, ns, ns, 1, 2));
}

/* A bar is 20 units wide, so a count has at most four characters: 999 as it is, 1499 and 2500 rounded. */
static void each_bar_of_a_histogram_has_its_count(void **state) {
    struct iw_latency latency = {0};
    struct iw_text text;
    char *svg;

    (void)state;
    add(&latency, 1000, 999);
    add(&latency, 1000000, 1499);
    add(&latency, 1000000000, 2500);
    assert_true(iw_text_open(&text));
    iw_explain_histogram(text.out, &latency, "Reads");
    svg = iw_text_close(&text);
    assert_non_null(svg);
    assert_non_null(strstr(svg, "<title>999</title></rect><text class=\"count\""));
    assert_non_null(strstr(svg, ">999</text>"));
    assert_non_null(strstr(svg, "<title>1499</title></rect><text class=\"count\""));
    assert_non_null(strstr(svg, ">1k</text>"));
    assert_non_null(strstr(svg, "<title>2500</title></rect><text class=\"count\""));
    assert_non_null(strstr(svg, ">3k</text>"));
    free(svg);
    iw_latency_dispose(&latency);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_bar_of_a_histogram_has_its_count)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

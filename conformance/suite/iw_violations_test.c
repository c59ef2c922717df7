#include "iw_violations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct iw_finding finding_of(size_t requirement, uint64_t frame) {
    return (struct iw_finding){.requirement = &iw_requirements[requirement], .frame = frame};
}

static char *printed(const struct iw_violations *violations) {
    char *text = NULL;
    size_t octets = 0;
    FILE *out = open_memstream(&text, &octets);

    iw_violations_print(out, violations);
    fclose(out);
    return text;
}

static void nothing_is_said_of_none(void **state) {
    static const struct iw_violations violations;
    char *text = printed(&violations);

    (void)state;
    assert_string_equal(text, "");
    free(text);
}

static void what_most_cases_show_comes_first(void **state) {
    static const struct iw_case a = {.id = "a-001"}, b = {.id = "b-001"};
    static struct iw_violations violations;
    struct iw_trial_result result = {.one = &a, .kept_count = 3};
    char *text;

    (void)state;
    result.kept[0] = finding_of(IW_REQ_RFC5040_4_2_01, 7);
    result.kept[1] = finding_of(IW_REQ_RFC5044_4_4_11, 8);
    result.kept[2] = finding_of(IW_REQ_RFC5044_4_4_11, 9);
    iw_violations_add(&violations, &result);
    result.one = &b;
    result.kept_count = 1;
    result.kept[0] = finding_of(IW_REQ_RFC5044_4_4_11, 5);
    iw_violations_add(&violations, &result);
    text = printed(&violations);
    assert_memory_equal(text,
        "\nWhat the device sent violates:\n"
        "      2 cases  RFC5044-4.4-11 (RFC 5044 4.4, MUST): The CRC is ",
        90);
    assert_non_null(strstr(text, "\n               first in a-001, frame 8\n      1 case  RFC5040-4.2-01 ("));
    assert_non_null(strstr(text, "\n               first in a-001, frame 7\n"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_said_of_none),
        cmocka_unit_test(what_most_cases_show_comes_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

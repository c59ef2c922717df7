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

static void no_violations_print_nothing(void **state) {
    static const struct iw_violations none;
    const struct iw_requirement *order[IW_REQUIREMENT_COUNT];
    char *text = printed(&none);

    (void)state;
    assert_string_equal(text, "");
    assert_int_equal(iw_violations_order(&none, order), 0);
    free(text);
}

static void most_frequent_violation_comes_first(void **state) {
    static const struct iw_case a = {.id = "a-001"}, b = {.id = "b-001"};
    static struct iw_violations violations;
    struct iw_trial_result result = {.one = &a, .findings.kept_count = 3};
    char *text;

    (void)state;
    result.findings.kept[0] = finding_of(IW_REQ_RFC5040_4_2_01, 7);
    result.findings.kept[1] = finding_of(IW_REQ_RFC5044_4_4_11, 8);
    result.findings.kept[2] = finding_of(IW_REQ_RFC5044_4_4_11, 9);
    iw_violations_add(&violations, &result);
    result.one = &b;
    result.findings.kept_count = 1;
    result.findings.kept[0] = finding_of(IW_REQ_RFC5044_4_4_11, 5);
    iw_violations_add(&violations, &result);
    text = printed(&violations);
    assert_memory_equal(text,
        "\nViolations by the device:\n"
        "      2 cases  RFC5044-4.4-11 (RFC 5044 4.4, MUST): The CRC is ",
        90);
    assert_non_null(strstr(text, "\n               first in a-001, frame 8\n      1 case  RFC5040-4.2-01 ("));
    assert_non_null(strstr(text, "\n               first in a-001, frame 7\n"));
    free(text);
}

/* A line of results.jsonl, with ' for ". */
static void take_line(struct iw_violations *violations, const char *line) {
    char text[256];
    json_t *object;

    snprintf(text, sizeof text, "%s", line);
    for (char *quote = text; (quote = strchr(quote, '\'')) != NULL;)
        *quote = '"';
    object = json_loads(text, 0, NULL);
    assert_non_null(object);
    iw_violations_take(violations, object);
    json_decref(object);
}

#define CRC "'requirement': 'RFC5044-4.4-11'"

static void results_file_counts_the_same(void **state) {
    static struct iw_violations violations;
    const struct iw_requirement *order[IW_REQUIREMENT_COUNT];
    json_t *object;

    (void)state;
    take_line(&violations, "{'type': 'finding', 'case': 'z-001', " CRC "}"); /* of an unknown case */
    take_line(&violations, "{'type': 'case', 'case': 'a-001'}");
    take_line(&violations, "{'type': 'finding', 'case': 'a-001', 'requirement': 'RFC9999-1'}");
    take_line(&violations, "{'type': 'finding', 'case': 'a-001', 'frame': 8, " CRC "}");
    take_line(&violations, "{'type': 'finding', 'case': 'a-001', 'frame': 8, " CRC "}");
    take_line(&violations, "{'type': 'finding', 'case': 'a-001', 'frame': 9, " CRC "}");
    take_line(&violations, "{'type': 'case', 'case': 'b-001'}");
    take_line(&violations, "{'type': 'case', 'case': 'a-001', 'repeat': 2}");
    take_line(&violations, "{'type': 'finding', 'case': 'a-001', 'frame': 9, " CRC "}");
    take_line(&violations, "{'type': 'finding', 'case': 'a-001', 'frame': -1, " CRC "}");
    assert_int_equal(iw_violations_order(&violations, order), 1);
    object = iw_violations_json(&violations, order[0]);
    assert_string_equal(json_string_value(json_object_get(object, "type")), "violation");
    assert_string_equal(json_string_value(json_object_get(object, "requirement")), "RFC5044-4.4-11");
    assert_string_equal(json_string_value(json_object_get(object, "section")), "4.4");
    assert_int_equal(json_integer_value(json_object_get(object, "cases")), 2);
    assert_int_equal(json_integer_value(json_object_get(object, "frames")), 3);
    assert_string_equal(json_string_value(json_object_get(object, "first")), "a-001");
    assert_int_equal(json_integer_value(json_object_get(object, "frame")), 8);
    json_decref(object);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_violations_print_nothing),
        cmocka_unit_test(most_frequent_violation_comes_first),
        cmocka_unit_test(results_file_counts_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

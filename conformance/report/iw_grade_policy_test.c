#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_grade_policy.h"
#include "iw_temporary_test.h"

static void built_in_policies_are_valid(void **state) {
    static const char *const names[] = {"mandatory", "full", "interop"};
    struct iw_grade_policy policy;
    char error[512];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(iw_grade_policy_load(&policy, names[i], error, sizeof error), IW_OK);
        assert_string_equal(policy.name, names[i]);
        assert_true(policy.has_level || policy.partners > 0);
        iw_grade_policy_clear(&policy);
    }
}

static void an_unknown_name_is_explained(void **state) {
    struct iw_grade_policy policy;
    char error[512];

    (void)state;
    assert_int_equal(iw_grade_policy_load(&policy, "gold", error, sizeof error), IW_ERR_FORMAT);
    assert_string_equal(error,
        "unknown policy gold (built in are full, interop, mandatory; a file has a / or a . in its name)");
    iw_grade_policy_clear(&policy);
}

/* Loads a policy of this text; the error must end with `wanted`, after the name of the file. NULL: none. */
static void check_text(const char *text, const char *wanted, struct iw_grade_policy *policy) {
    char folder[TEMPORARY_PATH], path[TEMPORARY_FILE], error[512] = "";
    enum iw_status status;
    FILE *out;

    assert_non_null(mkdtemp(temporary_path(folder, "iw_grade_policy")));
    snprintf(path, sizeof path, "%s/policy.json", folder);
    out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
    status = iw_grade_policy_load(policy, path, error, sizeof error);
    assert_true(temporary_remove(folder));
    assert_int_equal(status, wanted != NULL ? IW_ERR_FORMAT : IW_OK);
    if (wanted != NULL) {
        assert_memory_equal(error, path, strlen(path));
        assert_string_equal(error + strlen(path), wanted);
    }
}

static void a_file_is_read(void **state) {
    struct iw_grade_policy policy;

    (void)state;
    check_text("{\"policy\": \"ours\", \"title\": \"what we need\", \"level\": \"SHOULD\", \"every_case\": "
               "true, \"attacks\": true,"
               "\"except\": {\"RFC5044-4.4-11\": \"our switch\"}, \"partners\": {\"of\": 5, \"pass\": 4}}",
        NULL, &policy);
    assert_string_equal(policy.title, "what we need");
    assert_int_equal(policy.level, IW_SEVERITY_WARNING);
    assert_true(policy.every_case);
    assert_true(policy.attacks);
    assert_non_null(json_object_get(policy.except, "RFC5044-4.4-11"));
    assert_int_equal(policy.partners, 5);
    assert_int_equal(policy.partners_pass, 4);
    iw_grade_policy_clear(&policy);
}

static void a_wrong_file_gives_one_line(void **state) {
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"[]", ": not a JSON object"},
        {"{\n", ": line 2: string or '}' expected near end of file"},
        {"{\"policy\": \"a\", \"title\": \"b\"}", ": demands nothing: level or partners is missing"},
        {"{\"policy\": \"a\", \"level\": \"MUST\"}", ": title is missing"},
        {"{\"title\": \"a\", \"level\": \"MUST\"}", ": policy is missing"},
        {"{\"levels\": \"MUST\"}", ": a policy has no member levels"},
        {"{\"level\": \"must\"}", ": level takes \"MUST\", \"SHOULD\" or \"MAY\""},
        {"{\"policy\": 7}", ": policy takes a text of 1 to 63 octets"},
        {"{\"every_case\": 1}", ": every_case takes true or false"},
        {"{\"attacks\": \"all\"}", ": attacks takes true or false"},
        {"{\"except\": {\"RFC1-1\": \"why\"}}", ": except: no requirement is named RFC1-1"},
        {"{\"except\": {\"RFC5044-4.4-11\": \"\"}}", ": except: RFC5044-4.4-11 needs a reason"},
        {"{\"except\": []}", ": except takes an object of requirements and reasons"},
        {"{\"partners\": {\"of\": 2, \"pass\": 3}}",
            ": partners takes \"of\", from 1 to 1000, and \"pass\", from 1 to that number"},
        {"{\"a\\u001bb\": 1}", ": a policy has no member a?b"},
    };
    struct iw_grade_policy policy;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_text(cases[i].text, cases[i].wanted, &policy);
        iw_grade_policy_clear(&policy);
    }
}

static void a_missing_file_is_an_error(void **state) {
    struct iw_grade_policy policy;
    char error[512];

    (void)state;
    assert_int_equal(iw_grade_policy_load(&policy, "/nonexistent/p.json", error, sizeof error), IW_ERR_IO);
    assert_string_equal(error, "/nonexistent/p.json: No such file or directory");
    iw_grade_policy_clear(&policy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_policies_are_valid),
        cmocka_unit_test(an_unknown_name_is_explained),
        cmocka_unit_test(a_file_is_read),
        cmocka_unit_test(a_wrong_file_gives_one_line),
        cmocka_unit_test(a_missing_file_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

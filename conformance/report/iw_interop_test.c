#include "iw_outcome_test.h"

#include "iw_interop.h"

/* Runs of devices in pairs. RFC5044-4.4-11 is in every case; RFC5040-5.3-05 in those that TESTED. */

enum { RUNS = 3 };

struct interop_test {
    struct outcome_test files;
    struct iw_outcome_run runs[RUNS];
    struct iw_interop interop;
};

#define CASE(id, requirement, verdict, more)                                                                 \
    "{\"type\":\"case\",\"case\":\"" id "\",\"title\":\"t\",\"requirements\":[\"" requirement                \
    "\"],\"role\":\"responder\",\"verdict\":\"" verdict "\"" more "}\n"
#define SUMMARY "{\"type\":\"summary\",\"cases\":1,\"exit\":0}\n"
#define GOOD CASE("one", "RFC5044-4.4-11", "pass", "") SUMMARY
#define BAD CASE("one", "RFC5044-4.4-11", "fail", ",\"script\":\"one.lua\"") SUMMARY
#define UNTESTED GOOD CASE("two", "RFC5040-5.3-05", "not tested", ",\"message\":\"no agent\"")

/* The policy needs runs with two partners, and that the device conforms with one. */
static const struct iw_grade_policy policy = {
    .name = "pairs", .title = "some", .partners = 2, .partners_pass = 1};

static int begin_interop(void **state) {
    struct interop_test *test = calloc(1, sizeof *test);

    outcome_begin(&test->files);
    *state = test;
    return 0;
}

static int end_interop(void **state) {
    struct interop_test *test = *state;

    iw_interop_clear(&test->interop);
    for (size_t i = 0; i < RUNS; i++)
        iw_outcome_clear(&test->runs[i]);
    outcome_end(&test->files);
    free(test);
    return 0;
}

static void grade(struct interop_test *test, const char *const names[RUNS], const char *const texts[RUNS]) {
    for (size_t i = 0; i < RUNS; i++)
        outcome_run(&test->files, &test->runs[i], names[i], texts[i]);
    assert_true(iw_interop_init(&test->interop, &policy, test->runs, RUNS));
}

static void assert_text(struct interop_test *test, const char *wanted) {
    char *text = NULL;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);

    iw_interop_put(out, &test->interop);
    fclose(out);
    assert_string_equal(text, wanted);
    free(text);
}

static void assert_json(struct interop_test *test, size_t device, const char *wanted) {
    json_t *object =
        iw_interop_json(&test->interop, device < test->interop.count ? &test->interop.devices[device] : NULL);
    char *text = json_dumps(object, JSON_COMPACT);

    assert_string_equal(text, wanted);
    free(text);
    json_decref(object);
}

static void partners_are_counted_once(void **state) {
    struct interop_test *test = *state;

    grade(test, (const char *[]){"a/b", "b/a", "a/c"}, (const char *[]){GOOD, BAD, GOOD});
    assert_int_equal(test->interop.exit, IW_EXIT_UNJUDGED);
    assert_text(test, "a: policy pairs: met; conforms with 1 of 2 partners, demanded: 1 of 2\n"
                      "  with b: fails in 2 runs\n"
                      "    failed    RFC5044-4.4-11\n"
                      "  with c: conforms in 1 run\n"
                      "b: policy pairs: not shown; conforms with 0 of 1 partner, demanded: 1 of 2\n"
                      "  with a: fails in 2 runs\n"
                      "    failed    RFC5044-4.4-11\n"
                      "c: policy pairs: not shown; conforms with 1 of 1 partner, demanded: 1 of 2\n"
                      "  with a: conforms in 1 run\n");
}

static void too_many_failures_fail(void **state) {
    struct interop_test *test = *state;

    grade(test, (const char *[]){"a/b", "a/c", "x"}, (const char *[]){BAD, BAD, GOOD});
    assert_int_equal(test->interop.devices[0].exit, IW_EXIT_VIOLATIONS);
    assert_int_equal(test->interop.devices[1].exit, IW_EXIT_UNJUDGED);
    assert_int_equal(test->interop.exit, IW_EXIT_VIOLATIONS);
}

static void what_was_not_tested_with_a_partner_is_missing(void **state) {
    struct interop_test *test = *state;

    grade(test, (const char *[]){"a/b", "a/c", "c/a"}, (const char *[]){GOOD, UNTESTED, GOOD});
    assert_json(test, 0,
        "{\"type\":\"interop\",\"policy\":\"pairs\",\"device\":\"a\",\"met\":true,\"verdict\":\"met\",\"of\":"
        "2,"
        "\"pass\":1,\"conforming\":1,\"partners\":["
        "{\"partner\":\"b\",\"runs\":1,\"verdict\":\"conforms\",\"failed\":[],\"missing\":[]},"
        "{\"partner\":\"c\",\"runs\":2,\"verdict\":\"not judged\",\"failed\":[],\"missing\":"
        "[\"RFC5040-5.3-05\"]}]}");
}

/* The exit code of a shard without cases is 0, but it shows nothing of the partner. */
static void an_empty_shard_does_not_conform_with_a_partner(void **state) {
    static const char empty[] =
        "{\"type\":\"run\",\"selected\":1,\"available\":1,\"shard\":2,\"shards\":2}\n" SUMMARY;
    struct interop_test *test = *state;

    grade(test, (const char *[]){"a/b", "a/c", "x"}, (const char *[]){empty, GOOD, GOOD});
    assert_text(test, "a: policy pairs: met; conforms with 1 of 2 partners, demanded: 1 of 2\n"
                      "  with b: not judged in 1 run\n"
                      "  with c: conforms in 1 run\n"
                      "b: policy pairs: not shown; conforms with 0 of 1 partner, demanded: 1 of 2\n"
                      "  with a: not judged in 1 run\n"
                      "c: policy pairs: not shown; conforms with 1 of 1 partner, demanded: 1 of 2\n"
                      "  with a: conforms in 1 run\n");
}

static void a_device_tested_with_itself_is_one(void **state) {
    struct interop_test *test = *state;

    grade(test, (const char *[]){"a/a", "a/b", "a/b/c"}, (const char *[]){GOOD, GOOD, BAD});
    assert_int_equal(test->interop.count, 2);
    assert_int_equal(test->interop.devices[0].count, 2);
    assert_int_equal(test->interop.devices[0].partners[0].runs, 1);
    assert_int_equal(test->interop.devices[0].exit, IW_EXIT_CONFORMS);
}

static void without_pairs_nothing_is_graded(void **state) {
    struct interop_test *test = *state;

    grade(test, (const char *[]){"x", "y", "z"}, (const char *[]){GOOD, GOOD, GOOD});
    assert_int_equal(test->interop.exit, IW_EXIT_ENVIRONMENT);
    assert_text(test, "policy pairs: not shown; no run is named A/B, after an initiator and a responder\n");
    assert_json(test, 0,
        "{\"type\":\"interop\",\"policy\":\"pairs\",\"met\":false,\"verdict\":\"not "
        "shown\",\"of\":2,\"pass\":1,"
        "\"conforming\":0,\"partners\":[],\"message\":\"no run is named A/B, after an initiator and a "
        "responder\"}");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_interop, end_interop)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(partners_are_counted_once),
        TEST(too_many_failures_fail),
        TEST(what_was_not_tested_with_a_partner_is_missing),
        TEST(an_empty_shard_does_not_conform_with_a_partner),
        TEST(a_device_tested_with_itself_is_one),
        TEST(without_pairs_nothing_is_graded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

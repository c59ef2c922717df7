#include "iw_outcome_test.h"

#include "iw_root.h"

#define CASE(id, verdict, more)                                                                              \
    "{\"type\":\"case\",\"case\":\"" id "\",\"title\":\"t\",\"requirements\":[\"RFC5040-5.3-05\"],"          \
    "\"role\":\"responder\",\"verdict\":\"" verdict "\"" more "}\n"
#define FINDING(id, requirement)                                                                             \
    "{\"type\":\"finding\",\"case\":\"" id "\",\"frame\":9,\"requirement\":\"" requirement                   \
    "\",\"message\":\"CRC is wrong\"}\n"
#define SUMMARY "{\"type\":\"summary\",\"cases\":2,\"exit\":0}\n"

static const char results[] =
    CASE("a", "fail", ",\"actual\":\"silence after 7 ms\",\"expected\":\"an answer\"")
        CASE("b", "fail", ",\"actual\":\"close\"") FINDING("b", "RFC5044-4.4-11") CASE("c", "fail", "")
            FINDING("c", "RFC5044-4.5-05") FINDING("c", "RFC5044-4.4-11")
                CASE("d", "fail", ",\"actual\":\"silence after 12 ms\"") CASE("e", "fail", "") FINDING(
                    "e", "RFC5044-4.4-11") CASE("f", "fail", ",\"crash\":\"[ 12.5] BUG: at ffff8000\"")
                    FINDING("f", "RFC5044-4.4-11") CASE("g", "pass", "") CASE("h", "not tested", "") SUMMARY;

static void failures_with_one_root_are_one_line(void **state) {
    struct outcome_test test;
    struct iw_outcome_run run;
    struct iw_roots roots;
    char *text = NULL;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);

    (void)state;
    outcome_begin(&test);
    outcome_run(&test, &run, "run", results);
    assert_true(iw_roots_init(&roots, &run));
    iw_roots_put(out, &run, &roots);
    fclose(out);
    assert_string_equal(text, "run: 6 cases did not pass, for 3 reasons; the most frequent first:\n"
                              "      3 cases  violate RFC5044-4.4-11 (RFC 5044 4.4, MUST): The CRC is the "
                              "CRC-32C of iSCSI digests over "
                              "the FPDU\n"
                              "               b, frame 9: CRC is wrong\n"
                              "      2 cases  fail: silence after # ms\n"
                              "               a: expected an answer\n"
                              "      1 case   crash: BUG: at #\n"
                              "               f\n");
    free(text);
    iw_roots_clear(&roots);
    iw_outcome_clear(&run);
    outcome_end(&test);
}

/* The root is the violation that ended the stream, even if another one was before it. */
static void what_follows_from_a_violation_has_its_root(void **state) {
    static const struct {
        const char *more;
        const char *requirement;
        bool only;
    } rows[] = {
        {"", "RFC5040-4.8-07", true},
        {",\"script\":\"x.lua\"", "RFC5040-4.8-07", false},
        {",\"script\":\"x.lua\",\"follows\":2", "RFC5044-4.4-11", true},
        {",\"script\":\"x.lua\",\"follows\":3", "RFC5040-4.8-07", false}, /* no such finding */
        {",\"script\":\"x.lua\",\"follows\":0", "RFC5040-4.8-07", false},
        {",\"script\":\"x.lua\",\"follows\":-2", "RFC5040-4.8-07", false},
        {",\"script\":\"x.lua\",\"follows\":\"2\"", "RFC5040-4.8-07", false},
        {",\"script\":\"x.lua\",\"follows\":2,\"crash\":\"Oops\"", "RFC5044-4.4-11", false},
        {",\"script\":\"x.lua\",\"follows\":2,\"unresponsive\":\"exit code 1\"", "RFC5044-4.4-11", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome_test test;
        struct iw_outcome_run run;
        char text[1024];

        outcome_begin(&test);
        snprintf(text, sizeof text,
            "{\"type\":\"case\",\"case\":\"a\",\"title\":\"t\",\"requirements\":[],\"verdict\":\"fail\"%s}\n"
            "{\"type\":\"finding\",\"case\":\"a\",\"number\":1,\"requirement\":\"RFC5040-4.8-07\"}\n"
            "{\"type\":\"finding\",\"case\":\"a\",\"number\":2,\"requirement\":\"RFC5044-4.4-11\"}\n" SUMMARY,
            rows[i].more);
        outcome_run(&test, &run, "run", text);
        assert_int_equal(iw_root_is_only_violations(&run.cases[0]), rows[i].only);
        assert_string_equal(json_string_value(json_object_get(iw_root_finding(&run.cases[0]), "requirement")),
            rows[i].requirement);
        iw_outcome_clear(&run);
        outcome_end(&test);
    }
}

static void a_run_without_failures_has_no_root(void **state) {
    struct outcome_test test;
    struct iw_outcome_run run;
    struct iw_roots roots;

    (void)state;
    outcome_begin(&test);
    outcome_run(&test, &run, "run", CASE("g", "pass", "") SUMMARY);
    assert_true(iw_roots_init(&roots, &run));
    assert_int_equal(roots.count, 0);
    iw_roots_clear(&roots);
    iw_outcome_clear(&run);
    outcome_end(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_with_one_root_are_one_line),
        cmocka_unit_test(what_follows_from_a_violation_has_its_root),
        cmocka_unit_test(a_run_without_failures_has_no_root),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

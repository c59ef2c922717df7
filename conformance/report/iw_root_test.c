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
        cmocka_unit_test(a_run_without_failures_has_no_root),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_json_member.h"
#include "iw_matrix_conclusion.h"
#include "iw_temporary_test.h"

/* The verdict of a cell from what the relay prints and how the processes end. */

#define OPENED "{\"type\":\"relay\",\"connection\":1,\"event\":\"opened\"}\n"
#define FINDING(peer, more)                                                                                  \
    "{\"type\":\"finding\",\"side\":\"responder\",\"peer\":\"" peer                                          \
    "\",\"requirement\":\"RFC5044-4.4-11\",\"severity\":\"error\",\"message\":\"wrong\","                    \
    "\"frame\":7" more "}\n"
#define SUMMARY(exit) "{\"type\":\"summary\",\"exit\":" exit "}\n"

static struct iw_matrix_process well = {.ended = true, .end = IW_COMMAND_SUCCEEDED, .text = "exit code 0"};
static struct iw_matrix_process ill = {
    .ended = true, .end = IW_COMMAND_FAILED, .text = "exit code 1: no luck"};

static struct iw_matrix_conclusion usual(void) {
    return (struct iw_matrix_conclusion){
        .recorded = true, .leaves = true, .initiator = &well, .responder = &well, .relay = &well};
}

static json_t *conclude(const struct iw_matrix_conclusion *conclusion, const char *lines) {
    char path[TEMPORARY_PATH];
    json_t *result = json_object();
    int descriptor = mkstemp(temporary_path(path, "iw_matrix_conclusion"));

    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, lines, strlen(lines)), strlen(lines));
    close(descriptor);
    iw_matrix_conclude(conclusion, path, result);
    unlink(path);
    return result;
}

static void assert_verdict(const struct iw_matrix_conclusion *conclusion, const char *lines,
    const char *verdict, const char *reason) {
    json_t *result = conclude(conclusion, lines);

    assert_string_equal(iw_json_member_text(result, "verdict"), verdict);
    assert_string_equal(iw_json_member_text(result, "reason"), reason);
    json_decref(result);
}

static void a_judged_conversation_passes(void **state) {
    struct iw_matrix_conclusion conclusion = usual();

    (void)state;
    assert_verdict(&conclusion, OPENED SUMMARY("0"), "pass", "");
}

static void a_violation_fails_its_side(void **state) {
    struct iw_matrix_conclusion conclusion = usual();
    json_t *result = conclude(&conclusion, OPENED FINDING("device", "") FINDING("device", "") SUMMARY("1"));
    const json_t *findings = json_object_get(result, "findings");

    (void)state;
    assert_string_equal(iw_json_member_text(result, "verdict"), "fail");
    assert_string_equal(iw_json_member_text(result, "side"), "responder");
    assert_int_equal(json_array_size(findings), 1);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(findings, 0), "count")), 2);
    json_decref(result);
}

/* An initiator that sends a Reply has the MPA role of a responder. */
static void the_mpa_role_does_not_name_the_peer(void **state) {
    struct iw_matrix_conclusion conclusion = usual();
    json_t *result = conclude(&conclusion, OPENED FINDING("initiator", "") SUMMARY("1")), *finding;

    (void)state;
    finding = json_array_get(json_object_get(result, "findings"), 0);
    assert_string_equal(iw_json_member_text(result, "side"), "initiator");
    assert_string_equal(iw_json_member_text(finding, "peer"), "initiator");
    assert_string_equal(iw_json_member_text(finding, "side"), "responder");
    json_decref(result);
    result = conclude(&conclusion, OPENED FINDING("initiator", "") FINDING("device", "") SUMMARY("1"));
    assert_string_equal(iw_json_member_text(result, "side"), "both");
    assert_int_equal(json_array_size(json_object_get(result, "findings")), 2);
    json_decref(result);
}

/* The relay's own octets repeat what the other peer has sent. */
static void what_the_relay_sends_does_not_count(void **state) {
    struct iw_matrix_conclusion conclusion = usual();

    (void)state;
    assert_verdict(&conclusion, OPENED FINDING("relay", ",\"waived\":{\"line\":0}") SUMMARY("0"), "pass", "");
}

static void a_peer_that_fails_says_so_itself(void **state) {
    struct iw_matrix_conclusion conclusion = usual();

    (void)state;
    conclusion.initiator = &ill;
    assert_verdict(&conclusion, OPENED SUMMARY("0"), "fail", "the initiator says: exit code 1: no luck");
    conclusion = usual();
    conclusion.responder = &ill;
    assert_verdict(&conclusion, OPENED SUMMARY("0"), "fail", "the responder says: exit code 1: no luck");
    conclusion.leaves = false; /* ended by the matrix: its exit code says nothing */
    assert_verdict(&conclusion, OPENED SUMMARY("0"), "pass", "");
    conclusion.responder_early = true;
    assert_verdict(&conclusion, OPENED SUMMARY("0"), "fail", "the responder says: exit code 1: no luck");
}

static void a_hanging_peer_fails(void **state) {
    struct iw_matrix_process silent = {.last = "waiting for godot"};
    struct iw_matrix_conclusion conclusion = usual();

    (void)state;
    conclusion.initiator = &silent;
    conclusion.initiator_hangs = true;
    assert_verdict(&conclusion, OPENED SUMMARY("0"), "fail",
        "the initiator does not end; its last line: waiting for godot");
    conclusion = usual();
    conclusion.responder = &silent;
    conclusion.responder_hangs = true;
    assert_verdict(&conclusion, OPENED SUMMARY("0"), "fail",
        "the responder does not end; its last line: waiting for godot");
}

static void what_is_not_judged_is_named(void **state) {
    struct iw_matrix_conclusion conclusion = usual();

    (void)state;
    assert_verdict(&conclusion,
        OPENED "{\"type\":\"stream\",\"unjudged\":{\"lost\":7}}\n{\"type\":\"stream\",\"unjudged\":{\"cut\":"
               "1,\"lost\":7}}\n" SUMMARY("2"),
        "not judged", "not judged: cut, lost");
}

static void without_a_connection_it_is_an_error(void **state) {
    struct iw_matrix_conclusion conclusion = usual();

    (void)state;
    assert_verdict(&conclusion, SUMMARY("3"), "error", "the initiator did not connect");
    conclusion.initiator = &ill;
    assert_verdict(&conclusion, SUMMARY("3"), "error", "the initiator says: exit code 1: no luck");
}

static void an_error_of_the_relay_is_one(void **state) {
    struct iw_matrix_conclusion conclusion = usual();

    (void)state;
    conclusion.relay = &ill;
    assert_verdict(&conclusion, OPENED "warpcheck: no space\n", "error", "relay: warpcheck: no space");
    assert_verdict(&conclusion, OPENED, "error", "relay: exit code 1: no luck");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_judged_conversation_passes),
        cmocka_unit_test(a_violation_fails_its_side),
        cmocka_unit_test(the_mpa_role_does_not_name_the_peer),
        cmocka_unit_test(what_the_relay_sends_does_not_count),
        cmocka_unit_test(a_peer_that_fails_says_so_itself),
        cmocka_unit_test(a_hanging_peer_fails),
        cmocka_unit_test(what_is_not_judged_is_named),
        cmocka_unit_test(without_a_connection_it_is_an_error),
        cmocka_unit_test(an_error_of_the_relay_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

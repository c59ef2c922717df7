#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_json.h"
#include "iw_test_memory.h"
#include "iw_report_fixture_test.h"

static void keep_finding(void *user, const struct iw_monitor_event *event) {
    json_t **object = user;

    for (size_t i = 0; i < event->finding_count; i++)
        iw_json_add_finding(*object, &event->findings[i]);
}

static const char *text_of(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static void a_finding_names_place_and_message(void **state) {
    json_t *object = iw_json_object("finding", "x.pcap", 7);
    struct talk talk;

    (void)state;
    talk_begin(&talk, keep_finding, &object);
    talk_say(&talk, IW_SIDE_A, TALK_REQUEST);
    talk_say(&talk, IW_SIDE_B, TALK_REPLY);
    talk_say(&talk, IW_SIDE_A, TALK_BAD_CRC); /* frame 5, 5 s */
    assert_string_equal(text_of(object, "type"), "finding");
    assert_string_equal(text_of(object, "file"), "x.pcap");
    assert_int_equal(json_integer_value(json_object_get(object, "stream")), 7);
    assert_int_equal(json_integer_value(json_object_get(object, "frame")), 5);
    assert_int_equal(json_integer_value(json_object_get(object, "number")), 1);
    assert_null(json_object_get(object, "cause")); /* the finding has no cause */
    assert_string_equal(text_of(object, "time"), "1970-01-01T00:00:05.000000000Z");
    assert_string_equal(text_of(object, "side"), "initiator");
    assert_string_equal(text_of(object, "requirement"), "RFC5044-4.4-11");
    assert_string_equal(text_of(object, "level"), "MUST");
    assert_string_equal(text_of(object, "severity"), "error");
    assert_non_null(text_of(object, "message"));
    assert_string_equal(text_of(object, "field"), "iwarp.mpa.crc");
    json_decref(object);
    talk_end(&talk);
}

static void an_empty_text_is_omitted(void **state) {
    json_t *object = json_object();

    (void)state;
    iw_json_set_text(object, "here", "\xC3\xA9");
    iw_json_set_text(object, "missing", NULL);
    iw_json_set_text(object, "empty", "");
    iw_json_set_text(object, "not_utf8", "\xC3(");
    assert_int_equal(json_object_size(object), 1);
    assert_string_equal(text_of(object, "here"), "\xC3\xA9");
    json_decref(object);
}

static void ignore(void *user, const struct iw_monitor_event *event) {
    (void)user;
    (void)event;
}

static void a_stream_names_sides_by_role(void **state) {
    const char *const addresses[2] = {"192.0.2.1:1", "192.0.2.2:2"};
    const struct iw_tcp_counters tcp[2] = {{.lost = 3}, {.lost = 4}};
    json_t *object = iw_json_object("stream", "x.pcap", 0), *side;
    struct iw_totals tally = {0};
    struct talk talk;

    (void)state;
    talk_begin(&talk, ignore, NULL);
    /* Side B is the initiator, although side A opened TCP. */
    talk_say(&talk, IW_SIDE_B, TALK_REQUEST);
    talk_say(&talk, IW_SIDE_A, TALK_REPLY);
    talk_say(&talk, IW_SIDE_B, TALK_SEND);
    iw_totals_add(&tally, iw_monitor_counts(talk.monitor));
    iw_json_add_stream(
        object, iw_monitor_terms(talk.monitor), iw_monitor_counts(talk.monitor), addresses, tcp, &tally);
    side = json_object_get(object, "initiator");
    assert_string_equal(text_of(side, "address"), "192.0.2.2:2");
    assert_int_equal(json_integer_value(json_object_get(side, "fpdus")), 1);
    assert_int_equal(json_integer_value(json_object_get(side, "payload_octets")), 5);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(side, "tcp"), "lost")), 4);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(side, "startup"), "rev")), 1);
    assert_string_equal(text_of(json_object_get(object, "responder"), "address"), "192.0.2.1:1");
    assert_string_equal(text_of(object, "crc"), "on");
    assert_string_equal(text_of(object, "verdict"), "conforms");
    json_decref(object);
    talk_end(&talk);
}

static void unjudged_counts_have_stable_keys(void **state) {
    struct iw_totals tally = {.unjudged = {[IW_UNJUDGED_LOST] = 7, [IW_UNJUDGED_SEQUENCE] = 1}};
    json_t *object = json_object();
    char *text;

    (void)state;
    iw_json_add_totals(object, &tally);
    text = json_dumps(json_object_get(object, "unjudged"), JSON_COMPACT);
    assert_string_equal(text, "{\"lost\":7,\"sequence\":1}");
    free(text);
    json_decref(object);
}

static void an_object_is_one_line(void **state) {
    char *text = NULL;
    size_t octets = 0;
    FILE *out = open_memstream(&text, &octets);

    (void)state;
    assert_true(iw_json_line(out, json_pack("{s:s}", "a", "b\nc")));
    assert_false(iw_json_line(out, NULL));
    fclose(out);
    assert_string_equal(text, "{\"a\":\"b\\nc\"}\n");
    free(text);
}

static unsigned failures;

static void note_failure(void) {
    failures++;
}

static void run_out_of_memory(void) {
    json_t *text;

    iw_test_memory_fail(1, true);
    text = json_string("x");
    iw_test_memory_restore();
    assert_null(text);
}

static void the_caller_handles_lack_of_memory(void **state) {
    (void)state;
    iw_json_on_failure(note_failure);
    iw_json_require_memory();
    json_decref(json_string("x"));
    assert_int_equal(failures, 0);
    assert_false(iw_json_memory_failed());
    run_out_of_memory();
    assert_int_equal(failures, 1);
    assert_true(iw_json_memory_failed());
    iw_json_watch_memory();
    assert_false(iw_json_memory_failed());
    run_out_of_memory();
    assert_int_equal(failures, 1);
    assert_true(iw_json_memory_failed());
    iw_test_memory_fail(1, true);
    assert_null(iw_json_read("[1]", 3, 0, NULL));
    iw_test_memory_restore();
    assert_true(failures > 1);
    failures = 0;
    run_out_of_memory(); /* values for output are not required */
    assert_int_equal(failures, 0);
    iw_json_on_failure(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finding_names_place_and_message),
        cmocka_unit_test(an_empty_text_is_omitted),
        cmocka_unit_test(a_stream_names_sides_by_role),
        cmocka_unit_test(unjudged_counts_have_stable_keys),
        cmocka_unit_test(an_object_is_one_line),
        cmocka_unit_test(the_caller_handles_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

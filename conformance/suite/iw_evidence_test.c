#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_evidence.h"
#include "iw_report_fixture_test.h"

static const struct iw_case one = {
    .id = "a-001",
    .title = "A title",
    .requirements = {&iw_requirements[IW_REQ_RFC5044_4_4_11]},
    .requirement_count = 1,
};

struct log {
    struct iw_evidence evidence;
    char *text;
    size_t octets;
};

/* The suite is side A, the initiator. */
static void write_event(void *user, const struct iw_monitor_event *event) {
    static const bool own[2] = {true, false};

    iw_evidence_event(user, 1, own, event);
}

static void begin_log(struct log *log) {
    iw_evidence_begin(&log->evidence, open_memstream(&log->text, &log->octets), &one);
}

static void end_log(struct log *log, const struct iw_trial_result *result) {
    iw_evidence_verdict(&log->evidence, result);
    fclose(log->evidence.out);
}

static void assert_has(const struct log *log, const char *lines) {
    if (strstr(log->text, lines) == NULL)
        fail_msg("no '%s' in:\n%s", lines, log->text);
}

static void event_has_line_octets_and_findings(void **state) {
    const struct iw_trial_result result = {.one = &one};
    struct log log;
    struct talk talk;

    (void)state;
    begin_log(&log);
    talk_begin(&talk, write_event, &log.evidence);
    talk_say(&talk, IW_SIDE_A, TALK_REQUEST);
    talk_say(&talk, IW_SIDE_B, TALK_REPLY);
    iw_evidence_step(&log.evidence, "send what is broken");
    talk_say(&talk, IW_SIDE_A, TALK_BAD_CRC);
    talk_close(&talk, IW_SIDE_A, IW_CHUNK_FIN);
    talk_end(&talk);
    end_log(&log, &result);
    assert_has(&log, "1  0.000000  1  suite initiator  frame 3: MPA Request");
    assert_has(&log, "\n    0000  4d 50 41 20 49 44 20 52 65 71 20 46 72 61 6d 65 40 01 00 00\n"
                     "2  1.000000  1  device responder  frame 4: MPA Reply");
    assert_has(&log, "\n  step: send what is broken\n3  2.000000  1  suite initiator  frame 5: Send");
    /* 32 octets per line */
    assert_has(&log,
        "\n    0000  00 17 41 43 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 00 68 65 6c 6c 6f 00 "
        "00 00 b9 90 b1 0d\n    ! error RFC5044-4.4-11 (RFC 5044 4.4, MUST) initiator: CRC is "
        "0xb990b10d, expected 0xb990b10c\n");
    /* the fixture gives a FIN no time */
    assert_has(&log, "\n4  2.000000  1  suite initiator  frame 6: Close by FIN\n");
    assert_has(&log, "\n5  2.000000  1  device responder  ");
    free(log.text);
}

/* A tagged FPDU of 300 octets: header, payload, CRC; its meaning is irrelevant. */
static void long_frame_is_truncated_with_a_note(void **state) {
    const struct iw_trial_result result = {.one = &one};
    struct iw_fpdu fpdu = {0};
    struct iw_llp_event llp;
    struct iw_monitor_event event = {.llp = &llp};
    static const bool own[2] = {false, true};
    uint8_t image[300] = {0};
    struct log log;

    (void)state;
    fpdu.image = image;
    fpdu.image_octets = fpdu.image_captured = sizeof image;
    llp = iw_llp_event_of_fpdu(&fpdu);
    image[127] = 0x7f;
    image[128] = 0x80;
    begin_log(&log);
    iw_evidence_event(&log.evidence, 2, own, &event);
    end_log(&log, &result);
    assert_has(&log, "1  0.000000  2  device side A  frame 0: ");
    assert_has(&log, " 00 7f +172\n");
    assert_null(strstr(log.text, " 80"));
    free(log.text);
}

static void verdict_names_expectation_and_clause(void **state) {
    const struct iw_trial_result result = {.one = &one,
        .verdict = IW_VERDICT_FAIL,
        .close.how = "terminate+rst",
        .close.verdict = IW_CLOSE_TOLERATED,
        .reason.message = "something else came",
        .reason.expected = "a Reply",
        .reason.actual = "silence",
        .reason.script = "a.lua",
        .reason.line = 7,
        .reason.step = "ask"};
    struct log log;

    (void)state;
    begin_log(&log);
    end_log(&log, &result);
    assert_has(&log, "a-001: A title\ndevice under test: responder\n");
    assert_has(&log, "\nverdict: fail\nexpected: a Reply\nactual: silence\nbecause: something else came\n"
                     "at: a.lua:7\nstep: ask\nclose: terminate+rst\nclose verdict: tolerated\n"
                     "requires: RFC5044-4.4-11 (RFC 5044 4.4, MUST): ");
    free(log.text);
}

static void lines_are_recognised(void **state) {
    static const char event[] = "12  0.034000  1  device responder  frame 6: Send\n";
    static const char *const others[] = {"  step: send", "verdict: fail", "1 case", "", "12  0.0  1  peer x",
        "12  0.0  1 ", "suite initiator"};

    (void)state;
    assert_string_equal(iw_evidence_event_of(event), "responder  frame 6: Send\n");
    assert_string_equal(iw_evidence_event_of("1  0.0  2  suite side A"), "side A");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_null(iw_evidence_event_of(others[i]));
    assert_true(iw_evidence_is_continuation("    0000  00 17\n"));
    assert_true(iw_evidence_is_continuation("    ! error RFC5044-4.4-11"));
    assert_false(iw_evidence_is_continuation("  step: send\n"));
    assert_false(iw_evidence_is_continuation(event));
    assert_string_equal(iw_evidence_verdict_of("verdict: not applicable\n"), "not applicable\n");
    assert_null(iw_evidence_verdict_of("because: verdict: pass"));
    assert_null(iw_evidence_verdict_of("verdict"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(event_has_line_octets_and_findings),
        cmocka_unit_test(long_frame_is_truncated_with_a_note),
        cmocka_unit_test(verdict_names_expectation_and_clause),
        cmocka_unit_test(lines_are_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

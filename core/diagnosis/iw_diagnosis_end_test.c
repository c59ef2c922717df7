#include "iw_diagnosis_test.h"

#include "iw_name.h"
#include "iw_session.h"

/* Whether a connection failed, by its end. */

static bool failed(void) {
    iw_diagnose(&facts, &diagnosis);
    return diagnosis.failed;
}

/* The capture has the SYN and the Request, and packets of both sides, but no Reply. */
static void without_reply(void) {
    terms.seen[IW_SIDE_B] = terms.settled = false;
    terms.frame[IW_SIDE_A].key = IW_STARTUP_REQUEST;
    history.message_count = 0;
    life.side[IW_SIDE_A].syn = true;
    life.side[IW_SIDE_A].segments = life.side[IW_SIDE_B].segments = 3;
}

static void a_startup_that_was_given_up_has_failed(void **state) {
    (void)state;
    without_reply();
    assert_false(failed()); /* the Reply may still come */
    ends(IW_LLP_CLOSE_GRACEFUL);
    assert_true(failed());
    assert_int_equal(diagnosis.count, 0);
    ends(IW_LLP_CLOSE_ABORTIVE);
    assert_true(failed());
    terms.settled = true;
    assert_false(failed());
}

/* What is not captured may be the Reply. */
static void a_reply_that_may_have_been_sent_is_not_missing(void **state) {
    (void)state;
    without_reply();
    ends(IW_LLP_CLOSE_GRACEFUL);
    trouble.lost_frame = 7;
    assert_false(failed());
    trouble.lost_frame = 0;
    life.side[IW_SIDE_B].segments = 0;
    assert_false(failed());
    life.side[IW_SIDE_B].segments = 3;
    life.side[IW_SIDE_A].syn = false;
    assert_false(failed());
}

/* RFC 9293 3.1: a receiver discards a segment with a wrong checksum. */
static void octets_with_a_wrong_checksum_have_not_arrived(void **state) {
    (void)state;
    ends(IW_LLP_CLOSE_ABORTIVE);
    life.side[IW_SIDE_A].segments = life.side[IW_SIDE_B].segments = 9;
    tcp[IW_SIDE_A].discarded = 5;
    assert_false(failed()); /* sent again, and right */
    assert_int_equal(diagnosis.note_count, 1);
    assert_string_equal(diagnosis.notes[0].cause->id, "capture-checksums");
    assert_string_equal(diagnosis.notes[0].detail, "5 segments of the initiator have a wrong TCP checksum.");
    life.side[IW_SIDE_A].has_next = true;
    life.side[IW_SIDE_A].next = 100;
    life.side[IW_SIDE_A].shown = 800;
    assert_true(failed());
    tcp[IW_SIDE_A].discarded = 0;
    assert_false(failed()); /* the capture lacks them */
}

/* Side A closes, after the first segment of its Write of two. */
static void a_close_within_a_write_has_failed(void **state) {
    static struct iw_history_message write;
    char text[IW_DIAGNOSIS_NEXT];

    (void)state;
    write = (struct iw_history_message){.mark = {8, SECOND},
        .side = IW_SIDE_A,
        .opcode = IW_RDMAP_OP_RDMA_WRITE,
        .decoded = true,
        .tagged = true};
    history.messages = &write;
    history.message_count = history.message_max = 1;
    ends(IW_LLP_CLOSE_GRACEFUL);
    assert_true(failed());
    assert_int_equal(diagnosis.count, 0);
    assert_string_equal(iw_diagnosis_next_without_cause(&facts, &diagnosis, text),
        "Look at the logs of the initiator at this time: program, driver and device. It closed while its "
        "RDMA Write lacked the last segment.");
    ends(IW_LLP_CLOSE_ABORTIVE);
    assert_true(failed());
    assert_string_equal(iw_diagnosis_next_without_cause(&facts, &diagnosis, text),
        "Look at the logs of the initiator at this time: program, driver and device. It sent the RST while "
        "its RDMA Write lacked the last segment.");
    life.side[IW_SIDE_A].has_next = true;
    life.side[IW_SIDE_A].shown = 700; /* the capture may lack the rest */
    assert_false(failed());
    life.side[IW_SIDE_A].shown = 0;
    write.last = true;
    assert_false(failed());
    write.last = false;
    write.side = IW_SIDE_B; /* of the other side, which may not have been done */
    assert_false(failed());
}

/* RFC 5043 6.2 */
static void a_session_terminate_ends_the_session(void **state) {
    struct iw_session_event session = {.whole_header = true, .control.header.function = IW_SCTP_ACCEPT};
    const struct iw_llp_event llp = {
        .kind = IW_LLP_CONTROL, .side = IW_SIDE_B, .frame = 9, .time_ns = SECOND, .session = &session};
    const struct iw_monitor_event event = {.llp = &llp};

    (void)state;
    facts.life = NULL;
    history.requests = NULL;
    iw_history_event(&history, &event);
    failed();
    assert_int_equal(diagnosis.ending, IW_ENDING_OPEN);
    session.control.header.function = IW_SCTP_TERMINATE;
    iw_history_event(&history, &event);
    assert_false(failed());
    assert_int_equal(diagnosis.ending, IW_ENDING_GRACEFUL);
    assert_int_equal(diagnosis.ender, IW_SIDE_B);
    assert_int_equal(diagnosis.end.frame, 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_startup_that_was_given_up_has_failed),
        TEST(a_reply_that_may_have_been_sent_is_not_missing),
        TEST(octets_with_a_wrong_checksum_have_not_arrived),
        TEST(a_close_within_a_write_has_failed),
        TEST(a_session_terminate_ends_the_session),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "iw_sctp_monitor.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "iw_session_fixture.h"

enum { INITIATE = 1, ACCEPT, REJECT, TERMINATE };

static struct iw_sctp_state association;
static struct iw_sctp_monitor *monitor;
static struct iw_session_fixture talk;
static char log_of[4096];

static void say(const struct iw_judged_session *session, const char *what) {
    size_t at = strlen(log_of);

    snprintf(log_of + at, sizeof log_of - at, "%u.%" PRIu32 "%s ", session->session->stream,
        session->session->number, what);
}

/* Each session keeps its own user data. */
static void take_event(void *user, struct iw_judged_session *session, const struct iw_monitor_event *event) {
    static const char *const kinds[] = {[IW_LLP_CONTROL] = "c", [IW_LLP_SEGMENT] = "s", [IW_LLP_CLOSE] = "$"};

    assert_ptr_equal(user, &talk);
    assert_non_null(event->llp->session);
    assert_ptr_equal(event->llp->session->session, session->session);
    if (session->user == NULL)
        session->user = session->monitor;
    assert_ptr_equal(session->user, session->monitor);
    say(session, kinds[event->llp->kind]);
    for (size_t i = 0; i < event->finding_count; i++)
        say(session, event->findings[i].requirement->id);
}

static void take_end(void *user, struct iw_judged_session *session) {
    assert_ptr_equal(user, &talk);
    say(session, "#");
}

static const struct iw_judged_session_handlers handlers = {.event = take_event, .end = take_end};

static int begin_with(const struct iw_judged_session_handlers *given) {
    static const struct iw_monitor_config config = {.extensions = IW_EXT_ALL};

    association = iw_session_fixture_state();
    talk = (struct iw_session_fixture){.frame = 4, .tsn = 100};
    log_of[0] = '\0';
    monitor = iw_sctp_monitor_new(&config, &association, given, &talk);
    return monitor == NULL;
}

static int begin(void **state) {
    (void)state;
    return begin_with(&handlers);
}

static int end(void **state) {
    (void)state;
    iw_sctp_monitor_free(monitor);
    return 0;
}

static void control(enum iw_side side, uint16_t stream, uint16_t ssn, uint8_t function) {
    assert_int_equal(
        iw_sctp_monitor_feed(monitor, iw_session_fixture_control(&talk, side, stream, ssn, function, 0)),
        IW_OK);
}

static void write_segment(enum iw_side side, uint16_t stream, uint16_t ssn) {
    assert_int_equal(
        iw_sctp_monitor_feed(monitor, iw_session_fixture_write(&talk, side, stream, ssn)), IW_OK);
}

static void finish(enum iw_session_end how) {
    iw_sctp_monitor_finish(monitor, how, IW_SIDE_A, talk.frame, talk.frame * 1000);
}

static void judges_each_session_by_itself(void **state) {
    (void)state;
    control(IW_SIDE_A, 0, 0, INITIATE);
    control(IW_SIDE_A, 1, 0, INITIATE);
    control(IW_SIDE_B, 1, 0, ACCEPT);
    control(IW_SIDE_B, 0, 0, REJECT);
    write_segment(IW_SIDE_A, 1, 1);
    write_segment(IW_SIDE_B, 0, 1);
    control(IW_SIDE_A, 1, 2, TERMINATE);
    finish(IW_SESSION_END_ASSOCIATION);
    assert_string_equal(log_of, "0.1c 1.1c 1.1c 0.1c 1.1s 0.1s 0.1RFC5043-6.1-01 1.1c 0.1$ 0.1# 1.1$ 1.1# ");
}

static void ends_a_session_where_the_next_one_begins(void **state) {
    (void)state;
    control(IW_SIDE_A, 0, 0, INITIATE);
    control(IW_SIDE_B, 0, 0, ACCEPT);
    control(IW_SIDE_B, 0, 1, TERMINATE);
    control(IW_SIDE_B, 0, 0, INITIATE);
    assert_string_equal(log_of, "0.1c 0.1c 0.1c 0.1$ 0.1# 0.2c ");
    finish(IW_SESSION_END_INPUT);
    finish(IW_SESSION_END_INPUT);
    assert_string_equal(log_of, "0.1c 0.1c 0.1c 0.1$ 0.1# 0.2c 0.2$ 0.2# ");
}

static void counts_the_segments_of_a_session(void **state) {
    static const struct iw_judged_session_handlers none;
    uint16_t ssn;

    (void)state;
    iw_sctp_monitor_free(monitor);
    assert_int_equal(begin_with(&none), 0);
    control(IW_SIDE_A, 9, 0, INITIATE);
    write_segment(IW_SIDE_A, 9, 1);
    assert_true(iw_sctp_monitor_next(monitor, IW_SIDE_A, 9, &ssn));
    assert_int_equal(ssn, 2);
    assert_false(iw_sctp_monitor_next(monitor, IW_SIDE_A, 8, &ssn));
    finish(IW_SESSION_END_ABORT);
    assert_string_equal(log_of, "");
}

/* A sanitizer detects leaks: of sessions that have not ended, and of waiting chunks. */
static void releases_sessions_that_have_not_ended(void **state) {
    (void)state;
    for (uint16_t stream = 0; stream < 40; stream++) {
        control(IW_SIDE_A, stream, 0, INITIATE);
        write_segment(IW_SIDE_A, stream, 7);
    }
    log_of[0] = '\0';
    iw_sctp_monitor_free(monitor);
    monitor = NULL;
    assert_string_equal(log_of, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(judges_each_session_by_itself),
        TEST(ends_a_session_where_the_next_one_begins),
        TEST(counts_the_segments_of_a_session),
        TEST(releases_sessions_that_have_not_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

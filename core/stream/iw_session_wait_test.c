#include "iw_session_test.h"

/* Chunks that wait for those before them. */

static void sorts_by_ddp_ssn(void **state) {
    (void)state;
    segment(A, 0, 1);
    open_session(0);
    segment(A, 0, 4);
    segment(A, 0, 3);
    segment(A, 0, 2);
    assert_string_equal(log_of, "0.1A0c 0.1A1< 0.1B0c 0.1A2 0.1A3 0.1A4 ");
}

static void waits_for_what_may_follow_an_unacknowledged_chunk(void **state) {
    (void)state;
    open_session(0);
    segment(A, 0, 2);
    association.shut[A] = association.unacked[A] = true;
    finish(IW_SESSION_END_ASSOCIATION);
    assert_string_equal(log_of, "0.1A0c 0.1B0c 0.1A2!1 0.1$shutdown/accepted ");
}

static void limits_the_number_of_held_chunks(void **state) {
    (void)state;
    open_session(0);
    for (uint16_t i = 0; i < IW_SESSION_HELD_MAX; i++)
        segment(A, 0, (uint16_t)(2 + i));
    assert_int_equal(events, 2);
    segment(A, 0, 2 + IW_SESSION_HELD_MAX);
    assert_int_equal(events, 2 + IW_SESSION_HELD_MAX + 1);
    segment(A, 0, 1);
    assert_int_equal(latest.order, IW_SESSION_LOST);
    finish(IW_SESSION_END_ASSOCIATION);
    assert_int_equal(latest.limited, 1);
    finish(IW_SESSION_END_ASSOCIATION);
    control(A, 0, 0, INITIATE);
    finish(IW_SESSION_END_ASSOCIATION);
    assert_int_equal(latest.limited, 0); /* the limit was reached in an earlier session */
}

/* All associations share a pool; octets returned to it are available again. */
static void stops_waiting_when_the_pool_is_full(void **state) {
    struct iw_sctp_pool pool = {.octets = 4096};

    (void)state;
    association.pool = &pool;
    open_session(0);
    segment(A, 0, 2);
    assert_in_range(pool.held, 2, 4095);
    assert_int_equal(events, 2);
    pool.held += 4000; /* of another association */
    segment(A, 0, 4);
    assert_int_equal(events, 3); /* DDP-SSN 2 */
    pool.held -= 4000;
    assert_in_range(pool.held, 2, 4095);
    segment(A, 0, 3);
    assert_int_equal(pool.held, 0);
    segment(A, 0, 6);
    iw_sessions_free(sessions);
    sessions = NULL;
    assert_int_equal(pool.held, 0);
}

static void limits_the_number_of_held_octets(void **state) {
    enum { OCTETS = IW_SESSION_HELD_OCTETS_MAX / 2 - 1024 }; /* and their overhead */
    uint8_t *octets = calloc(1, OCTETS);
    struct iw_sctp_message message;

    (void)state;
    assert_non_null(octets);
    open_session(0);
    for (uint8_t ssn = 2; ssn < 5; ssn++) {
        message = *iw_session_fixture_write(&fixture, A, 0, ssn);
        message.length = message.captured = OCTETS;
        message.octets = octets;
        octets[1] = ssn;
        assert_true(iw_sessions_feed(sessions, &message));
        assert_int_equal(events, ssn < 4 ? 2 : 5);
    }
    free(octets);
}

/* Every DDP-SSN comes once, in any order that the limit allows. */
static void sorts_any_order(void **state) {
    enum { COUNT = 1000 };
    uint16_t ssn[COUNT];

    (void)state;
    srand(5043);
    open_session(0);
    for (unsigned i = 0; i < COUNT; i++)
        ssn[i] = (uint16_t)(i + 1);
    for (unsigned i = COUNT - 1; i > 0; i--) {
        unsigned other = (unsigned)rand() % (i + 1);
        uint16_t kept = ssn[i];

        ssn[i] = ssn[other];
        ssn[other] = kept;
    }
    for (unsigned i = 0; i < COUNT; i++)
        segment(B, 0, ssn[i]);
    assert_int_equal(events, 2 + COUNT);
    assert_int_equal(latest.ssn_expected, COUNT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(sorts_by_ddp_ssn),
        TEST(waits_for_what_may_follow_an_unacknowledged_chunk),
        TEST(limits_the_number_of_held_chunks),
        TEST(limits_the_number_of_held_octets),
        TEST(stops_waiting_when_the_pool_is_full),
        TEST(sorts_any_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

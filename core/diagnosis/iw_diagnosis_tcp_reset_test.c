#include "iw_diagnosis_test.h"

/* An unexpected RST, and the end of a silence. */

#define MS UINT64_C(1000000)

/* RFC 9293 3.10.7.1: a host that has closed answers with the same RST as one that has restarted. */
static void a_reset_after_an_acknowledged_fin_is_no_restart(void **state) {
    struct iw_tcp_trouble reset = {
        .rst_frame = 9, .rst_answers = true, .rst_after_octets = true, .rst_silence_ns = 2 * SECOND};

    (void)state;
    life.side[IW_SIDE_B].trouble = &reset;
    life.side[IW_SIDE_B].segments = 4;
    life.side[IW_SIDE_B].has_next = true;
    life.side[IW_SIDE_A].last_octets_frame = 8;
    assert_string_equal(first(), "peer-rebooted");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_LIKELY);
    trouble.lost_frame = 7;
    assert_string_equal(first(), "peer-rebooted");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_POSSIBLE);
    life.side[IW_SIDE_B].shown = 1;
    assert_string_equal(first(), "");
}

/* Side B answers with a RST without ACK, after its segment in frame 7. */
static struct iw_tcp_trouble *forgets(void) {
    static struct iw_tcp_trouble reset;

    reset = (struct iw_tcp_trouble){.rst_frame = 30,
        .rst_answers = true,
        .rst_after_octets = true,
        .rst_before_frame = 7,
        .rst_silence_ns = 9 * SECOND};
    life.side[IW_SIDE_B].trouble = &reset;
    life.side[IW_SIDE_B].segments = 4;
    life.side[IW_SIDE_B].has_next = true;
    life.side[IW_SIDE_B].last = (struct iw_tcp_mark){30, 10 * SECOND};
    life.side[IW_SIDE_A].last_octets_frame = 20;
    return &reset;
}

/* A host is away while it restarts: what it does not answer meanwhile is not lost on the path. */
static void a_restart_explains_what_was_sent_before_it(void **state) {
    struct iw_tcp_trouble *reset;

    (void)state;
    ends(IW_LLP_CLOSE_ABORTIVE);
    reset = forgets();
    tcp_trouble.resend = (struct iw_tcp_resend){
        .octets = 208, .count = 3, .first = {18, 2 * SECOND}, .last = {20, 5 * SECOND}};
    assert_string_equal(first(), "peer-rebooted");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    assert_int_equal(diagnosis.count, 1);
    reset->rst_before_frame = 19; /* it was there, and did not acknowledge */
    assert_string_equal(first(), "retransmissions");
    assert_int_equal(diagnosis.count, 2);
}

static void a_reset_may_be_of_another_device(void **state) {
    struct iw_tcp_trouble *reset = forgets();

    (void)state;
    assert_string_equal(first(), "peer-rebooted");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    life.side[IW_SIDE_B].last_octets_frame = 31; /* the host goes on */
    first();
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_non_null(strstr(iw_diagnosed_next(&diagnosis.causes[0]), "in the name of the responder"));
    life.side[IW_SIDE_B].last_octets_frame = 7;
    life.side[IW_SIDE_B].complete.frame = 31; /* a keep-alive probe with the old number */
    first();
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    life.side[IW_SIDE_B].complete.frame = 7;
    reset->rst_silence_ns = 2 * MS;
    first();
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_non_null(strstr(diagnosis.causes[0].detail, "No host restarts in so short a time"));
}

static void a_device_on_the_path_may_have_dropped_an_idle_connection(void **state) {
    struct iw_tcp_trouble *reset = forgets();

    (void)state;
    assert_string_equal(first(), "peer-rebooted");
    assert_null(strstr(iw_diagnosed_next(&diagnosis.causes[0]), "idle connections"));
    reset->rst_silence_ns = 3600 * SECOND;
    assert_string_equal(first(), "peer-rebooted");
    assert_non_null(strstr(iw_diagnosed_next(&diagnosis.causes[0]), "drops idle connections"));
}

static void a_reset_may_answer_a_probe(void **state) {
    (void)state;
    forgets();
    tcp_trouble.probes_unanswered = 1;
    tcp_trouble.probe_first_frame = 29;
    assert_string_equal(first(), "peer-rebooted");
    assert_int_equal(diagnosis.causes[0].frames[0], 29);
    assert_int_equal(diagnosis.causes[0].frames[1], 30);
}

/* A program without work is silent and closes (RFC 5040 6.2). */
static void a_fin_after_a_silence_is_no_timeout(void **state) {
    (void)state;
    ends(IW_LLP_CLOSE_GRACEFUL);
    life.side[IW_SIDE_A].fin_frame = life.idle_end_frame = 10;
    life.idle_ns = 300 * SECOND;
    assert_string_equal(first(), "");
    life.side[IW_SIDE_B].last_octets_frame = 11; /* the other side went on, and was reset */
    tcp_trouble.rst_frame = 12;
    assert_string_equal(first(), "idle-timeout");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_POSSIBLE);
    assert_string_equal(diagnosis.causes[0].detail,
        "Nothing was sent for 300.000 s, within 1 s of a whole number of minutes; then the initiator sent a "
        "FIN. "
        "Afterwards the other side sent octets, and a RST answered them.");
}

/* The note of a connection that nothing says to have failed; "" without one. */
static const char *note(void) {
    assert_string_equal(first(), "");
    assert_false(diagnosis.failed);
    return diagnosis.note_count > 0 ? diagnosis.notes[0].cause->id : "";
}

/* A program that is done may reset the connection (RFC 9293 3.10.5). */
static void only_a_silence_of_minutes_looks_like_a_timeout(void **state) {
    (void)state;
    ends(IW_LLP_CLOSE_ABORTIVE);
    life.side[IW_SIDE_A].segments = life.side[IW_SIDE_B].segments = 9;
    tcp_trouble.rst_frame = life.idle_end_frame = 10;
    life.idle_ns = 31 * SECOND;
    assert_string_equal(note(), "");
    life.idle_ns = 300 * SECOND + 40 * MS;
    assert_string_equal(note(), "idle-timeout");
    assert_int_equal(diagnosis.notes[0].confidence, IW_CONFIDENCE_POSSIBLE);
    assert_string_equal(diagnosis.notes[0].detail,
        "Nothing was sent for 300.040 s, within 1 s of a whole number "
        "of minutes; then the initiator sent a RST.");
    life.idle_ns = 299 * SECOND + 980 * MS;
    assert_string_equal(note(), "idle-timeout");
    life.idle_ns = 317 * SECOND;
    assert_string_equal(note(), "");
    life.side[IW_SIDE_B].last_octets_frame = 11; /* the other side went on */
    assert_string_equal(first(), "idle-timeout");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_POSSIBLE);
    assert_string_equal(diagnosis.causes[0].detail, "Nothing was sent for 317.000 s; then the initiator sent "
                                                    "a RST. Afterwards the other side sent octets.");
}

/* The TTL of a RST shows whether its host has sent it (RFC 791 3.1). */
static void a_reset_over_another_path_is_of_another_device(void **state) {
    struct iw_tcp_trouble *reset = forgets();
    struct iw_tcp_life_side *own = &life.side[IW_SIDE_B];

    (void)state;
    own->hops_least = own->hops_most = 64;
    reset->rst_hops = 61;
    reset->rst_silence_ns = 2 * MS;
    assert_string_equal(first(), "foreign-reset");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
    assert_int_equal(diagnosis.count, 1);
    assert_int_equal(diagnosis.causes[0].frames[0], 7);
    assert_int_equal(diagnosis.causes[0].frames[1], 30);
    reset->rst_silence_ns = 9 * SECOND; /* a route may have changed meanwhile */
    assert_string_equal(first(), "foreign-reset");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    assert_string_equal(diagnosis.causes[1].cause->id, "peer-rebooted");
    assert_int_equal(diagnosis.causes[1].confidence, IW_CONFIDENCE_POSSIBLE);
    own->complete.frame = 31; /* the host goes on, on its old path */
    assert_string_equal(first(), "foreign-reset");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
}

/* Hosts begin at 32, 64, 128 or 255: one at 255 is as far as the other at 64, and so is another stack of the
 * same host. */
static void a_reset_of_another_stack_may_be_of_the_host(void **state) {
    struct iw_tcp_trouble *reset = forgets();
    struct iw_tcp_life_side *own = &life.side[IW_SIDE_B];

    (void)state;
    own->hops_least = own->hops_most = 60;
    reset->rst_hops = 251;
    assert_string_equal(first(), "peer-rebooted");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    assert_int_equal(diagnosis.count, 1);
    reset->rst_hops = 60;
    assert_string_equal(first(), "peer-rebooted");
    reset->rst_hops = 0; /* not captured */
    assert_string_equal(first(), "peer-rebooted");
    reset->rst_hops = 250;
    assert_string_equal(first(), "foreign-reset");
}

/* Packets that take several paths have several TTLs. */
static void a_reset_shows_nothing_if_other_segments_take_several_paths(void **state) {
    struct iw_tcp_trouble *reset = forgets();
    struct iw_tcp_life_side *own = &life.side[IW_SIDE_B];

    (void)state;
    reset->rst_hops = 61;
    own->hops_least = 63;
    own->hops_most = 64;
    assert_string_equal(first(), "peer-rebooted");
    own->hops_least = 64;
    assert_string_equal(first(), "foreign-reset");
    own->segments = 3; /* two besides the RST */
    assert_string_equal(first(), "peer-rebooted");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_reset_after_an_acknowledged_fin_is_no_restart),
        TEST(a_fin_after_a_silence_is_no_timeout),
        TEST(a_restart_explains_what_was_sent_before_it),
        TEST(a_reset_may_be_of_another_device),
        TEST(a_device_on_the_path_may_have_dropped_an_idle_connection),
        TEST(a_reset_may_answer_a_probe),
        TEST(only_a_silence_of_minutes_looks_like_a_timeout),
        TEST(a_reset_over_another_path_is_of_another_device),
        TEST(a_reset_of_another_stack_may_be_of_the_host),
        TEST(a_reset_shows_nothing_if_other_segments_take_several_paths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

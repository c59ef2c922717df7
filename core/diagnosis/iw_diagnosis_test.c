#include "iw_diagnosis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "iw_diagnosis_part.h"

/* Evidence written by hand; the captures of captures/causes test the rest. */

#define SECOND UINT64_C(1000000000)

static struct iw_history history;
static struct iw_history_trouble trouble;
static struct iw_mpa_terms terms;
static struct iw_monitor_counts counts;
static struct iw_tcp_counters tcp[2];
static struct iw_tcp_life life;
static struct iw_tcp_trouble tcp_trouble;
static struct iw_evidence evidence;
static struct iw_diagnosis diagnosis;

/* A connection that is open, with a complete startup and a message of each side. */
static int reset(void **state) {
    (void)state;
    memset(&history, 0, sizeof history);
    memset(&trouble, 0, sizeof trouble);
    history.side[IW_SIDE_B].trouble = &trouble;
    memset(&terms, 0, sizeof terms);
    memset(&counts, 0, sizeof counts);
    memset(&life, 0, sizeof life);
    memset(&tcp_trouble, 0, sizeof tcp_trouble);
    life.side[IW_SIDE_A].trouble = &tcp_trouble;
    memset(&diagnosis, 0, sizeof diagnosis);
    terms.seen[IW_SIDE_A] = terms.seen[IW_SIDE_B] = terms.settled = terms.initiator_known = true;
    history.message_count = 2;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        history.side[side].close_kind = IW_LLP_CLOSE_INPUT;
    evidence = (struct iw_evidence){
        .history = &history, .terms = &terms, .counts = &counts, .tcp = tcp, .life = &life};
    return 0;
}

static const char *first(void) {
    iw_diagnose(&evidence, &diagnosis);
    return diagnosis.count > 0 ? diagnosis.causes[0].cause->id : "";
}

static void the_most_probable_cause_is_first(void **state) {
    (void)state;
    iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_BOUNDS, IW_CONFIDENCE_POSSIBLE, "one");
    iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_RIGHTS, IW_CONFIDENCE_CERTAIN, "two");
    iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_ROCE, IW_CONFIDENCE_LIKELY, "three");
    iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_KEEP_ALIVE, IW_CONFIDENCE_LIKELY, "four");
    assert_null(iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_BOUNDS, IW_CONFIDENCE_CERTAIN, "again"));
    assert_int_equal(diagnosis.count, 4);
    assert_string_equal(diagnosis.causes[0].detail, "Two");
    assert_string_equal(diagnosis.causes[1].detail, "Three");
    assert_string_equal(diagnosis.causes[2].detail, "Four");
    assert_string_equal(diagnosis.causes[3].detail, "One");
}

static void a_full_list_keeps_the_more_probable(void **state) {
    (void)state;
    for (unsigned i = 0; i < IW_DIAGNOSIS_CAUSES; i++)
        iw_diagnosis_add(&diagnosis, (enum iw_cause_id)i, IW_CONFIDENCE_LIKELY, "%u", i);
    assert_null(iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_ROCE, IW_CONFIDENCE_POSSIBLE, "late"));
    assert_non_null(iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_KEEP_ALIVE, IW_CONFIDENCE_CERTAIN, "sure"));
    assert_int_equal(diagnosis.count, IW_DIAGNOSIS_CAUSES);
    assert_string_equal(diagnosis.causes[0].detail, "Sure");
    assert_string_equal(diagnosis.causes[IW_DIAGNOSIS_CAUSES - 1].detail, "4");
}

static void names_each_frame_once(void **state) {
    struct iw_diagnosed *cause =
        iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_BOUNDS, IW_CONFIDENCE_LIKELY, "octets");

    (void)state;
    iw_diagnosis_frame(cause, 7);
    iw_diagnosis_frame(cause, 0);
    iw_diagnosis_frame(cause, 7);
    iw_diagnosis_frame(NULL, 8);
    assert_int_equal(cause->frame_count, 1);
    assert_int_equal(cause->frames[0], 7);
}

static void nothing_wrong_has_no_cause(void **state) {
    (void)state;
    assert_string_equal(first(), "");
    assert_false(diagnosis.failed);
}

/* What no rule knows is not known, and never a guess. */
static void an_unknown_terminate_is_not_known(void **state) {
    (void)state;
    trouble.terminate.mark = (struct iw_history_mark){9, 9};
    trouble.terminate.error = 0x0FFF;
    assert_string_equal(first(), "");
    assert_true(diagnosis.failed);
    assert_int_equal(diagnosis.ending, IW_ENDING_TERMINATE);
    assert_int_equal(diagnosis.ender, IW_SIDE_B);
}

/* RFC 5041 7.2: 1/2/03 about an MSN that is right on the wire. */
static void an_msn_is_not_out_of_step_if_octets_are_missing(void **state) {
    struct iw_history_terminate *terminate = &trouble.terminate;

    (void)state;
    *terminate = (struct iw_history_terminate){.mark = {9, 9},
        .error = 0x1203,
        .has_header = true,
        .has_message = true,
        .message = {.decoded = true, .msn_expected = true, .opcode = 3, .known_opcode = true, .msn = 2}};
    assert_string_equal(first(), "msn-out-of-step");
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_REFUTED);
    counts.unjudged[IW_UNJUDGED_LOST] = 1;
    assert_string_equal(first(), "");
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_UNDECIDED);
}

/* 1,400 octets never arrive, 200 octets do. */
static void only_a_larger_segment_shows_a_black_hole(void **state) {
    struct iw_tcp_life_side *own = &life.side[IW_SIDE_A];

    (void)state;
    life.side[IW_SIDE_B].segments = 3;
    life.side[IW_SIDE_B].last.frame = 20;
    own->largest_acked_octets = 200;
    tcp_trouble.resend =
        (struct iw_tcp_resend){.octets = 1400, .count = 4, .first = {10, SECOND}, .last = {19, 15 * SECOND}};
    assert_string_equal(first(), "mtu-black-hole");
    own->largest_acked_octets = 1400;
    assert_string_equal(first(), "retransmissions");
    life.side[IW_SIDE_B].last.frame = 9;
    assert_string_equal(first(), "peer-silent");
    tcp_trouble.resend.count = 2;
    assert_string_equal(first(), "");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        TEST(the_most_probable_cause_is_first),
        TEST(a_full_list_keeps_the_more_probable),
        TEST(names_each_frame_once),
        TEST(nothing_wrong_has_no_cause),
        TEST(an_unknown_terminate_is_not_known),
        TEST(an_msn_is_not_out_of_step_if_octets_are_missing),
        TEST(only_a_larger_segment_shows_a_black_hole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

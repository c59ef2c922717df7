#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_sctp_association.h"

enum { U = 4, B = 2, E = 1, WHOLE = U | B | E, HELD = 64 << 10 };

static struct iw_sctp_association association;
static struct iw_sctp_pool pool;
static char log_of[8192];
static uint64_t frame;
static struct iw_sctp_message latest; /* its octets are no longer valid */

/* "A5=text@1-2 ": side, TSN, octets, frames. */
static void take_message(
    void *user, struct iw_sctp_association *from, const struct iw_sctp_message *message) {
    size_t at = strlen(log_of);

    (void)user;
    assert_ptr_equal(from, &association);
    latest = *message;
    if (message->length < 64)
        snprintf(log_of + at, sizeof log_of - at, "%c%" PRIu32 "=%.*s@%" PRIu64 "-%" PRIu64 " ",
            message->side == IW_SIDE_A ? 'A' : 'B', message->tsn, (int)message->captured,
            (const char *)message->octets, message->first_frame, message->frame);
}

static const struct iw_sctp_output output = {take_message, NULL};

static int set_up(void **state) {
    (void)state;
    association = (struct iw_sctp_association){.state.pool = &pool, .output = &output};
    pool = (struct iw_sctp_pool){.octets = 1 << 20};
    log_of[0] = '\0';
    frame = 0;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iw_sctp_association_clear(&association);
    assert_int_equal(pool.held, 0);
    return 0;
}

static struct iw_sctp_place place_of(enum iw_side side, uint32_t octets) {
    return (struct iw_sctp_place){.side = side, .octets = octets, .frame = frame, .time_ns = frame * 1000};
}

/* Sends a chunk; with `same`, in the packet of the previous frame. */
static void send_chunk(
    uint32_t tsn, unsigned flags, const uint8_t *octets, uint32_t length, uint32_t captured, bool same) {
    const struct iw_sctp_data data = {.ordered = !(flags & U),
        .first = flags & B,
        .last = flags & E,
        .stream = 3,
        .tsn = tsn,
        .ppid = 16,
        .octets = octets,
        .length = length,
        .captured = captured};
    struct iw_sctp_place place;

    frame += same ? 0 : 1;
    place = place_of(IW_SIDE_A, 16 + (length + 3) / 4 * 4);
    iw_sctp_association_data(&association, &place, &data);
}

static void data(uint32_t tsn, unsigned flags, const char *text) {
    send_chunk(tsn, flags, (const uint8_t *)text, (uint32_t)strlen(text), (uint32_t)strlen(text), false);
}

static void ack(uint32_t tsn) {
    struct iw_sctp_place place;

    frame++;
    place = place_of(IW_SIDE_B, 16);
    iw_sctp_association_ack(&association, &place, tsn);
}

/* Enough packets that chunks acknowledged before them count as lost. */
static void others(void) {
    for (unsigned i = 0; i < 200; i++)
        iw_sctp_association_packet(&association);
}

static uint64_t lost(void) {
    return association.state.lost[IW_SIDE_A];
}

static void hands_over_each_chunk_once_in_tsn_order(void **state) {
    (void)state;
    data(0xfffffffe, WHOLE, "a");
    data(0, WHOLE, "c");
    data(1, WHOLE, "d");
    data(0, WHOLE, "c");
    assert_string_equal(log_of, "A4294967294=a@1-1 ");
    data(0xffffffff, WHOLE, "b");
    data(0xffffffff, WHOLE, "b");
    assert_string_equal(log_of, "A4294967294=a@1-1 A4294967295=b@5-5 A0=c@2-2 A1=d@3-3 ");
    assert_int_equal(association.direction[IW_SIDE_A].counters.chunks, 4);
    assert_int_equal(association.direction[IW_SIDE_A].counters.retransmitted, 2);
    assert_int_equal(association.direction[IW_SIDE_A].counters.out_of_order, 1);
    assert_int_equal(lost(), 0);
}

/* The INIT states the first TSN (RFC 9260 3.3.2), so chunks from there on are waited for. */
static void waits_for_the_first_tsn_of_the_init(void **state) {
    struct iw_sctp_place place = place_of(IW_SIDE_A, 20);
    const struct iw_sctp_init init = {.tag = 1, .tsn = 7};

    (void)state;
    iw_sctp_association_init_chunk(&association, &place, &init);
    data(8, WHOLE, "b");
    assert_string_equal(log_of, "");
    data(7, WHOLE, "a");
    assert_string_equal(log_of, "A7=a@2-2 A8=b@1-1 ");
}

static void init_chunk(uint32_t tsn) {
    const struct iw_sctp_init init = {.tag = 1, .tsn = tsn};
    struct iw_sctp_place place;

    frame++;
    place = place_of(IW_SIDE_A, 20);
    iw_sctp_association_init_chunk(&association, &place, &init);
}

/* The capture has the INIT after chunks. It shows that earlier chunks were sent, but too late to wait for
 * them. */
static void late_init_shows_chunks_before_the_first(void **state) {
    (void)state;
    data(9, WHOLE, "c");
    data(10, WHOLE, "d");
    init_chunk(7);
    assert_int_equal(lost(), 2);
    data(7, WHOLE, "a");
    assert_string_equal(log_of, "A9=c@1-1 A10=d@2-2 ");
    init_chunk(7); /* retransmitted */
    assert_int_equal(lost(), 2);
}

static void init_with_the_first_tsn_shows_no_earlier_chunk(void **state) {
    (void)state;
    data(7, WHOLE, "a");
    data(8, WHOLE, "b");
    init_chunk(7);
    assert_int_equal(lost(), 0);
}

static void late_chunk_shows_chunks_before_the_first(void **state) {
    (void)state;
    data(9, WHOLE, "c");
    data(7, WHOLE, "a");
    data(7, WHOLE, "a");
    assert_string_equal(log_of, "A9=c@1-1 ");
    assert_int_equal(lost(), 2);
    data(9, WHOLE, "c");
    assert_int_equal(lost(), 2);
}

static void ignores_chunks_before_the_first_tsn_of_the_init(void **state) {
    (void)state;
    init_chunk(7);
    data(7, WHOLE, "a");
    data(5, WHOLE, "x");
    assert_int_equal(lost(), 0);
}

/* Until a chunk has come, the INIT is better evidence than an acknowledgement. */
static void init_overrides_an_acknowledgement(void **state) {
    (void)state;
    ack(9);
    init_chunk(7);
    data(8, WHOLE, "b");
    assert_string_equal(log_of, "");
    data(7, WHOLE, "a");
    assert_string_equal(log_of, "A7=a@4-4 A8=b@3-3 ");
    assert_int_equal(lost(), 0);
}

static void counts_acknowledged_chunks_never_captured_as_lost(void **state) {
    (void)state;
    data(1, WHOLE, "a");
    data(4, WHOLE, "d");
    data(6, WHOLE, "f");
    ack(3);
    assert_true(association.state.waits[IW_SIDE_A]);
    others();
    assert_string_equal(log_of, "A1=a@1-1 A4=d@2-2 ");
    assert_int_equal(lost(), 2);
    ack(9);
    others();
    assert_string_equal(log_of, "A1=a@1-1 A4=d@2-2 A6=f@3-3 ");
    assert_int_equal(lost(), 2 + 1 + 3);
    data(9, WHOLE, "i");
    data(10, WHOLE, "j");
    assert_non_null(strstr(log_of, "f@3-3 A10=j@7-7 "));
}

/* The capture has the acknowledgement before the chunk. */
static void waits_for_acknowledged_chunks(void **state) {
    (void)state;
    data(1, WHOLE, "a");
    ack(3);
    assert_true(association.state.waits[IW_SIDE_A]);
    data(3, WHOLE, "c");
    data(2, WHOLE, "b");
    assert_string_equal(log_of, "A1=a@1-1 A2=b@4-4 A3=c@3-3 ");
    assert_false(association.state.waits[IW_SIDE_A]);
    assert_false(association.state.unacked[IW_SIDE_A]);
    others();
    assert_int_equal(lost(), 0);
}

/* No chunk of the side was captured, but the other side acknowledges some. */
static void acknowledgement_shows_a_side_that_was_not_captured(void **state) {
    (void)state;
    ack(5);
    ack(7);
    iw_sctp_association_finish(&association);
    assert_int_equal(lost(), 3);
    assert_int_equal(association.state.lost[IW_SIDE_B], 0);
}

static void acknowledgement_may_come_before_the_first_chunk(void **state) {
    (void)state;
    ack(2);
    data(1, WHOLE, "a");
    data(2, WHOLE, "b");
    others();
    assert_string_equal(log_of, "A1=a@2-2 A2=b@3-3 ");
    assert_int_equal(lost(), 0);
}

/* The association ends before the last fragment comes. */
static void counts_incomplete_fragments_as_lost(void **state) {
    (void)state;
    data(1, U | B, "a");
    iw_sctp_association_finish(&association);
    assert_int_equal(lost(), 1);
    assert_int_equal(pool.held, 0);
}

static void ignores_impossible_tsns_and_acknowledgements(void **state) {
    (void)state;
    ack(77);
    data(1, WHOLE, "a");
    ack(0x40000000);
    ack(0xfffffff0);
    data(0x40000000, WHOLE, "far");
    data(2, WHOLE, "b");
    assert_string_equal(log_of, "A1=a@2-2 A2=b@6-6 ");
    assert_int_equal(lost(), 1);
}

static void joins_fragments(void **state) {
    (void)state;
    data(1, U | B, "one ");
    data(3, U | E, "three");
    data(2, U, "two ");
    assert_string_equal(log_of, "A1=one two three@1-3 ");
    assert_true(latest.fragmented);
    assert_false(latest.needless);
    assert_false(latest.ordered);
    assert_int_equal(latest.time_ns, 3000);
    assert_int_equal(pool.held, 0);
}

static void reports_the_first_and_last_frame_of_fragments(void **state) {
    (void)state;
    data(1, WHOLE, "a");
    data(3, E | U, "y");
    data(2, B | U, "x");
    assert_string_equal(log_of, "A1=a@1-1 A2=xy@2-3 ");
    assert_false(latest.needless);
}

/* A beginning without an end, an end without a beginning, and both without the middle. */
static void drops_incomplete_fragments(void **state) {
    (void)state;
    data(1, U | B, "a");
    data(2, WHOLE, "b");
    data(3, U | E, "c");
    data(4, U | B, "d");
    data(6, U | E, "f");
    ack(6);
    others();
    data(7, U | B, "g");
    data(8, U | B, "h");
    data(9, U | E, "i");
    assert_string_equal(log_of, "A2=b@2-2 A8=hi@8-9 ");
    assert_int_equal(lost(), 5); /* lost: a; c; d, whose next fragment is missing; f; g */
    assert_int_equal(pool.held, 0);
}

static void one_ordered_fragment_makes_the_message_ordered(void **state) {
    (void)state;
    data(1, U | B, "a");
    data(2, E, "b");
    assert_true(latest.ordered);
}

/* RFC 5043 9: in one packet; or there was a packet as large, and it has arrived. */
static void recognises_unnecessary_fragments(void **state) {
    (void)state;
    data(1, U | B, "a");
    send_chunk(2, U | E, (const uint8_t *)"b", 1, 1, true);
    assert_true(latest.needless);
    data(3, WHOLE, "a packet with room for so much as this");
    data(4, U | B, "a packet with ");
    data(5, U | E, "room for more");
    assert_false(latest.needless);
    ack(5);
    data(6, U | B, "a packet with room for ");
    data(7, U | E, "so much as this");
    assert_true(latest.needless);
    data(8, U | B, "a packet with room for ");
    data(9, U | E, "three octets more");
    assert_true(latest.needless);
    data(10, U | B, "a packet with room for ");
    data(11, U | E, "three octets more.");
    assert_false(latest.needless);
}

static void keeps_the_captured_part_of_fragments(void **state) {
    (void)state;
    data(1, U | B, "ab");
    send_chunk(2, U, (const uint8_t *)"cd", 10, 2, false);
    data(3, U | E, "ef");
    assert_string_equal(log_of, "A1=abcd@1-3 ");
    assert_int_equal(latest.length, 14);
    assert_int_equal(latest.captured, 4);
}

static void limits_the_octets_of_fragments(void **state) {
    uint8_t *octets = calloc(1, HELD);

    (void)state;
    assert_non_null(octets);
    for (uint32_t tsn = 0; tsn < 4; tsn++)
        send_chunk(tsn, tsn == 0 ? U | B : tsn == 3 ? U | E : U, octets, HELD - 1, HELD - 1, false);
    assert_int_equal(latest.length, 4 * (HELD - 1));
    assert_int_equal(latest.captured, IW_SCTP_MESSAGE_OCTETS_MAX);
    free(octets);
}

static void gives_up_a_gap_when_too_many_chunks_wait(void **state) {
    (void)state;
    data(0, WHOLE, "a");
    for (uint32_t tsn = 2; tsn < 2 + IW_SCTP_HELD_MAX; tsn++)
        data(tsn, WHOLE, "x");
    assert_string_equal(log_of, "A0=a@1-1 ");
    assert_int_equal(lost(), 0);
    data(2 + IW_SCTP_HELD_MAX, WHOLE, "y");
    assert_int_equal(lost(), 1);
    assert_int_equal(latest.tsn, 2 + IW_SCTP_HELD_MAX);
    assert_int_equal(pool.held, 0);
}

/* At the limit, held chunks before the new one are handed over first; those after it stay. */
static void gives_up_gaps_at_the_memory_limit(void **state) {
    uint8_t *octets = calloc(1, HELD);

    (void)state;
    assert_non_null(octets);
    memset(octets, 'x', 8);
    pool.octets = HELD / 2;
    data(1, WHOLE, "a");
    data(3, WHOLE, "c");
    data(9, WHOLE, "i");
    send_chunk(6, WHOLE, octets, 8, 8, false);
    pool.octets = pool.held;
    data(5, WHOLE, "e");
    assert_string_equal(log_of, "A1=a@1-1 A3=c@2-2 A5=e@5-5 A6=xxxxxxxx@4-4 ");
    assert_int_equal(lost(), 2);
    data(7, WHOLE, "g");
    data(8, WHOLE, "h");
    assert_non_null(strstr(log_of, "A7=g@6-6 A8=h@7-7 A9=i@3-3 "));
    assert_int_equal(lost(), 2);
    free(octets);
}

static void counts_fragments_without_memory_as_lost(void **state) {
    (void)state;
    pool.octets = IW_SCTP_MESSAGE_OCTETS_MAX - 1;
    data(1, U | B, "a");
    data(2, U | E, "b");
    data(3, WHOLE, "c");
    assert_string_equal(log_of, "A3=c@3-3 ");
    assert_int_equal(lost(), 2);
}

static void hands_over_held_chunks_at_the_end(void **state) {
    (void)state;
    data(1, WHOLE, "a");
    data(5, WHOLE, "e");
    data(3, WHOLE, "c");
    iw_sctp_association_finish(&association);
    assert_string_equal(log_of, "A1=a@1-1 A3=c@3-3 A5=e@2-2 ");
    assert_int_equal(lost(), 2);
}

/* Any order of as many chunks as may wait gives the same result. */
static void sorts_any_order(void **state) {
    uint32_t tsn[IW_SCTP_HELD_MAX];

    (void)state;
    srand(5043);
    for (unsigned round = 0; round < 20; round++) {
        uint32_t first = 1 + round * IW_SCTP_HELD_MAX;

        for (uint32_t i = 0; i < IW_SCTP_HELD_MAX; i++)
            tsn[i] = first + i;
        for (uint32_t i = IW_SCTP_HELD_MAX - 1; i > 0; i--) {
            uint32_t other = (uint32_t)rand() % (i + 1);
            uint32_t kept = tsn[i];

            tsn[i] = tsn[other];
            tsn[other] = kept;
        }
        if (round == 0)
            data(0, WHOLE, "");
        for (uint32_t i = 0; i < IW_SCTP_HELD_MAX; i++) {
            data(tsn[i], WHOLE, "");
            data(tsn[i], WHOLE, "");
        }
        assert_int_equal(latest.tsn, first + IW_SCTP_HELD_MAX - 1);
        assert_int_equal(association.direction[IW_SIDE_A].next, first + IW_SCTP_HELD_MAX);
    }
    assert_int_equal(association.direction[IW_SIDE_A].counters.retransmitted, 20 * IW_SCTP_HELD_MAX);
    assert_int_equal(lost(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(hands_over_each_chunk_once_in_tsn_order),
        TEST(waits_for_the_first_tsn_of_the_init),
        TEST(late_init_shows_chunks_before_the_first),
        TEST(init_with_the_first_tsn_shows_no_earlier_chunk),
        TEST(late_chunk_shows_chunks_before_the_first),
        TEST(ignores_chunks_before_the_first_tsn_of_the_init),
        TEST(init_overrides_an_acknowledgement),
        TEST(counts_acknowledged_chunks_never_captured_as_lost),
        TEST(waits_for_acknowledged_chunks),
        TEST(acknowledgement_shows_a_side_that_was_not_captured),
        TEST(acknowledgement_may_come_before_the_first_chunk),
        TEST(counts_incomplete_fragments_as_lost),
        TEST(ignores_impossible_tsns_and_acknowledgements),
        TEST(joins_fragments),
        TEST(reports_the_first_and_last_frame_of_fragments),
        TEST(drops_incomplete_fragments),
        TEST(one_ordered_fragment_makes_the_message_ordered),
        TEST(recognises_unnecessary_fragments),
        TEST(keeps_the_captured_part_of_fragments),
        TEST(limits_the_octets_of_fragments),
        TEST(gives_up_a_gap_when_too_many_chunks_wait),
        TEST(gives_up_gaps_at_the_memory_limit),
        TEST(counts_fragments_without_memory_as_lost),
        TEST(hands_over_held_chunks_at_the_end),
        TEST(sorts_any_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "iw_tcp_flow_test.h"

/* Sends all segments but the last; returns whether the last one opens a new connection. */
static bool last_is_another(const struct iw_tcp_segment *segments, size_t count) {
    struct iw_tcp_recorder recorder = {.length = 0};
    struct iw_tcp_pool pool = {1000, 10, 100000, 0};
    struct iw_tcp_output output = {.pool = &pool, .chunk = iw_tcp_recorder_chunk, .context = &recorder};
    struct iw_tcp_flow flow;
    iw_tcp_flow_init(&flow, &segments[0]);
    for (size_t i = 0; i + 1 < count; i++) {
        assert_false(i > 0 && iw_tcp_flow_is_new_connection(
                                  &flow, iw_tcp_flow_side(&flow, &segments[i]), &segments[i]));
        iw_tcp_flow_segment(&flow, iw_tcp_flow_side(&flow, &segments[i]), &output, &segments[i]);
    }
    bool another = iw_tcp_flow_is_new_connection(
        &flow, iw_tcp_flow_side(&flow, &segments[count - 1]), &segments[count - 1]);
    iw_tcp_flow_clear(&flow, &pool);
    assert_int_equal(pool.used, 0);
    return another;
}

#define is_another(...) last_is_another(SEGMENTS(__VA_ARGS__))

static void side_a_opened(void **state) {
    (void)state;
    const struct iw_tcp_segment syn = forth(99, S, 0, ""), answer = back(499, S | K, 100, ""),
                                middle = back(500, K, 100, "x");
    struct iw_tcp_flow flow;
    iw_tcp_flow_init(&flow, &syn);
    assert_int_equal(flow.address[IW_SIDE_A].port, 1000);
    assert_int_equal(iw_tcp_flow_side(&flow, &answer), IW_SIDE_B);
    iw_tcp_flow_init(&flow, &answer);
    assert_int_equal(flow.address[IW_SIDE_A].port, 1000);
    assert_int_equal(iw_tcp_flow_side(&flow, &answer), IW_SIDE_B);
    iw_tcp_flow_init(&flow, &middle);
    assert_int_equal(flow.address[IW_SIDE_A].port, 2000);
    assert_int_equal(iw_tcp_flow_side(&flow, &middle), IW_SIDE_A);
}

static void same_connection(void **state) {
    (void)state;
    assert_false(is_another(HANDSHAKE, forth(100, K, 500, "data")));
    assert_false(is_another(HANDSHAKE, forth(99, S, 0, "")));
    assert_false(is_another(HANDSHAKE, back(499, S | K, 100, "")));
    assert_false(is_another(HANDSHAKE, forth(99, S | R, 0, "")));
    assert_false(is_another(forth(99, S, 0, ""), back(499, S | K, 100, "")));
    /* the server chose another number */
    assert_false(is_another(forth(99, S, 0, ""), back(499, S | K, 100, ""), back(777, S | K, 100, "")));
    /* data with the SYN, acknowledged or not */
    assert_false(is_another(forth(99, S, 0, "abc"), back(499, S | K, 103, "")));
    assert_false(is_another(forth(99, S, 0, "abc"), back(499, S | K, 100, "")));
    /* opened from both sides; answer captured before the SYN */
    assert_false(is_another(forth(99, S, 0, ""), back(499, S, 0, "")));
    assert_false(is_another(back(499, S | K, 100, ""), forth(99, S, 0, "")));
    /* closed, and late packets */
    assert_false(is_another(
        HANDSHAKE, forth(100, F | K, 500, ""), back(500, F | K, 101, ""), back(500, F | K, 101, "")));
}

static void another_connection(void **state) {
    (void)state;
    assert_true(is_another(HANDSHAKE, forth(7000, S, 0, "")));
    assert_true(is_another(HANDSHAKE, back(7000, S, 0, "")));
    assert_true(is_another(forth(99, S, 0, ""), forth(7000, S, 0, "")));
    /* its SYN was not captured */
    assert_true(is_another(HANDSHAKE, back(7000, S | K, 8000, "")));
    assert_true(is_another(
        HANDSHAKE, forth(100, F | K, 500, ""), back(500, F | K, 101, ""), back(7000, S | K, 100, "")));
    assert_true(is_another(HANDSHAKE, forth(100, R, 0, ""), back(7000, S | K, 100, "")));
    /* reset, and neither SYN of the next one was captured */
    assert_true(is_another(HANDSHAKE, forth(100, R, 0, ""), back(1u << 31, K, 100, "data")));
    assert_true(is_another(HANDSHAKE, forth(100, R, 0, ""), back(500 + (1u << 25), K, 100, "data")));
    assert_false(is_another(HANDSHAKE, forth(100, R, 0, ""), back(500, K, 100, "data")));
    assert_false(is_another(HANDSHAKE, forth(100, R, 0, ""), back(100500, K, 100, "data")));
    assert_false(is_another(HANDSHAKE, forth(100, R, 0, ""), back(1u << 31, K, 100, "")));
    assert_false(is_another(HANDSHAKE, forth(100, R, 0, ""), back(1u << 31, R, 100, "data")));
    assert_false(is_another(HANDSHAKE, back(1u << 31, K, 100, "data")));
    /* refused, then retried with the same number */
    assert_true(is_another(forth(99, S, 0, ""), back(0, R | K, 100, ""), forth(99, S, 0, "")));
    /* after a start in the middle */
    assert_true(is_another(forth(5000, K, 1, "data"), back(9, S, 0, "")));
    assert_true(is_another(forth(5000, K, 1, "data"), forth(9, S, 0, "")));
    /* the other side opens a new one after data */
    assert_true(is_another(forth(99, S, 0, ""), forth(100, K, 500, "data"), back(7000, S, 0, "")));
    assert_true(is_another(back(499, S | K, 100, ""), forth(7000, S, 0, "")));
}

/* The capture begins late, and has the SYN+ACK after all octets. */
static void the_handshake_comes_last(void **state) {
    (void)state;
    assert_false(
        is_another(forth(120, F | K, 520, "data"), back(520, F | K, 125, ""), back(499, S | K, 100, "")));
    assert_false(is_another(forth(120, K, 520, "data"), back(520, K, 125, "x"), back(499, S | K, 100, "")));
    assert_true(
        is_another(forth(120, F | K, 520, "data"), back(520, F | K, 125, ""), back(530, S | K, 100, "")));
    assert_true(
        is_another(forth(120, F | K, 520, "data"), back(520, F | K, 125, ""), back(499, S | K, 7000, "")));
    assert_true(is_another(
        HANDSHAKE, forth(100, F | K, 500, ""), back(500, F | K, 101, ""), back(490, S | K, 90, "")));
    assert_false(is_another(back(500, F | K, 105, ""), forth(99, S, 0, "")));
    assert_true(is_another(back(500, F | K, 105, ""), forth(1u << 31, S, 0, "")));
    assert_false(is_another(forth(172, R | K, 568, ""), back(499, S | K, 100, "")));
    assert_true(is_another(forth(172, R | K, 568, ""), back(569, S | K, 100, "")));
    assert_true(is_another(forth(99, S, 0, ""), back(600, R | K, 100, ""), back(499, S | K, 100, "")));
}

/* Only acknowledgements show one side of the earlier connection; the capture has neither its end nor the
 * handshake of the next one. */
static void another_connection_after_one_side_alone(void **state) {
    (void)state;
    assert_true(is_another(back(500, K, 121, "data"), forth(1u << 31, K, 1u << 30, "")));
    assert_true(is_another(back(500, K, 121, "data"), forth(1u << 31, K, 1u << 30, "data")));
    assert_false(is_another(back(500, K, 121, "data"), forth(121, K, 1u << 30, "data")));
    assert_false(is_another(back(500, K, 121, "data"), forth(1u << 31, K, 504, "data")));
    assert_false(is_another(back(500, K, 121, "data"), forth(1u << 31, R, 1u << 30, "")));
    assert_false(is_another(back(500, 0, 0, "data"), forth(1u << 31, K, 1u << 30, "data")));
    /* that side continues */
    assert_true(is_another(back(500, K, 121, "data"), back(1u << 31, K, 1u << 30, "data")));
    assert_false(is_another(back(500, K, 121, "data"), back(1u << 31, K, 1u << 30, "")));
    assert_true(is_another(
        back(500, K, 121, "data"), back(1u << 31, K, 1u << 30, ""), back(1u << 31, K, 1u << 30, "data")));
    assert_false(is_another(back(500, K, 121, "data"), back(1u << 31, K, 121, "data")));
    assert_false(is_another(back(500, K, 121, "data"), back(504, K, 1u << 30, "data")));
    assert_false(is_another(
        back(500, K, 121, "data"), forth(121, K, 504, "data"), back(1u << 31, K, 1u << 30, "data")));
}

/* RFC 9293 3.10.7.4: "if the ACK bit is off, drop the segment". */
static void octets_without_ack_are_ignored(void **state) {
    (void)state;
    struct iw_tcp_recorder recorder = {.length = 0};
    struct iw_tcp_pool pool = {1000, 10, 100000, 0};
    struct iw_tcp_output output = {.pool = &pool, .chunk = iw_tcp_recorder_chunk, .context = &recorder};
    const struct iw_tcp_segment segments[] = {HANDSHAKE, forth(100, K, 500, "one"), forth(103, 0, 0, "junk"),
        forth(103, K, 500, "next"), back(500, 0, 0, "never"), back(505, 0, 0, "sets it")};
    struct iw_tcp_flow flow;
    iw_tcp_flow_init(&flow, &segments[0]);
    for (size_t i = 0; i < sizeof segments / sizeof segments[0]; i++) {
        struct iw_tcp_segment segment = segments[i];
        segment.frame = i + 1;
        iw_tcp_flow_segment(&flow, iw_tcp_flow_side(&flow, &segment), &output, &segment);
    }
    assert_int_equal(flow.stream[IW_SIDE_A].counters.stray, 1);
    iw_tcp_flow_finish(&flow, &output);
    assert_string_equal(recorder.log, "A0^@1 B0^@2 A0=one@4 A3x4@5 A3=next@6 B0=never@7 B5=sets it@8 ");
    iw_tcp_flow_clear(&flow, &pool);
}

static void acknowledgement_comes_before_the_data_of_the_same_segment(void **state) {
    (void)state;
    struct iw_tcp_recorder recorder = {.length = 0};
    struct iw_tcp_pool pool = {1000, 10, 100000, 0};
    struct iw_tcp_output output = {.pool = &pool, .chunk = iw_tcp_recorder_chunk, .context = &recorder};
    const struct iw_tcp_segment segments[] = {HANDSHAKE, back(503, K, 100, "late"),
        forth(100, K, 507, "next"), back(507, R | K, 9999, ""), forth(110, F | K, 507, "")};
    struct iw_tcp_flow flow;
    iw_tcp_flow_init(&flow, &segments[0]);
    for (size_t i = 0; i < sizeof segments / sizeof segments[0]; i++) {
        struct iw_tcp_segment segment = segments[i];
        segment.frame = i + 1;
        iw_tcp_flow_segment(&flow, iw_tcp_flow_side(&flow, &segment), &output, &segment);
    }
    iw_tcp_flow_finish(&flow, &output);
    assert_string_equal(recorder.log, "A0^@1 B0^@2 B0?3@4 B3=late@4 A0=next@5 A4?6@7 A10$@7 B7#@6 ");
}

#define CLOSED HANDSHAKE, forth(100, F | K, 500, "abc"), back(500, F | K, 104, "xyz"), forth(104, K, 504, "")

static struct iw_tcp_segment later(struct iw_tcp_segment segment, uint64_t seconds) {
    segment.time_ns += seconds * 1000000000u;
    return segment;
}

/* Both sides have closed, and the capture lacks the SYN of the next connection. */
static void another_connection_after_the_fins(void **state) {
    (void)state;
    assert_true(is_another(CLOSED, forth(1u << 31, K, 1u << 30, "data")));
    assert_true(is_another(CLOSED, back(1u << 31, K, 100, "data")));
    /* sequence numbers just after the end of this connection */
    assert_true(is_another(CLOSED, forth(104, K, 900, "data")));
    assert_true(is_another(CLOSED, forth(150, K, 900, "data")));
    assert_true(is_another(CLOSED, forth(60, K, 900, "data")));
    assert_true(is_another(CLOSED, back(600, K, 80, "data")));
    /* the same numbers again, too late to be a retransmission */
    assert_true(is_another(CLOSED, later(forth(100, K, 500, "abc"), 6)));
    /* retransmitted, or captured late */
    assert_false(is_another(CLOSED, forth(100, F | K, 500, "abc")));
    assert_false(is_another(CLOSED, forth(101, K, 503, "bc")));
    assert_false(is_another(CLOSED, later(forth(100, K, 500, "abc"), 4)));
    assert_false(is_another(CLOSED, forth(103, K, 504, "#"))); /* a keep-alive probe */
    assert_false(is_another(CLOSED, forth(104, K, 504, "")));
    /* only one side has closed: the other one still sends */
    assert_false(is_another(HANDSHAKE, forth(100, F | K, 500, ""), back(9000, K, 101, "data")));
    assert_false(is_another(HANDSHAKE, forth(100, F | K, 500, ""), forth(101, K, 500, "data")));
    assert_false(is_another(HANDSHAKE, forth(100, F | K, 500, ""), back(0x70000000, K, 101, "data")));
    assert_true(is_another(HANDSHAKE, forth(100, F | K, 500, ""), back(0x70000000, K, 0x60000000, "data")));
    assert_true(is_another(HANDSHAKE, forth(110, F | K, 500, ""), back(0x70000000, K, 0x60000000, "data")));
    /* the last FIN was not acknowledged, so it may be retransmitted for a long time */
    assert_false(is_another(HANDSHAKE, forth(100, F | K, 500, "abc"), back(500, F | K, 104, "xyz"),
        later(back(500, F | K, 104, "xyz"), 30)));
    assert_true(is_another(HANDSHAKE, forth(100, F | K, 500, "abc"), back(500, F | K, 104, "xyz"),
        later(back(500, F | K, 104, "xyz"), 61)));
}

/* After a jump of the clock, octets in sequence still belong to the same connection. */
static void continues_after_a_reset(void **state) {
    (void)state;
    const struct iw_tcp_segment late = later(forth(103, K, 503, "def"), 1700);
    assert_false(is_another(
        HANDSHAKE, forth(100, K, 500, "abc"), back(500, K, 103, "xyz"), forth(103, R | K, 503, ""), late));
    assert_false(is_another(HANDSHAKE, forth(100, K, 500, "abc"), back(500, K, 103, "xyz"),
        forth(103, R | K, 503, ""), later(forth(101, K, 503, "bcdef"), 1700)));
    assert_false(is_another(
        HANDSHAKE, forth(100, K, 500, "abc"), forth(106, R | K, 503, ""), back(503, R | K, 106, ""), late));
    assert_true(is_another(HANDSHAKE, forth(100, K, 500, "abc"), back(500, K, 103, "xyz"),
        forth(103, R | K, 503, ""), later(forth(103, K, 0x70000000, "def"), 1700)));
    assert_true(is_another(HANDSHAKE, forth(100, K, 500, "abc"), back(500, K, 103, "xyz"),
        forth(103, R | K, 503, ""), later(forth(100, K, 500, "abc"), 1700)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(side_a_opened),
        cmocka_unit_test(same_connection),
        cmocka_unit_test(another_connection),
        cmocka_unit_test(the_handshake_comes_last),
        cmocka_unit_test(another_connection_after_one_side_alone),
        cmocka_unit_test(another_connection_after_the_fins),
        cmocka_unit_test(octets_without_ack_are_ignored),
        cmocka_unit_test(continues_after_a_reset),
        cmocka_unit_test(acknowledgement_comes_before_the_data_of_the_same_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "iw_tcp_flow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "iw_tcp_recorder_test.h"

enum { F = IW_TCP_FIN, S = IW_TCP_SYN, R = IW_TCP_RST, K = IW_TCP_ACK };

static struct iw_tcp_segment forth(uint32_t seq, unsigned flags, uint32_t ack, const char *text) {
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(1, seq, flags, text);
    segment.ack = ack;
    return segment;
}

static struct iw_tcp_segment back(uint32_t seq, unsigned flags, uint32_t ack, const char *text) {
    struct iw_tcp_segment segment = forth(seq, flags, ack, text);
    struct iw_tcp_address source = segment.source;
    segment.source = segment.destination;
    segment.destination = source;
    return segment;
}

/* Sends all segments but the last, which is asked about: does it open another connection? */
static bool last_is_another(const struct iw_tcp_segment *segments, size_t count) {
    struct iw_tcp_recorder recorder = {.length = 0};
    struct iw_tcp_pool pool = {1000, 10, 100000, 0};
    struct iw_tcp_output output = {&pool, iw_tcp_recorder_chunk, &recorder};
    struct iw_tcp_flow flow;
    iw_tcp_flow_init(&flow, &segments[0]);
    for (size_t i = 0; i + 1 < count; i++) {
        assert_false(
            i > 0 && iw_tcp_flow_is_over(&flow, iw_tcp_flow_side(&flow, &segments[i]), &segments[i]));
        iw_tcp_flow_segment(&flow, iw_tcp_flow_side(&flow, &segments[i]), &output, &segments[i]);
    }
    bool another =
        iw_tcp_flow_is_over(&flow, iw_tcp_flow_side(&flow, &segments[count - 1]), &segments[count - 1]);
    iw_tcp_flow_clear(&flow, &pool);
    assert_int_equal(pool.used, 0);
    return another;
}

#define is_another(...)                                                                                      \
    last_is_another((const struct iw_tcp_segment[]){__VA_ARGS__},                                            \
        sizeof((const struct iw_tcp_segment[]){__VA_ARGS__}) / sizeof(struct iw_tcp_segment))

#define HANDSHAKE forth(99, S, 0, ""), back(499, S | K, 100, ""), forth(100, K, 500, "")

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
    /* the server chose again */
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
    /* refused, and tried again with the same number */
    assert_true(is_another(forth(99, S, 0, ""), back(0, R | K, 100, ""), forth(99, S, 0, "")));
    /* after a start in the middle */
    assert_true(is_another(forth(5000, K, 1, "data"), back(9, S, 0, "")));
    assert_true(is_another(forth(5000, K, 1, "data"), forth(9, S, 0, "")));
    /* the other side opens a new one after data */
    assert_true(is_another(forth(99, S, 0, ""), forth(100, K, 500, "data"), back(7000, S, 0, "")));
    assert_true(is_another(back(499, S | K, 100, ""), forth(7000, S, 0, "")));
}

static void acknowledgement_comes_before_the_data_of_the_same_segment(void **state) {
    (void)state;
    struct iw_tcp_recorder recorder = {.length = 0};
    struct iw_tcp_pool pool = {1000, 10, 100000, 0};
    struct iw_tcp_output output = {&pool, iw_tcp_recorder_chunk, &recorder};
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
    assert_string_equal(recorder.log, "A0^@1 B0^@2 B0?3@4 B3=late@4 A0=next@5 B7#@6 A4?6@7 A10$@7 ");
}

static void note_unseen(void *context, const struct iw_chunk *chunk) {
    struct iw_tcp_recorder *recorder = context;

    iw_tcp_recorder_chunk(recorder, chunk);
    if (chunk->answers_unseen)
        iw_tcp_recorder_print(recorder, "unseen ");
}

/* Four octets of side A are acknowledged at once, and come when it is too late to tell what they were. */
static void answers_tell_what_was_not_seen(void **state) {
    (void)state;
    const struct iw_tcp_segment segments[] = {
        HANDSHAKE, back(500, K, 104, "abc"), forth(104, K, 503, "efg"), back(503, K, 107, "def")};
    struct iw_tcp_recorder recorder = {.length = 0};
    struct iw_tcp_pool pool = {1000, 10, 100000, 0};
    struct iw_tcp_output output = {&pool, note_unseen, &recorder};
    struct iw_tcp_flow flow;
    iw_tcp_flow_init(&flow, &segments[0]);
    for (size_t i = 0; i < sizeof segments / sizeof *segments; i++)
        iw_tcp_flow_segment(&flow, iw_tcp_flow_side(&flow, &segments[i]), &output, &segments[i]);
    assert_string_equal(recorder.log, "A0^@1 B0^@1 B0=abc@1 unseen A0?4@1 A4=efg@1 B3=def@1 ");
    iw_tcp_flow_clear(&flow, &pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(side_a_opened),
        cmocka_unit_test(same_connection),
        cmocka_unit_test(another_connection),
        cmocka_unit_test(acknowledgement_comes_before_the_data_of_the_same_segment),
        cmocka_unit_test(answers_tell_what_was_not_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "iw_tcp_flow_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The order of the octets of the two sides. */

struct bench {
    struct iw_tcp_flow flow;
    struct iw_tcp_pool pool;
    struct iw_tcp_recorder recorder;
    uint64_t frame;
    int exact; /* whether the acknowledgement of the latest DATA chunk counts from the first octet of the
                  other side; -1: that chunk has none; -2: no DATA chunk */
};

static void note_acked(void *context, const struct iw_chunk *chunk) {
    struct bench *bench = context;
    struct iw_tcp_recorder *recorder = &bench->recorder;
    char text[32];

    iw_tcp_recorder_chunk(recorder, chunk);
    if (chunk->kind == IW_CHUNK_DATA)
        bench->exact = chunk->acked_known ? chunk->acked_exact : -1;
    if (chunk->acked_known) {
        snprintf(text, sizeof text, "ack%" PRIu64 " ", chunk->acked);
        iw_tcp_recorder_print(recorder, text);
    }
    if (chunk->acknowledges_missing)
        iw_tcp_recorder_print(recorder, "unseen ");
}

static void bench_take(struct bench *bench, struct iw_tcp_segment segment) {
    struct iw_tcp_output output = {.pool = &bench->pool, .chunk = note_acked, .context = bench};

    segment.frame = ++bench->frame;
    if (bench->frame == 1)
        iw_tcp_flow_init(&bench->flow, &segment);
    iw_tcp_flow_segment(&bench->flow, iw_tcp_flow_side(&bench->flow, &segment), &output, &segment);
}

static struct bench bench_begin(void) {
    return (struct bench){.pool = {1000, 1000, 1000000, 0}, .exact = -2};
}

static struct bench opened(void) {
    const struct iw_tcp_segment handshake[] = {HANDSHAKE};
    struct bench bench = bench_begin();

    for (size_t i = 0; i < 3; i++)
        bench_take(&bench, handshake[i]);
    bench.recorder = (struct iw_tcp_recorder){.length = 0};
    return bench;
}

static void bench_end(struct bench *bench) {
    struct iw_tcp_output output = {.pool = &bench->pool, .chunk = note_acked, .context = bench};

    iw_tcp_flow_finish(&bench->flow, &output);
    assert_int_equal(bench->pool.used, 0);
}

static void in_the_order_of_capture(void **state) {
    struct bench bench = opened();

    (void)state;
    bench_take(&bench, forth(100, K, 500, "ask"));
    bench_take(&bench, back(500, K, 103, "answer"));
    bench_take(&bench, forth(103, K, 506, "more"));
    bench_take(&bench, back(506, K, 103, "crosses"));
    assert_string_equal(
        bench.recorder.log, "A0=ask@4 ack0 B0=answer@5 ack3 A3=more@6 ack6 B6=crosses@7 ack3 ");
    assert_null(bench.flow.stream[0].pending);
    assert_null(bench.flow.stream[1].pending);
    bench_end(&bench);
}

static void response_captured_before_its_request(void **state) {
    struct bench bench = opened();

    (void)state;
    bench_take(&bench, back(500, K, 103, "answer"));
    bench_take(&bench, back(506, F | K, 103, ""));
    assert_string_equal(bench.recorder.log, "");
    bench_take(&bench, forth(100, K, 500, "ask"));
    assert_string_equal(bench.recorder.log, "A0=ask@6 ack0 B0=answer@4 ack3 B6$@5 ack3 ");
    bench_end(&bench);
}

/* Octets with a lower acknowledgement number wait for fewer octets of the other side. */
static void waits_only_for_acknowledged_octets(void **state) {
    struct bench bench = opened();

    (void)state;
    bench_take(&bench, back(500, K, 102, "one"));
    bench_take(&bench, back(503, K, 104, "two"));
    bench_take(&bench, forth(100, K, 500, "ab"));
    assert_string_equal(bench.recorder.log, "A0=ab@6 ack0 B0=one@4 ack2 ");
    bench_take(&bench, forth(102, K, 503, "cd"));
    assert_string_equal(bench.recorder.log, "A0=ab@6 ack0 B0=one@4 ack2 A2=cd@7 ack3 B3=two@5 ack4 ");
    bench_end(&bench);
}

/* A hole before acknowledged octets is filled by octets that were captured later. */
static void octets_acknowledged_before_they_were_captured(void **state) {
    struct bench bench = opened();

    (void)state;
    bench_take(&bench, forth(103, K, 500, "def"));
    bench_take(&bench, back(500, K, 106, ""));
    bench_take(&bench, back(500, K, 106, "ok"));
    bench_take(&bench, forth(100, K, 500, "abc"));
    assert_string_equal(bench.recorder.log, "A0=abc@7 ack0 A3=def@4 ack0 B0=ok@6 ack6 ");
    bench_end(&bench);
}

static void the_reply_comes_first_without_a_handshake(void **state) {
    struct bench bench = bench_begin();

    (void)state;
    bench_take(&bench, back(500, K, 103, "reply"));
    bench_take(&bench, forth(100, K, 500, "ask"));
    bench_take(&bench, forth(103, K, 505, "go"));
    assert_string_equal(bench.recorder.log, "B0=ask@2 ack0 A0=reply@1 ack3 B3=go@3 ack5 ");
    bench_end(&bench);
}

/* If the octets that it acknowledges were not captured, the answer is handed over at the end, marked
 * `acknowledges_missing`. */
static void wait_for_octets_that_never_come(void **state) {
    struct bench bench = opened();

    (void)state;
    bench_take(&bench, back(500, K, 103, "answer"));
    for (int i = 1; i < IW_TCP_WAIT; i++) {
        assert_string_equal(bench.recorder.log, "");
        bench_take(&bench, back(506, K, 103, ""));
    }
    assert_string_equal(bench.recorder.log, "B0=answer@4 ack3 unseen ");
    bench_take(&bench, back(506, K, 104, "more")); /* no longer waits */
    assert_non_null(strstr(bench.recorder.log, "B6=more"));
    /* the other side has been seen, so octets before this segment are missing */
    bench_take(&bench, forth(103, K, 510, "xy"));
    bench_take(&bench, back(510, K, 106, "again"));
    assert_null(strstr(bench.recorder.log, "again"));
    bench_end(&bench);
    assert_non_null(strstr(bench.recorder.log, "A0?3@261 A3=xy@261 ack10 B10=again@262 ack6 "));
}

static void hole_becomes_a_gap_at_the_end(void **state) {
    struct bench bench = opened();

    (void)state;
    bench_take(&bench, forth(103, K, 500, "def"));
    for (int i = 0; i < IW_TCP_WAIT; i++)
        bench_take(&bench, back(500, K, 106, ""));
    assert_string_equal(bench.recorder.log, "A0?3@4 A3=def@4 ack0 ");
    bench_take(&bench, forth(108, K, 500, "ij")); /* not acknowledged: it may still come */
    for (int i = 0; i < IW_TCP_WAIT; i++)
        bench_take(&bench, back(500, K, 106, ""));
    assert_string_equal(bench.recorder.log, "A0?3@4 A3=def@4 ack0 ");
    bench_end(&bench);
    assert_string_equal(bench.recorder.log, "A0?3@4 A3=def@4 ack0 A6?2@261 A8=ij@261 ack0 ");
}

/* The acknowledgement of a segment outside the window is ignored. But after a loss, both sides may be far
 * ahead. */
static void acknowledged_from_far_away(void **state) {
    struct bench bench = opened();

    (void)state;
    bench_take(&bench, back(0x80000000, K, 110, ""));
    bench_take(&bench, back(0x80000000, K, 0x90000000, ""));
    bench_take(&bench, back(500, K, 100, "b"));
    bench_end(&bench);
    assert_string_equal(bench.recorder.log, "B0=b@6 ack0 ");
    bench = opened();
    bench_take(&bench, forth(0x70000000, K, 0x60000000, "c"));
    bench_take(&bench, back(0x60000000, K, 0x70000001, "d"));
    bench_take(&bench, forth(0x70000001, K, 0x60000001, "e"));
    bench_take(&bench, back(0x60000001, K, 0x70000002, "f"));
    bench_end(&bench);
    assert_non_null(strstr(bench.recorder.log, "=e@6 "));
    assert_non_null(strstr(bench.recorder.log, "=f@7 "));
}

/* Octets that acknowledge others than those captured of the other side, more than a window away. */
static void acknowledges_octets_far_from_the_captured_ones(void **state) {
    struct bench bench = bench_begin();

    (void)state;
    bench_take(&bench, forth(100, K, 500, "a"));
    bench_take(&bench, back(500, K, 101, "b"));
    bench_take(&bench, forth(0x0C000000, K, 0x60000000, "c"));
    bench_end(&bench);
    assert_non_null(strstr(bench.recorder.log, "=c@3 ack1610612236 unseen "));
}

/* No octet follows a FIN: the acknowledged ones belong to a later connection between the same ports. */
static void acknowledges_octets_after_the_fin(void **state) {
    struct bench bench = bench_begin();

    (void)state;
    bench_take(&bench, back(500, F | K, 100, "b"));
    bench_take(&bench, forth(100, K, 502, "a"));
    bench_take(&bench, forth(200, K, 520, "c"));
    bench_end(&bench);
    assert_non_null(strstr(bench.recorder.log, "=a@2 ack2 "));
    assert_non_null(strstr(bench.recorder.log, "=c@3 ack20 unseen "));
}

/* Segments of an earlier connection between the same ports, captured late. */
static void segments_of_an_earlier_connection(void **state) {
    struct bench bench = bench_begin();

    (void)state;
    bench_take(&bench, forth(99, S, 0, ""));
    bench_take(&bench, forth(120, F | K, 0x60000000, "old"));
    bench_take(&bench, back(0x60000000, F | K, 124, ""));
    bench_take(&bench, back(499, S | K, 100, ""));
    assert_string_equal(bench.recorder.log, "A0^@1 B0^@4 A0x3@4 ");
    bench.recorder = (struct iw_tcp_recorder){.length = 0};
    bench_take(&bench, forth(110, F | K, 0xF0000000, "old"));
    bench_take(&bench, forth(100, K, 500, "new"));
    bench_take(&bench, back(500, K, 103, "next"));
    bench_take(&bench, forth(103, F | K, 504, ""));
    bench_end(&bench);
    assert_string_equal(bench.recorder.log, "A0x3@5 A0=new@6 ack0 B0=next@7 ack3 A3$@8 ack4 ");
}

static void both_wait_for_each_other(void **state) {
    struct bench bench = opened();

    (void)state;
    bench_take(&bench, back(500, K, 103, "answer"));
    bench_take(&bench, forth(100, K, 506, "abc"));
    assert_string_equal(bench.recorder.log, "A0=abc@5 ack6 unseen B0=answer@4 ack3 ");
    bench_end(&bench);
}

static void one_side_alone(void **state) {
    struct bench bench = bench_begin();

    (void)state;
    bench_take(&bench, forth(99, S, 0, ""));
    bench_take(&bench, forth(100, K, 500, "ask"));
    assert_string_equal(bench.recorder.log, "A0^@1 A0=ask@2 unseen ");
    for (unsigned i = 0; i < IW_TCP_WAIT_FIRST - 1; i++)
        bench_take(&bench, forth(103 + i, K, 506, "x"));
    assert_string_equal(bench.recorder.log, "A0^@1 A0=ask@2 unseen ");
    bench_take(&bench, forth(118, F | K, 520, "end"));
    assert_non_null(strstr(bench.recorder.log, "A18=end@18 ack20 unseen A21$@18 ack20 unseen "));
    bench_end(&bench);
    assert_non_null(strstr(bench.recorder.log, "A21$@18 ack20 unseen B0?20@18 "));
}

static int exactness(const struct iw_tcp_segment *segments, size_t count) {
    struct bench bench = bench_begin();

    for (size_t i = 0; i < count; i++)
        bench_take(&bench, segments[i]);
    bench_end(&bench);
    return bench.exact;
}

#define exact(...) exactness(SEGMENTS(__VA_ARGS__))

static void acknowledgement_from_the_first_octet(void **state) {
    (void)state;
    assert_int_equal(exact(back(499, S | K, 100, ""), forth(100, K, 520, "a")), 1);
    /* only the end of the handshake shows the other side */
    assert_int_equal(exact(forth(100, K, 500, ""), forth(100, K, 520, "a")), 1);
    assert_int_equal(exact(forth(99, S, 0, ""), forth(100, K, 500, ""), forth(100, K, 520, "a")), 1);
    assert_int_equal(exact(forth(99, S, 0, ""), forth(100, K, 520, "a")), -1);
    assert_int_equal(exact(forth(100, K, 520, "a"), forth(101, K, 530, "")), 0);
    assert_int_equal(exact(back(480, K, 100, ""), forth(100, K, 500, ""), forth(100, K, 520, "a")), 0);
}

/* The capture has only the last packets of the other side. */
static void one_side_captured_only_at_the_end(void **state) {
    struct bench bench = bench_begin();

    (void)state;
    bench_take(&bench, forth(99, S, 0, ""));
    bench_take(&bench, forth(100, K, 500, "ask"));
    bench_take(&bench, back(506, F | K, 103, ""));
    bench_end(&bench);
    assert_string_equal(bench.recorder.log, "A0^@1 A0=ask@2 unseen B0?6@3 B6$@3 ack3 ");
}

/* A disordered capture shows the largest acknowledgement number first. The other side begins at the lowest
 * one. */
static void lowest_acknowledgement_comes_later(void **state) {
    struct bench bench = bench_begin();

    (void)state;
    bench_take(&bench, forth(99, S, 0, ""));
    bench_take(&bench, forth(103, K, 520, "go"));
    bench_take(&bench, forth(100, K, 500, "ask"));
    bench_take(&bench, back(540, K, 105, "x"));
    bench_end(&bench);
    assert_string_equal(bench.recorder.log, "A0^@1 A0=ask@3 unseen B0?40@4 A3=go@2 ack20 B40=x@4 ack5 ");
}

/* Octets that acknowledge more than offset 0 have been handed over: a SYN+ACK that comes after them does not
 * move that offset. */
static void syn_after_acknowledged_octets(void **state) {
    struct bench bench = bench_begin();

    (void)state;
    bench_take(&bench, forth(99, S, 0, ""));
    bench_take(&bench, forth(103, K, 520, "go"));
    bench_take(&bench, back(520, K, 105, "x"));
    bench_take(&bench, forth(100, K, 500, "ask"));
    bench_take(&bench, back(499, S | K, 100, ""));
    bench_end(&bench);
    assert_string_equal(bench.recorder.log, "A0^@1 A0=ask@4 A3=go@2 ack0 B0=x@3 ack5 ");
    assert_int_equal(bench.flow.stream[IW_SIDE_B].syn, false);
}

/* The same if these octets acknowledge less than the other side's first captured one: its FIN. */
static void syn_after_the_fin_and_acknowledged_octets(void **state) {
    struct bench bench = bench_begin();

    (void)state;
    bench_take(&bench, forth(99, S, 0, ""));
    bench_take(&bench, back(540, F | K, 110, ""));
    bench_take(&bench, forth(100, K, 500, "ask"));
    bench_take(&bench, forth(103, K, 520, "go"));
    bench_take(&bench, back(499, S | K, 100, ""));
    bench_end(&bench);
    assert_non_null(strstr(bench.recorder.log, "A0=ask@3 A3=go@4 "));
    assert_int_equal(bench.flow.stream[IW_SIDE_B].syn, false);
}

/* An acknowledgement without octets comes before the first octet of its side only if none is lower. */
static void lower_acknowledgement_comes_later(void **state) {
    (void)state;
    assert_int_equal(exact(forth(103, K, 520, ""), forth(100, K, 500, "ask"), forth(103, K, 530, "go")), 0);
}

/* A first segment may acknowledge octets of the other side: a retransmission joined with later octets does.
 */
static void first_segment_acknowledges_octets_captured_later(void **state) {
    struct bench bench = bench_begin();

    (void)state;
    bench_take(&bench, forth(99, S, 0, ""));
    bench_take(&bench, forth(100, K, 505, "ask&more"));
    bench_take(&bench, back(500, K, 103, "reply"));
    bench_end(&bench);
    assert_string_equal(bench.recorder.log, "A0^@1 A0=ask&more@2 unseen B0=reply@3 ack3 ");

    /* the handshake shows the first number */
    bench = bench_begin();
    bench_take(&bench, forth(99, S, 0, ""));
    bench_take(&bench, forth(100, K, 500, ""));
    bench_take(&bench, forth(100, K, 500, "ask"));
    bench_take(&bench, back(500, K, 103, "reply"));
    bench_end(&bench);
    assert_string_equal(bench.recorder.log, "A0^@1 A0=ask@3 B0=reply@4 ack3 ");
}

static void limit_ends_the_wait(void **state) {
    struct bench bench = opened();

    (void)state;
    bench.pool.stream_segments = 2;
    bench_take(&bench, back(500, K, 103, "a"));
    bench_take(&bench, back(501, K, 103, "b"));
    bench_take(&bench, back(502, K, 103, "c"));
    assert_string_equal(bench.recorder.log, "B0=a@4 ack3 unseen ");
    bench_end(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_the_order_of_capture),
        cmocka_unit_test(response_captured_before_its_request),
        cmocka_unit_test(waits_only_for_acknowledged_octets),
        cmocka_unit_test(octets_acknowledged_before_they_were_captured),
        cmocka_unit_test(the_reply_comes_first_without_a_handshake),
        cmocka_unit_test(wait_for_octets_that_never_come),
        cmocka_unit_test(hole_becomes_a_gap_at_the_end),
        cmocka_unit_test(acknowledged_from_far_away),
        cmocka_unit_test(acknowledges_octets_far_from_the_captured_ones),
        cmocka_unit_test(acknowledges_octets_after_the_fin),
        cmocka_unit_test(segments_of_an_earlier_connection),
        cmocka_unit_test(both_wait_for_each_other),
        cmocka_unit_test(one_side_alone),
        cmocka_unit_test(acknowledgement_from_the_first_octet),
        cmocka_unit_test(one_side_captured_only_at_the_end),
        cmocka_unit_test(lowest_acknowledgement_comes_later),
        cmocka_unit_test(syn_after_acknowledged_octets),
        cmocka_unit_test(syn_after_the_fin_and_acknowledged_octets),
        cmocka_unit_test(lower_acknowledgement_comes_later),
        cmocka_unit_test(first_segment_acknowledges_octets_captured_later),
        cmocka_unit_test(limit_ends_the_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

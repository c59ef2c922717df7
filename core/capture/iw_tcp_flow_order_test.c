#include "iw_tcp_flow_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The order of the octets of the two sides. */

struct talk {
    struct iw_tcp_flow flow;
    struct iw_tcp_pool pool;
    struct iw_tcp_recorder recorder;
    uint64_t frame;
    int exact; /* whether the acknowledgement of the latest DATA chunk counts from the first octet of the
                  other side; -1: that chunk has none; -2: no DATA chunk */
};

static void note_acked(void *context, const struct iw_chunk *chunk) {
    struct talk *talk = context;
    struct iw_tcp_recorder *recorder = &talk->recorder;
    char text[32];

    iw_tcp_recorder_chunk(recorder, chunk);
    if (chunk->kind == IW_CHUNK_DATA)
        talk->exact = chunk->acked_known ? chunk->acked_exact : -1;
    if (chunk->acked_known) {
        snprintf(text, sizeof text, "ack%" PRIu64 " ", chunk->acked);
        iw_tcp_recorder_print(recorder, text);
    }
    if (chunk->answers_unseen)
        iw_tcp_recorder_print(recorder, "unseen ");
}

static void take(struct talk *talk, struct iw_tcp_segment segment) {
    struct iw_tcp_output output = {.pool = &talk->pool, .chunk = note_acked, .context = talk};

    segment.frame = ++talk->frame;
    if (talk->frame == 1)
        iw_tcp_flow_init(&talk->flow, &segment);
    iw_tcp_flow_segment(&talk->flow, iw_tcp_flow_side(&talk->flow, &segment), &output, &segment);
}

static struct talk begin(void) {
    return (struct talk){.pool = {1000, 1000, 1000000, 0}, .exact = -2};
}

static struct talk opened(void) {
    const struct iw_tcp_segment handshake[] = {HANDSHAKE};
    struct talk talk = begin();

    for (size_t i = 0; i < 3; i++)
        take(&talk, handshake[i]);
    talk.recorder = (struct iw_tcp_recorder){.length = 0};
    return talk;
}

static void end(struct talk *talk) {
    struct iw_tcp_output output = {.pool = &talk->pool, .chunk = note_acked, .context = talk};

    iw_tcp_flow_finish(&talk->flow, &output);
    assert_int_equal(talk->pool.used, 0);
}

static void in_the_order_of_capture(void **state) {
    struct talk talk = opened();

    (void)state;
    take(&talk, forth(100, K, 500, "ask"));
    take(&talk, back(500, K, 103, "answer"));
    take(&talk, forth(103, K, 506, "more"));
    take(&talk, back(506, K, 103, "crosses"));
    assert_string_equal(
        talk.recorder.log, "A0=ask@4 ack0 B0=answer@5 ack3 A3=more@6 ack6 B6=crosses@7 ack3 ");
    assert_null(talk.flow.stream[0].pending);
    assert_null(talk.flow.stream[1].pending);
    end(&talk);
}

static void answer_captured_before_the_question(void **state) {
    struct talk talk = opened();

    (void)state;
    take(&talk, back(500, K, 103, "answer"));
    take(&talk, back(506, F | K, 103, ""));
    assert_string_equal(talk.recorder.log, "");
    take(&talk, forth(100, K, 500, "ask"));
    assert_string_equal(talk.recorder.log, "A0=ask@6 ack0 B0=answer@4 ack3 B6$@5 ack3 ");
    end(&talk);
}

/* Octets with a lower acknowledgement number wait for fewer octets of the other side. */
static void waits_for_no_more_than_it_acknowledges(void **state) {
    struct talk talk = opened();

    (void)state;
    take(&talk, back(500, K, 102, "one"));
    take(&talk, back(503, K, 104, "two"));
    take(&talk, forth(100, K, 500, "ab"));
    assert_string_equal(talk.recorder.log, "A0=ab@6 ack0 B0=one@4 ack2 ");
    take(&talk, forth(102, K, 503, "cd"));
    assert_string_equal(talk.recorder.log, "A0=ab@6 ack0 B0=one@4 ack2 A2=cd@7 ack3 B3=two@5 ack4 ");
    end(&talk);
}

/* A hole before acknowledged octets is filled by octets that were captured later. */
static void acknowledged_before_it_was_captured(void **state) {
    struct talk talk = opened();

    (void)state;
    take(&talk, forth(103, K, 500, "def"));
    take(&talk, back(500, K, 106, ""));
    take(&talk, back(500, K, 106, "ok"));
    take(&talk, forth(100, K, 500, "abc"));
    assert_string_equal(talk.recorder.log, "A0=abc@7 ack0 A3=def@4 ack0 B0=ok@6 ack6 ");
    end(&talk);
}

static void the_reply_comes_first_without_a_handshake(void **state) {
    struct talk talk = begin();

    (void)state;
    take(&talk, back(500, K, 103, "reply"));
    take(&talk, forth(100, K, 500, "ask"));
    take(&talk, forth(103, K, 505, "go"));
    assert_string_equal(talk.recorder.log, "B0=ask@2 ack0 A0=reply@1 ack3 B3=go@3 ack5 ");
    end(&talk);
}

/* If the octets that it acknowledges were not captured, the answer is handed over at the end, marked
 * `answers_unseen`. */
static void what_it_waits_for_never_comes(void **state) {
    struct talk talk = opened();

    (void)state;
    take(&talk, back(500, K, 103, "answer"));
    for (int i = 1; i < IW_TCP_WAIT; i++) {
        assert_string_equal(talk.recorder.log, "");
        take(&talk, back(506, K, 103, ""));
    }
    assert_string_equal(talk.recorder.log, "B0=answer@4 ack3 unseen ");
    take(&talk, back(506, K, 104, "more")); /* waits for nothing more */
    assert_non_null(strstr(talk.recorder.log, "B6=more"));
    take(&talk,
        forth(103, K, 510, "xy")); /* the other side has been seen, so octets before this one are missing */
    take(&talk, back(510, K, 106, "again"));
    assert_null(strstr(talk.recorder.log, "again"));
    end(&talk);
    assert_non_null(strstr(talk.recorder.log, "A0?3@261 A3=xy@261 ack10 B10=again@262 ack6 "));
}

static void a_hole_is_given_up_in_the_end(void **state) {
    struct talk talk = opened();

    (void)state;
    take(&talk, forth(103, K, 500, "def"));
    for (int i = 0; i < IW_TCP_WAIT; i++)
        take(&talk, back(500, K, 106, ""));
    assert_string_equal(talk.recorder.log, "A0?3@4 A3=def@4 ack0 ");
    take(&talk, forth(108, K, 500, "ij")); /* not acknowledged: it may still come */
    for (int i = 0; i < IW_TCP_WAIT; i++)
        take(&talk, back(500, K, 106, ""));
    assert_string_equal(talk.recorder.log, "A0?3@4 A3=def@4 ack0 ");
    end(&talk);
    assert_string_equal(talk.recorder.log, "A0?3@4 A3=def@4 ack0 A6?2@261 A8=ij@261 ack0 ");
}

/* Octets "abc" were retransmitted after their answer; the capture lacks the first transmission. */
/* The acknowledgement of a segment outside the window is ignored. But after a loss, both sides may be far
 * ahead. */
static void acknowledged_from_far_away(void **state) {
    struct talk talk = opened();

    (void)state;
    take(&talk, back(0x80000000, K, 110, ""));
    take(&talk, back(0x80000000, K, 0x90000000, ""));
    take(&talk, back(500, K, 100, "b"));
    end(&talk);
    assert_string_equal(talk.recorder.log, "B0=b@6 ack0 ");
    talk = opened();
    take(&talk, forth(0x70000000, K, 0x60000000, "c"));
    take(&talk, back(0x60000000, K, 0x70000001, "d"));
    take(&talk, forth(0x70000001, K, 0x60000001, "e"));
    take(&talk, back(0x60000001, K, 0x70000002, "f"));
    end(&talk);
    assert_non_null(strstr(talk.recorder.log, "=e@6 "));
    assert_non_null(strstr(talk.recorder.log, "=f@7 "));
}

/* Segments of an earlier connection between the same ports, captured late. */
static void of_an_earlier_connection(void **state) {
    struct talk talk = begin();

    (void)state;
    take(&talk, forth(99, S, 0, ""));
    take(&talk, forth(120, F | K, 0x60000000, "old"));
    take(&talk, back(0x60000000, F | K, 124, ""));
    take(&talk, back(499, S | K, 100, ""));
    assert_string_equal(talk.recorder.log, "A0^@1 B0^@4 A0x3@4 ");
    talk.recorder = (struct iw_tcp_recorder){.length = 0};
    take(&talk, forth(110, F | K, 0xF0000000, "old"));
    take(&talk, forth(100, K, 500, "new"));
    take(&talk, back(500, K, 103, "next"));
    take(&talk, forth(103, F | K, 504, ""));
    end(&talk);
    assert_string_equal(talk.recorder.log, "A0x3@5 A0=new@6 ack0 B0=next@7 ack3 A3$@8 ack4 ");
}

static void both_wait_for_each_other(void **state) {
    struct talk talk = opened();

    (void)state;
    take(&talk, back(500, K, 103, "answer"));
    take(&talk, forth(100, K, 506, "abc"));
    assert_string_equal(talk.recorder.log, "A0=abc@5 ack6 unseen B0=answer@4 ack3 ");
    end(&talk);
}

static void one_side_alone(void **state) {
    struct talk talk = begin();

    (void)state;
    take(&talk, forth(99, S, 0, ""));
    take(&talk, forth(100, K, 500, "ask"));
    assert_string_equal(talk.recorder.log, "A0^@1 A0=ask@2 ");
    for (unsigned i = 0; i < IW_TCP_WAIT_FIRST - 1; i++)
        take(&talk, forth(103 + i, K, 506, "x"));
    assert_string_equal(talk.recorder.log, "A0^@1 A0=ask@2 ");
    take(&talk, forth(118, F | K, 520, "end"));
    assert_non_null(strstr(talk.recorder.log, "A18=end@18 ack20 unseen A21$@18 ack20 unseen "));
    end(&talk);
    assert_non_null(strstr(talk.recorder.log, "A21$@18 ack20 unseen B0?20@18 "));
}

static int exactness(const struct iw_tcp_segment *segments, size_t count) {
    struct talk talk = begin();

    for (size_t i = 0; i < count; i++)
        take(&talk, segments[i]);
    end(&talk);
    return talk.exact;
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
static void all_but_the_end_is_missing(void **state) {
    struct talk talk = begin();

    (void)state;
    take(&talk, forth(99, S, 0, ""));
    take(&talk, forth(100, K, 500, "ask"));
    take(&talk, back(506, F | K, 103, ""));
    end(&talk);
    assert_string_equal(talk.recorder.log, "A0^@1 A0=ask@2 B0?6@3 B6$@3 ack3 ");
}

static void bounds_let_go_what_waits(void **state) {
    struct talk talk = opened();

    (void)state;
    talk.pool.stream_segments = 2;
    take(&talk, back(500, K, 103, "a"));
    take(&talk, back(501, K, 103, "b"));
    take(&talk, back(502, K, 103, "c"));
    assert_string_equal(talk.recorder.log, "B0=a@4 ack3 unseen ");
    end(&talk);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_the_order_of_capture),
        cmocka_unit_test(answer_captured_before_the_question),
        cmocka_unit_test(waits_for_no_more_than_it_acknowledges),
        cmocka_unit_test(acknowledged_before_it_was_captured),
        cmocka_unit_test(the_reply_comes_first_without_a_handshake),
        cmocka_unit_test(what_it_waits_for_never_comes),
        cmocka_unit_test(a_hole_is_given_up_in_the_end),
        cmocka_unit_test(acknowledged_from_far_away),
        cmocka_unit_test(of_an_earlier_connection),
        cmocka_unit_test(both_wait_for_each_other),
        cmocka_unit_test(one_side_alone),
        cmocka_unit_test(acknowledgement_from_the_first_octet),
        cmocka_unit_test(all_but_the_end_is_missing),
        cmocka_unit_test(bounds_let_go_what_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

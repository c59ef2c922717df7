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
    struct iw_tcp_output output = {.pool = &pool, .chunk = iw_tcp_recorder_chunk, .context = &recorder};
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

#define SEGMENTS(...)                                                                                        \
    (const struct iw_tcp_segment[]){__VA_ARGS__},                                                            \
        sizeof((const struct iw_tcp_segment[]){__VA_ARGS__}) / sizeof(struct iw_tcp_segment)
#define is_another(...) last_is_another(SEGMENTS(__VA_ARGS__))

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
    /* that side goes on */
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
static void no_receiver_takes_octets_without_ack(void **state) {
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
    /* only one side has closed: the other one goes on sending */
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
static void goes_on_after_a_reset(void **state) {
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

/* ---- the order of the two sides ---- */

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
        cmocka_unit_test(side_a_opened),
        cmocka_unit_test(same_connection),
        cmocka_unit_test(another_connection),
        cmocka_unit_test(the_handshake_comes_last),
        cmocka_unit_test(another_connection_after_one_side_alone),
        cmocka_unit_test(another_connection_after_the_fins),
        cmocka_unit_test(no_receiver_takes_octets_without_ack),
        cmocka_unit_test(goes_on_after_a_reset),
        cmocka_unit_test(acknowledgement_comes_before_the_data_of_the_same_segment),
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

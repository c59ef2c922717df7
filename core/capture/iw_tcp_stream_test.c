#include "iw_tcp_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_tcp_recorder_test.h"

enum { F = IW_TCP_FIN, S = IW_TCP_SYN, R = IW_TCP_RST };

struct fixture {
    struct iw_tcp_recorder recorder;
    struct iw_tcp_pool pool;
    struct iw_tcp_output output;
    struct iw_tcp_stream stream;
    uint64_t frame;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    f->pool = (struct iw_tcp_pool){.stream_octets = 1u << 20, .stream_segments = 4096, .octets = 1u << 24};
    f->output = (struct iw_tcp_output){&f->pool, iw_tcp_recorder_chunk, &f->recorder};
    iw_tcp_stream_init(&f->stream, IW_SIDE_A);
    *state = f;
    return 0;
}

/* Whatever happened, nothing may be held back after the end, and the books must balance. */
static int tear_down(void **state) {
    struct fixture *f = *state;
    iw_tcp_stream_clear(&f->stream, &f->pool);
    int left = f->pool.used != 0;
    free(f);
    return left;
}

static void send_segment(struct fixture *f, struct iw_tcp_segment segment) {
    segment.frame = ++f->frame;
    /* Octets are borrowed for the call alone: each call has its own, gone afterwards. */
    uint8_t *payload = malloc(segment.captured + 1u);
    memcpy(payload, segment.payload, segment.captured);
    segment.payload = payload;
    iw_tcp_stream_segment(&f->stream, &f->output, &segment);
    free(payload);
}

static void send(struct fixture *f, uint32_t seq, unsigned flags, const char *text) {
    send_segment(f, iw_tcp_recorder_segment(0, seq, flags, text));
}

static void send_cut(struct fixture *f, uint32_t seq, unsigned flags, const char *text, uint32_t captured) {
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(0, seq, flags, text);
    segment.captured = captured;
    send_segment(f, segment);
}

static void acked(struct fixture *f, uint32_t ack) {
    ++f->frame;
    iw_tcp_stream_acked(&f->stream, &f->output, ack);
}

static void finish(struct fixture *f) {
    iw_tcp_stream_finish(&f->stream, &f->output, f->frame, 0);
}

/* Compares what was handed over since the last call. */
static void expect_(struct fixture *f, const char *log, const char *file, int line) {
    _assert_string_equal(f->recorder.log, log, file, line);
    f->recorder.log[0] = '\0';
    f->recorder.length = 0;
}
#define expect(f, log) expect_(f, log, __FILE__, __LINE__)

static void in_order(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, 0, "");
    send(f, 100, 0, "abc");
    send(f, 103, 0, "de");
    send(f, 105, F, "f");
    expect(f, "A0^@1 A0=abc@3 A3=de@4 A5=f@5 A6$@5 ");
    finish(f);
    expect(f, "");
    assert_int_equal(f->stream.counters.octets, 6);
    assert_int_equal(f->stream.counters.segments, 5);
    assert_int_equal(f->stream.counters.retransmitted, 0);
}

static const uint8_t *seen_octets;

static void remember_octets(void *context, const struct iw_chunk *chunk) {
    (void)context;
    seen_octets = chunk->octets;
}

static void in_order_octets_are_not_copied(void **state) {
    struct fixture *f = *state;
    f->output.chunk = remember_octets;
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(1, 100, 0, "abc");
    iw_tcp_stream_segment(&f->stream, &f->output, &segment);
    assert_ptr_equal(seen_octets, segment.payload);
    assert_null(f->stream.pending);
}

static void time_and_frame_are_those_of_the_packet(void **state) {
    struct fixture *f = *state;
    struct iw_tcp_segment late = iw_tcp_recorder_segment(7, 103, 0, "de");
    struct iw_tcp_segment early = iw_tcp_recorder_segment(9, 100, 0, "abc");
    send(f, 99, S, "");
    iw_tcp_stream_segment(&f->stream, &f->output, &late);
    iw_tcp_stream_segment(&f->stream, &f->output, &early);
    expect(f, "A0^@1 A0=abc@9 A3=de@7 ");
}

static void retransmission(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, 0, "abcdef");
    send(f, 100, 0, "abcdef");
    send(f, 102, 0, "cd");
    send(f, 104, 0, "efgh");
    expect(f, "A0^@1 A0=abcdef@2 A6=gh@5 ");
    assert_int_equal(f->stream.counters.retransmitted, 10);
    assert_int_equal(f->stream.counters.octets, 8);
}

static void syn_is_repeated(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 99, S, "");
    send(f, 100, 0, "a");
    send(f, 99, S, "");
    send(f, 499, S, "");
    expect(f, "A0^@1 A0=a@3 ");
    assert_int_equal(f->stream.counters.stray, 1);
}

static void syn_carries_octets(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "ab");
    send(f, 102, 0, "c");
    expect(f, "A0^@1 A0=ab@1 A2=c@2 ");
}

static void reordering(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 106, F, "g");
    send(f, 103, 0, "d");
    send(f, 101, 0, "bc");
    send(f, 104, 0, "ef");
    expect(f, "A0^@1 ");
    send(f, 100, 0, "a");
    expect(f, "A0=a@6 A1=bc@4 A3=d@3 A4=ef@5 A6=g@2 A7$@2 ");
    assert_int_equal(f->stream.counters.out_of_order, 4);
    assert_null(f->stream.pending);
}

static void first_octets_win_over_held_back_ones(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 102, 0, "CD");
    send(f, 106, 0, "GH");
    send(f, 101, 0, "bcdefghi");
    send(f, 102, 0, "cd");
    assert_int_equal(f->stream.counters.differing, 6);
    send(f, 100, 0, "a");
    expect(f, "A0^@1 A0=a@6 A1=b@4 A2=CD@2 A4=ef@4 A6=GH@3 A8=i@4 ");
}

static void first_octets_win_when_the_hole_is_filled(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 102, 0, "CD");
    send(f, 105, 0, "F");
    send(f, 100, 0, "abcdefgh");
    expect(f, "A0^@1 A0=ab@4 A2=CD@2 A4=e@4 A5=F@3 A6=gh@4 ");
    assert_int_equal(f->stream.counters.differing, 3);
    assert_int_equal(f->stream.counters.retransmitted, 3);
}

static void sequence_numbers_wrap(void **state) {
    struct fixture *f = *state;
    send(f, 0xfffffffd, S, "");
    send(f, 0xfffffffe, 0, "abcd");
    send(f, 4, 0, "gh");
    send(f, 2, 0, "ef");
    send(f, 0xffffffff, 0, "bcd");
    send(f, 6, F, "");
    expect(f, "A0^@1 A0=abcd@2 A4=ef@4 A6=gh@3 A8$@6 ");
}

static void offsets_do_not_wrap(void **state) {
    static uint8_t octets[1u << 20];
    struct fixture *f = *state;
    f->output.chunk = remember_octets;
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(1, 0, 0, "");
    segment.length = segment.captured = sizeof octets;
    segment.payload = octets;
    for (uint32_t i = 0; i < 4096 + 2; i++, segment.seq += segment.length)
        iw_tcp_stream_segment(&f->stream, &f->output, &segment);
    f->output.chunk = iw_tcp_recorder_chunk;
    send(f, 2u << 20, 0, "x");
    expect(f, "A4297064448=x@1 ");
}

static void acknowledged_hole_is_a_gap_at_once(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, 0, "ab");
    send(f, 105, 0, "fg");
    send(f, 109, 0, "jk");
    acked(f, 102);
    expect(f, "A0^@1 A0=ab@2 ");
    acked(f, 107);
    expect(f, "A2?3@3 A5=fg@3 ");
    acked(f, 111);
    expect(f, "A7?2@4 A9=jk@4 ");
    assert_int_equal(f->stream.counters.lost, 5);
    assert_int_equal(f->stream.counters.unseen, 5);
    send(f, 102, 0, "cde");
    expect(f, "");
}

static void hole_acknowledged_in_part(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 106, 0, "g");
    acked(f, 103);
    expect(f, "A0^@1 A0?3@2 ");
    send(f, 102, 0, "cdef");
    expect(f, "A3=def@4 A6=g@2 ");
    assert_int_equal(f->stream.counters.lost, 3);
    assert_int_equal(f->stream.counters.unseen, 3);
}

/* The acknowledgement may be captured before what it acknowledges. */
static void acknowledgement_overtakes_data(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    acked(f, 104);
    send(f, 100, 0, "ab");
    send(f, 102, 0, "cd");
    acked(f, 102);
    expect(f, "A0^@1 A0=ab@3 A2=cd@4 ");
    acked(f, 110);
    send(f, 107, 0, "h");
    expect(f, "A4?3@7 A7=h@7 ");
}

static void acknowledgement_overtaken_by_a_later_one(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    acked(f, 110);
    acked(f, 102);
    send(f, 107, 0, "h");
    expect(f, "A0^@1 A0?7@4 A7=h@4 ");
}

static void hole_before_the_fin_is_acknowledged(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 103, F, "");
    expect(f, "A0^@1 ");
    acked(f, 104);
    expect(f, "A0?3@2 A3$@2 ");
}

static void holes_at_the_end_of_the_capture(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 102, 0, "c");
    send(f, 105, F, "f");
    finish(f);
    expect(f, "A0^@1 A0?2@2 A2=c@2 A3?2@3 A5=f@3 A6$@3 ");
    assert_int_equal(f->stream.counters.lost, 4);
    assert_int_equal(f->stream.counters.unseen, 0);
}

static void acknowledged_but_never_seen_at_the_end(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, 0, "ab");
    acked(f, 110);
    finish(f);
    expect(f, "A0^@1 A0=ab@2 A2?8@3 ");
    assert_int_equal(f->stream.counters.unseen, 8);
}

/* One octet more is what the FIN takes: no reason to claim a gap. */
static void fin_never_seen(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, 0, "ab");
    acked(f, 103);
    finish(f);
    expect(f, "A0^@1 A0=ab@2 ");
}

static void bound_on_octets(void **state) {
    struct fixture *f = *state;
    f->pool.stream_octets = 6;
    send(f, 99, S, "");
    send(f, 102, 0, "cde");
    send(f, 106, 0, "ghi");
    expect(f, "A0^@1 ");
    send(f, 110, 0, "k");
    expect(f, "A0?2@2 A2=cde@2 ");
    send(f, 105, 0, "f");
    expect(f, "A5=f@5 A6=ghi@3 ");
    send(f, 120, 0, "uvwxyz!");
    expect(f, "A9?1@4 A10=k@4 A11?9@6 A20=uvwxyz!@6 ");
}

static void bound_on_segments(void **state) {
    struct fixture *f = *state;
    f->pool.stream_segments = 2;
    send(f, 99, S, "");
    send(f, 106, 0, "g");
    send(f, 104, 0, "e");
    send(f, 102, 0, "c");
    expect(f, "A0^@1 A0?2@4 A2=c@4 ");
    send(f, 108, F, "");
    expect(f, "A3?1@3 A4=e@3 ");
    send(f, 105, 0, "f");
    expect(f, "A5=f@6 A6=g@2 ");
}

static void bound_on_all_streams(void **state) {
    struct fixture *f = *state;
    f->pool.octets = 1;
    send(f, 99, S, "");
    send(f, 102, 0, "c");
    send(f, 105, F, "");
    expect(f, "A0^@1 A0?2@2 A2=c@2 A3?2@3 A5$@3 ");
}

static void packets_cut_by_the_snapshot_length(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send_cut(f, 100, 0, "abcdef", 2);
    send_cut(f, 106, 0, "ghi", 0);
    send_cut(f, 112, F, "mno", 1);
    send(f, 100, 0, "abcdefghi");
    send(f, 109, 0, "jkl");
    expect(f, "A0^@1 A0=ab@2 A2!4@2 A6!3@3 A9=jkl@6 A12=m@4 A13!2@4 A15$@4 ");
    assert_int_equal(f->stream.counters.cut, 9);
    assert_int_equal(f->stream.counters.lost, 0);
    assert_int_equal(f->stream.counters.octets, 6);
}

static void fin_before_missing_data(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 104, F, "");
    send(f, 104, F, "");
    send(f, 102, 0, "cdefg");
    send(f, 110, 0, "x");
    expect(f, "A0^@1 ");
    assert_int_equal(f->stream.counters.outside, 4);
    send(f, 100, 0, "ab");
    expect(f, "A0=ab@6 A2=cd@4 A4$@2 ");
}

static void data_beyond_the_fin(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, F, "ab");
    send(f, 102, 0, "cd");
    send(f, 103, 0, "");
    send(f, 110, 0, "x");
    send(f, 100, F, "ab");
    finish(f);
    expect(f, "A0^@1 A0=ab@2 A2$@2 ");
    assert_int_equal(f->stream.counters.outside, 3);
}

/* What was seen first stays: an end in the middle of it cannot be true. */
static void fin_before_octets_already_seen(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 105, 0, "f");
    send(f, 103, F, "");
    send(f, 100, 0, "abcde");
    send(f, 101, F, "");
    expect(f, "A0^@1 A0=abcde@4 A5=f@2 ");
    assert_int_equal(f->stream.counters.stray, 2);
}

static void reset(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 102, 0, "c");
    send(f, 103, R, "why");
    send(f, 103, R, "");
    send(f, 100, 0, "ab");
    finish(f);
    expect(f, "A0^@1 A0?2@2 A2=c@2 A3#@3 ");
    assert_int_equal(f->stream.counters.outside, 2);
}

static void reset_from_another_time(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 0x80000000, R, "");
    send(f, 100, 0, "a");
    expect(f, "A0^@1 A0=a@3 ");
    assert_int_equal(f->stream.counters.stray, 1);
}

static void reset_alone(void **state) {
    struct fixture *f = *state;
    send(f, 0, R, "");
    expect(f, "A0#@1 ");
}

static void start_in_the_middle(void **state) {
    struct fixture *f = *state;
    acked(f, 5000);
    send(f, 5000, 0, "ab");
    send(f, 4998, 0, "yzab");
    send(f, 4000, 0, "k");
    send(f, 5002, 0, "c");
    expect(f, "A0=ab@2 A2=c@5 ");
    assert_int_equal(f->stream.counters.outside, 3);
    assert_int_equal(f->stream.counters.retransmitted, 2);
}

static void start_in_the_middle_with_an_acknowledgement(void **state) {
    struct fixture *f = *state;
    send(f, 5000, 0, "");
    send(f, 5002, 0, "cd");
    send(f, 5000, 0, "ab");
    expect(f, "A0=ab@3 A2=cd@2 ");
}

static void start_in_the_middle_with_a_keep_alive_probe(void **state) {
    struct fixture *f = *state;
    send(f, 4999, 0, "");
    send(f, 5000, 0, "ab");
    expect(f, "A0=ab@2 ");
}

static void syn_captured_late(void **state) {
    struct fixture *f = *state;
    send(f, 100, 0, "");
    send(f, 99, S, "");
    send(f, 100, 0, "a");
    expect(f, "A0^@2 A0=a@3 ");
}

static void keep_alive_and_window_probes(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 99, 0, "#");
    send(f, 100, 0, "ab");
    send(f, 101, 0, "#");
    send(f, 101, 0, "");
    send(f, 102, 0, "c");
    send(f, 102, 0, "cd");
    expect(f, "A0^@1 A0=ab@3 A2=c@6 A3=d@7 ");
    assert_int_equal(f->stream.counters.retransmitted, 2);
    assert_int_equal(f->stream.counters.outside, 1);
}

static void stray_segment(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, 0, "a");
    send(f, 0x70000000, 0, "zzz");
    send(f, 0x90000000, F, "zzz");
    send(f, 101, 0, "b");
    expect(f, "A0^@1 A0=a@2 A1=b@5 ");
    assert_int_equal(f->stream.counters.stray, 2);
}

static void more_than_a_window_is_lost(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 102, 0, "c");
    acked(f, 0x70000000);
    send(f, 0x70000001, 0, "x");
    expect(f, "A0^@1 A0?2@2 A2=c@2 A3?1879048090@4 A1879048093=x@4 ");
}

/* ---- properties ---- */

enum { OCTETS = 3000 };

struct heap {
    uint8_t octets[OCTETS];
    uint64_t length;
    unsigned starts, fins;
    bool ordered;
};

static void collect(void *context, const struct iw_chunk *chunk) {
    struct heap *heap = context;
    heap->ordered &= chunk->offset == heap->length && heap->fins == 0;
    heap->starts += chunk->kind == IW_CHUNK_START;
    heap->fins += chunk->kind == IW_CHUNK_FIN;
    if (chunk->kind == IW_CHUNK_GAP || heap->length + chunk->length > OCTETS)
        heap->ordered = false;
    else if (chunk->length)
        memcpy(heap->octets + heap->length, chunk->octets, chunk->length);
    heap->length += chunk->length;
}

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Cuts the stream into segments, overlapping and repeated, swaps them about, and sends them all. */
static void send_shuffled(struct fixture *f, const uint8_t *octets, uint32_t isn, uint32_t seed) {
    struct iw_tcp_segment segments[4096];
    uint32_t count = 0, at = 0, reach = next_random(&seed) % 50 + 1;
    while (at < OCTETS && count < 4000) {
        uint32_t back = next_random(&seed) % 4 ? 0 : next_random(&seed) % 40;
        uint32_t from = at > back ? at - back : 0;
        uint32_t to = at + next_random(&seed) % 90 + 1;
        if (to > OCTETS)
            to = OCTETS;
        segments[count] = iw_tcp_recorder_segment(0, isn + 1 + from, to == OCTETS ? F : 0u, "");
        segments[count].payload = octets + from;
        segments[count].length = segments[count].captured = to - from;
        count++;
        if (next_random(&seed) % 8 == 0) {
            segments[count] = segments[next_random(&seed) % count];
            count++;
        }
        at = to;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = i + next_random(&seed) % reach;
        struct iw_tcp_segment moved = segments[i];
        if (other >= count)
            continue;
        segments[i] = segments[other];
        segments[other] = moved;
    }
    send(f, isn, S, "");
    for (uint32_t i = 0; i < count; i++)
        send_segment(f, segments[i]);
}

static void any_order_gives_the_same_stream(void **state) {
    struct fixture *f = *state;
    uint8_t octets[OCTETS];
    for (uint32_t i = 0; i < OCTETS; i++)
        octets[i] = (uint8_t)(i * 7 + i / 256);
    for (uint32_t seed = 1; seed <= 300; seed++) {
        static struct heap heap;
        memset(&heap, 0, sizeof heap);
        heap.ordered = true;
        f->output = (struct iw_tcp_output){&f->pool, collect, &heap};
        iw_tcp_stream_init(&f->stream, IW_SIDE_B);
        send_shuffled(f, octets, seed % 2 ? 1000 : 0u - 1500, seed);
        assert_true(heap.ordered);
        assert_int_equal(heap.starts, 1);
        assert_int_equal(heap.fins, 1);
        assert_int_equal(heap.length, OCTETS);
        assert_memory_equal(heap.octets, octets, OCTETS);
        assert_null(f->stream.pending);
        assert_int_equal(f->stream.counters.differing, 0);
        assert_int_equal(f->stream.counters.octets, OCTETS);
    }
}

/* Whatever the segments say, chunks stay in order, within the bounds, and cover every octet once. */
static void check_order(void *context, const struct iw_chunk *chunk) {
    uint64_t *next = context;
    assert_int_equal(chunk->offset, *next);
    assert_true(chunk->length > 0 || chunk->kind == IW_CHUNK_START || chunk->kind == IW_CHUNK_FIN ||
                chunk->kind == IW_CHUNK_RST);
    assert_true((chunk->octets != NULL) == (chunk->kind == IW_CHUNK_DATA));
    *next += chunk->length;
}

static void nonsense_keeps_the_order(void **state) {
    struct fixture *f = *state;
    f->pool.stream_octets = 400;
    f->pool.stream_segments = 9;
    for (uint32_t seed = 1; seed <= 300; seed++) {
        uint32_t random = seed;
        uint64_t next = 0;
        f->output = (struct iw_tcp_output){&f->pool, check_order, &next};
        iw_tcp_stream_init(&f->stream, IW_SIDE_A);
        for (int i = 0; i < 200; i++) {
            static const char text[] = "0123456789012345678901234567890123456789012345678901234567890123";
            uint32_t far = next_random(&random) % 64 ? 0 : next_random(&random) << 10;
            uint32_t seq = 0u - 100 + (uint32_t)i + next_random(&random) % 300 + far;
            unsigned flags = next_random(&random) % 40 ? 0 : next_random(&random) % 8;
            if (next_random(&random) % 4 == 0)
                acked(f, seq);
            struct iw_tcp_segment segment =
                iw_tcp_recorder_segment(0, seq, flags, text + next_random(&random) % 64);
            segment.captured -= next_random(&random) % 3 ? 0 : next_random(&random) % (segment.length + 1);
            send_segment(f, segment);
            assert_true(!f->stream.pending || f->stream.pending->octets <= 400);
            assert_true(!f->stream.pending || f->stream.pending->count <= 9);
        }
        finish(f);
        assert_null(f->stream.pending);
        assert_int_equal(f->pool.used, 0);
        assert_int_equal(next, f->stream.counters.octets + f->stream.counters.lost + f->stream.counters.cut);
        assert_true(f->stream.counters.unseen <= f->stream.counters.lost);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(in_order),
        TEST(in_order_octets_are_not_copied),
        TEST(time_and_frame_are_those_of_the_packet),
        TEST(retransmission),
        TEST(syn_is_repeated),
        TEST(syn_carries_octets),
        TEST(reordering),
        TEST(first_octets_win_over_held_back_ones),
        TEST(first_octets_win_when_the_hole_is_filled),
        TEST(sequence_numbers_wrap),
        TEST(offsets_do_not_wrap),
        TEST(acknowledged_hole_is_a_gap_at_once),
        TEST(hole_acknowledged_in_part),
        TEST(acknowledgement_overtakes_data),
        TEST(acknowledgement_overtaken_by_a_later_one),
        TEST(hole_before_the_fin_is_acknowledged),
        TEST(holes_at_the_end_of_the_capture),
        TEST(acknowledged_but_never_seen_at_the_end),
        TEST(fin_never_seen),
        TEST(bound_on_octets),
        TEST(bound_on_segments),
        TEST(bound_on_all_streams),
        TEST(packets_cut_by_the_snapshot_length),
        TEST(fin_before_missing_data),
        TEST(data_beyond_the_fin),
        TEST(fin_before_octets_already_seen),
        TEST(reset),
        TEST(reset_from_another_time),
        TEST(reset_alone),
        TEST(start_in_the_middle),
        TEST(start_in_the_middle_with_an_acknowledgement),
        TEST(start_in_the_middle_with_a_keep_alive_probe),
        TEST(syn_captured_late),
        TEST(keep_alive_and_window_probes),
        TEST(stray_segment),
        TEST(more_than_a_window_is_lost),
        TEST(any_order_gives_the_same_stream),
        TEST(nonsense_keeps_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

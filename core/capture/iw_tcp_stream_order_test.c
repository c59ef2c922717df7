#include "iw_tcp_stream_test.h"

/* Properties that hold whatever order the segments come in. */

enum { OCTETS = 3000 };

struct heap {
    uint8_t octets[OCTETS];
    uint64_t length;
    unsigned starts, fins;
    bool ordered;
};

static void collect_octets(void *context, const struct iw_chunk *chunk) {
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

/* Splits the stream into overlapping and repeated segments, shuffles them, and sends all. */
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
        f->output = (struct iw_tcp_output){.pool = &f->pool, .chunk = collect_octets, .context = &heap};
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

/* With any segments, chunks stay in order and within the limits, and cover every octet once. */
static void check_order(void *context, const struct iw_chunk *chunk) {
    uint64_t *next = context;
    assert_int_equal(chunk->offset, *next);
    if (chunk->kind == IW_CHUNK_OUTSIDE || chunk->kind == IW_CHUNK_DIFFERING) {
        assert_true(chunk->length > 0);
        assert_null(chunk->octets);
        return;
    }
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
        f->output = (struct iw_tcp_output){.pool = &f->pool, .chunk = check_order, .context = &next};
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
        const struct iw_tcp_counters *counters = &f->stream.counters;
        assert_int_equal(next, counters->octets + counters->lost + counters->limited + counters->cut);
        assert_true(f->stream.counters.unseen <= f->stream.counters.lost);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(any_order_gives_the_same_stream),
        TEST(nonsense_keeps_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

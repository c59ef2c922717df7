#include "iw_lazy_monitor.h"
#include "iw_test_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct iw_monitor_config config = {.extensions = IW_EXT_ALL};

/* An MPA Request with C=1, Rev 1 and no Private Data (RFC 5044 7.1.1). */
static const uint8_t request[20] = "MPA ID Req Frame\x40\x01\x00\x00";

struct seen {
    struct iw_lazy_monitor lazy;
    unsigned events;
    struct iw_llp_event first[8]; /* the first events */
};

static void take_event(void *user, const struct iw_monitor_event *event) {
    struct seen *seen = user;

    assert_true(iw_monitor_recognised(seen->lazy.monitor));
    if (seen->events < sizeof seen->first / sizeof *seen->first)
        seen->first[seen->events] = *event->llp;
    seen->events++;
}

static enum iw_lazy_monitor_state feed(struct seen *seen, enum iw_chunk_kind kind, enum iw_side side) {
    const struct iw_chunk chunk = {
        .kind = kind, .side = side, .length = kind == IW_CHUNK_OUTSIDE ? 100 : 0, .frame = 1};

    return iw_lazy_monitor_feed(&seen->lazy, &chunk);
}

static enum iw_lazy_monitor_state feed_octets(
    struct seen *seen, enum iw_side side, uint64_t offset, const uint8_t *octets, uint32_t length) {
    const struct iw_chunk chunk = {.kind = IW_CHUNK_DATA,
        .side = side,
        .offset = offset,
        .octets = octets,
        .length = length,
        .frame = 2};

    return iw_lazy_monitor_feed(&seen->lazy, &chunk);
}

static int begin(void **state) {
    struct seen *seen = calloc(1, sizeof *seen);

    assert_non_null(seen);
    iw_lazy_monitor_init(&seen->lazy, &config, take_event, seen);
    *state = seen;
    return 0;
}

static int end(void **state) {
    struct seen *seen = *state;

    iw_lazy_monitor_dispose(&seen->lazy);
    iw_lazy_monitor_dispose(&seen->lazy);
    free(seen);
    return 0;
}

static void the_first_octets_make_the_monitor(void **state) {
    struct seen *seen = *state;

    assert_int_equal(feed(seen, IW_CHUNK_START, IW_SIDE_A), IW_LAZY_MONITOR_OPEN);
    assert_int_equal(feed(seen, IW_CHUNK_START, IW_SIDE_B), IW_LAZY_MONITOR_OPEN);
    assert_null(seen->lazy.monitor);
    assert_int_equal(feed_octets(seen, IW_SIDE_A, 0, request, sizeof request), IW_LAZY_MONITOR_OPEN);
    assert_non_null(seen->lazy.monitor);
    assert_null(seen->lazy.early);
    assert_int_equal(seen->events, 1);
    assert_true(iw_lazy_monitor_finish(&seen->lazy));
    assert_true(iw_monitor_terms(seen->lazy.monitor)->seen[IW_SIDE_A]);
}

/* Octets outside the stream are counted once the connection has octets of its own. */
static void octets_outside_the_stream_make_no_monitor(void **state) {
    struct seen *seen = *state;

    feed(seen, IW_CHUNK_OUTSIDE, IW_SIDE_A);
    feed(seen, IW_CHUNK_START, IW_SIDE_A);
    feed(seen, IW_CHUNK_OUTSIDE, IW_SIDE_B);
    assert_null(seen->lazy.monitor);
    feed_octets(seen, IW_SIDE_A, 0, request, sizeof request);
    assert_int_equal(iw_monitor_counts(seen->lazy.monitor)->unjudged[IW_UNJUDGED_OUTSIDE], 200);
}

static void more_chunks_than_can_be_kept_make_the_monitor(void **state) {
    struct seen *seen = *state;

    for (unsigned i = 0; i < IW_LAZY_MONITOR_EARLY_MAX; i++)
        assert_int_equal(feed(seen, IW_CHUNK_OUTSIDE, IW_SIDE_A), IW_LAZY_MONITOR_OPEN);
    assert_null(seen->lazy.monitor);
    assert_int_equal(feed(seen, IW_CHUNK_OUTSIDE, IW_SIDE_A), IW_LAZY_MONITOR_OPEN);
    assert_non_null(seen->lazy.monitor);
    assert_int_equal(iw_monitor_counts(seen->lazy.monitor)->unjudged[IW_UNJUDGED_OUTSIDE],
        100 * (IW_LAZY_MONITOR_EARLY_MAX + 1));
}

static void a_caller_may_wake_it_before_the_first_octets(void **state) {
    struct seen *seen = *state;
    const struct iw_chunk fin = {.kind = IW_CHUNK_FIN}, gap = {.kind = IW_CHUNK_GAP, .length = 1};

    iw_lazy_monitor_wake(&seen->lazy, &fin);
    assert_null(seen->lazy.monitor);
    iw_lazy_monitor_wake(&seen->lazy, &gap);
    assert_non_null(seen->lazy.monitor);
}

/* Before MPA, at most IW_HALF_STREAMING_MAX octets are in streaming mode. */
static void a_connection_that_can_never_be_mpa_frees_its_monitor(void **state) {
    static const uint8_t zeros[IW_HALF_STREAMING_MAX];
    struct seen *seen = *state;

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        feed(seen, IW_CHUNK_START, side);
        assert_int_equal(feed_octets(seen, side, 0, zeros, sizeof zeros), IW_LAZY_MONITOR_OPEN);
        assert_int_equal(feed_octets(seen, side, sizeof zeros, zeros, sizeof zeros),
            side == IW_SIDE_A ? IW_LAZY_MONITOR_OPEN : IW_LAZY_MONITOR_HOPELESS);
    }
    assert_null(seen->lazy.monitor);
    assert_int_equal(feed_octets(seen, IW_SIDE_A, 0, request, sizeof request), IW_LAZY_MONITOR_HOPELESS);
    assert_null(seen->lazy.monitor);
    assert_false(iw_lazy_monitor_finish(&seen->lazy));
    assert_int_equal(seen->events, 0);
}

/* One allocation fails: that of the monitor, or that of the chunks kept for it. Later ones would work. */
static void without_memory_it_accepts_no_more(void **state) {
    struct seen *seen = *state;
    const struct iw_chunk gap = {.kind = IW_CHUNK_GAP, .length = 1};

    iw_test_memory_fail(1, false);
    iw_lazy_monitor_wake(&seen->lazy, &gap);
    assert_int_equal(iw_lazy_monitor_feed(&seen->lazy, &gap), IW_LAZY_MONITOR_NO_MEMORY);
    iw_test_memory_restore();
    assert_null(seen->lazy.monitor);
    assert_int_equal(feed(seen, IW_CHUNK_START, IW_SIDE_A), IW_LAZY_MONITOR_NO_MEMORY);
    iw_lazy_monitor_init(&seen->lazy, &config, take_event, seen);
    iw_test_memory_fail(1, false);
    assert_int_equal(feed(seen, IW_CHUNK_START, IW_SIDE_A), IW_LAZY_MONITOR_NO_MEMORY);
    iw_test_memory_restore();
    assert_false(iw_lazy_monitor_finish(&seen->lazy));
}

/* Octets in which there is no FPDU, up to the limit of a search, and the FIN. */
static void send_unreadable(struct seen *seen, enum iw_side side) {
    static uint8_t octets[IW_HALF_SEARCH_MAX + 1];

    memset(octets, 0x5a, sizeof octets);
    feed_octets(seen, side, 0, octets, sizeof octets);
    feed_octets(seen, side, sizeof octets, octets, 100);
    feed(seen, IW_CHUNK_FIN, side);
}

static void events_wait_until_the_connection_is_known_to_be_mpa(void **state) {
    struct seen *seen = *state;

    send_unreadable(seen, IW_SIDE_A);
    assert_int_equal(seen->events, 0);
    feed_octets(seen, IW_SIDE_B, 0, request, sizeof request);
    assert_int_equal(seen->events, 4);
    assert_int_equal(seen->first[0].kind, IW_LLP_LOSS);
    assert_int_equal(seen->first[0].octets, IW_HALF_SEARCH_MAX + 1);
    assert_int_equal(seen->first[1].kind, IW_LLP_LOSS);
    assert_int_equal(seen->first[1].offset, IW_HALF_SEARCH_MAX + 1);
    assert_int_equal(seen->first[1].octets, 100);
    assert_int_equal(seen->first[2].kind, IW_LLP_CLOSE);
    assert_int_equal(seen->first[3].kind, IW_LLP_STARTUP);
    assert_null(seen->lazy.events);
    feed(seen, IW_CHUNK_FIN, IW_SIDE_B);
    assert_int_equal(seen->events, 5);
    assert_true(iw_lazy_monitor_finish(&seen->lazy));
    assert_int_equal(seen->events, 5);
}

/* Eight octets of a startup frame before a FIN show MPA without an event. */
static void events_come_when_a_close_shows_mpa(void **state) {
    struct seen *seen = *state;

    send_unreadable(seen, IW_SIDE_A);
    feed_octets(seen, IW_SIDE_B, 0, request, 8);
    assert_int_equal(seen->events, 0);
    assert_true(iw_lazy_monitor_finish(&seen->lazy));
    assert_int_equal(seen->events, 4);
    assert_int_equal(seen->first[2].side, IW_SIDE_A);
    assert_int_equal(seen->first[3].side, IW_SIDE_B);
}

static void a_connection_that_is_not_mpa_has_no_events(void **state) {
    struct seen *seen = *state;

    send_unreadable(seen, IW_SIDE_A);
    feed_octets(seen, IW_SIDE_B, 0, request, 3);
    assert_false(iw_lazy_monitor_finish(&seen->lazy));
    assert_int_equal(seen->events, 0);
}

/* The LOSS cannot be kept. */
static void without_memory_for_an_event_it_accepts_no_more(void **state) {
    static uint8_t octets[IW_HALF_SEARCH_MAX + 1];
    struct seen *seen = *state;

    memset(octets, 0x5a, sizeof octets);
    feed_octets(seen, IW_SIDE_A, 0, octets, IW_HALF_SEARCH_MAX - 100);
    iw_test_memory_fail(1, false);
    assert_int_equal(feed(seen, IW_CHUNK_FIN, IW_SIDE_A), IW_LAZY_MONITOR_NO_MEMORY);
    iw_test_memory_restore();
    assert_false(iw_lazy_monitor_finish(&seen->lazy));
    assert_int_equal(seen->events, 0);
}

static void a_connection_without_octets_is_not_mpa(void **state) {
    struct seen *seen = *state;

    feed(seen, IW_CHUNK_START, IW_SIDE_A);
    feed(seen, IW_CHUNK_RST, IW_SIDE_A);
    assert_false(iw_lazy_monitor_finish(&seen->lazy));
    assert_null(seen->lazy.monitor);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

static void count_event(void *user, const struct iw_monitor_event *event) {
    unsigned *count = user;

    (void)event;
    ++*count;
}

/* Ten octets of a Request are no proof of MPA. */
static void expected_mpa_needs_no_proof(void **state) {
    static const struct iw_monitor_config expects = {.extensions = IW_EXT_ALL, .mpa = {.expected = true}};
    struct seen *seen = *state;
    unsigned events = 0;

    iw_lazy_monitor_init(&seen->lazy, &expects, count_event, &events);
    feed(seen, IW_CHUNK_START, IW_SIDE_A);
    assert_non_null(seen->lazy.monitor);
    feed(seen, IW_CHUNK_START, IW_SIDE_B);
    feed_octets(seen, IW_SIDE_A, 0, request, 10);
    feed(seen, IW_CHUNK_FIN, IW_SIDE_A);
    assert_int_equal(events, 1);
    feed(seen, IW_CHUNK_FIN, IW_SIDE_B);
    assert_true(iw_lazy_monitor_finish(&seen->lazy));
    assert_int_equal(events, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_first_octets_make_the_monitor),
        TEST(octets_outside_the_stream_make_no_monitor),
        TEST(more_chunks_than_can_be_kept_make_the_monitor),
        TEST(a_caller_may_wake_it_before_the_first_octets),
        TEST(a_connection_that_can_never_be_mpa_frees_its_monitor),
        TEST(without_memory_it_accepts_no_more),
        TEST(events_wait_until_the_connection_is_known_to_be_mpa),
        TEST(events_come_when_a_close_shows_mpa),
        TEST(a_connection_that_is_not_mpa_has_no_events),
        TEST(without_memory_for_an_event_it_accepts_no_more),
        TEST(a_connection_without_octets_is_not_mpa),
        TEST(expected_mpa_needs_no_proof),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "iw_check_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_report_fixture_test.h"

struct fixture {
    struct iw_tcp_flow flow;
    struct iw_monitor_config config;
    struct iw_check_watch *watch;
    unsigned events;
    uint64_t latest; /* frame of the latest event */
    uint64_t offset[2];
};

static void take_event(void *user, const struct iw_monitor_event *event) {
    struct iw_check_watch *watch = user;
    struct fixture *f = watch->owner;

    f->events++;
    f->latest = event->llp->frame;
}

static struct iw_chunk chunk(enum iw_chunk_kind kind, enum iw_side side, uint64_t frame) {
    return (struct iw_chunk){.kind = kind, .side = side, .frame = frame, .time_ns = frame * 1000};
}

static enum iw_lazy_monitor_state feed(
    struct fixture *f, enum iw_chunk_kind kind, enum iw_side side, uint64_t frame) {
    struct iw_chunk one = chunk(kind, side, frame);

    one.offset = f->offset[side];
    return iw_check_watch_feed(f->watch, &one);
}

static enum iw_lazy_monitor_state say(
    struct fixture *f, enum iw_side side, uint64_t frame, const char *digits) {
    struct iw_chunk one = chunk(IW_CHUNK_DATA, side, frame);
    uint8_t octets[256];

    one.octets = octets;
    one.length = (uint32_t)talk_octets(digits, octets, sizeof octets);
    one.offset = f->offset[side];
    f->offset[side] += one.length;
    return iw_check_watch_feed(f->watch, &one);
}

/* The first chunk of the connection is in frame 3. */
static int begin(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    const struct iw_chunk first = chunk(IW_CHUNK_START, IW_SIDE_A, 3);

    assert_non_null(f);
    *state = f;
    f->flow.id = 7;
    f->config.extensions = IW_EXT_ALL;
    f->watch = iw_check_watch_new(&f->flow, &first, &f->config, take_event, f);
    assert_non_null(f->watch);
    return 0;
}

static int end(void **state) {
    struct fixture *f = *state;

    iw_check_watch_free(f->watch);
    iw_check_watch_free(NULL);
    free(f);
    return 0;
}

/* Octets captured before the SYN come after it, in the order of the stream. */
static void octets_before_the_syn_belong_to_the_frames_of_the_stream(void **state) {
    struct fixture *f = *state;

    feed(f, IW_CHUNK_START, IW_SIDE_A, 3);
    say(f, IW_SIDE_A, 2, "4d");
    assert_int_equal(f->watch->stream.first_frame, 2);
    assert_int_equal(f->watch->stream.first_time_ns, 2000);
}

static void the_monitor_starts_at_the_first_octet(void **state) {
    struct fixture *f = *state;

    assert_int_equal(f->watch->stream.first_frame, 3);
    assert_int_equal(f->watch->stream.first_time_ns, 3000);
    assert_int_equal(feed(f, IW_CHUNK_START, IW_SIDE_A, 3), IW_LAZY_MONITOR_OPEN);
    assert_int_equal(feed(f, IW_CHUNK_START, IW_SIDE_B, 4), IW_LAZY_MONITOR_OPEN);
    assert_null(f->watch->lazy.monitor);
    assert_int_equal(say(f, IW_SIDE_A, 5, TALK_REQUEST), IW_LAZY_MONITOR_OPEN);
    assert_non_null(f->watch->lazy.monitor);
    assert_ptr_equal(f->watch->stream.monitor, f->watch->lazy.monitor);
    assert_int_equal(f->events, 1);
    assert_int_equal(f->latest, 5);
    assert_int_equal(say(f, IW_SIDE_B, 6, TALK_REPLY), IW_LAZY_MONITOR_OPEN);
    assert_true(iw_lazy_monitor_finish(&f->watch->lazy));
    /* the monitor got both START chunks before the octets, so it knows that the startup frames begin their
     * streams */
    assert_true(iw_monitor_terms(f->watch->lazy.monitor)->seen[IW_SIDE_A]);
    assert_true(iw_monitor_terms(f->watch->lazy.monitor)->seen[IW_SIDE_B]);
    assert_int_equal(iw_monitor_counts(f->watch->lazy.monitor)->unjudged[IW_UNJUDGED_STARTUP], 0);
}

static void without_an_octet_there_is_nothing_to_judge(void **state) {
    struct fixture *f = *state;

    feed(f, IW_CHUNK_START, IW_SIDE_A, 3);
    feed(f, IW_CHUNK_FIN, IW_SIDE_A, 4);
    assert_false(iw_lazy_monitor_finish(&f->watch->lazy));
    assert_null(f->watch->lazy.monitor);
    assert_int_equal(f->events, 0);
}

/* Two sides cannot have more START, FIN and RST chunks than the limit. */
static void chunks_before_the_first_octet_are_limited(void **state) {
    struct fixture *f = *state;

    for (uint64_t i = 0; i < IW_LAZY_MONITOR_EARLY_MAX; i++)
        assert_int_equal(feed(f, IW_CHUNK_FIN, IW_SIDE_A, 3 + i), IW_LAZY_MONITOR_OPEN);
    assert_null(f->watch->lazy.monitor);
    feed(f, IW_CHUNK_FIN, IW_SIDE_A, 20);
    assert_non_null(f->watch->lazy.monitor);
}

/* A side that sends more octets than this in streaming mode, before MPA, is not iWARP. */
static void a_stream_that_is_not_iwarp_is_given_up(void **state) {
    static const uint8_t zeros[IW_HALF_STREAMING_MAX];
    struct fixture *f = *state;

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        struct iw_chunk one = chunk(IW_CHUNK_DATA, side, 5 + side);

        feed(f, IW_CHUNK_START, side, 3 + side);
        one.octets = zeros;
        one.length = sizeof zeros;
        assert_int_equal(iw_check_watch_feed(f->watch, &one), IW_LAZY_MONITOR_OPEN);
        one.offset = sizeof zeros;
        assert_int_equal(iw_check_watch_feed(f->watch, &one),
            side == IW_SIDE_A ? IW_LAZY_MONITOR_OPEN : IW_LAZY_MONITOR_HOPELESS);
    }
    assert_int_equal(f->watch->lazy.state, IW_LAZY_MONITOR_HOPELESS);
    assert_null(f->watch->lazy.monitor);
    assert_null(f->watch->stream.monitor);
    assert_false(iw_lazy_monitor_finish(&f->watch->lazy));
    assert_int_equal(f->events, 0);
}

/* The stream shows the flow's state at its end, whatever the reading thread writes into the flow later. */
static void the_stream_shows_the_end_of_its_flow(void **state) {
    struct fixture *f = *state;

    f->flow.frame = 9;
    f->flow.stream[IW_SIDE_B].counters.lost = 3;
    assert_int_equal(f->watch->stream.id, 7);
    assert_int_equal(f->watch->stream.last_frame, 0);
    iw_check_watch_detach(f->watch, 12);
    assert_null(f->watch->flow);
    f->flow.frame = 10; /* the memory now belongs to a later connection */
    f->flow.stream[IW_SIDE_B].counters.lost = 0;
    assert_int_equal(f->watch->stream.last_frame, 9);
    assert_int_equal(f->watch->stream.capture_ns, 12);
    assert_int_equal(f->watch->stream.tcp[IW_SIDE_B].lost, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(octets_before_the_syn_belong_to_the_frames_of_the_stream),
        TEST(the_monitor_starts_at_the_first_octet),
        TEST(without_an_octet_there_is_nothing_to_judge),
        TEST(chunks_before_the_first_octet_are_limited),
        TEST(a_stream_that_is_not_iwarp_is_given_up),
        TEST(the_stream_shows_the_end_of_its_flow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

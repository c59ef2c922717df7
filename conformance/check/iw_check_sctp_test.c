#include "iw_check_sctp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { STAGS = 64, CHUNK = 16 + 2 + 14 + 4 };

static uint64_t frame;
static uint64_t first_frame; /* first frame that the monitor remembers of the latest STag */

static void take_event(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    (void)user;
    (void)stream;
    if (event->stag_use_count > 0)
        first_frame = event->stag_uses[0].life->first_frame;
}

static void end_stream(void *user, struct iw_check_stream *stream) {
    (void)user;
    (void)stream;
}

/* A DATA chunk (RFC 9260 3.3.1) with a DDP Segment Chunk (RFC 5043 5.2.1): RDMA Write of four octets. */
static void write_to(struct iw_check_sctp *sctp, uint16_t stream, uint16_t ssn, uint8_t stag) {
    static uint32_t tsn;
    uint8_t chunk[CHUNK] = {0, 7, 0, CHUNK, [15] = 16, [18] = 0xc1, 0x40, 0, 0, 0, [32] = 'a', 'b', 'c', 'd'};
    struct iw_tcp_segment packet = {.source = {.octets = {192, 0, 2, 1}, .port = 1000, .version = 4},
        .destination = {.octets = {192, 0, 2, 2}, .port = 2000, .version = 4},
        .seq = 11,
        .length = CHUNK,
        .captured = CHUNK,
        .payload = chunk};

    packet.frame = ++frame;
    tsn++;
    chunk[6] = (uint8_t)(tsn >> 8);
    chunk[7] = (uint8_t)tsn;
    chunk[8] = (uint8_t)(stream >> 8);
    chunk[9] = (uint8_t)stream;
    chunk[17] = (uint8_t)ssn;
    chunk[23] = stag;
    assert_true(iw_check_sctp_packet(sctp, &packet));
}

/* Uses an STag, many other STags, and the first one again. Returns the remembered first frame of that one. */
static uint64_t first_frame_after_many(struct iw_check_sctp *sctp, uint16_t stream) {
    uint16_t ssn = 1;

    for (uint8_t stag = 1; stag <= STAGS; stag++)
        write_to(sctp, stream, ++ssn, stag);
    first_frame = UINT64_MAX;
    write_to(sctp, stream, ++ssn, 1);
    return first_frame;
}

/* This limits memory per session, however many STags a session uses. */
static void later_sessions_remember_less(void **state) {
    static const struct iw_monitor_config config = {.extensions = IW_EXT_ALL};
    static const struct iw_check_handlers handlers = {.event = take_event, .stream_end = end_stream};
    struct iw_check_counts counts = {0};
    struct iw_check_sctp *sctp = iw_check_sctp_new(&config, 0, &handlers, NULL, &counts);
    uint64_t begin;

    (void)state;
    assert_non_null(sctp);
    for (uint16_t stream = 0; stream < IW_CHECK_FIRST_STREAMS - 1; stream++)
        write_to(sctp, stream, 1, 1);
    begin = frame + 1;
    assert_int_equal(first_frame_after_many(sctp, IW_CHECK_FIRST_STREAMS - 1), begin);
    assert_int_equal(first_frame_after_many(sctp, IW_CHECK_FIRST_STREAMS), 0);
    assert_int_equal(first_frame_after_many(sctp, 0), 1);
    iw_check_sctp_finish(sctp);
    iw_check_sctp_free(sctp);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_sessions_remember_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

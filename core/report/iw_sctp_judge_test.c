#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "iw_sctp_judge.h"

/* Chunks written by hand after RFC 9260 3.3 and RFC 5043 5: side A's tag is 0x0A, side B's 0x0B. */

static const uint8_t init[] = {1, 0, 0, 28, 0, 0, 0, 0x0A, 0, 1, 0, 0, 0, 4, 0, 4, 0, 0, 0, 100, /* TSN 100 */
    0xC0, 0x06, 0, 8, 0, 0, 0, 1};
static const uint8_t init_ack[] = {
    2, 0, 0, 28, 0, 0, 0, 0x0B, 0, 1, 0, 0, 0, 4, 0, 4, 0, 0, 0, 200, 0xC0, 0x06, 0, 8, 0, 0, 0, 1};
/* Stream 0, payload protocol 17, DDP-SSN 0 and the Function Code. */
static const uint8_t initiate[] = {0, 7, 0, 20, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 17, 0, 0, 0, 1};
static const uint8_t accept_it[] = {0, 7, 0, 20, 0, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0, 17, 0, 0, 0, 2};
/* The same on stream 1, ordered, which RFC 5043 10 forbids. */
static const uint8_t ordered[] = {0, 3, 0, 20, 0, 0, 0, 101, 0, 1, 0, 0, 0, 0, 0, 17, 0, 0, 0, 1};
static const uint8_t other_protocol[] = {0, 7, 0, 20, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 99, 0, 0, 0, 1};
static const uint8_t abort_it[] = {6, 0, 0, 4};

static struct iw_sctp_judge *judge;
static uint64_t frame;
static char log_of[2048];

static void say(const char *text) {
    snprintf(log_of + strlen(log_of), sizeof log_of - strlen(log_of), "%s ", text);
}

static void take_event(void *user, const struct iw_sctp_association *association,
    struct iw_judged_session *session, const struct iw_monitor_event *event) {
    static const char *const kinds[] = {
        [IW_LLP_CONTROL] = "control", [IW_LLP_SEGMENT] = "segment", [IW_LLP_CLOSE] = "end"};
    char text[64];

    assert_ptr_equal(user, &frame);
    assert_int_equal(association->address[IW_SIDE_A].port, 1000);
    snprintf(text, sizeof text, "%u:%s@%" PRIu64, session->session->stream, kinds[event->llp->kind],
        event->llp->frame);
    say(text);
    for (size_t i = 0; i < event->finding_count; i++)
        say(event->findings[i].requirement->id);
}

static void take_end(void *user, struct iw_judged_session *session) {
    char text[16];

    (void)user;
    snprintf(text, sizeof text, "%u$", session->session->stream);
    say(text);
}

static void take_stray(void *user, const struct iw_tcp_segment *packet) {
    char text[16];

    (void)user;
    snprintf(text, sizeof text, "?%" PRIu64, packet->frame);
    say(text);
}

static int begin(void **state) {
    static const struct iw_monitor_config config = {.extensions = 0};
    static const struct iw_sctp_judge_handlers handlers = {take_event, take_end, take_stray};

    (void)state;
    frame = 0;
    log_of[0] = '\0';
    judge = iw_sctp_judge_new(&config, NULL, &handlers, &frame);
    return judge == NULL;
}

static int end(void **state) {
    (void)state;
    iw_sctp_judge_free(judge);
    return 0;
}

static void give(enum iw_side side, uint32_t tag, const uint8_t *chunk, uint32_t length) {
    static const struct iw_tcp_address addresses[2] = {{.octets = {192, 0, 2, 1}, .port = 1000, .version = 4},
        {.octets = {192, 0, 2, 2}, .port = 2000, .version = 4}};
    uint64_t number = ++frame;
    const struct iw_tcp_segment packet = {.source = addresses[side],
        .destination = addresses[iw_side_other(side)],
        .seq = tag,
        .length = length,
        .captured = length,
        .payload = chunk,
        .frame = number};

    assert_int_equal(iw_sctp_judge_packet(judge, &packet), IW_OK);
    assert_false(iw_sctp_judge_failed(judge));
}

#define FROM_A(chunk) give(IW_SIDE_A, 0x0B, chunk, sizeof(chunk))
#define FROM_B(chunk) give(IW_SIDE_B, 0x0A, chunk, sizeof(chunk))

static void open_association(void) {
    give(IW_SIDE_A, 0, init, sizeof init);
    FROM_B(init_ack);
}

static void each_session_is_judged(void **state) {
    (void)state;
    open_association();
    FROM_A(initiate);
    FROM_B(accept_it);
    FROM_A(ordered);
    FROM_B(abort_it);
    assert_string_equal(log_of, "0:control@3 0:control@4 1:control@5 RFC5043-10-01 0:end@6 0$ 1:end@6 1$ ");
}

static void open_sessions_end_with_the_packets(void **state) {
    (void)state;
    open_association();
    FROM_A(initiate);
    FROM_B(accept_it);
    log_of[0] = '\0';
    iw_sctp_judge_finish(judge);
    assert_string_equal(log_of, "0:end@4 0$ ");
}

static void other_packets_are_ignored(void **state) {
    (void)state;
    open_association();
    FROM_A(other_protocol);
    give(IW_SIDE_A, 0xBAD, initiate, sizeof initiate);
    FROM_B(abort_it);
    assert_string_equal(log_of, "?4 ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_session_is_judged, begin, end),
        cmocka_unit_test_setup_teardown(open_sessions_end_with_the_packets, begin, end),
        cmocka_unit_test_setup_teardown(other_packets_are_ignored, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

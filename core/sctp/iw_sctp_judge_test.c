#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "iw_sctp_judge.h"
#include "iw_test_memory.h"

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

enum { PORT = 2000, OTHER_PORT = 2001 };

static struct iw_sctp_judge *judge;
static uint64_t frame;
static unsigned messages;
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

static void take_message(
    void *user, const struct iw_sctp_monitor *monitor, const struct iw_sctp_message *message) {
    assert_ptr_equal(user, &frame);
    assert_non_null(monitor);
    assert_int_equal(message->frame, frame);
    messages++;
}

static int begin(void **state) {
    static const struct iw_monitor_config config = {.extensions = 0};
    static const struct iw_sctp_judge_handlers handlers = {
        .event = take_event, .end = take_end, .stray = take_stray, .message = take_message};

    (void)state;
    frame = 0;
    messages = 0;
    log_of[0] = '\0';
    judge = iw_sctp_judge_new(&config, NULL, &handlers, &frame);
    return judge == NULL;
}

static int end(void **state) {
    (void)state;
    iw_sctp_judge_free(judge);
    return 0;
}

static enum iw_status give_to(
    uint16_t port, enum iw_side side, uint32_t tag, const uint8_t *chunk, uint32_t length) {
    const struct iw_tcp_address addresses[2] = {{.octets = {192, 0, 2, 1}, .port = 1000, .version = 4},
        {.octets = {192, 0, 2, 2}, .port = port, .version = 4}};
    uint64_t number = ++frame;
    const struct iw_tcp_segment packet = {.source = addresses[side],
        .destination = addresses[iw_side_other(side)],
        .seq = tag,
        .length = length,
        .captured = length,
        .payload = chunk,
        .frame = number};

    return iw_sctp_judge_packet(judge, &packet);
}

static void give(enum iw_side side, uint32_t tag, const uint8_t *chunk, uint32_t length) {
    assert_int_equal(give_to(PORT, side, tag, chunk, length), IW_OK);
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
    assert_int_equal(messages, 3);
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
    assert_int_equal(messages, 0);
}

/* Memory runs out at allocation `nth` for the first chunk of DDP. Returns false if there are fewer. */
static bool runs_out_at(unsigned long nth, enum iw_status *status) {
    open_association();
    iw_test_memory_fail(nth, false);
    *status = give_to(PORT, IW_SIDE_A, 0x0B, initiate, sizeof initiate);
    return iw_test_memory_restore() >= nth;
}

/* The Accept is not the first chunk of its association. */
static void after_memory_ran_out_no_later_chunk_is_judged(void **state) {
    unsigned long unjudged = 0;
    enum iw_status status;

    for (unsigned long nth = 1; runs_out_at(nth, &status); nth++) {
        if (status == IW_ERR_NOMEM) {
            unjudged++;
            assert_true(iw_sctp_judge_failed(judge));
            assert_int_equal(give_to(PORT, IW_SIDE_B, 0x0A, accept_it, sizeof accept_it), IW_ERR_NOMEM);
            assert_int_equal(give_to(PORT, IW_SIDE_A, 0x0B, other_protocol, sizeof other_protocol), IW_OK);
            give_to(PORT, IW_SIDE_B, 0x0A, abort_it, sizeof abort_it);
            assert_string_equal(log_of, "");
        } else {
            assert_string_equal(log_of, "0:control@3 ");
        }
        end(state);
        assert_int_equal(begin(state), 0);
    }
    assert_true(unjudged >= 2);
}

static void other_associations_are_judged_after_memory_ran_out(void **state) {
    enum iw_status status;

    (void)state;
    assert_true(runs_out_at(1, &status));
    assert_int_equal(status, IW_ERR_NOMEM);
    assert_int_equal(give_to(OTHER_PORT, IW_SIDE_A, 0, init, sizeof init), IW_OK);
    assert_int_equal(give_to(OTHER_PORT, IW_SIDE_B, 0x0A, init_ack, sizeof init_ack), IW_OK);
    assert_int_equal(give_to(OTHER_PORT, IW_SIDE_A, 0x0B, initiate, sizeof initiate), IW_OK);
    assert_string_equal(log_of, "0:control@6 ");
    assert_true(iw_sctp_judge_failed(judge));
}

/* Initiates on streams 1 and 2, in order. */
static const uint8_t initiate_1[] = {0, 7, 0, 20, 0, 0, 0, 101, 0, 1, 0, 0, 0, 0, 0, 17, 0, 0, 0, 1};
static const uint8_t initiate_2[] = {0, 7, 0, 20, 0, 0, 0, 102, 0, 2, 0, 0, 0, 0, 0, 17, 0, 0, 0, 1};
static const uint8_t terminate[] = {0, 7, 0, 20, 0, 0, 0, 103, 0, 0, 0, 0, 0, 0, 0, 17, 0, 1, 0, 4};
static const uint8_t initiate_2_again[] = {0, 7, 0, 20, 0, 0, 0, 104, 0, 2, 0, 0, 0, 0, 0, 17, 0, 0, 0, 1};

enum { LIMIT = 2 * IW_SCTP_JUDGE_STREAM_OCTETS + IW_SCTP_JUDGE_SESSION_OCTETS };

/* The session on stream 1 finds no memory for its monitor, and that on stream 2 none for its DDP Stream. Its
 * later chunks are not judged even if memory is free again, because the first one is missing. */
static void sessions_beyond_the_limit_are_not_judged(void **state) {
    (void)state;
    iw_sctp_judge_limit(judge, LIMIT);
    open_association();
    FROM_A(initiate);
    FROM_B(accept_it);
    assert_int_equal(give_to(PORT, IW_SIDE_A, 0x0B, initiate_1, sizeof initiate_1), IW_ERR_LIMIT);
    assert_int_equal(give_to(PORT, IW_SIDE_A, 0x0B, initiate_2, sizeof initiate_2), IW_ERR_LIMIT);
    FROM_A(terminate);
    assert_int_equal(give_to(PORT, IW_SIDE_A, 0x0B, initiate_2_again, sizeof initiate_2_again), IW_ERR_LIMIT);
    iw_sctp_judge_finish(judge);
    assert_string_equal(log_of, "0:control@3 0:control@4 0:control@7 0:end@8 0$ ");
    assert_false(iw_sctp_judge_failed(judge));
}

static void the_end_of_an_association_releases_memory(void **state) {
    (void)state;
    iw_sctp_judge_limit(judge, LIMIT - IW_SCTP_JUDGE_STREAM_OCTETS);
    open_association();
    FROM_A(initiate);
    FROM_B(abort_it);
    log_of[0] = '\0';
    iw_sctp_judge_finish(judge);
    assert_int_equal(give_to(OTHER_PORT, IW_SIDE_A, 0, init, sizeof init), IW_OK);
    assert_int_equal(give_to(OTHER_PORT, IW_SIDE_B, 0x0A, init_ack, sizeof init_ack), IW_OK);
    assert_int_equal(give_to(OTHER_PORT, IW_SIDE_A, 0x0B, initiate, sizeof initiate), IW_OK);
    assert_string_equal(log_of, "0:control@7 ");
}

static void freeing_calls_no_handler(void **state) {
    (void)state;
    open_association();
    FROM_A(initiate);
    log_of[0] = '\0';
    iw_sctp_judge_free(judge);
    judge = NULL;
    assert_string_equal(log_of, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_session_is_judged, begin, end),
        cmocka_unit_test_setup_teardown(open_sessions_end_with_the_packets, begin, end),
        cmocka_unit_test_setup_teardown(other_packets_are_ignored, begin, end),
        cmocka_unit_test_setup_teardown(after_memory_ran_out_no_later_chunk_is_judged, begin, end),
        cmocka_unit_test_setup_teardown(other_associations_are_judged_after_memory_ran_out, begin, end),
        cmocka_unit_test_setup_teardown(sessions_beyond_the_limit_are_not_judged, begin, end),
        cmocka_unit_test_setup_teardown(the_end_of_an_association_releases_memory, begin, end),
        cmocka_unit_test_setup_teardown(freeing_calls_no_handler, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_target.h"

/* Order: of the segments of a message (RFC 5041 5.3), and of messages (RFC 5040 5.5 and appendix B, RFC 7306
 * 5.4 and 7, draft-talpey-rdma-commit-01 3.1). */

#define bench iw_target_bench

/* ---- segments, from a bare port ---- */

static void segments_of_a_send_may_come_in_any_order(void **state) {
    (void)state;
    iw_target_say("00140143 00000000 00000000 00000001 00000006 6f720000 d2e230fb "          /* MO 6: "or" */
                  "00180143 00000000 00000000 00000001 00000000 696e2061 6e790000 f717384b " /* 0: "in any" */
                  "00154143 00000000 00000000 00000001 00000008 64657200 01edf291");         /* 8: "der", L */
    iw_bench_expect(&bench, "");
    assert_string_equal(iw_target_log(), "message:3:1:11 ");
    assert_memory_equal(bench.responder.message, "in anyorder", 11);
}

/* Over TCP, octets still missing when L has arrived will never arrive; an overlapping segment is an error. */
static void a_message_with_a_gap_is_not_delivered(void **state) {
    (void)state;
    iw_target_say("00150143 00000000 00000000 00000001 00000000 61626300 83f25ce8 "  /* MO 0: "abc" */
                  "00134143 00000000 00000000 00000001 00000004 78000000 a944746c"); /* 4: "x", L */
    iw_bench_expect(&bench,
        "002a4147 00000000 00000002 00000001 00000000 1204c000 00134143 00000000 00000000 00000001 00000004 "
        "9b388e7d");
    assert_string_equal(iw_target_log(), "error:1204! ");
}

static void repeated_octets_are_rejected(void **state) {
    (void)state;
    iw_target_say("00140143 00000000 00000000 00000001 00000000 61620000 248ff429 "  /* MO 0: "ab" */
                  "00140143 00000000 00000000 00000001 00000001 62630000 cffb86d6"); /* 1: "bc" */
    iw_bench_expect(&bench,
        "002a4147 00000000 00000002 00000001 00000000 1204c000 00140143 00000000 00000000 00000001 00000001 "
        "f2409fbd");
}

/* MO and length must be within the buffer (RFC 5041 7.1), even if earlier octets are missing. */
static void a_segment_beyond_the_buffer_is_rejected(void **state) {
    (void)state;
    bench.responder.config.receives.count = 1;
    bench.responder.config.receives.octets = 7;
    iw_target_say("00160143 00000000 00000000 00000001 00000004 61626364 06583130"); /* MO 4: "abcd" */
    iw_bench_expect(&bench,
        "002a4147 00000000 00000002 00000001 00000000 1205c000 00160143 00000000 00000000 00000001 00000004 "
        "e94b278a");
}

/* An MO outside the buffer has its own error code (RFC 5041 7.1). */
static void an_mo_outside_the_buffer_is_rejected(void **state) {
    (void)state;
    bench.responder.config.receives.count = 1;
    bench.responder.config.receives.octets = 7;
    iw_target_say("00160143 00000000 00000000 00000001 00000008 61626364 27ed1315"); /* MO 8: "abcd" */
    iw_bench_expect(&bench,
        "002a4147 00000000 00000002 00000001 00000000 1204c000 00160143 00000000 00000000 00000001 00000008 "
        "0174b7b2");
}

/* A Send is assembled up to 64 MiB, so a larger buffer counts as 64 MiB. */
static void the_buffer_size_is_limited(void **state) {
    (void)state;
    bench.responder.config.receives.count = 1;
    bench.responder.config.receives.octets = UINT32_MAX;
    iw_target_say("00160143 00000000 00000000 00000001 04000000 61626364 db6469f1"); /* MO 64 MiB: "abcd" */
    iw_bench_expect(&bench, "002a4147 00000000 00000002 00000001 00000000 1205c000 00160143 00000000 "
                            "00000000 00000001 04000000 05ed9f36");
}

/* Rsv, and the Invalidate STag of a message that invalidates nothing, are ignored (RFC 5040 4.1), so they may
 * differ within a message. */
static void ignored_header_fields_may_differ_between_segments(void **state) {
    (void)state;
    iw_target_say("00160143 55667788 00000000 00000001 00000000 61626364 2f39ecfe "  /* "abcd" */
                  "00164163 11223344 00000000 00000001 00000004 65666768 c5498aa1"); /* "efgh", L */
    iw_bench_expect(&bench, "");
    assert_string_equal(iw_target_log(), "message:3:1:8 ");
    assert_memory_equal(bench.responder.message, "abcdefgh", 8);
}

/* All segments also name the same STag to invalidate. */
static void all_segments_of_a_message_have_one_opcode(void **state) {
    (void)state;
    iw_target_say("00160143 00000000 00000000 00000001 00000000 61626364 b6e674d0 "  /* Send */
                  "00164145 00000000 00000000 00000001 00000004 65666768 4aed00ba"); /* Send with SE */
    iw_bench_expect(&bench,
        "002a4147 00000000 00000002 00000001 00000000 0206c000 00164145 00000000 00000000 00000001 00000004 "
        "3af13a80");
    iw_target_again();
    iw_target_say("00140144 00000022 00000000 00000001 00000000 61620000 62e1c668 "
                  "00144144 00000033 00000000 00000001 00000002 63640000 f1ddff87");
    iw_bench_expect(&bench,
        "002a4147 00000000 00000002 00000001 00000000 0206c000 00144144 00000033 00000000 00000001 00000002 "
        "d84aaada");
    assert_string_equal(iw_target_log(), "error:0206! ");
}

static void segments_of_a_write_may_come_in_any_order(void **state) {
    struct iw_region *region;

    (void)state;
    iw_memory_deregister(bench.responder.config.memory, iw_target);
    region = iw_memory_register(bench.responder.config.memory, 0x11223344, 0x100002000, 8, IW_RIGHT_WRITE);
    iw_target_say("00128140 11223344 00000001 00002004 65666768 7543efef "
                  "0012c140 11223344 00000001 00002000 61626364 f3d7eb3d");
    assert_string_equal(iw_target_log(), "write:11223344:100002000:8 ");
    assert_memory_equal(region->octets, "abcdefgh", 8);
}

static void segments_of_a_read_response_may_come_in_any_order(void **state) {
    struct iw_memory *memory = iw_memory_new();
    struct iw_region *sink = iw_memory_register(memory, 0x1234, 0x1000, 8, 0);
    struct iw_post read = {.opcode = IW_RDMAP_OP_READ_REQUEST,
        .id = 5,
        .read = {.sink_stag = 0x1234, .sink_to = 0x1000, .size = 8, .source_stag = 0x5678}};

    (void)state;
    bench.initiator.config.memory = memory;
    iw_bench_connect_to_raw(&bench);
    iw_bench_run(&bench);
    iw_bench_say(&bench, "4d504120 49442052 65702046 72616d65 40010000");
    iw_bench_run(&bench);
    iw_endpoint_post(bench.initiator.endpoint, &read);
    iw_bench_run(&bench);
    iw_bench_say(&bench, "00128142 00001234 00000000 00001004 65666768 3aede9fa "
                         "0012c142 00001234 00000000 00001000 61626364 bc79ed28");
    iw_bench_run(&bench);
    assert_non_null(strstr(bench.initiator.log, "done:5:8 "));
    assert_memory_equal(sink->octets, "abcdefgh", 8);
    iw_endpoint_free(bench.initiator.endpoint);
    bench.initiator.endpoint = NULL;
    iw_memory_free(memory);
}

/* ---- messages, between two endpoints ---- */

enum { OPERATIONS = 8 };

/* The words that each operation adds to the log of the responder, and with a response, of the requester. */
static const struct operation {
    uint8_t opcode;
    const char *done_there;
    bool answered;
} operations[OPERATIONS] = {
    {IW_RDMAP_OP_RDMA_WRITE, "write:", false},
    {IW_RDMAP_OP_SEND, "message:3:", false},
    {IW_RDMAP_OP_IMMEDIATE, "message:8:", false},
    {IW_RDMAP_OP_READ_REQUEST, "read:", true},
    {IW_RDMAP_OP_ATOMIC_REQUEST, "executed:a:", true},
    {IW_RDMAP_OP_FLUSH_REQUEST, "executed:c:", true},
    {IW_RDMAP_OP_VERIFY_REQUEST, "executed:e:", true},
    {IW_RDMAP_OP_ATOMIC_WRITE_REQUEST, "executed:10:", true},
};

static void post(const struct operation *operation, uint64_t id) {
    uint8_t header[iw_atomic_request_octets] = {0};
    struct iw_post message = {.opcode = operation->opcode, .id = id, .header = header};
    const struct iw_atomic_request atomic = {
        .identifier = (uint32_t)id, .stag = 0x11223344, .to = 0x3000, .compare_mask = UINT64_MAX};
    const struct iw_flush_request flush = {.stag = 0x11223344, .to = 0x3000, .length = 16, .p = 1};
    const struct iw_verify_request verify = {.stag = 0x11223344, .to = 0x3000, .length = 16};
    const struct iw_atomic_write_request place = {.stag = 0x11223344, .to = 0x3008, .length = 8};

    switch (operation->opcode) {
    case IW_RDMAP_OP_READ_REQUEST:
        message.read = (struct iw_read_request){.sink_stag = 1, .source_stag = 1};
        break;
    case IW_RDMAP_OP_ATOMIC_REQUEST:
        iw_atomic_request_encode(&atomic, header);
        break;
    case IW_RDMAP_OP_FLUSH_REQUEST:
        iw_flush_request_encode(&flush, header);
        break;
    case IW_RDMAP_OP_VERIFY_REQUEST:
        iw_verify_request_encode(&verify, header);
        break;
    case IW_RDMAP_OP_ATOMIC_WRITE_REQUEST:
        iw_atomic_write_request_encode(&place, header);
        break;
    default:
        message.stag = 0x11223344;
        message.to = 0x3000;
        break;
    }
    assert_int_equal(iw_endpoint_post(bench.initiator.endpoint, &message), IW_OK);
}

/* The last occurrence of the word. */
static const char *last_of(const char *log, const char *word) {
    const char *found = NULL;

    while ((log = strstr(log, word)) != NULL)
        found = log++;
    return found;
}

static void expect_order(const struct operation *first, const struct operation *second) {
    const char *log = bench.responder.log;
    const char *one = strstr(log, first->done_there), *two = last_of(log, second->done_there);
    const char *answers = bench.initiator.log;
    char words[4][32];

    if (one == NULL || two == NULL || one > two || (one == two && first != second))
        fail_msg("%x before %x: %s", first->opcode, second->opcode, log);
    for (int i = 0; i < 2; i++) {
        snprintf(words[2 * i], sizeof words[0], "answered:%d:", i + 1);
        snprintf(words[2 * i + 1], sizeof words[0], "done:%d:", i + 1);
    }
    one = strstr(answers, first->opcode == IW_RDMAP_OP_READ_REQUEST ? words[1] : words[0]);
    two = strstr(answers, second->opcode == IW_RDMAP_OP_READ_REQUEST ? words[3] : words[2]);
    if ((one != NULL) != first->answered || (two != NULL) != second->answered ||
        (first->answered && second->answered && one > two))
        fail_msg("answers to %x and %x: %s", first->opcode, second->opcode, answers);
}

/* Every pair of operations for which the tables require an order. Where they require none, this endpoint
 * keeps the order, too: operations take effect as they are delivered, requests as they are answered. */
static void messages_take_effect_in_order(void **state) {
    (void)state;
    for (int i = 0; i < OPERATIONS * OPERATIONS; i++) {
        iw_target_again();
        bench.initiator.config.extensions = IW_EXT_ALL;
        iw_bench_connect(&bench);
        post(&operations[i / OPERATIONS], 1);
        post(&operations[i % OPERATIONS], 2);
        iw_bench_run(&bench);
        expect_order(&operations[i / OPERATIONS], &operations[i % OPERATIONS]);
        assert_string_equal(bench.initiator.completed, "1 2 ");
    }
}

/* A message posted after a Read is sent before the Read is answered, and completes after the Read. */
static void completions_are_in_the_order_of_the_posts(void **state) {
    (void)state;
    iw_bench_connect_to_raw(&bench);
    iw_bench_run(&bench);
    iw_bench_say(&bench, "4d504120 49442052 65702046 72616d65 40010000");
    iw_bench_run(&bench);
    post(&operations[1], 1);
    post(&operations[3], 2);
    post(&operations[0], 3);
    post(&operations[3], 4);
    post(&operations[1], 5);
    iw_bench_run(&bench);
    assert_non_null(strstr(bench.initiator.log, "sent:1 sent:2 sent:3 sent:4 sent:5 "));
    assert_string_equal(bench.initiator.completed, "1 ");
    iw_bench_say(&bench, "000ec142 00000001 00000000 00000000 21a3e83e");
    iw_bench_run(&bench);
    assert_string_equal(bench.initiator.completed, "1 2 3 ");
    iw_bench_say(&bench, "00164147 00000000 00000002 00000001 00000000 20070000 1bd2babe"); /* Terminate */
    iw_bench_run(&bench);
    assert_non_null(strstr(bench.initiator.log, "flushed:4 flushed:5 "));
    assert_string_equal(bench.initiator.completed, "1 2 3 ");
}

/* ---- each post completes or is flushed, once (RFC 5041 6.2.2); an initiator and a bare port ---- */

/* Sends 1, 3 and 5 and the Reads 2 and 4 are posted; all of them are sent, and only 1 can be complete. */
static void post_five(void) {
    iw_bench_connect_to_raw(&bench);
    iw_bench_run(&bench);
    iw_bench_say(&bench, "4d504120 49442052 65702046 72616d65 40010000");
    iw_bench_run(&bench);
    for (uint64_t id = 1; id <= 5; id++)
        post(&operations[id % 2 == 0 ? 3 : 1], id);
    iw_bench_run(&bench);
    assert_non_null(strstr(bench.initiator.log, "sent:1 sent:2 sent:3 sent:4 sent:5 "));
    bench.initiator.log[0] = '\0';
}

static void a_fin_flushes_posts_in_order(void **state) {
    (void)state;
    post_five();
    iw_port_close(bench.raw.port);
    iw_bench_run(&bench);
    assert_string_equal(bench.initiator.completed, "1 ");
    assert_string_equal(bench.initiator.log, "closed:fin flushed:2 flushed:3 flushed:4 flushed:5 ");
}

static void reset_at(struct iw_bench_side *side, const struct iw_event *event) {
    const enum iw_event_kind *kind = side->user;

    if (event->kind == *kind)
        iw_endpoint_reset(side->endpoint);
}

/* The ULP ends the stream in the event that reports the response, or the message sent. */
static void a_reset_in_an_event_flushes_every_post(void **state) {
    enum iw_event_kind kind = IW_EVENT_READ_DONE;

    (void)state;
    post_five();
    bench.initiator.react = reset_at;
    bench.initiator.user = &kind;
    iw_bench_say(&bench, "000ec142 00000001 00000000 00000000 21a3e83e"); /* answers 2 */
    iw_bench_run(&bench);
    assert_string_equal(bench.initiator.completed, "1 ");
    assert_string_equal(bench.initiator.log, "done:2:0 flushed:2 flushed:3 flushed:4 flushed:5 ");

    iw_target_again();
    kind = IW_EVENT_SENT;
    bench.initiator.react = reset_at;
    bench.initiator.user = &kind;
    iw_bench_connect_to_raw(&bench);
    post(&operations[1], 1);
    post(&operations[1], 2);
    iw_bench_run(&bench);
    iw_bench_say(&bench, "4d504120 49442052 65702046 72616d65 40010000");
    iw_bench_run(&bench);
    assert_string_equal(bench.initiator.completed, "");
    assert_non_null(strstr(bench.initiator.log, "sent:1 flushed:1 flushed:2 "));
}

/* Nothing can follow a FIN, but requests before it may be answered. */
static void a_fin_by_hand_flushes_later_posts(void **state) {
    const struct iw_emit fin = {.kind = IW_EMIT_CLOSE};

    (void)state;
    post_five();
    post(&operations[1], 6);
    iw_endpoint_emit(bench.initiator.endpoint, &fin);
    assert_int_equal(iw_endpoint_backlog(bench.initiator.endpoint), 0);
    post(&operations[1], 7);
    iw_bench_run(&bench);
    assert_int_equal(bench.raw.end, 'F');
    iw_bench_say(&bench, "000ec142 00000001 00000000 00000000 21a3e83e");
    iw_bench_run(&bench);
    assert_string_equal(bench.initiator.completed, "1 2 3 ");
    iw_port_close(bench.raw.port);
    iw_bench_run(&bench);
    assert_string_equal(bench.initiator.completed, "1 2 3 ");
    assert_string_equal(bench.initiator.log, "flushed:7 done:2:0 closed:fin flushed:4 flushed:5 flushed:6 ");
}

/* An endpoint that still sends after the peer's FIN awaits no response. */
static void close_does_not_wait_for_impossible_responses(void **state) {
    (void)state;
    bench.initiator.config.automatic.close = false;
    post_five();
    iw_port_close(bench.raw.port);
    iw_bench_run(&bench);
    assert_string_equal(bench.initiator.log, "closed:fin ");
    post(&operations[1], 6);
    iw_endpoint_close(bench.initiator.endpoint);
    iw_bench_run(&bench);
    assert_int_equal(bench.raw.end, 'F');
    assert_string_equal(
        bench.initiator.log, "closed:fin sent:6 flushed:2 flushed:3 flushed:4 flushed:5 flushed:6 ");
}

/* An endpoint that leaves MPA awaits no response, either. */
static void leaving_mpa_flushes_posts(void **state) {
    (void)state;
    post_five();
    iw_endpoint_leave(bench.initiator.endpoint);
    iw_bench_run(&bench);
    assert_string_equal(bench.initiator.log, "flushed:2 flushed:3 flushed:4 flushed:5 ");
}

/* A long Read is answered completely before the next request is executed; a later Write does not wait. */
static void nothing_is_executed_before_the_read_is_answered(void **state) {
    (void)state;
    bench.initiator.config.extensions = IW_EXT_ALL;
    bench.initiator.config.memory = bench.responder.config.memory;
    bench.responder.config.mulpdu = 128;
    iw_bench_connect(&bench);
    iw_endpoint_post(
        bench.initiator.endpoint, &(struct iw_post){.opcode = IW_RDMAP_OP_READ_REQUEST,
                                      .id = 1,
                                      .read = {.sink_stag = 0x44, .size = 65536, .source_stag = 0x44}});
    post(&operations[7], 2);
    post(&operations[0], 3);
    iw_bench_run(&bench);
    assert_non_null(strstr(bench.responder.log, "read:65536 write:11223344:3000:0 executed:10:"));
    assert_non_null(strstr(bench.initiator.log, "done:1:65536 answered:2:"));
    assert_string_equal(bench.initiator.completed, "1 2 3 ");
    iw_endpoint_free(bench.initiator.endpoint);
    bench.initiator.endpoint = NULL;
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, iw_target_set_up, iw_target_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(segments_of_a_send_may_come_in_any_order),
        TEST(a_message_with_a_gap_is_not_delivered),
        TEST(repeated_octets_are_rejected),
        TEST(a_segment_beyond_the_buffer_is_rejected),
        TEST(an_mo_outside_the_buffer_is_rejected),
        TEST(the_buffer_size_is_limited),
        TEST(ignored_header_fields_may_differ_between_segments),
        TEST(all_segments_of_a_message_have_one_opcode),
        TEST(segments_of_a_write_may_come_in_any_order),
        TEST(segments_of_a_read_response_may_come_in_any_order),
        TEST(messages_take_effect_in_order),
        TEST(completions_are_in_the_order_of_the_posts),
        TEST(a_fin_flushes_posts_in_order),
        TEST(a_reset_in_an_event_flushes_every_post),
        TEST(a_fin_by_hand_flushes_later_posts),
        TEST(close_does_not_wait_for_impossible_responses),
        TEST(leaving_mpa_flushes_posts),
        TEST(nothing_is_executed_before_the_read_is_answered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

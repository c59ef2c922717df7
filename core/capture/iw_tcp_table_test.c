#include "iw_tcp_table_test.h"

static int set_up_small(void **state) {
    return set_up_with(state, &(struct iw_tcp_config){.flows = 2, .stream_segments = 1});
}

static int set_up_tight(void **state) {
    return set_up_with(state, &(struct iw_tcp_config){.total_octets = 1000});
}

static void one_connection(void **state) {
    struct fixture *f = *state;
    open_and_send(f, "ask");
    back(f, 500, K, 103, "answer");
    forth(f, 103, F | K, 506, "");
    back(f, 506, F | K, 104, "");
    forth(f, 104, K, 507, "");
    expect(f, "new0 0A0^@1 0B0^@2 0A0=ask@3 0B0=answer@4 0A3$@5 0B6$@6 ");
    iw_tcp_table_finish(f->table);
    expect(f, "end0 ");
}

static void keeps_flows_apart(void **state) {
    struct fixture *f = *state;
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(0, 1, 0, "a");
    send_segment(f, segment);
    segment.source.port++;
    send_segment(f, segment);
    segment.source.port--;
    segment.destination.octets[3]++;
    send_segment(f, segment);
    segment.destination.octets[3]--;
    segment.source.version = segment.destination.version = 6;
    send_segment(f, segment);
    expect(f, "new0 0A0=a@1 new1 1A0=a@2 new2 2A0=a@3 new3 3A0=a@4 ");
    iw_tcp_table_finish(f->table);
    expect(f, "end0 end1 end2 end3 ");
}

static void closed_flows_end_while_others_go_on(void **state) {
    struct fixture *f = *state;
    f->time_ns = 1000;
    open_and_send(f, "ask");
    back(f, 500, K, 103, "answer");
    forth(f, 103, F | K, 506, "");
    iw_tcp_table_end_closed(f->table, 5000); /* only one side has closed */
    expect(f, "new0 0A0^@1 0B0^@2 0A0=ask@3 0B0=answer@4 0A3$@5 ");
    f->time_ns = 2000;
    back(f, 506, F | K, 104, "");
    struct iw_tcp_segment other = iw_tcp_recorder_segment(0, 1, 0, "a");
    other.source.port++;
    send_segment(f, other);
    expect(f, "0B6$@6 new1 1A0=a@7 ");
    iw_tcp_table_end_closed(f->table, 2000); /* its latest segment is not older */
    expect(f, "");
    iw_tcp_table_end_closed(f->table, 2001);
    expect(f, "end0 ");
    other.seq++;
    send_segment(f, other);
    expect(f, "1A1=a@8 ");
}

/* Flows with swapped address octets or ports must be distinguished, also by the cache. */
static void flows_with_the_same_numbers(void **state) {
    struct fixture *f = *state;
    struct iw_tcp_segment one = iw_tcp_recorder_segment(0, 1, 0, "a"), other = one;
    other.source.port = one.destination.port;
    other.destination.port = one.source.port;
    for (int turn = 0; turn < 3; turn++) {
        send_segment(f, one);
        send_segment(f, other);
        one.seq++;
        other.seq++;
    }
    expect(f, "new0 0A0=a@1 new1 1A0=a@2 0A1=a@3 1A1=a@4 0A2=a@5 1A2=a@6 ");
}

static void reused_addresses(void **state) {
    struct fixture *f = *state;
    forth(f, 99, S, 0, "");
    forth(f, 100, K, 1, "one");
    forth(f, 104, K, 1, "x");
    forth(f, 77777, S, 0, "");
    forth(f, 77778, K, 1, "two");
    expect(f, "new0 0A0^@1 0A0=one@2 0A3?1@3 0A4=x@3 end0 new1 1A0^@4 1A0=two@5 ");
    back(f, 9, S, 0, "");
    back(f, 10, 0, 0, "three");
    expect(f, "end1 new2 2A0^@6 2A0=three@7 ");
    iw_tcp_table_finish(f->table);
    expect(f, "end2 ");
}

/* RFC 9293 3.10.7.4: a SYN in a live connection gets a challenge ACK and changes nothing. */
static void unanswered_syn_opens_no_connection(void **state) {
    struct fixture *f = *state;
    open_and_send(f, "one");
    forth(f, 600, S, 0, "");
    back(f, 500, K, 103, "");
    forth(f, 103, K, 500, "two");
    back(f, 500, K, 106, "answer");
    expect(f, "new0 0A0^@1 0B0^@2 0A0=one@3 0A3=two@6 0B0=answer@7 ");
    struct iw_tcp_segment other = iw_tcp_recorder_segment(0, 1, 0, "x");
    other.source.port++;
    send_segment(f, other);
    expect(f, "new2 2A0=x@8 "); /* the SYN has used up an id, as in Wireshark */
    iw_tcp_table_finish(f->table);
    expect(f, "end0 end2 ");
}

static void answered_syn_opens_another_connection(void **state) {
    struct fixture *f = *state;
    open_and_send(f, "one");
    forth(f, 600, S, 0, "");
    back(f, 9, S | K, 601, "");
    forth(f, 601, K, 10, "two");
    expect(f, "new0 0A0^@1 0B0^@2 0A0=one@3 end0 new1 1A0^@4 1B0^@5 1A0=two@6 ");
    forth(f, 5000, S, 0, "");
    back(f, 77, K, 5001, "answer"); /* the capture lacks the SYN+ACK */
    expect(f, "end1 new2 2A0^@7 2B0=answer@8 ");
    forth(f, 5001, K, 83, "three");
    forth(f, 9000, S, 0, "");
    back(f, 0, R | K, 9001, ""); /* refused */
    expect(f, "2A0=three@9 ");
    iw_tcp_table_finish(f->table);
    expect(f, "end2 ");
}

static void only_the_answer_was_captured(void **state) {
    struct fixture *f = *state;
    back(f, 499, S | K, 100, "");
    forth(f, 100, K, 500, "ask");
    expect(f, "new0 0B0^@1 0A0=ask@2 ");
}

static void ignored_from_the_beginning(void **state) {
    struct fixture *f = *state;
    f->ignored_id = 0;
    forth(f, 99, S, 0, "");
    forth(f, 99, S, 0, "");
    back(f, 499, S | K, 100, "");
    forth(f, 105, K, 500, "not wanted");
    forth(f, 77777, S, 0, "");
    back(f, 9, S | K, 77778, "");
    expect(f, "new0 end0 new1 1A0^@5 1B0^@6 ");
}

static void ignored_while_more_is_held_back(void **state) {
    struct fixture *f = *state;
    f->ignored_at = "one";
    forth(f, 99, S, 0, "");
    forth(f, 103, 0, 0, "two");
    forth(f, 107, F, 0, "three");
    forth(f, 100, 0, 0, "one");
    forth(f, 106, 0, 0, "x");
    expect(f, "new0 0A0^@1 0A0=one@4 ");
    iw_tcp_table_finish(f->table);
    expect(f, "end0 ");
}

/* All flows together may hold back 1000 octets, of which the first has 800 until it is ignored. */
static void ignored_flow_frees_memory_for_others(void **state) {
    struct fixture *f = *state;
    static uint8_t octets[800];
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(0, 200, 0, "");
    segment.payload = octets;
    segment.length = segment.captured = sizeof octets;
    f->ignored_at = "one";
    forth(f, 99, S, 0, "");
    send_segment(f, segment);
    forth(f, 100, 0, 0, "one");
    segment = iw_tcp_recorder_segment(0, 99, S, "");
    segment.source.port++;
    send_segment(f, segment);
    segment.seq = 103;
    segment.flags = 0;
    segment.payload = octets;
    segment.length = segment.captured = 600;
    send_segment(f, segment);
    expect(f, "new0 0A0^@1 0A0=one@3 new1 1A0^@4 ");
}

static void free_without_finish_ends_flows_silently(void **state) {
    struct fixture *f = *state;
    forth(f, 99, S, 0, "");
    forth(f, 103, 0, 0, "held back");
    iw_tcp_table_free(f->table);
    f->table = NULL;
    expect(f, "new0 0A0^@1 end0 ");
}

static void limits_come_from_the_configuration(void **state) {
    struct fixture *f = *state;
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(0, 99, S, "");
    assert_int_equal(send_segment(f, segment), IW_OK);
    segment.source.port++;
    assert_int_equal(send_segment(f, segment), IW_OK);
    segment.source.port++;
    assert_int_equal(send_segment(f, segment), IW_ERR_LIMIT);
    forth(f, 102, 0, 0, "c");
    forth(f, 104, 0, 0, "e");
    expect(f, "new0 0A0^@1 new1 1A0^@2 0A0~2@4 0A2=c@4 ");
    /* a flow that replaces another does not count twice */
    forth(f, 7777, S, 0, "");
    forth(f, 7778, 0, 0, "f");
    expect(f, "0A3?1@5 0A4=e@5 end0 new2 2A0^@6 2A0=f@7 ");
}

static void impossible_segments_are_refused(void **state) {
    struct fixture *f = *state;
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(0, 99, 0, "abc");
    segment.captured = 4;
    assert_int_equal(send_segment(f, segment), IW_ERR_ARGUMENT);
    segment.length = IW_TCP_SEGMENT_OCTETS_MAX + 1;
    assert_int_equal(send_segment(f, segment), IW_ERR_ARGUMENT);
    expect(f, "");
}

static void impossible_configurations_are_refused(void **state) {
    (void)state;
    const struct iw_tcp_config config = {.stream_segments = 65537};
    assert_null(iw_tcp_table_new(&config, &handlers, NULL));
}

static void count_flow(void *user, struct iw_tcp_flow *flow) {
    uint64_t *count = user;
    assert_int_equal(flow->id, *count);
    ++*count;
}

static void ends_in_order(void *user, struct iw_tcp_flow *flow) {
    uint64_t *count = user;
    assert_int_equal(flow->stream[IW_SIDE_A].counters.octets, 1);
    assert_int_equal(flow->stream[IW_SIDE_B].counters.octets, 2);
    --*count;
}

/* Without chunk handler; each flow is found again after the table has grown. */
static void many_flows(void **state) {
    (void)state;
    enum { FLOWS = 20000 };
    uint64_t count = 0;
    const struct iw_tcp_handlers counting = {.flow_new = count_flow, .flow_end = ends_in_order};
    struct iw_tcp_table *table = iw_tcp_table_new(NULL, &counting, &count);
    for (int pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < FLOWS; i++) {
            struct iw_tcp_segment segment = iw_tcp_recorder_segment(1, 1, 0, pass ? "bc" : "a");
            struct iw_tcp_address *client = pass ? &segment.destination : &segment.source;
            if (pass)
                segment.source = segment.destination;
            *client = (struct iw_tcp_address){.octets = {10, 1, 0, 1}, .version = 4};
            client->port = (uint16_t)(i % 1000);
            client->octets[2] = (uint8_t)(i / 1000);
            assert_int_equal(iw_tcp_table_segment(table, &segment), IW_OK);
        }
        assert_int_equal(count, FLOWS);
    }
    iw_tcp_table_finish(table);
    assert_int_equal(count, 0);
    iw_tcp_table_free(table);
}

/* A user with memory for two flows, which does not look at flows from port 7. */
struct tight {
    struct iw_tcp_table *table;
    unsigned open;
    uint64_t ended; /* id of the flow that ended last */
};

static bool tight_has_room(void *user) {
    const struct tight *tight = user;
    return tight->open < 2;
}

static void tight_flow_new(void *user, struct iw_tcp_flow *flow) {
    struct tight *tight = user;
    tight->open++;
    if (flow->address[IW_SIDE_A].port == 7)
        flow->ignored = true;
}

static void tight_flow_end(void *user, struct iw_tcp_flow *flow) {
    struct tight *tight = user;
    tight->open--;
    tight->ended = flow->id;
}

static void tight_begin(struct tight *tight) {
    const struct iw_tcp_handlers taking = {
        .flow_new = tight_flow_new, .flow_end = tight_flow_end, .has_room = tight_has_room};
    *tight = (struct tight){.ended = UINT64_MAX};
    tight->table = iw_tcp_table_new(NULL, &taking, tight);
}

/* A segment from `port` of the client, or to it. */
static enum iw_status tight_segment(
    struct tight *tight, uint16_t port, bool to_client, uint32_t seq, unsigned flags, const char *octets) {
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(1, seq, flags, octets);
    struct iw_tcp_address server = segment.destination;
    segment.source.port = port;
    if (to_client) {
        segment.destination = segment.source;
        segment.source = server;
    }
    return iw_tcp_table_segment(tight->table, &segment);
}

static void a_closed_flow_makes_room(void **state) {
    struct tight tight;

    (void)state;
    tight_begin(&tight);
    assert_int_equal(tight_segment(&tight, 1, false, 1, 0, "a"), IW_OK);
    assert_int_equal(tight_segment(&tight, 2, false, 1, IW_TCP_FIN, "a"), IW_OK);
    assert_int_equal(tight_segment(&tight, 3, false, 1, 0, "a"), IW_ERR_LIMIT);
    assert_int_equal(tight_segment(&tight, 2, true, 1, IW_TCP_FIN, ""), IW_OK);
    assert_int_equal(tight_segment(&tight, 3, false, 1, 0, "a"), IW_OK);
    assert_int_equal(tight.ended, 1);
    assert_int_equal(tight_segment(&tight, 4, false, 1, 0, "a"), IW_ERR_LIMIT);
    assert_int_equal(tight_segment(&tight, 1, false, 2, 0, "b"), IW_OK);
    iw_tcp_table_finish(tight.table);
    assert_int_equal(tight.open, 0);
    iw_tcp_table_free(tight.table);
}

static void flows_without_octets_and_ignored_ones_make_room(void **state) {
    struct tight tight;

    (void)state;
    tight_begin(&tight);
    assert_int_equal(tight_segment(&tight, 7, false, 1, 0, "a"), IW_OK);
    assert_int_equal(tight_segment(&tight, 2, false, 1, 0, ""), IW_OK);
    assert_int_equal(tight_segment(&tight, 3, false, 1, 0, "a"), IW_OK);
    assert_int_equal(tight.ended, 0);
    assert_int_equal(tight_segment(&tight, 4, false, 1, 0, "a"), IW_OK);
    assert_int_equal(tight.ended, 1);
    assert_int_equal(tight_segment(&tight, 5, false, 1, 0, "a"), IW_ERR_LIMIT);
    iw_tcp_table_free(tight.table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(one_connection),
        TEST(keeps_flows_apart),
        TEST(flows_with_the_same_numbers),
        TEST(reused_addresses),
        TEST(unanswered_syn_opens_no_connection),
        TEST(answered_syn_opens_another_connection),
        TEST(only_the_answer_was_captured),
        TEST(ignored_from_the_beginning),
        TEST(ignored_while_more_is_held_back),
        cmocka_unit_test_setup_teardown(ignored_flow_frees_memory_for_others, set_up_tight, tear_down),
        TEST(free_without_finish_ends_flows_silently),
        cmocka_unit_test_setup_teardown(limits_come_from_the_configuration, set_up_small, tear_down),
        TEST(impossible_segments_are_refused),
        cmocka_unit_test(impossible_configurations_are_refused),
        cmocka_unit_test(many_flows),
        cmocka_unit_test(a_closed_flow_makes_room),
        TEST(closed_flows_end_while_others_go_on),
        cmocka_unit_test(flows_without_octets_and_ignored_ones_make_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

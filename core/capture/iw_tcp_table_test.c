#include "iw_tcp_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_frame.h"
#include "iw_tcp_recorder_test.h"

enum { F = IW_TCP_FIN, S = IW_TCP_SYN, R = IW_TCP_RST, K = IW_TCP_ACK };

struct fixture {
    struct iw_tcp_recorder recorder;
    struct iw_tcp_table *table;
    uint64_t frame;
    uint64_t ignored_id;    /* this flow is ignored when it is new */
    const char *ignored_at; /* a flow is ignored when it brings this chunk of data */
};

/* new<id>, end<id>, and chunks with the id before them. */
static void print_id(struct fixture *f, const char *what, const struct iw_tcp_flow *flow) {
    char text[64];
    snprintf(text, sizeof text, "%s%" PRIu64 " ", what, flow->id);
    iw_tcp_recorder_print(&f->recorder, text);
}

static void flow_new(void *user, struct iw_tcp_flow *flow) {
    struct fixture *f = user;
    assert_null(flow->user);
    flow->user = malloc(1);
    print_id(f, "new", flow);
    if (flow->id == f->ignored_id)
        iw_tcp_flow_ignore(flow);
}

static void chunk(void *user, struct iw_tcp_flow *flow, const struct iw_chunk *chunk_) {
    struct fixture *f = user;
    char text[16];
    snprintf(text, sizeof text, "%" PRIu64, flow->id);
    iw_tcp_recorder_print(&f->recorder, text);
    iw_tcp_recorder_chunk(&f->recorder, chunk_);
    if (f->ignored_at && chunk_->kind == IW_CHUNK_DATA &&
        memcmp(chunk_->octets, f->ignored_at, chunk_->length) == 0)
        iw_tcp_flow_ignore(flow);
}

static void flow_end(void *user, struct iw_tcp_flow *flow) {
    print_id(user, "end", flow);
    free(flow->user);
}

static const struct iw_tcp_handlers handlers = {flow_new, chunk, flow_end};

static int set_up_with(void **state, const struct iw_tcp_config *config) {
    struct fixture *f = calloc(1, sizeof *f);
    f->ignored_id = UINT64_MAX;
    f->table = iw_tcp_table_new(config, &handlers, f);
    *state = f;
    return f->table == NULL;
}

static int set_up(void **state) {
    return set_up_with(state, NULL);
}

static int set_up_small(void **state) {
    return set_up_with(state, &(struct iw_tcp_config){.flows = 2, .stream_segments = 1});
}

static int set_up_tight(void **state) {
    return set_up_with(state, &(struct iw_tcp_config){.total_octets = 1000});
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    iw_tcp_table_free(f->table);
    free(f);
    return 0;
}

static enum iw_status send_segment(struct fixture *f, struct iw_tcp_segment segment) {
    segment.frame = ++f->frame;
    return iw_tcp_table_segment(f->table, &segment);
}

static void forth(struct fixture *f, uint32_t seq, unsigned flags, uint32_t ack, const char *text) {
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(0, seq, flags, text);
    segment.ack = ack;
    assert_int_equal(send_segment(f, segment), IW_OK);
}

static void back(struct fixture *f, uint32_t seq, unsigned flags, uint32_t ack, const char *text) {
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(0, seq, flags, text);
    struct iw_tcp_address source = segment.source;
    segment.source = segment.destination;
    segment.destination = source;
    segment.ack = ack;
    assert_int_equal(send_segment(f, segment), IW_OK);
}

/* The handshake, with octets in its last segment: frames 1 to 3 of a new connection. */
static void open_and_send(struct fixture *f, const char *text) {
    forth(f, 99, S, 0, "");
    back(f, 499, S | K, 100, "");
    forth(f, 100, K, 500, text);
}

static void expect_(struct fixture *f, const char *log, const char *file, int line) {
    _assert_string_equal(f->recorder.log, log, file, line);
    f->recorder.log[0] = '\0';
    f->recorder.length = 0;
}
#define expect(f, log) expect_(f, log, __FILE__, __LINE__)

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

/* ---- checksums ---- */

/* Sends `text` from sequence number `seq` in a whole segment. The checksum is that of `summed`, which has as
 * many octets. */
static void forth_summed(
    struct fixture *f, uint32_t seq, unsigned flags, const char *text, const char *summed) {
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(0, seq, flags, summed);
    const struct iw_frame_path path = {
        .source = segment.source, .destination = segment.destination, .protocol = IW_IP_TCP};
    uint8_t tcp[100];

    segment.ack = 500;
    size_t header = iw_frame_tcp(&segment, tcp);
    memcpy(tcp + header, summed, segment.length);
    uint16_t checksum = iw_frame_tcp_checksum(&path, tcp, header + segment.length, header + segment.length);
    tcp[16] = (uint8_t)(checksum >> 8);
    tcp[17] = (uint8_t)checksum;
    memcpy(tcp + header, text, segment.length);
    segment.payload = tcp + header;
    segment.tcp = tcp;
    assert_int_equal(send_segment(f, segment), IW_OK);
}

/* RFC 9293 3.1: nothing of it counts, neither octets nor FIN. */
static void a_damaged_segment_is_discarded(void **state) {
    struct fixture *f = *state;
    forth_summed(f, 99, S, "", "");
    forth_summed(f, 100, K, "first", "first");
    forth_summed(f, 105, F | K, "Xther", "other");
    forth_summed(f, 110, K, "third", "third");
    forth_summed(f, 105, K, "other", "other");
    expect(f, "new0 0A0^@1 0A0=first@2 0A5=other@5 0A10=third@4 ");
    iw_tcp_table_finish(f->table);
    expect(f, "end0 ");
}

static void a_damaged_syn_opens_nothing(void **state) {
    struct fixture *f = *state;
    forth_summed(f, 99, S, "", "");
    forth_summed(f, 100, K, "first", "first");
    forth_summed(f, 9999, S, "fals", "true");
    forth_summed(f, 10000, K, "Xther", "other");
    forth_summed(f, 105, K, "other", "other");
    expect(f, "new0 0A0^@1 0A0=first@2 0A5=other@5 ");
}

static void a_damaged_first_segment_is_discarded(void **state) {
    struct fixture *f = *state;
    forth_summed(f, 99, S, "", "");
    forth_summed(f, 100, K, "Xirst", "first");
    forth_summed(f, 100, K, "first", "first");
    expect(f, "new0 0A0^@1 0A0=first@3 ");
}

/* A SYN without a FIN before it waits for its answer; the connection that it opens knows the checksums of the
 * connection before. */
static void the_next_connection_inherits_checksums(void **state) {
    struct fixture *f = *state;
    forth_summed(f, 99, S, "", "");
    forth_summed(f, 100, K, "first", "first");
    forth_summed(f, 0x60000000, S, "", "");
    back(f, 499, S | K, 0x60000001, "");
    forth_summed(f, 0x60000001, K, "Xecon", "secon");
    forth_summed(f, 0x60000001, K, "secon", "secon");
    expect(f, "new0 0A0^@1 0A0=first@2 end0 new1 1A0^@3 1B0^@4 1A0=secon@6 ");
}

/* The sequence number is what was damaged: nothing is known of its octets but that there are as many. */
static void a_damaged_number_hides_no_later_octets(void **state) {
    struct fixture *f = *state;
    struct iw_tcp_segment far = iw_tcp_recorder_segment(0, 0x40000069, K, "other");
    uint8_t tcp[100] = {0};

    forth_summed(f, 99, S, "", "");
    forth_summed(f, 100, K, "first", "first");
    size_t header = iw_frame_tcp(&far, tcp);
    memcpy(tcp + header, "other", 5);
    tcp[16] = 1;
    far.payload = tcp + header;
    far.tcp = tcp;
    assert_int_equal(send_segment(f, far), IW_OK);
    forth_summed(f, 105, K, "other", "other");
    forth_summed(f, 110, K, "Xhird", "third");
    expect(f, "new0 0A0^@1 0A0=first@2 0A5=other@4 ");
    iw_tcp_table_finish(f->table);
    expect(f, "0A10x5@4 end0 ");
}

static void damaged_octets_that_never_come_are_outside(void **state) {
    struct fixture *f = *state;
    forth_summed(f, 99, S, "", "");
    forth_summed(f, 100, K, "first", "first");
    forth_summed(f, 105, K, "Xther", "other");
    expect(f, "new0 0A0^@1 0A0=first@2 ");
    iw_tcp_table_finish(f->table);
    expect(f, "0A5x5@2 end0 ");
}

static void flows_apart(void **state) {
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

/* Flows with the same octets and ports on other sides must not be confused, whatever cache there is. */
static void flows_of_the_same_numbers(void **state) {
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

static void addresses_used_again(void **state) {
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
static void a_syn_that_nobody_answers_opens_nothing(void **state) {
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

static void a_syn_that_is_answered_opens_another_connection(void **state) {
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

static void only_the_answer_was_seen(void **state) {
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
static void ignored_flow_makes_room_for_others(void **state) {
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

static void bounds_come_from_the_configuration(void **state) {
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
    /* a flow in place of another is not one more */
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(one_connection),
        TEST(a_damaged_segment_is_discarded),
        TEST(a_damaged_syn_opens_nothing),
        TEST(a_damaged_first_segment_is_discarded),
        TEST(the_next_connection_inherits_checksums),
        TEST(a_damaged_number_hides_no_later_octets),
        TEST(damaged_octets_that_never_come_are_outside),
        TEST(flows_apart),
        TEST(flows_of_the_same_numbers),
        TEST(addresses_used_again),
        TEST(a_syn_that_nobody_answers_opens_nothing),
        TEST(a_syn_that_is_answered_opens_another_connection),
        TEST(only_the_answer_was_seen),
        TEST(ignored_from_the_beginning),
        TEST(ignored_while_more_is_held_back),
        cmocka_unit_test_setup_teardown(ignored_flow_makes_room_for_others, set_up_tight, tear_down),
        TEST(free_without_finish_ends_flows_silently),
        cmocka_unit_test_setup_teardown(bounds_come_from_the_configuration, set_up_small, tear_down),
        TEST(impossible_segments_are_refused),
        cmocka_unit_test(impossible_configurations_are_refused),
        cmocka_unit_test(many_flows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

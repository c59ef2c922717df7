#include "iw_sctp_table_test.h"

static void gives_both_sides_to_one_association(void **state) {
    (void)state;
    open_one();
    data(1, 2, 22, 100, 'a');
    data(2, 1, 11, 200, 'b');
    data(1, 3, 22, 7, 'c');
    assert_string_equal(log_of, "0A100=a 0B200=b 1A7=c ");
    iw_sctp_table_finish(table);
    assert_string_equal(log_of, "0A100=a 0B200=b 1A7=c 0$ 1$ ");
}

/* RFC 9260 8.5: the tag decides whether a packet belongs to the association. */
static void ignores_packets_with_another_tag(void **state) {
    (void)state;
    open_one();
    data(1, 2, 33, 100, 'x');
    data(1, 2, 22, 100, 'a');
    send_empty(1, 2, 33, 6, 0);
    send_empty(1, 2, 0, 6, 0);
    packet(1, 2, 33, NULL, 0);
    assert_string_equal(log_of, "?3 0A100=a ?5 ?6 ");
}

static void learns_an_unknown_tag(void **state) {
    (void)state;
    data(1, 2, 22, 100, 'a');
    data(1, 2, 23, 101, 'x');
    data(1, 2, 22, 101, 'b');
    assert_string_equal(log_of, "0A100=a ?2 0A101=b ");
}

/* With the T bit the tag is the sender's own (RFC 9260 8.5.1). */
static void accepts_an_abort_with_either_tag(void **state) {
    (void)state;
    open_one();
    send_empty(1, 2, 22, 6, 1);
    assert_string_equal(log_of, "?3 ");
    send_empty(1, 2, 11, 6, 1);
    assert_string_equal(log_of, "?3 0A:abort@4 ");
    send_empty(2, 1, 11, 14, 0);
    assert_string_equal(log_of, "?3 0A:abort@4 0B:shutdown@5 ");
}

/* A capture from the middle of an association: a SACK acknowledges a chunk that is missing; a SHUTDOWN may
 * acknowledge none, as its field is mandatory (RFC 9260 3.3.8). */
static void a_shutdown_may_acknowledge_no_chunk(void **state) {
    static const uint8_t shutdown[] = {7, 0, 0, 8, 0, 0, 0, 99},
                         sack[] = {3, 0, 0, 16, 0, 0, 0, 99, 0, 1, 0, 0, 0, 0, 0, 0};

    (void)state;
    data(2, 1, 11, 200, 'b');
    packet(2, 1, 11, sack, sizeof sack);
    iw_sctp_table_finish(table);
    assert_int_equal(lost_of_b, 1);
    data(4, 3, 11, 200, 'b');
    packet(4, 3, 11, shutdown, sizeof shutdown);
    iw_sctp_table_finish(table);
    assert_int_equal(lost_of_b, 0);
}

/* One chunk of side A waits for the chunk before it when side A aborts. */
static void abort_with_a_chunk_missing(void) {
    open_one();
    data(1, 2, 22, 101, 'b');
    send_empty(1, 2, 22, 6, 0);
}

/* A packet that was sent before the end of the association may be captured after it. */
static void closes_after_held_chunks(void **state) {
    (void)state;
    abort_with_a_chunk_missing();
    send_empty(2, 1, 11, 14, 0);
    assert_string_equal(log_of, "");
    data(1, 2, 22, 100, 'a');
    assert_string_equal(log_of, "0A100=a 0A101=b 0A:abort@4 ");
}

static void closes_without_missing_chunks(void **state) {
    (void)state;
    abort_with_a_chunk_missing();
    assert_string_equal(log_of, "");
    iw_sctp_table_finish(table);
    assert_string_equal(log_of, "0A101=b 0A:abort@4 0$ ");
}

/* An INIT begins a new association between the addresses. The earlier one then gets no further chunks. */
static void closes_before_the_next_association(void **state) {
    (void)state;
    abort_with_a_chunk_missing();
    init(1, 2, 0, 33, 100);
    assert_string_equal(log_of, "0A101=b 0A:abort@4 0$ ");
}

static void init_with_another_tag_begins_another_association(void **state) {
    (void)state;
    open_one();
    init(1, 2, 0, 11, 100); /* retransmitted */
    data(1, 2, 22, 100, 'a');
    data(1, 2, 22, 102, 'c');
    init(2, 1, 0, 33, 50);
    init(1, 2, 33, 44, 60);
    data(2, 1, 44, 50, 'd');
    assert_string_equal(log_of, "0A100=a 0A102=c 0$ 1A50=d ");
}

static void reads_chunks_up_to_a_malformed_one(void **state) {
    static const uint8_t chunks[] = {
        0, 7, 0, 17, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 16, 'a', 0, 0, 0, /* DATA */
        99, 0, 0, 5, 1, 0, 0, 0,                                        /* unknown */
        0, 7, 0, 8, 0, 0, 0, 2,                                         /* DATA without its header */
        0, 7, 0, 17, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 16, 'b', 0, 0, 0, /* DATA */
        0, 7, 0, 3, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 16, 'c', 0, 0, 0,  /* malformed */
    };

    (void)state;
    packet(1, 2, 22, chunks, sizeof chunks);
    assert_string_equal(log_of, "0A1=a 0A2=b ");
}

static void counts_acknowledgements_for_the_other_side(void **state) {
    static const uint8_t sack[] = {3, 0, 0, 16, 0, 0, 0, 101, 0, 1, 0, 0, 0, 0, 0, 0};

    (void)state;
    open_one();
    data(1, 2, 22, 101, 'b');
    packet(2, 1, 11, sack, sizeof sack);
    for (unsigned i = 0; i < 200; i++) /* more packets than may be between an acknowledgement and its chunk */
        packet(2, 1, 11, sack, sizeof sack);
    assert_string_equal(log_of, "0A101=b ");
}

static void refuses_associations_above_the_limit(void **state) {
    static const struct iw_sctp_config bounds = {.associations = 2};

    (void)state;
    iw_sctp_table_free(table);
    table = iw_sctp_table_new(&bounds, &handlers, &frame);
    assert_int_equal(data(1, 2, 9, 1, 'a'), IW_OK);
    assert_int_equal(data(1, 3, 9, 1, 'b'), IW_OK);
    assert_int_equal(data(1, 4, 9, 1, 'c'), IW_ERR_LIMIT);
    assert_int_equal(data(1, 3, 9, 2, 'd'), IW_OK);
    assert_string_equal(log_of, "0A1=a 1A1=b 2$ 1A2=d ");
}

/* At the limit, the oldest unanswered association ends; answered ones stay. */
static void drops_the_oldest_unanswered_association(void **state) {
    static const struct iw_sctp_config bounds = {.waiting = 2};

    (void)state;
    iw_sctp_table_free(table);
    table = iw_sctp_table_new(&bounds, &handlers, &frame);
    open_one();
    assert_int_equal(init(1, 3, 0, 11, 100), IW_OK);
    assert_int_equal(init(1, 4, 0, 12, 100), IW_OK);
    assert_int_equal(init(1, 5, 0, 13, 100), IW_ERR_LIMIT);
    assert_string_equal(log_of, "1$ ");
    assert_int_equal(data(1, 2, 22, 100, 'a'), IW_OK);
    assert_int_equal(data(5, 1, 13, 9, 'b'), IW_OK);
    assert_string_equal(log_of, "1$ 0A100=a 3B9=b ");
}

/* A late packet of a closed association does not open a new one, while the closed one is kept. */
static void keeps_the_latest_closed_associations(void **state) {
    static const struct iw_sctp_config bounds = {.closed = 1};

    (void)state;
    iw_sctp_table_free(table);
    table = iw_sctp_table_new(&bounds, &handlers, &frame);
    for (uint16_t port = 2; port < 4; port++) {
        init(1, port, 0, 11, 100);
        init(port, 1, 11, 22, 200);
        send_empty(1, port, 22, 6, 0);
        data(1, port, 22, 99, 'x');
    }
    assert_string_equal(log_of, "0A:abort@3 1A:abort@7 0$ ");
}

static void finds_each_of_many(void **state) {
    (void)state;
    for (uint16_t port = 2; port < 1002; port++)
        assert_int_equal(data(1, port, 9, 1, 'a'), IW_OK);
    log_of[0] = '\0';
    data(1, 2, 9, 2, 'x');
    data(501, 1, 8, 1, 'y');
    data(1, 1001, 9, 2, 'z');
    assert_string_equal(log_of, "0A2=x 499B1=y 999A2=z ");
    log_of[0] = '\0';
}

static void works_without_handlers(void **state) {
    static const struct iw_sctp_handlers none;

    (void)state;
    iw_sctp_table_free(table);
    table = iw_sctp_table_new(NULL, &none, NULL);
    open_one();
    data(1, 2, 22, 100, 'a');
    data(1, 2, 22, 105, 'b');
    send_empty(1, 2, 22, 6, 0);
    iw_sctp_table_finish(table);
    iw_sctp_table_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(gives_both_sides_to_one_association),
        TEST(ignores_packets_with_another_tag),
        TEST(learns_an_unknown_tag),
        TEST(accepts_an_abort_with_either_tag),
        TEST(a_shutdown_may_acknowledge_no_chunk),
        TEST(closes_after_held_chunks),
        TEST(closes_without_missing_chunks),
        TEST(closes_before_the_next_association),
        TEST(init_with_another_tag_begins_another_association),
        TEST(reads_chunks_up_to_a_malformed_one),
        TEST(counts_acknowledgements_for_the_other_side),
        TEST(refuses_associations_above_the_limit),
        TEST(drops_the_oldest_unanswered_association),
        TEST(keeps_the_latest_closed_associations),
        TEST(finds_each_of_many),
        TEST(works_without_handlers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

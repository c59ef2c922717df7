#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "iw_sctp_table.h"

static struct iw_sctp_table *table;
static char log_of[4096];
static uint64_t frame;
static uint64_t lost_of_b; /* chunks of side B that the latest association to end lacks */

static void record(const char *what) {
    snprintf(log_of + strlen(log_of), sizeof log_of - strlen(log_of), "%s ", what);
}

static void take_message(
    void *user, struct iw_sctp_association *association, const struct iw_sctp_message *message) {
    char text[96];

    assert_ptr_equal(user, &frame);
    snprintf(text, sizeof text, "%" PRIu64 "%c%" PRIu32 "=%.*s", association->id,
        message->side == IW_SIDE_A ? 'A' : 'B', message->tsn, (int)message->captured,
        (const char *)message->octets);
    record(text);
}

static void take_close(
    void *user, struct iw_sctp_association *association, enum iw_side side, enum iw_sctp_end how) {
    char text[96];

    (void)user;
    snprintf(text, sizeof text, "%" PRIu64 "%c:%s@%" PRIu64, association->id, side == IW_SIDE_A ? 'A' : 'B',
        how == IW_SCTP_END_ABORT ? "abort" : "shutdown", association->frame);
    record(text);
}

static void take_end(void *user, struct iw_sctp_association *association) {
    char text[96];

    (void)user;
    lost_of_b = association->state.lost[IW_SIDE_B];
    snprintf(text, sizeof text, "%" PRIu64 "$", association->id);
    record(text);
}

static void take_stray(void *user, const struct iw_tcp_segment *packet) {
    char text[96];

    (void)user;
    snprintf(text, sizeof text, "?%" PRIu64, packet->frame);
    record(text);
}

static const struct iw_sctp_handlers handlers = {take_message, take_close, take_stray, take_end};

static int set_up(void **state) {
    (void)state;
    table = iw_sctp_table_new(NULL, &handlers, &frame);
    log_of[0] = '\0';
    frame = 0;
    return table == NULL;
}

static int tear_down(void **state) {
    (void)state;
    iw_sctp_table_free(table);
    return 0;
}

/* A packet between two addresses; the lower of the ports `from` and `to` belongs to the first address. */
static enum iw_status packet(
    uint16_t from, uint16_t to, uint32_t tag, const uint8_t *chunks, uint32_t octets) {
    struct iw_tcp_segment segment = {
        .source = {.octets = {10, 0, 0, from < to ? 1 : 2}, .port = from, .version = 4},
        .destination = {.octets = {10, 0, 0, from < to ? 2 : 1}, .port = to, .version = 4},
        .seq = tag,
        .length = octets,
        .captured = octets,
        .payload = chunks,
    };

    segment.frame = ++frame;
    return iw_sctp_table_packet(table, &segment);
}

static enum iw_status init(uint16_t from, uint16_t to, uint32_t tag, uint8_t own_tag, uint8_t tsn) {
    const uint8_t chunk[] = {
        tag == 0 ? 1 : 2, 0, 0, 20, 0, 0, 0, own_tag, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, tsn};

    return packet(from, to, tag, chunk, sizeof chunk);
}

static enum iw_status data(uint16_t from, uint16_t to, uint32_t tag, uint8_t tsn, char what) {
    const uint8_t chunk[] = {0, 7, 0, 17, 0, 0, 0, tsn, 0, 0, 0, 0, 0, 0, 0, 16, (uint8_t)what, 0, 0, 0};

    return packet(from, to, tag, chunk, sizeof chunk);
}

static enum iw_status send_empty(uint16_t from, uint16_t to, uint32_t tag, uint8_t type, uint8_t flags) {
    const uint8_t chunk[] = {type, flags, 0, 4};

    return packet(from, to, tag, chunk, sizeof chunk);
}

static void open_one(void) {
    init(1, 2, 0, 11, 100);
    init(2, 1, 11, 22, 200);
}

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

static enum iw_status packet_in_network(
    uint32_t scope, uint16_t from, uint16_t to, uint32_t tag, const uint8_t *chunks, uint32_t octets) {
    frame++;
    struct iw_tcp_segment segment = {
        .source = {.octets = {10, 0, 0, from < to ? 1 : 2}, .port = from, .version = 4},
        .destination = {.octets = {10, 0, 0, from < to ? 2 : 1}, .port = to, .version = 4},
        .seq = tag,
        .scope = scope,
        .length = octets,
        .captured = octets,
        .payload = chunks,
        .frame = frame};

    return iw_sctp_table_packet(table, &segment);
}

static void in_network(
    uint32_t scope, uint16_t from, uint16_t to, uint32_t tag, const uint8_t *chunks, uint32_t octets) {
    assert_int_equal(packet_in_network(scope, from, to, tag, chunks, octets), IW_OK);
}

/* Two tenants. The second one has a different scope in the opposite direction, as with MPLS. */
static void equal_addresses_in_two_networks(void **state) {
    static const uint8_t first[] = {1, 0, 0, 20, 0, 0, 0, 11, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 100};
    static const uint8_t second[] = {1, 0, 0, 20, 0, 0, 0, 12, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 100};
    static const uint8_t answer[] = {2, 0, 0, 20, 0, 0, 0, 21, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 200};
    static const uint8_t other[] = {2, 0, 0, 20, 0, 0, 0, 22, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 200};
    static const uint8_t data[] = {0, 7, 0, 17, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 16, 'a', 0, 0, 0};

    (void)state;
    in_network(1, 1, 2, 0, first, sizeof first);
    in_network(2, 1, 2, 0, second, sizeof second);
    in_network(1, 2, 1, 11, answer, sizeof answer);
    in_network(3, 2, 1, 12, other, sizeof other);
    in_network(2, 1, 2, 22, data, sizeof data);
    in_network(1, 1, 2, 21, data, sizeof data);
    assert_string_equal(log_of, "1A100=a 0A100=a ");
    iw_sctp_table_finish(table);
}

static const uint8_t open_chunk[] = {1, 0, 0, 20, 0, 0, 0, 11, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 100};

/* Each scope costs a comparison per packet, so their number is limited. */
static void limits_networks_with_equal_addresses(void **state) {
    (void)state;
    for (uint32_t scope = 1; scope <= 64; scope++)
        in_network(scope, 1, 2, 0, open_chunk, sizeof open_chunk);
    assert_int_equal(packet_in_network(65, 1, 2, 0, open_chunk, sizeof open_chunk), IW_ERR_LIMIT);
    in_network(64, 1, 2, 0, open_chunk, sizeof open_chunk);
    in_network(65, 1, 3, 0, open_chunk, sizeof open_chunk);
    iw_sctp_table_finish(table);
    assert_non_null(strstr(log_of, " 63$ 64$ "));
}

/* The tag of 10.0.0.2 is unknown in both networks, so any tag fits. */
static void prefers_the_association_in_the_network_of_the_packet(void **state) {
    static const uint8_t data[] = {0, 7, 0, 17, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 16, 'a', 0, 0, 0};

    (void)state;
    in_network(1, 1, 2, 0, open_chunk, sizeof open_chunk);
    in_network(2, 1, 2, 0, open_chunk, sizeof open_chunk);
    in_network(1, 1, 2, 22, data, sizeof data);
    assert_string_equal(log_of, "0A100=a ");
    iw_sctp_table_finish(table);
}

/* RFC 9260 3.3.2.1, 6.4: 10.0.0.1 has 10.1.0.1 as well, and 10.0.0.2 an address of IPv6. */
static void recognises_further_addresses_of_both_sides(void **state) {
    static const uint8_t init_chunk[] = {
        1, 0, 0, 28, 0, 0, 0, 11, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 100, /* INIT */
        0, 5, 0, 8, 10, 1, 0, 1,                                        /* IPv4 Address */
    };
    static const uint8_t ack_chunk[] = {2, 0, 0, 40, 0, 0, 0, 22, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 200, 0, 6,
        0, 20, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};
    static const uint8_t data_chunk[] = {0, 7, 0, 17, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 16, 'a', 0, 0, 0};
    struct iw_tcp_segment segment = {.source = {.octets = {10, 1, 0, 1}, .port = 1, .version = 4},
        .destination = {.octets = {0xfd, [15] = 2}, .port = 2, .version = 6},
        .seq = 22,
        .length = sizeof data_chunk,
        .captured = sizeof data_chunk,
        .payload = data_chunk,
        .frame = 3};

    (void)state;
    packet(1, 2, 0, init_chunk, sizeof init_chunk);
    packet(2, 1, 11, ack_chunk, sizeof ack_chunk);
    iw_sctp_table_packet(table, &segment);
    assert_string_equal(log_of, "0A100=a ");
    segment.source.octets[1] = 7; /* an address that no INIT contains */
    iw_sctp_table_packet(table, &segment);
    assert_string_equal(log_of, "0A100=a 1A100=a ");
    segment.source.octets[1] = 1;
    segment.seq = 23;
    iw_sctp_table_packet(table, &segment);
    assert_string_equal(log_of, "0A100=a 1A100=a 2A100=a ");
    send_empty(1, 2, 22, 6, 0);
    iw_sctp_table_finish(table);
}

/* 10.0.0.1 has `count` further addresses and the tag 11. */
static enum iw_status init_of_many(uint16_t to, uint8_t count) {
    uint8_t chunk[20 + 17 * 8] = {1, 0, 0, (uint8_t)(20 + count * 8), 0, 0, 0, 11, 0, 1, 0, 0, 0, 1, 0, 1};

    for (uint8_t i = 0; i < count; i++)
        memcpy(chunk + 20 + i * 8, (const uint8_t[]){0, 5, 0, 8, 10, 1, 0, i}, 8);
    return packet(1, to, 0, chunk, 20 + count * 8u);
}

static uint64_t limited;

static void note_limits(void *user, struct iw_sctp_association *association) {
    (void)user;
    limited += association->state.limited;
}

static uint64_t limits_of_all(void) {
    limited = 0;
    iw_sctp_table_finish(table);
    return limited;
}

/* The search for each packet must stay short, whatever tags are used. */
static void limits_multi_homed_associations_per_tag(void **state) {
    static const struct iw_sctp_handlers notes = {.end = note_limits};

    (void)state;
    iw_sctp_table_free(table);
    table = iw_sctp_table_new(NULL, &notes, &frame);
    for (uint16_t port = 2; port < 10; port++)
        assert_int_equal(init_of_many(port, 1), IW_OK);
    assert_int_equal(limits_of_all(), 0);
    for (uint16_t port = 2; port < 12; port++)
        assert_int_equal(init_of_many(port, 1), IW_OK);
    assert_int_equal(limits_of_all(), 2);
}

/* After a second INIT, only the new tag of the side is found; the previous tag must not lead to a freed
 * association. */
static void changed_tag_removes_the_previous_one(void **state) {
    static const uint8_t data_chunk[] = {0, 7, 0, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 'a', 0, 0, 0};
    struct iw_tcp_segment segment = {.source = {.octets = {10, 1, 0, 0}, .port = 1, .version = 4},
        .destination = {.octets = {10, 0, 0, 2}, .port = 2, .version = 4},
        .seq = 33,
        .length = sizeof data_chunk,
        .captured = sizeof data_chunk,
        .payload = data_chunk,
        .frame = 4};

    (void)state;
    init_of_many(2, 1);
    init(2, 1, 11, 22, 200);
    init(2, 1, 11, 33, 200);
    iw_sctp_table_packet(table, &segment);
    assert_string_equal(log_of, "0A0=a ");
    iw_sctp_table_finish(table);
    log_of[0] = '\0';
    segment.seq = 22;
    iw_sctp_table_packet(table, &segment);
    assert_string_equal(log_of, "1A0=a ");
}

static void counts_addresses_above_the_limit(void **state) {
    static const struct iw_sctp_handlers notes = {.end = note_limits};

    (void)state;
    iw_sctp_table_free(table);
    table = iw_sctp_table_new(NULL, &notes, &frame);
    init_of_many(2, 16);
    assert_int_equal(limits_of_all(), 0);
    init_of_many(2, 17);
    assert_int_equal(limits_of_all(), 1);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

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
        TEST(recognises_further_addresses_of_both_sides),
        TEST(equal_addresses_in_two_networks),
        TEST(limits_networks_with_equal_addresses),
        TEST(prefers_the_association_in_the_network_of_the_packet),
        TEST(limits_multi_homed_associations_per_tag),
        TEST(changed_tag_removes_the_previous_one),
        TEST(counts_addresses_above_the_limit),
        TEST(finds_each_of_many),
        TEST(works_without_handlers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

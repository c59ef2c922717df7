#include "iw_sctp_table_test.h"

/* Associations with further addresses, and equal addresses in several networks. */

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

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(recognises_further_addresses_of_both_sides),
        TEST(equal_addresses_in_two_networks),
        TEST(limits_networks_with_equal_addresses),
        TEST(prefers_the_association_in_the_network_of_the_packet),
        TEST(limits_multi_homed_associations_per_tag),
        TEST(changed_tag_removes_the_previous_one),
        TEST(counts_addresses_above_the_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

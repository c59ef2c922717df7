#include "iw_tcp_encapsulation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_tcp_table.h"

/* Scopes: VLANs, tunnels. */
enum { NONE = 0, RED = 0x11, BLUE = 0x22, GREEN = 0x33 };

enum { TEXT = 64 };

/* The octets that each flow handed over, by id and side. */
struct seen {
    struct iw_tcp_table *table;
    char text[4][2][TEXT];
    unsigned flows;
    uint64_t gaps;
};

static void take_flow(void *user, struct iw_tcp_flow *flow) {
    struct seen *seen = user;

    (void)flow;
    seen->flows++;
}

static void take_chunk(void *user, struct iw_tcp_flow *flow, const struct iw_chunk *chunk) {
    struct seen *seen = user;

    assert_in_range(flow->id, 0, 3);
    if (chunk->kind == IW_CHUNK_GAP)
        seen->gaps++;
    if (chunk->kind == IW_CHUNK_DATA)
        strncat(seen->text[flow->id][chunk->side], (const char *)chunk->octets, chunk->length);
}

static void bench_init(struct seen *seen) {
    static const struct iw_tcp_handlers handlers = {.flow_new = take_flow, .chunk = take_chunk};

    memset(seen, 0, sizeof *seen);
    seen->table = iw_tcp_table_new(NULL, &handlers, seen);
}

/* A segment from 10.0.0.1 (`from` 0) or from 10.0.0.2. */
static void segment(struct seen *seen, unsigned from, uint32_t scope, uint8_t flags, uint32_t seq,
    uint32_t ack, const char *text) {
    struct iw_tcp_segment segment = {
        .source = {.octets = {10, 0, 0, (uint8_t)(1 + from)}, .port = (uint16_t)(1000 + from), .version = 4},
        .destination = {.octets = {10, 0, 0, (uint8_t)(2 - from)},
            .port = (uint16_t)(1001 - from),
            .version = 4},
        .seq = seq,
        .ack = ack,
        .flags = flags,
        .scope = scope,
        .length = (uint32_t)strlen(text),
        .captured = (uint32_t)strlen(text),
        .payload = (const uint8_t *)text,
        .frame = 1};

    assert_int_equal(iw_tcp_table_segment(seen->table, &segment), IW_OK);
}

enum { SYN = IW_TCP_SYN, SYN_ACK = IW_TCP_SYN | IW_TCP_ACK, ACK = IW_TCP_ACK };

static void handshake(struct seen *seen, uint32_t there, uint32_t back, uint32_t isn) {
    segment(seen, 0, there, SYN, isn, 0, "");
    segment(seen, 1, back, SYN_ACK, isn + 5000, isn + 1, "");
}

static void two_tenants_side_by_side(void **state) {
    (void)state;
    struct seen seen;
    bench_init(&seen);
    /* Both connections have the same numbers: only the scope tells them apart. */
    handshake(&seen, RED, RED, 100);
    handshake(&seen, BLUE, BLUE, 100);
    segment(&seen, 0, RED, ACK, 101, 5101, "red");
    segment(&seen, 0, BLUE, ACK, 101, 5101, "blue");
    segment(&seen, 1, BLUE, ACK, 5101, 105, "BLUE");
    segment(&seen, 1, RED, ACK, 5101, 104, "RED");
    assert_int_equal(seen.flows, 2);
    assert_string_equal(seen.text[0][0], "red");
    assert_string_equal(seen.text[0][1], "RED");
    assert_string_equal(seen.text[1][0], "blue");
    assert_string_equal(seen.text[1][1], "BLUE");
    iw_tcp_table_free(seen.table);
}

/* MPLS labels differ between the directions: the acknowledgement numbers show which connection they belong
 * to. */
static void two_tenants_whose_directions_differ(void **state) {
    (void)state;
    struct seen seen;
    bench_init(&seen);
    segment(&seen, 0, RED, SYN, 100, 0, "");
    segment(&seen, 0, BLUE, SYN, 0x70000000, 0, "");
    segment(&seen, 1, GREEN, SYN_ACK, 5000, 0x70000001, "");
    segment(&seen, 1, RED + 1, SYN_ACK, 9000, 101, "");
    segment(&seen, 0, RED, ACK, 101, 9001, "red");
    segment(&seen, 0, BLUE, ACK, 0x70000001, 5001, "blue");
    segment(&seen, 1, GREEN, ACK, 5001, 0x70000005, "BLUE");
    segment(&seen, 1, RED + 1, ACK, 9001, 104, "RED");
    assert_int_equal(seen.flows, 2);
    assert_string_equal(seen.text[0][0], "red");
    assert_string_equal(seen.text[0][1], "RED");
    assert_string_equal(seen.text[1][0], "blue");
    assert_string_equal(seen.text[1][1], "BLUE");
    iw_tcp_table_free(seen.table);
}

/* The same without a handshake. */
static void one_connection_whose_directions_differ(void **state) {
    (void)state;
    struct seen seen;
    bench_init(&seen);
    segment(&seen, 0, RED, ACK, 101, 5101, "there");
    segment(&seen, 1, BLUE, ACK, 5101, 106, "back");
    segment(&seen, 0, RED, ACK, 106, 5105, " again");
    segment(&seen, 1, NONE, ACK, 5105, 112, " untagged");
    assert_int_equal(seen.flows, 1);
    assert_string_equal(seen.text[0][0], "there again");
    assert_string_equal(seen.text[0][1], "back untagged");
    iw_tcp_table_free(seen.table);
}

/* Each segment is captured twice, once with a VLAN tag and once without; the capture lacks one copy of
 * some. */
static void a_mirror_shows_both(void **state) {
    (void)state;
    struct seen seen;
    bench_init(&seen);
    handshake(&seen, RED, NONE, 100);
    segment(&seen, 0, NONE, SYN, 100, 0, "");
    segment(&seen, 1, RED, SYN_ACK, 5100, 101, "");
    segment(&seen, 0, RED, ACK, 101, 5101, "one");
    segment(&seen, 0, NONE, ACK, 101, 5101, "one");
    segment(&seen, 0, NONE, ACK, 104, 5101, "two");
    segment(&seen, 0, RED, ACK, 107, 5101, "three");
    segment(&seen, 1, NONE, ACK, 5101, 112, "four");
    segment(&seen, 1, RED, ACK, 5101, 112, "four");
    assert_int_equal(seen.flows, 1);
    assert_string_equal(seen.text[0][0], "onetwothree");
    assert_string_equal(seen.text[0][1], "four");
    assert_int_equal(seen.gaps, 0);
    iw_tcp_table_free(seen.table);
}

/* One connection in a VLAN, one without: with different numbers, these are two connections. */
static void tagged_and_untagged(void **state) {
    (void)state;
    struct seen seen;
    bench_init(&seen);
    handshake(&seen, NONE, NONE, 100);
    handshake(&seen, RED, RED, 0x70000000);
    segment(&seen, 0, NONE, ACK, 101, 5101, "plain");
    segment(&seen, 0, RED, ACK, 0x70000001, 0x70001389, "tagged");
    segment(&seen, 1, RED, ACK, 0x70001389, 0x70000007, "TAGGED");
    segment(&seen, 1, NONE, ACK, 5101, 106, "PLAIN");
    assert_int_equal(seen.flows, 2);
    assert_string_equal(seen.text[0][0], "plain");
    assert_string_equal(seen.text[0][1], "PLAIN");
    assert_string_equal(seen.text[1][0], "tagged");
    assert_string_equal(seen.text[1][1], "TAGGED");
    iw_tcp_table_free(seen.table);
}

/* Without a handshake, the numbers decide. */
static void two_tenants_without_a_handshake(void **state) {
    (void)state;
    struct seen seen;
    bench_init(&seen);
    segment(&seen, 0, RED, ACK, 101, 5101, "red");
    segment(&seen, 0, BLUE, ACK, 0x70000001, 0x10000001, "blue");
    segment(&seen, 1, BLUE, ACK, 0x10000001, 0x70000005, "BLUE");
    segment(&seen, 1, RED, ACK, 5101, 104, "RED");
    assert_int_equal(seen.flows, 2);
    assert_string_equal(seen.text[0][1], "RED");
    assert_string_equal(seen.text[1][1], "BLUE");
    iw_tcp_table_free(seen.table);
}

static void another_route(void **state) {
    (void)state;
    struct seen seen;
    bench_init(&seen);
    handshake(&seen, RED, RED, 100);
    segment(&seen, 0, RED, ACK, 101, 5101, "one");
    segment(&seen, 0, BLUE, ACK, 104, 5101, "two");
    segment(&seen, 1, GREEN, ACK, 5101, 107, "three");
    segment(&seen, 0, BLUE, ACK, 107, 5106, "four");
    assert_int_equal(seen.flows, 1);
    assert_string_equal(seen.text[0][0], "onetwofour");
    assert_string_equal(seen.text[0][1], "three");
    assert_int_equal(seen.gaps, 0);
    iw_tcp_table_free(seen.table);
}

/* A new connection between the same ports ends only the connection with the same scope. */
static void reused_port(void **state) {
    (void)state;
    struct seen seen;
    bench_init(&seen);
    handshake(&seen, RED, RED, 100);
    handshake(&seen, BLUE, BLUE, 100);
    handshake(&seen, RED, RED, 0x70000000);
    segment(&seen, 0, RED, ACK, 0x70000001, 0x70001389, "second");
    segment(&seen, 0, BLUE, ACK, 101, 5101, "blue");
    assert_int_equal(seen.flows, 3);
    assert_string_equal(seen.text[1][0], "blue");
    assert_string_equal(seen.text[2][0], "second");
    iw_tcp_table_free(seen.table);
}

/* Each scope costs a comparison per segment, so their number is limited. */
static void limit_of_scopes(void **state) {
    (void)state;
    struct iw_tcp_handlers none = {0};
    struct iw_tcp_table *table = iw_tcp_table_new(NULL, &none, NULL);
    struct iw_tcp_segment segment = {.source = {.port = 1}, .destination = {.port = 2}, .flags = IW_TCP_SYN};
    for (unsigned i = 1; i <= 64; i++) {
        segment.scope = i;
        assert_int_equal(iw_tcp_table_segment(table, &segment), IW_OK);
    }
    segment.scope = 65;
    assert_int_equal(iw_tcp_table_segment(table, &segment), IW_ERR_LIMIT);
    segment.scope = 64;
    assert_int_equal(iw_tcp_table_segment(table, &segment), IW_OK);
    iw_tcp_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_tenants_side_by_side),
        cmocka_unit_test(two_tenants_whose_directions_differ),
        cmocka_unit_test(one_connection_whose_directions_differ),
        cmocka_unit_test(a_mirror_shows_both),
        cmocka_unit_test(tagged_and_untagged),
        cmocka_unit_test(two_tenants_without_a_handshake),
        cmocka_unit_test(another_route),
        cmocka_unit_test(reused_port),
        cmocka_unit_test(limit_of_scopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

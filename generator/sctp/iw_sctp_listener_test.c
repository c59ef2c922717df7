#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "iw_bits.h"
#include "iw_crc32c.h"
#include "iw_sctp_packet.h"
#include "iw_sctp_wait_test.h"
#include "iw_sctp_link_state.h"

/* A listener, and a peer whose packets this test makes (RFC 9260 3). */

enum {
    PEER_PORT = 5000,
    PEER_TSN = 100,
    INIT_ACK_FIXED_OCTETS = 16, /* after the chunk header */
    COOKIE = 7,                 /* State Cookie, a parameter */
    COOKIE_ECHO = 10,           /* chunks */
    COOKIE_ACK = 11,
};

struct bench {
    struct sctp_wait wait;
    struct iw_sctp_stack *stack;
    struct iw_sctp_listener *listener;
    struct iw_sctp_wire *wire;

    struct iw_sctp_link *link;
    unsigned links;
    unsigned received;
    size_t longest;
    uint8_t last; /* the first octet of the last message */
    bool ended;
    enum iw_sctp_link_end end;
    char text[IW_SCTP_LINK_TEXT_OCTETS];

    uint32_t tag; /* the peer's Verification Tag */
    uint32_t gate_tag;
    uint32_t tsn;
    uint32_t acknowledged; /* the highest TSN acknowledged */
    bool established;
    bool aborted;
};

static void look(struct bench *bench) {
    sctp_wait_look(&bench->wait, bench);
}

static void run_until(struct bench *bench, bool (*done)(const struct bench *bench)) {
    sctp_wait_until(&bench->wait, bench, done);
}

/* ---- the end of the listener ---- */

static void on_connected(void *user) {
    look(user);
}

static void on_received(void *user, const struct iw_sctp_message *message) {
    struct bench *bench = user;

    bench->received++;
    bench->last = message->octets[0];
    if (message->length > bench->longest)
        bench->longest = message->length;
    look(bench);
}

static void on_writable(void *user) {
    look(user);
}

static void on_ended(void *user, enum iw_sctp_link_end end, const char *text) {
    struct bench *bench = user;

    bench->ended = true;
    bench->end = end;
    strcpy(bench->text, text);
    look(bench);
}

static void on_accept(void *user, struct iw_sctp_link *link) {
    static const struct iw_sctp_link_handlers handlers = {
        .connected = on_connected, .received = on_received, .writable = on_writable, .ended = on_ended};
    struct bench *bench = user;

    bench->links++;
    bench->link = link;
    iw_sctp_link_handle(link, &handlers, bench);
}

/* ---- the peer ---- */

static void put_packet(struct bench *bench, uint32_t tag, const uint8_t *chunk, size_t length, bool whole) {
    uint8_t packet[2048] = {0};
    const struct iw_tcp_address *to = iw_sctp_wire_peer(bench->wire);

    iw_bits_put(packet, 0, 16, PEER_PORT);
    iw_bits_put(packet, 16, 16, iw_sctp_listener_where(bench->listener).port);
    iw_bits_put(packet, 32, 32, tag);
    memcpy(packet + 12, chunk, length);
    iw_bits_put(packet, 64, 32, iw_crc32c(packet, 12 + length) + (whole ? 0 : 1));
    iw_sctp_wire_send(bench->wire, to, packet, 12 + length);
}

static void put_init(struct bench *bench, uint32_t tag) {
    uint8_t chunk[20] = {IW_SCTP_INIT, 0, 0, 20};

    bench->tag = tag;
    bench->tsn = PEER_TSN;
    bench->established = false;
    iw_bits_put(chunk, 32, 32, tag);
    iw_bits_put(chunk, 64, 32, 1 << 20); /* window */
    iw_bits_put(chunk, 96, 16, 16);      /* streams: out and in */
    iw_bits_put(chunk, 112, 16, 16);
    iw_bits_put(chunk, 128, 32, PEER_TSN);
    put_packet(bench, 0, chunk, sizeof chunk, true);
}

/* A piece of user data, as the flags say (RFC 9260 3.3.1); a multiple of four octets. */
static void put_data(struct bench *bench, uint8_t flags, uint8_t first, size_t length, bool whole) {
    uint8_t chunk[16 + 1200] = {IW_SCTP_DATA, flags};

    iw_bits_put(chunk, 16, 16, 16 + length);
    iw_bits_put(chunk, 32, 32, bench->tsn);
    iw_bits_put(chunk, 96, 32, 16);
    chunk[16] = first;
    bench->tsn += whole;
    put_packet(bench, bench->gate_tag, chunk, 16 + length, whole);
}

static void echo_cookie(struct bench *bench, const struct iw_sctp_chunk *ack) {
    uint8_t chunk[1024] = {COOKIE_ECHO};
    uint32_t at = INIT_ACK_FIXED_OCTETS;

    bench->gate_tag = (uint32_t)iw_bits_get(ack->value, 0, 32);
    while (at + 4 <= ack->captured) {
        uint32_t length = (uint32_t)iw_bits_get(ack->value + at, 16, 16);

        assert_true(length >= 4 && at + length <= ack->captured && length <= sizeof chunk);
        if (iw_bits_get(ack->value + at, 0, 16) == COOKIE) {
            memcpy(chunk + 4, ack->value + at + 4, length - 4);
            iw_bits_put(chunk, 16, 16, length);
            put_packet(bench, bench->gate_tag, chunk, (length + 3) & ~3U, true);
            return;
        }
        at += (length + 3) & ~3U;
    }
    fail();
}

static void take_packet(void *user, const struct iw_tcp_address *from, const uint8_t *octets, size_t length) {
    struct bench *bench = user;
    struct iw_sctp_chunks chunks = {octets + 12, (uint32_t)length - 12, (uint32_t)length - 12};
    struct iw_sctp_chunk chunk;

    (void)from;
    while (iw_sctp_chunk_next(&chunks, &chunk)) {
        if (chunk.type == IW_SCTP_INIT_ACK)
            echo_cookie(bench, &chunk);
        bench->established |= chunk.type == COOKIE_ACK;
        bench->aborted |= chunk.type == IW_SCTP_ABORT;
        if (chunk.type == IW_SCTP_SACK)
            bench->acknowledged = (uint32_t)iw_bits_get(chunk.value, 0, 32);
    }
    look(bench);
}

static void take_refusal(void *user, const char *reason) {
    (void)user;
    fail_msg("%s", reason);
}

static bool is_established(const struct bench *bench) {
    return bench->established && bench->links > 0;
}

static void begin(struct bench *bench) {
    static const struct iw_sctp_wire_handlers handlers = {take_packet, take_refusal};
    const struct iw_sctp_link_config config = {0};
    struct iw_sctp_where where = {.host = "127.0.0.1", .tunnelled = true};
    char text[IW_SCTP_LINK_TEXT_OCTETS];
    const char *reason;

    memset(bench, 0, sizeof *bench);
    bench->wait.loop = iw_loop_new(IW_LOOP_VIRTUAL);
    bench->stack = iw_sctp_stack_new(bench->wait.loop);
    bench->listener = iw_sctp_listener_new(bench->stack, &where, &config, on_accept, bench, text);
    assert_non_null(bench->listener);
    where = iw_sctp_listener_where(bench->listener);
    where.host = "127.0.0.1";
    bench->wire = iw_sctp_wire_new(bench->wait.loop, &where, false, &handlers, bench, &reason);
    assert_non_null(bench->wire);
    put_init(bench, 0x1111);
    run_until(bench, is_established);
}

static void end_bench(struct bench *bench) {
    iw_sctp_link_free(bench->link);
    iw_sctp_listener_free(bench->listener);
    iw_sctp_wire_free(bench->wire);
    iw_sctp_stack_free(bench->stack);
    iw_loop_free(bench->wait.loop);
}

/* ---- tests ---- */

static bool has_received(const struct bench *bench) {
    return bench->received == 1;
}

static bool has_ended(const struct bench *bench) {
    return bench->ended;
}

/* RFC 9260 5.2.4.1: a side that has restarted has lost its earlier state. */
static void test_restart(void **state) {
    struct bench bench;

    (void)state;
    begin(&bench);
    put_data(&bench, 7, 'a', 4, true);
    run_until(&bench, has_received);
    put_init(&bench, 0x2222);
    run_until(&bench, has_ended);
    assert_int_equal(bench.end, IW_SCTP_LINK_ABORTED);
    assert_string_equal(bench.text, "127.0.0.1:5000: association restarted by peer");
    assert_int_equal(bench.links, 1);
    end_bench(&bench);
}

static bool has_last(const struct bench *bench) {
    return bench->last == 'z';
}

static bool all_acknowledged(const struct bench *bench) {
    return bench->acknowledged == bench->tsn - 1;
}

/* A message of 240,000 octets in fragments, then one of four octets: the start of the first message is
 * reported, and its rest is not taken for another message. */
static void test_too_long(void **state) {
    struct bench bench;

    (void)state;
    begin(&bench);
    for (unsigned i = 0; i < 200; i++) {
        put_data(&bench, (uint8_t)(4 | (i == 0) << 1 | (i == 199)), 'a', 1200, true);
        if (i % 20 == 19)
            run_until(&bench, all_acknowledged);
    }
    put_data(&bench, 7, 'z', 4, true);
    run_until(&bench, has_last);
    assert_int_equal(bench.received, 2);
    assert_int_equal(bench.longest, 131072);
    end_bench(&bench);
}

/* RFC 9260 6.8: a packet with a wrong checksum does not replace the packet held back. */
static void test_checksum(void **state) {
    struct bench bench;

    (void)state;
    begin(&bench);
    iw_sctp_link_hold(bench.link, true);
    put_data(&bench, 7, 'x', 4, false);
    bench.tsn++;
    put_data(&bench, 7, 'b', 4, true);
    bench.tsn++;
    put_data(&bench, 7, 'c', 4, true);
    run_until(&bench, has_received);
    assert_int_equal(bench.received, 1);
    assert_int_equal(bench.last, 'c');
    iw_sctp_link_hold(bench.link, false);
    end_bench(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_checksum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

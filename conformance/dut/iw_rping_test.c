#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_rping.h"

/* A client and a server of rping, or one of them and a test peer, on a virtual loop. */

enum { PINGS = 3, LOG_OCTETS = 512 };

struct side {
    struct iw_rping *rping;
    struct iw_reference *reference;
    char log[LOG_OCTETS];            /* received messages, one letter each */
    uint8_t text[IW_RPING_SIZE + 1]; /* of the client: the sink after the server's last Write */
    uint64_t written;                /* octets of that Write */
};

struct pair {
    struct iw_loop *loop;
    struct side client, server;
};

static void append_log(struct side *side, const char *what) {
    strncat(side->log, what, sizeof side->log - strlen(side->log) - 1);
}

static void store_text(struct side *side, const struct iw_event *event) {
    struct iw_region *region = iw_memory_find(iw_reference_memory(side->reference), event->stag);

    assert_non_null(region);
    memcpy(side->text, region->octets, IW_RPING_SIZE);
}

static void log_event(
    void *user, struct iw_reference *reference, unsigned connection, const struct iw_event *event) {
    struct side *side = user;

    switch (event->kind) {
    case IW_EVENT_MESSAGE:
        append_log(side, "S");
        break;
    case IW_EVENT_READ:
        append_log(side, "R");
        break;
    case IW_EVENT_TAGGED:
        store_text(side, event);
        side->written = event->length;
        append_log(side, "W");
        break;
    case IW_EVENT_ERROR:
    case IW_EVENT_TERMINATE:
        append_log(side, "!");
        break;
    case IW_EVENT_CLOSED:
        append_log(side, ".");
        break;
    default:
        break;
    }
    iw_rping_take(side->rping, reference, connection, event);
}

static void begin_side(struct side *side, struct iw_loop *loop, bool client, uint32_t octets) {
    const struct iw_rping_config rping = {.client = client, .octets = octets, .pings = PINGS};
    struct iw_reference_config config = {.loop = loop,
        .host = "127.0.0.1",
        .endpoint = iw_reference_defaults(),
        .event = log_event,
        .user = side};
    char text[IW_PORT_TEXT_OCTETS];

    iw_rping_configure(&config.endpoint);
    side->rping = iw_rping_new(&rping);
    side->reference = iw_reference_new(&config, text);
    assert_non_null(side->reference);
}

static void end_side(struct side *side) {
    iw_reference_free(side->reference);
    iw_rping_free(side->rping);
}

static int begin_pair_of(void **state, uint32_t octets) {
    struct pair *pair = calloc(1, sizeof *pair);

    pair->loop = iw_loop_new(IW_LOOP_VIRTUAL);
    begin_side(&pair->client, pair->loop, true, octets);
    begin_side(&pair->server, pair->loop, false, octets);
    *state = pair;
    return 0;
}

static int begin_pair(void **state) {
    return begin_pair_of(state, 0);
}

static int begin_long_pair(void **state) {
    return begin_pair_of(state, 5000);
}

static int end_pair(void **state) {
    struct pair *pair = *state;

    end_side(&pair->client);
    end_side(&pair->server);
    iw_loop_free(pair->loop);
    free(pair);
    return 0;
}

static void each_ping_is_a_read_and_a_write(void **state) {
    struct pair *pair = *state;
    char text[IW_PORT_TEXT_OCTETS];

    assert_true(iw_reference_connect(
        pair->client.reference, "127.0.0.1", iw_reference_port(pair->server.reference), text));
    iw_loop_run(pair->loop);
    assert_string_equal(pair->client.log, "RSWSRSWSRSWS.");
    assert_string_equal(pair->server.log, "SSSSSS.");
    assert_string_equal(
        (const char *)pair->client.text, "rdma-ping-2: CDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrst");
    assert_int_equal(iw_memory_octets(iw_reference_memory(pair->client.reference)), 0);
    assert_int_equal(iw_memory_octets(iw_reference_memory(pair->server.reference)), 0);
}

/* In four segments, with the MULPDU of Ethernet. */
static void a_long_ping_fills_its_buffers(void **state) {
    struct pair *pair = *state;
    char text[IW_PORT_TEXT_OCTETS];

    assert_true(iw_reference_connect(
        pair->client.reference, "127.0.0.1", iw_reference_port(pair->server.reference), text));
    iw_loop_run(pair->loop);
    assert_string_equal(pair->client.log, "RSWSRSWSRSWS.");
    assert_int_equal(pair->client.written, 5000);
    assert_string_equal(
        (const char *)pair->client.text, "rdma-ping-2: CDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstu");
}

/* ---- with a test peer ---- */

struct peer {
    const uint8_t *messages;
    size_t octets; /* of each */
    bool read, closed, terminated;
    struct iw_read_request request;
};

static void take_peer_event(void *user, struct iw_endpoint *endpoint, const struct iw_event *event) {
    struct peer *peer = user;
    const struct iw_post post = {
        .opcode = IW_RDMAP_OP_SEND, .payload = peer->messages, .payload_octets = peer->octets};

    if (event->kind == IW_EVENT_ESTABLISHED)
        assert_int_equal(iw_endpoint_post(endpoint, &post), IW_OK);
    if (event->kind == IW_EVENT_FPDU && event->segment && event->segment->opcode == IW_RDMAP_OP_READ_REQUEST)
        peer->read = true;
    peer->terminated |= event->kind == IW_EVENT_TERMINATE;
    peer->closed |= event->kind == IW_EVENT_CLOSED;
}

static void talk_to_server(struct pair *pair, struct peer *peer) {
    const struct iw_endpoint_config config = iw_endpoint_config_default(true);
    char text[IW_PORT_TEXT_OCTETS];
    struct iw_endpoint *endpoint = iw_endpoint_connect(pair->loop, "127.0.0.1",
        iw_reference_port(pair->server.reference), &config, take_peer_event, peer, text);

    assert_non_null(endpoint);
    iw_loop_run(pair->loop);
    iw_endpoint_free(endpoint);
    iw_loop_run(pair->loop);
}

static void advert_of_wrong_size_closes(void **state) {
    static const uint8_t message[IW_RPING_ADVERT_OCTETS];
    struct peer peer = {.messages = message, .octets = 15};

    talk_to_server(*state, &peer);
    assert_true(peer.closed);
    assert_false(peer.terminated);
    assert_false(peer.read);
}

/* TO 1000h, STag 1234h, 65 octets */
static void advert_larger_than_buffer_closes(void **state) {
    static const uint8_t message[IW_RPING_ADVERT_OCTETS] = {[6] = 0x10, [10] = 0x12, [11] = 0x34, [15] = 65};
    struct peer peer = {.messages = message, .octets = sizeof message};

    talk_to_server(*state, &peer);
    assert_true(peer.closed);
    assert_false(peer.read);
}

/* An advert of 64 octets is read. The test peer has no memory, so it terminates. */
static void an_advert_is_read(void **state) {
    static const uint8_t message[IW_RPING_ADVERT_OCTETS] = {[6] = 0x10, [10] = 0x12, [11] = 0x34, [15] = 64};
    struct peer peer = {.messages = message, .octets = sizeof message};

    talk_to_server(*state, &peer);
    assert_true(peer.read);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_ping_is_a_read_and_a_write, begin_pair, end_pair),
        cmocka_unit_test_setup_teardown(a_long_ping_fills_its_buffers, begin_long_pair, end_pair),
        cmocka_unit_test_setup_teardown(advert_of_wrong_size_closes, begin_pair, end_pair),
        cmocka_unit_test_setup_teardown(advert_larger_than_buffer_closes, begin_pair, end_pair),
        cmocka_unit_test_setup_teardown(an_advert_is_read, begin_pair, end_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

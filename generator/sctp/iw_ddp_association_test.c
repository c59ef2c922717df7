#include "iw_ddp_association_test.h"

/* Endpoints on both sides, and what the association itself rejects. */

static void initiate(struct bench *bench, uint16_t stream, const struct iw_endpoint_config *config) {
    struct iw_port *port = iw_ddp_association_session(bench->association, stream);
    struct iw_endpoint_config own = *config;

    assert_non_null(port);
    iw_ddp_association_configure(&own);
    bench->initiator.endpoint = iw_endpoint_accept(port, &own, on_event, &bench->initiator);
    assert_non_null(bench->initiator.endpoint);
}

static bool both_established(const struct bench *bench) {
    return bench->initiator.established && bench->responder_count > 0 && bench->responders[0].established;
}

static bool has_read(const struct bench *bench) {
    return bench->initiator.read_done > 0;
}

static bool both_closed(const struct bench *bench) {
    return bench->initiator.closed && bench->responders[0].closed;
}

static bool has_ended(const struct bench *bench) {
    return bench->ended;
}

static void read_much(struct bench *bench) {
    static uint8_t octets[100000];
    const struct iw_registration source = {.size = sizeof octets, .rights = IW_RIGHT_READ | IW_RIGHT_WRITE};
    enum iw_refusal refusal;
    struct iw_region *from = iw_memory_offer(bench->memory, &source, &refusal);
    struct iw_region *to = iw_memory_offer(bench->memory, &source, &refusal);

    assert_non_null(from);
    assert_non_null(to);
    iw_region_fill(from, (const uint8_t *)"abc", 3);

    const struct iw_post post = {.opcode = IW_RDMAP_OP_READ_REQUEST,
        .read = {.sink_stag = to->stag,
            .sink_to = to->base,
            .size = sizeof octets,
            .source_stag = from->stag,
            .source_to = from->base}};

    assert_int_equal(iw_endpoint_post(bench->initiator.endpoint, &post), IW_OK);
    run_until(bench, has_read);
    assert_memory_equal(to->octets, from->octets, sizeof octets);
}

static void check_exchange(enum iw_loop_kind kind) {
    struct bench bench;
    struct iw_endpoint_config config = endpoint_config(true);
    const struct iw_post post = {
        .opcode = IW_RDMAP_OP_SEND, .payload = (const uint8_t *)"hello", .payload_octets = 5};

    begin(&bench, kind, 0, &plain);
    assert_true(bench.opened);
    config.revision = 2;
    config.enhanced = true;
    config.peer_to_peer = true;
    config.memory = bench.memory;
    initiate(&bench, 5, &config);
    run_until(&bench, both_established);
    assert_string_equal(bench.heard, "5:enhanced-accept ");
    iw_endpoint_post(bench.initiator.endpoint, &post);
    run_until(&bench, has_message);
    assert_memory_equal(bench.responders[0].message, "hello", 5);
    read_much(&bench);
    bench.heard[0] = 0;
    iw_endpoint_close(bench.initiator.endpoint);
    run_until(&bench, both_closed);
    assert_int_equal(bench.initiator.end, IW_END_FIN);
    assert_int_equal(bench.responders[0].end, IW_END_FIN);
    assert_non_null(strstr(bench.heard, "5:terminate "));
    iw_ddp_association_close(bench.association);
    run_until(&bench, has_ended);
    assert_int_equal(bench.end, IW_SCTP_LINK_SHUTDOWN);
    end_bench(&bench);
}

static void test_exchange_in_memory(void **state) {
    (void)state;
    check_exchange(IW_LOOP_VIRTUAL);
}

static void test_exchange_in_udp(void **state) {
    (void)state;
    check_exchange(IW_LOOP_REAL);
}

static bool is_rejected(const struct bench *bench) {
    return bench->initiator.rejected;
}

static void test_reject(void **state) {
    struct bench bench;
    struct iw_endpoint_config config = endpoint_config(true);

    (void)state;
    begin(&bench, IW_LOOP_VIRTUAL, 0, &plain);
    bench.responder.reject = true;
    initiate(&bench, 0, &config);
    run_until(&bench, is_rejected);
    assert_string_equal(bench.heard, "0:reject ");
    end_bench(&bench);
}

static void check_indication(const struct iw_sctp_link_config *link) {
    struct bench bench;
    const struct iw_ddp_association_config own = {.link = *link};

    begin(&bench, IW_LOOP_VIRTUAL, 0, &own);
    run_until(&bench, has_ended);
    assert_int_equal(bench.end, IW_SCTP_LINK_ABORTED);
    end_bench(&bench);
}

static void test_indication(void **state) {
    const struct iw_sctp_link_config none = {.unindicated = true};
    const struct iw_sctp_link_config other = {.indication = 2};

    (void)state;
    check_indication(&none);
    check_indication(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchange_in_memory),
        cmocka_unit_test(test_exchange_in_udp),
        cmocka_unit_test(test_reject),
        cmocka_unit_test(test_indication),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "iw_ddp_association_test.h"

/* The listener's sessions, with chunks that the test makes. */

static void put(struct bench *bench, uint16_t stream, uint32_t ppid, const char *octets, size_t length) {
    assert_int_equal(
        iw_ddp_association_put(bench->association, stream, ppid, (const uint8_t *)octets, length), IW_OK);
}

static void put_at(
    struct bench *bench, uint16_t ssn, uint16_t stream, uint32_t ppid, const char *octets, size_t length) {
    iw_ddp_association_set_ssn(bench->association, stream, ssn);
    put(bench, stream, ppid, octets, length);
}

#define INITIATE "\x00\x01"
#define TERMINATE "\x00\x04"
/* Send with MSN 1 of "hi". */
#define SEND "\x41\x43\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0hi"

static void begin_by_hand(struct bench *bench, unsigned unusual) {
    begin(bench, IW_LOOP_VIRTUAL, unusual, &plain);
    bench->by_emit = true;
}

static bool hears_accept(const struct bench *bench) {
    return strstr(bench->heard, "accept") != NULL;
}

static bool hears_terminate(const struct bench *bench) {
    return strstr(bench->heard, "terminate") != NULL;
}

static void test_order(void **state) {
    struct bench bench;

    (void)state;
    begin_by_hand(&bench, 0);
    put(&bench, 1, 17, INITIATE, 2);
    run_until(&bench, hears_accept);
    put_at(&bench, 2, 1, 17, TERMINATE, 2);
    put_at(&bench, 1, 1, 16, SEND, 20);
    run_until(&bench, has_message);
    run_until(&bench, hears_terminate);
    assert_string_equal(bench.heard, "1:accept 1:terminate ");
    assert_true(bench.responders[0].closed);
    assert_int_equal(bench.responders[0].end, IW_END_FIN);
    end_bench(&bench);
}

/* The same stream again, once the session is over. */
static void test_again(void **state) {
    struct bench bench;

    (void)state;
    begin_by_hand(&bench, 0);
    put(&bench, 1, 17, INITIATE, 2);
    run_until(&bench, hears_accept);
    put(&bench, 1, 17, TERMINATE, 2);
    run_until(&bench, hears_terminate);
    bench.heard[0] = '\0';
    put_at(&bench, 0, 1, 17, INITIATE "again", 7);
    run_until(&bench, hears_accept);
    assert_int_equal(bench.responder_count, 2);
    end_bench(&bench);
}

static bool has_closed(const struct bench *bench) {
    return bench->responder_count > 0 && bench->responders[0].closed;
}

static void test_chunks_after_the_end(void **state) {
    struct bench bench;

    (void)state;
    begin_by_hand(&bench, 0);
    bench.responder.automatic.close = false;
    put(&bench, 1, 17, INITIATE, 2);
    run_until(&bench, hears_accept);
    put(&bench, 1, 17, TERMINATE, 2);
    run_until(&bench, has_closed);
    put(&bench, 1, 16, SEND, 20);
    run_until(&bench, hears_terminate);
    assert_int_equal(bench.responders[0].messages, 0);
    end_bench(&bench);
}

static void check_torn(uint32_t ppid, const char *octets, size_t length, uint16_t ssn, bool initiated) {
    struct bench bench;

    begin_by_hand(&bench, 0);
    if (initiated) {
        put(&bench, 1, 17, INITIATE, 2);
        run_until(&bench, hears_accept);
    }
    put_at(&bench, ssn, 1, ppid, octets, length);
    run_until(&bench, hears_terminate);
    end_bench(&bench);
}

static void test_illegal_sequences(void **state) {
    (void)state;
    check_torn(16, SEND, 20, 0, false);
    check_torn(17, "\x00\x02", 2, 0, false);
    check_torn(17, INITIATE, 2, 1, true);
    check_torn(17, "\x00\x02", 2, 1, true);
    check_torn(17, "\x00\x09", 2, 1, true);
}

static void test_impossible_ssn(void **state) {
    struct bench bench;

    (void)state;
    begin_by_hand(&bench, 0);
    put(&bench, 1, 17, INITIATE, 2);
    run_until(&bench, hears_accept);
    put_at(&bench, 0x9000, 1, 16, SEND, 20);
    put_at(&bench, 1, 1, 16, SEND, 20);
    run_until(&bench, has_message);
    assert_int_equal(bench.responders[0].messages, 1);
    end_bench(&bench);

    begin_by_hand(&bench, IW_DDP_CHECK_SET(SSN_RANGE));
    put(&bench, 1, 17, INITIATE, 2);
    run_until(&bench, hears_accept);
    put_at(&bench, 0x9000, 1, 16, SEND, 20);
    run_until(&bench, hears_terminate);
    assert_int_equal(bench.responders[0].messages, 0);
    end_bench(&bench);
}

static bool all_have_come(const struct bench *bench) {
    return bench->responders[0].messages == 5000;
}

static void test_chunks_that_wait_for_a_missing_one(void **state) {
    static char much[60000] = "\x41\x43";
    struct bench bench;

    (void)state;
    begin_by_hand(&bench, 0);
    put(&bench, 1, 17, INITIATE, 2);
    run_until(&bench, hears_accept);
    for (unsigned i = 5000; i > 0; i--) {
        char send[20] = SEND;

        send[12] = (char)(i >> 8);
        send[13] = (char)i;
        put_at(&bench, (uint16_t)i, 1, 16, send, sizeof send);
    }
    run_until(&bench, all_have_come);
    end_bench(&bench);

    begin_by_hand(&bench, 0);
    put(&bench, 1, 17, INITIATE, 2);
    run_until(&bench, hears_accept);
    for (unsigned i = 2; i < 200; i++)
        put_at(&bench, (uint16_t)i, 1, 16, much, sizeof much);
    run_until(&bench, hears_terminate);
    end_bench(&bench);
}

static bool two_wait(const struct bench *bench) {
    return bench->port_count == 2;
}

/* RFC 5043 6.4. */
static void test_pending(void **state) {
    struct bench bench;

    (void)state;
    begin_by_hand(&bench, 0);
    bench.hold = true;
    put(&bench, 0, 17, INITIATE, 2);
    put(&bench, 1, 17, INITIATE, 2);
    run_until(&bench, two_wait);
    put(&bench, 2, 17, INITIATE, 2);
    run_until(&bench, hears_terminate);
    assert_string_equal(bench.heard, "2:terminate ");
    end_bench(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_chunks_after_the_end),
        cmocka_unit_test(test_illegal_sequences),
        cmocka_unit_test(test_impossible_ssn),
        cmocka_unit_test(test_chunks_that_wait_for_a_missing_one),
        cmocka_unit_test(test_pending),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

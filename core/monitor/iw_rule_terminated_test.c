#include "iw_rule_terminated_test.h"

static void expect_cause(
    const char *message, const char *terminate, const char *id, const char *expected, const char *actual) {
    uint64_t at = refused(message, terminate);

    iw_conversation_expect(&c, id, BY_RESPONDER, .frame = 5, .offset = at + 21, .octets = 1,
        .field = "rdmap.terminate.code", .expected = expected, .actual = actual);
    iw_conversation_end(&c);
}

#define OF_WRITE "0010 c140 11223344 0000000100002000"

static void reports_an_error_that_the_headers_cannot_have(void **state) {
    (void)state;
    expect_cause(SECOND, TERMINATE "1100c000" OF_SEND("00000002"), "RFC5041-7.2-01", "a tagged one",
        "untagged: Send, MSN 2");
    expect_cause(WRITE, TERMINATE "1202c000" OF_WRITE, "RFC5041-7.2-01", "an untagged one",
        "tagged: RDMA Write, STag 0x11223344");
    expect_cause(WRITE, TERMINATE "1104c000" OF_WRITE, "RFC5041-7.2-01", "one with a DV other than 1",
        "one with DV 1");
    expect_cause(SECOND, TERMINATE "1206c000" OF_SEND("00000002"), "RFC5041-7.2-01",
        "one with a DV other than 1", "one with DV 1");
    expect_cause(SECOND, TERMINATE "1201c000" OF_SEND("00000002"), "RFC5041-7.2-01",
        "on a queue other than that of its opcode", "Send on QN 0");
    expect_cause(WRITE, TERMINATE "1103c000" OF_WRITE, "RFC5041-7.2-01", "one that goes beyond 2^64",
        "TO 0x0000000100002000 and 2 octets of payload");
    expect_cause("c140 11223344 fffffffffffffff8 01020304050607",
        TERMINATE "1103c000 0015 c140 11223344 fffffffffffffff8", "RFC5041-7.2-01",
        "one that goes beyond 2^64", "TO 0xfffffffffffffff8 and 7 octets of payload");
    expect_cause(SECOND, TERMINATE "0205c000" OF_SEND("00000002"), "RFC5040-7.1-02",
        "one with a RV other than 1", "one with RV 1");
    expect_cause(SECOND, TERMINATE "0109c000" OF_SEND("00000002"), "RFC5040-7.1-02",
        "one that invalidates an STag", "Send");
    expect_cause(SECOND, TERMINATE "0209c000" OF_SEND("00000002"), "RFC5040-7.1-02",
        "one that invalidates an STag", "Send");
    expect_cause(SECOND, TERMINATE "0206c000" OF_SEND("00000002"), "RFC5040-7.1-02",
        "not a complete Send after an earlier message", "Send, MSN 2");
    expect_cause(SECOND, TERMINATE "0101c000" OF_SEND("00000002"), "RFC5040-7.1-02",
        "one that names a Tagged Offset", "Send, MSN 2");
    expect_cause(READ("00000001", EIGHT),
        TERMINATE "0104e000" OF_READ "00001234 0000000000001000 00000008 00005678 0000000000002000",
        "RFC5040-7.1-02", "one that goes beyond 2^64", "source TO 0x2000, sink TO 0x1000 and 8 octets");
}

/* Only an endpoint knows its buffers and access rights. */
static void accepts_an_error_that_the_headers_can_have(void **state) {
    static const char *const of_send[] = {TERMINATE "1202c000" OF_SEND("00000002"),
        TERMINATE "1203c000" OF_SEND("00000002"), TERMINATE "1204c000" OF_SEND("00000002"),
        TERMINATE "1205c000" OF_SEND("00000002"), TERMINATE "0207c000" OF_SEND("00000002"),
        TERMINATE "02ffc000" OF_SEND("00000002"), TERMINATE "0206c000" OF_SEND("00000001")};
    static const char *const of_write[] = {TERMINATE "1100c000" OF_WRITE, TERMINATE "1101c000" OF_WRITE,
        TERMINATE "1102c000" OF_WRITE, TERMINATE "0102c000" OF_WRITE};

    (void)state;
    for (size_t i = 0; i < sizeof of_send / sizeof *of_send; i++) {
        refused(SECOND, of_send[i]);
        iw_conversation_end(&c);
    }
    for (size_t i = 0; i < sizeof of_write / sizeof *of_write; i++) {
        refused(WRITE, of_write[i]);
        iw_conversation_end(&c);
    }
    refused(
        "c140 11223344 fffffffffffffffe 6f6b6f", TERMINATE "1103c000 0011 c140 11223344 fffffffffffffffe");
    iw_conversation_end(&c);
}

/* The last octet is at 2^64 - 1, and the sum that must not wrap (RFC 5041 7.1, RFC 5040 7.2) is 2^64. */
static void accepts_an_error_about_what_ends_at_the_last_octet(void **state) {
    (void)state;
    refused("c140 11223344 fffffffffffffffe 6f6b", TERMINATE "1103c000 0010 c140 11223344 fffffffffffffffe");
    iw_conversation_end(&c);
    refused("4141 00000000 00000001 00000001 00000000 00001234 0000000000001000 00000008 00005678 "
            "fffffffffffffff8",
        TERMINATE "0104e000" OF_READ "00001234 0000000000001000 00000008 00005678 fffffffffffffff8");
    iw_conversation_end(&c);
}

/* The error decides about R (RFC 5040 4.8): EType 1 of DDP instead of EType 1 of RDMA is one wrong octet. But
 * about a message other than a Read Request, no error allows R. */
static void judges_no_r_by_an_error_that_the_headers_cannot_have(void **state) {
    (void)state;
    refused(READ("00000001", EIGHT),
        TERMINATE "1100e000" OF_READ "00001234 0000000000001000 00000008 00005678 0000000000002000");
    iw_conversation_found(&c, "RFC5041-7.2-01");
    iw_conversation_end(&c);
    refused(SECOND, TERMINATE
        "1100e000" OF_SEND("00000002") "00001234 0000000000001000 00000008 00005678 0000000000002000");
    iw_conversation_found(&c, "RFC5040-4.8-06");
    iw_conversation_found(&c, "RFC5041-7.2-01");
    iw_conversation_end(&c);
}

static void reports_a_check_of_fields_that_are_not_checked(void **state) {
    uint64_t at =
        refused("4141 00000000 00000001 00000001 00000000 00000001 0000000000000000 00000000 00000001 "
                "0000000000000000",
            TERMINATE "0100e000" OF_READ "00000001 0000000000000000 00000000 00000001 0000000000000000");

    (void)state;
    iw_conversation_expect(&c, "RFC5040-5.2.1-13", BY_RESPONDER, .frame = 5, .offset = at + 21, .octets = 1,
        .field = "rdmap.terminate.code", .expected = "at least one octet to place or fetch",
        .actual = "a Read of size 0, MSN 1");
    iw_conversation_end(&c);
    at = refused("c140 00000001 0000000000000000", TERMINATE "1100c000 000e c140 00000001 0000000000000000");
    iw_conversation_expect(&c, "RFC5041-5.2-10", BY_RESPONDER, .frame = 5, .offset = at + 21, .octets = 1,
        .field = "rdmap.terminate.code", .expected = "at least one octet to place or fetch",
        .actual = "a segment without payload, STag 0x00000001");
    iw_conversation_end(&c);
}

static void expect_no_answer(const char *terminate, const char *id) {
    uint64_t at;

    open_plain();
    ask(TERMINATE "20020000");
    at = answer(terminate);
    iw_conversation_expect(&c, id, BY_RESPONDER, .frame = 4, .offset = at, .octets = 48,
        .expected = "one with an error", .actual = "the Terminate of frame 3, which has no error",
        .context = {3});
    iw_conversation_end(&c);
}

static void reports_the_answer_to_a_terminate(void **state) {
    (void)state;
    expect_no_answer(TERMINATE "1202c000" OF_TERMINATE, "RFC5040-5.4-04");
    expect_no_answer(TERMINATE "0206c000" OF_TERMINATE, "RFC5040-5.4-05");
}

static void accepts_the_answer_to_a_terminate_that_is_wrong(void **state) {
    (void)state;
    open_plain();
    ask(TERMINATE "20021001");
    iw_conversation_found(&c, "RFC5040-4.8-07");
    answer(TERMINATE "0207c000" OF_TERMINATE);
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_an_error_that_the_headers_cannot_have),
        cmocka_unit_test(accepts_an_error_that_the_headers_can_have),
        cmocka_unit_test(accepts_an_error_about_what_ends_at_the_last_octet),
        cmocka_unit_test(judges_no_r_by_an_error_that_the_headers_cannot_have),
        cmocka_unit_test(reports_a_check_of_fields_that_are_not_checked),
        cmocka_unit_test(reports_the_answer_to_a_terminate),
        cmocka_unit_test(accepts_the_answer_to_a_terminate_that_is_wrong),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}

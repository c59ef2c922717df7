#include "iw_conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* After the DDP header, at 20 of the FPDU: Layer and EType, Error Code, then M, D, R and reserved bits (RFC
 * 5040 4.8). */
#define TERMINATE "4147 00000000 00000002 00000001 00000000 "
/* DDP headers to include, with their DDP Segment Length: of F03, F07 and F01. */
#define OF_READ "002e 4141 00000000 00000001 00000001 00000000 "
#define OF_SEND "0017 4143 00000000 00000000 00000001 00000000 "
#define OF_WRITE "0016 c140 11223344 0000000100002000 "
#define READ_HEADER "00001234 0000000000001000 00001000 00005678 0000000000002000"

static struct iw_conversation c;

/* The messages at fault were not captured. */
static void open_with_unseen(const char *request, const char *reply) {
    iw_conversation_open(&c, request, reply);
    iw_conversation_gap(&c, IW_SIDE_B, 64, false);
}

static uint64_t terminate(const char *ulpdu) {
    open_with_unseen("M01", "M03");
    return iw_conversation_fpdu(&c, IW_SIDE_A, ulpdu);
}

static void expect(uint64_t at, const char *id, const char *field, uint32_t octets, const char *expected,
    const char *actual) {
    iw_conversation_expect(&c, id, BY_INITIATOR, .frame = 4, .offset = at, .octets = octets, .field = field,
        .expected = expected, .actual = actual);
    iw_conversation_end(&c);
}

#define FIRST "0147 00000000 00000002 00000001 00000000 "
#define LAST(mo) "4147 00000000 00000002 00000001 " mo " "
#define MIDDLE(mo) "0147 00000000 00000002 00000001 " mo " "

/* The first segment is frame 4, the second one frame 5. Returns where the second one begins. */
static uint64_t terminate_in_two(const char *first, const char *second) {
    open_with_unseen("M01", "M03");
    iw_conversation_fpdu(&c, IW_SIDE_A, first);
    return iw_conversation_fpdu(&c, IW_SIDE_A, second);
}

static void expect_in_second(uint64_t at, const char *id, const char *field, uint32_t octets,
    const char *expected, const char *actual) {
    iw_conversation_expect(&c, id, BY_INITIATOR, .frame = 5, .offset = at, .octets = octets, .field = field,
        .expected = expected, .actual = actual);
    iw_conversation_end(&c);
}

/* ---- the triple ---- */

static void reports_an_error_that_no_table_has(void **state) {
    (void)state;
    expect(terminate(TERMINATE "30000000") + 21, "RFC5040-4.8-03", "rdmap.terminate.code", 1,
        "a value from the table", "3/0/00");
    expect(terminate(TERMINATE "01050000") + 21, "RFC5040-4.8-03", "rdmap.terminate.code", 1,
        "a value from the table", "0/1/05");
    expect(terminate(TERMINATE "20080000") + 21, "RFC5040-4.8-03", "rdmap.terminate.code", 1,
        "a value from the table", "2/0/08");
    expect(terminate(TERMINATE "1207c000" OF_SEND) + 21, "RFC5040-4.8-03", "rdmap.terminate.code", 1,
        "a value from the table", "1/2/07");
}

/* A local catastrophe has no Error Code; any value is acceptable (RFC 5040 4.8). */
static void accepts_any_code_of_a_local_catastrophe(void **state) {
    (void)state;
    terminate(TERMINATE "005a0000");
    iw_conversation_end(&c);
}

static void accepts_every_terminate_of_the_vectors(void **state) {
    static const char *const ids[] = {
        "F12", "F13", "F14", "F15", "F16", "F17", "F18", "F19", "F20", "F21", "F22"};

    (void)state;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        /* An enhanced startup, as for F14 and F15: the initiator names the Read as RTR, the responder the
         * Write. */
        open_with_unseen(REQUEST "50020004 80104010", REPLY "50020004 80108010");
        iw_conversation_say(&c, IW_SIDE_A, ids[i]);
        iw_conversation_fin(&c, IW_SIDE_A);
        iw_conversation_end(&c);
    }
}

/* ---- M, D and R ---- */

static void reports_a_length_where_none_belongs(void **state) {
    (void)state;
    expect(terminate(TERMINATE "20028000 0017") + 22, "RFC5040-4.8-04", "rdmap.terminate.m", 1, "0", "1");
    expect(terminate(TERMINATE "00008000 0017") + 22, "RFC5040-4.8-04", "rdmap.terminate.m", 1, "0", "1");
}

static void reports_a_length_that_is_missing(void **state) {
    (void)state;
    expect(terminate(TERMINATE "12024000" OF_SEND) + 22, "RFC5040-4.8-04", "rdmap.terminate.m", 1, "1", "0");
}

static void reports_a_ddp_header_where_none_belongs(void **state) {
    (void)state;
    expect(terminate(TERMINATE "20024000" OF_SEND) + 22, "RFC5040-4.8-05", "rdmap.terminate.d", 1, "0", "1");
    expect(terminate(TERMINATE "00004000" OF_SEND) + 22, "RFC5040-4.8-05", "rdmap.terminate.d", 1, "0", "1");
}

static void reports_a_ddp_header_that_is_missing(void **state) {
    (void)state;
    expect(terminate(TERMINATE "11018000 0016") + 22, "RFC5040-4.8-05", "rdmap.terminate.d", 1, "1", "0");
}

static void reports_an_rdmap_header_where_none_belongs(void **state) {
    (void)state;
    expect(
        terminate(TERMINATE "20022000" READ_HEADER) + 22, "RFC5040-4.8-06", "rdmap.terminate.r", 1, "0", "1");
    expect(terminate(TERMINATE "01ffe000" OF_SEND READ_HEADER) + 22, "RFC5040-4.8-06", "rdmap.terminate.r", 1,
        "0", "1");
    expect(terminate(TERMINATE "1202e000" OF_READ READ_HEADER) + 22, "RFC5040-4.8-06", "rdmap.terminate.r", 1,
        "0", "1");
}

static void reports_an_rdmap_header_that_is_missing(void **state) {
    (void)state;
    expect(terminate(TERMINATE "0102c000" OF_READ) + 22, "RFC5040-4.8-06", "rdmap.terminate.r", 1, "1", "0");
}

/* An error without a message at fault has no headers (RFC 5040 7.1 rule 1); figure 10 asks for them only if
 * possible. */
static void accepts_errors_of_rdmap_without_headers(void **state) {
    (void)state;
    terminate(TERMINATE "01000000");
    iw_conversation_end(&c);
    terminate(TERMINATE "01ff0000");
    iw_conversation_end(&c);
    terminate(TERMINATE "02070000");
    iw_conversation_end(&c);
}

/* Figure 10 and the text disagree (RFC 5040 4.8). */
static void accepts_a_local_catastrophe_of_ddp_with_and_without_a_header(void **state) {
    (void)state;
    terminate(TERMINATE "10000000");
    iw_conversation_end(&c);
    terminate(TERMINATE "1000c000" OF_SEND);
    iw_conversation_end(&c);
}

/* RFC 5040 7.1 rule 3 includes the header with any error about a Read Request; figure 10 does not. */
static void accepts_an_operation_error_about_a_read_with_and_without_its_header(void **state) {
    (void)state;
    terminate(TERMINATE "0207c000" OF_READ);
    iw_conversation_end(&c);
    terminate(TERMINATE "0207e000" OF_READ READ_HEADER);
    iw_conversation_end(&c);
}

static void accepts_headers_of_either_model(void **state) {
    (void)state;
    terminate(TERMINATE "1101c000" OF_WRITE);
    iw_conversation_end(&c);
    terminate(TERMINATE "0206c000" OF_WRITE);
    iw_conversation_end(&c);
    terminate(TERMINATE "0102e000" OF_READ READ_HEADER);
    iw_conversation_end(&c);
}

/* ---- the form ---- */

static void reports_reserved_bits(void **state) {
    (void)state;
    expect(terminate(TERMINATE "20021001") + 22, "RFC5040-4.8-07", "rdmap.terminate.reserved", 2, "0x0000",
        "0x1001");
}

/* 0/0/00 without headers, and more octets than the DDP Segment Length would have. */
static void reports_octets_after_the_headers(void **state) {
    uint64_t at = terminate(TERMINATE "00000000 deadbeef");

    (void)state;
    iw_conversation_expect(&c, "RFC5040-4.2-01", BY_INITIATOR, .frame = 4, .offset = at, .octets = 32,
        .expected = "nothing", .actual = "4 octets");
    iw_conversation_end(&c);
}

/* One octet after the Terminate Control is not a DDP Segment Length. */
static void reports_one_octet_after_the_headers(void **state) {
    (void)state;
    expect(terminate(TERMINATE "00000000 00"), "RFC5040-4.2-01", NULL, 32, "nothing", "1 octet");
    expect_in_second(terminate_in_two(FIRST "20020000", LAST("00000004") "ff"), "RFC5040-4.2-01", NULL, 28,
        "nothing", "1 octet");
}

static void accepts_a_segment_length_without_headers(void **state) {
    (void)state;
    terminate(TERMINATE "00000000 0000");
    iw_conversation_end(&c);
}

static void reports_a_ddp_header_that_is_incomplete(void **state) {
    (void)state;
    expect(terminate(TERMINATE "1202c000 0017 4143 00000000") + 22, "RFC5040-4.8-10", "rdmap.terminate.d", 1,
        "present, because D=1", "incomplete");
}

static void reports_a_segment_length_that_is_missing(void **state) {
    (void)state;
    expect(terminate(TERMINATE "1202c000") + 22, "RFC5040-4.8-09", "rdmap.terminate.d", 1,
        "present, because D=1", "missing");
    expect(terminate(TERMINATE "02078000") + 22, "RFC5040-4.8-08", "rdmap.terminate.m", 1,
        "present, because M=1", "missing");
}

/* The length of a segment covers its DDP header: 18 octets, or 14 of a tagged one (RFC 5041 4.2, 4.3). */
static void reports_a_segment_length_below_that_of_the_header(void **state) {
    uint64_t at = terminate(TERMINATE "1202c000 0005 4143 00000000 00000000 00000001 00000000");

    (void)state;
    iw_conversation_expect(&c, "RFC5040-4.8-08", BY_INITIATOR, .frame = 4, .offset = at, .octets = 48,
        .expected = "at least 18", .actual = "5");
    iw_conversation_end(&c);
    at = terminate(TERMINATE "1101c000 000d c140 11223344 0000000100002000");
    iw_conversation_expect(&c, "RFC5040-4.8-08", BY_INITIATOR, .frame = 4, .offset = at, .octets = 44,
        .expected = "at least 14", .actual = "13");
    iw_conversation_end(&c);
    terminate(TERMINATE "1101c000 000e c140 11223344 0000000100002000");
    iw_conversation_end(&c);
    terminate(TERMINATE "02074000 0000 4143 00000000 00000000 00000001 00000000"); /* M=0: not valid */
    iw_conversation_end(&c);
}

static void reports_an_rdmap_header_that_is_incomplete(void **state) {
    (void)state;
    expect(terminate(TERMINATE "0102e000" OF_READ "00001234 0000000000001000") + 22, "RFC5040-4.8-11",
        "rdmap.terminate.r", 1, "present, because R=1", "incomplete");
}

/* The message was sent whole, but the capture truncates it. */
static void accepts_headers_that_are_truncated(void **state) {
    (void)state;
    open_with_unseen("M01", "M03");
    iw_conversation_cut(&c, IW_SIDE_A, TERMINATE "0102e000" OF_READ READ_HEADER, 30, true);
    iw_conversation_end(&c);
    open_with_unseen("M01", "M03");
    iw_conversation_cut(&c, IW_SIDE_A, TERMINATE "0102e000" OF_READ READ_HEADER, 50, true);
    iw_conversation_end(&c);
    open_with_unseen("M01", "M03");
    iw_conversation_cut(&c, IW_SIDE_A, TERMINATE "0102e000" OF_READ READ_HEADER, 22, true);
    iw_conversation_end(&c);
}

/* ---- several segments ---- */

static void judges_a_terminate_in_two_segments_as_a_whole(void **state) {
    (void)state;
    /* Error Code is in the first segment, so no octets of the second one are marked. */
    expect_in_second(terminate_in_two(FIRST "2008", LAST("00000002") "0000"), "RFC5040-4.8-03",
        "rdmap.terminate.code", 28, "a value from the table", "2/0/08");
    /* Octets 18 to 20 of the FPDU are Terminate Control from octet 1 on. */
    expect_in_second(terminate_in_two(FIRST "20", LAST("00000001") "080000") + 20, "RFC5040-4.8-03",
        "rdmap.terminate.code", 1, "a value from the table", "2/0/08");
    expect_in_second(terminate_in_two(FIRST "2002", LAST("00000002") "0001") + 20, "RFC5040-4.8-07",
        "rdmap.terminate.reserved", 2, "0x0000", "0x0001");
    expect_in_second(terminate_in_two(FIRST "1202c000", LAST("00000004") "00"), "RFC5040-4.8-09",
        "rdmap.terminate.d", 28, "present, because D=1", "missing");
    expect_in_second(
        terminate_in_two(FIRST "1202c000", LAST("00000004") "000a 4143 00000000 00000000 00000001 00000000"),
        "RFC5040-4.8-08", NULL, 44, "at least 18", "10");
    expect_in_second(
        terminate_in_two(FIRST "1202c000", LAST("00000004") "0017 4143 00000000 00000000 00000001 000000"),
        "RFC5040-4.8-10", "rdmap.terminate.d", 44, "present, because D=1", "incomplete");
    expect_in_second(terminate_in_two(FIRST "0102e000" OF_READ, LAST("00000018") "00001234"),
        "RFC5040-4.8-11", "rdmap.terminate.r", 28, "present, because R=1", "incomplete");
    expect_in_second(terminate_in_two(FIRST "1202c000" OF_SEND, LAST("00000018") "deadbeef"),
        "RFC5040-4.2-01", NULL, 28, "nothing", "4 octets");
}

static void reports_once_what_is_wrong_in_several_segments(void **state) {
    (void)state;
    terminate_in_two(FIRST "20080000", MIDDLE("00000004") "deadbeef");
    iw_conversation_fpdu(&c, IW_SIDE_A, LAST("00000008") "deadbeef");
    iw_conversation_found(&c, "RFC5040-4.8-03");
    iw_conversation_found(&c, "RFC5040-4.2-01");
    iw_conversation_end(&c);
}

static void accepts_a_terminate_divided_anywhere(void **state) {
    (void)state;
    terminate_in_two(FIRST "1202", LAST("00000002") "c000" OF_SEND);
    iw_conversation_end(&c);
    terminate_in_two(FIRST "0102e000" OF_READ, LAST("00000018") READ_HEADER);
    iw_conversation_end(&c);
    terminate_in_two(FIRST "0102e000" OF_READ READ_HEADER, LAST("00000034"));
    iw_conversation_end(&c);
    terminate_in_two(FIRST, LAST("00000000") "1202c000" OF_SEND);
    iw_conversation_end(&c);
    terminate_in_two(FIRST "20020000 00", LAST("00000005") "00");
    iw_conversation_end(&c);
}

static void reports_the_offset_of_a_segment_that_leaves_octets_out(void **state) {
    (void)state;
    terminate_in_two(FIRST "1202c000", LAST("00000006") "4143 00000000 00000000 00000001 00000000");
    iw_conversation_found(&c, "RFC5041-5.2-05");
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 1);
    iw_conversation_end(&c);
}

/* The segment with L belongs to the Terminate, and nothing of it can be read. */
static void accepts_a_terminate_with_a_missing_segment(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_fpdu(&c, IW_SIDE_A, FIRST "1202c000");
    iw_conversation_gap(&c, IW_SIDE_A, 28, false);
    iw_conversation_fpdu(&c, IW_SIDE_A, LAST("00000006") "deadbeef");
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 1);
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_found(&c, "RFC5040-5.4-06");
    iw_conversation_end(&c);
}

/* ---- after a Terminate ---- */

static void reports_what_follows_a_terminate(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F12");
    at = iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_expect(&c, "RFC5040-5.4-06", BY_INITIATOR, .frame = 4, .offset = at, .octets = 32,
        .expected = "nothing", .actual = "an FPDU", .context = {3});
    iw_conversation_end(&c);
}

/* A side that receives a Terminate may continue (RFC 5040 5.4), and messages in flight arrive after it. */
static void accepts_what_the_other_side_still_sends(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_say(&c, IW_SIDE_B, "F12");
    iw_conversation_fin(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_A, "F09");
    iw_conversation_say(&c, IW_SIDE_A, "F10");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_end(&c);
}

static void accepts_a_terminate_of_each_side(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F12");
    iw_conversation_say(&c, IW_SIDE_B, "F16");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_fin(&c, IW_SIDE_B);
    iw_conversation_end(&c);
}

/* Layer 1, EType 3 belongs to the LLP, with any Error Code (RFC 6580 3.2); EType 4 is not assigned. */
static void notes_a_triple_that_is_reserved_for_the_llp(void **state) {
    (void)state;
    expect(terminate(TERMINATE "13000000") + 20, "RFC6580-3.2-02", "rdmap.terminate.etype", 1,
        "layer 2, if it reports an error of MPA", "1/3/00");
    expect(terminate(TERMINATE "13ff0000") + 20, "RFC6580-3.2-02", "rdmap.terminate.etype", 1,
        "layer 2, if it reports an error of MPA", "1/3/ff");
    expect(terminate(TERMINATE "14000000") + 21, "RFC5040-4.8-03", "rdmap.terminate.code", 1,
        "a value from the table", "1/4/00");
}

/* Linux siw fills each octet from its lowest bit: 2/1/02 appears as 1/2/02, and M and D as 03 in the third
 * octet. */
static void reads_what_a_terminate_means_in_reversed_bit_order(void **state) {
    uint64_t at;

    (void)state;
    at = terminate(TERMINATE "21020300" OF_SEND);
    iw_conversation_expect(&c, "RFC5040-4.8-03", BY_INITIATOR, .frame = 4, .offset = at + 21, .octets = 1,
        .field = "rdmap.terminate.code", .expected = "a value from the table",
        .actual = "2/1/02, in reversed bit order 1/2/02");
    iw_conversation_expect(&c, "RFC5040-4.8-07", BY_INITIATOR, .frame = 4, .offset = at + 22, .octets = 2,
        .field = "rdmap.terminate.reserved", .expected = "0x0000",
        .actual = "0x0300, in reversed bit order M=1 D=1 R=0");
    iw_conversation_end(&c);
    /* the included segment has 5 octets, too few for any header; this error includes no header */
    at = terminate(TERMINATE "21020300 0005 4143 00000000 00000000 00000001 00000000");
    iw_conversation_found(&c, "RFC5040-4.8-03");
    iw_conversation_found(&c, "RFC5040-4.8-07");
    iw_conversation_found(&c, "RFC5040-4.8-08");
    iw_conversation_end(&c);
    /* Not reversed: M and D without further octets; other reserved bits; an error that no table has */
    terminate(TERMINATE "21020300");
    iw_conversation_found(&c, "RFC5040-4.8-03");
    iw_conversation_found(&c, "RFC5040-4.8-07");
    iw_conversation_end(&c);
    at = terminate(TERMINATE "21020b00" OF_SEND);
    iw_conversation_found(&c, "RFC5040-4.8-03");
    iw_conversation_expect(&c, "RFC5040-4.8-07", BY_INITIATOR, .frame = 4, .offset = at + 22, .octets = 2,
        .field = "rdmap.terminate.reserved", .expected = "0x0000", .actual = "0x0b00");
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_an_error_that_no_table_has),
        cmocka_unit_test(accepts_any_code_of_a_local_catastrophe),
        cmocka_unit_test(accepts_every_terminate_of_the_vectors),
        cmocka_unit_test(reports_a_length_where_none_belongs),
        cmocka_unit_test(reports_a_length_that_is_missing),
        cmocka_unit_test(reports_a_ddp_header_where_none_belongs),
        cmocka_unit_test(reports_a_ddp_header_that_is_missing),
        cmocka_unit_test(reports_an_rdmap_header_where_none_belongs),
        cmocka_unit_test(reports_an_rdmap_header_that_is_missing),
        cmocka_unit_test(accepts_errors_of_rdmap_without_headers),
        cmocka_unit_test(accepts_a_local_catastrophe_of_ddp_with_and_without_a_header),
        cmocka_unit_test(accepts_an_operation_error_about_a_read_with_and_without_its_header),
        cmocka_unit_test(accepts_headers_of_either_model),
        cmocka_unit_test(reports_reserved_bits),
        cmocka_unit_test(reports_octets_after_the_headers),
        cmocka_unit_test(reports_one_octet_after_the_headers),
        cmocka_unit_test(accepts_a_segment_length_without_headers),
        cmocka_unit_test(reports_a_ddp_header_that_is_incomplete),
        cmocka_unit_test(reports_a_segment_length_that_is_missing),
        cmocka_unit_test(reports_a_segment_length_below_that_of_the_header),
        cmocka_unit_test(reports_an_rdmap_header_that_is_incomplete),
        cmocka_unit_test(accepts_headers_that_are_truncated),
        cmocka_unit_test(judges_a_terminate_in_two_segments_as_a_whole),
        cmocka_unit_test(reports_once_what_is_wrong_in_several_segments),
        cmocka_unit_test(accepts_a_terminate_divided_anywhere),
        cmocka_unit_test(reports_the_offset_of_a_segment_that_leaves_octets_out),
        cmocka_unit_test(accepts_a_terminate_with_a_missing_segment),
        cmocka_unit_test(reports_what_follows_a_terminate),
        cmocka_unit_test(accepts_what_the_other_side_still_sends),
        cmocka_unit_test(accepts_a_terminate_of_each_side),
        cmocka_unit_test(notes_a_triple_that_is_reserved_for_the_llp),
        cmocka_unit_test(reads_what_a_terminate_means_in_reversed_bit_order),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}

/* What the tree shows besides header fields: the result of the startup, related frames, the state of an STag,
 * and that each fact is shown once. */

#include "iw_tree_test.h"

/* ---- startup ---- */

#define SETTLED                                                                                              \
    FIELDS "-e iwarp.mpa.settled.result -e iwarp.mpa.settled.rev -e iwarp.mpa.settled.markers_initiator "    \
           "-e iwarp.mpa.settled.markers_responder -e iwarp.mpa.settled.crc "                                \
           "-e iwarp.mpa.settled.depth_initiator -e iwarp.mpa.settled.depth_responder "                      \
           "-e iwarp.mpa.settled.model -e iwarp.mpa.settled.rtr"

/* IRD 4 and ORD 2 against IRD 8 and ORD 4; the Request names only the Read as RTR, the Reply all three
 * types. */
static void test_startup_settles(void **state) {
    (void)state;
    assert_shows("synth/p2p_read.pcapng", "-Y iwarp.mpa.settled.result" SETTLED,
        "5\taccepted\t2\t0\t0\t1\t8\t4\tpeer-to-peer\tzero-length RDMA Read\n");
    assert_shows("synth/p2p_read.pcapng", "-2 -Y iwarp.mpa.settled.result" SETTLED,
        "4\taccepted\t2\t0\t0\t1\t8\t4\tpeer-to-peer\tzero-length RDMA Read\n"
        "5\taccepted\t2\t0\t0\t1\t8\t4\tpeer-to-peer\tzero-length RDMA Read\n");
}

/* Only the Reply asks for Markers: the initiator sends them. */
static void test_the_receiver_decides_about_markers(void **state) {
    (void)state;
    assert_shows("oddities/markers_one_dir.pcap",
        "-2 -Y 'iwarp.mpa.settled.result and iwarp.mpa.key contains Rep'" FIELDS
        "-e iwarp.mpa.settled.markers_initiator -e iwarp.mpa.settled.markers_responder",
        "5\t1\t0\n");
}

static void test_a_reject_settles_nothing_else(void **state) {
    (void)state;
    assert_shows("synth/reject.pcapng",
        "-Y iwarp.mpa.settled.result" FIELDS "-e iwarp.mpa.settled.result -e iwarp.mpa.settled.crc",
        "5\trejected\t\n");
}

static void test_request_and_reply_are_linked(void **state) {
    (void)state;
    assert_prints(stags.path, "-2 -Y iwarp.mpa.key" FIELDS "-e iwarp.mpa.request_in -e iwarp.mpa.reply_in",
        "3\t\t4\n4\t3\t\n");
}

/* ---- related frames ---- */

static void test_what_becomes_of_an_stag(void **state) {
    (void)state;
    assert_prints(stags.path,
        "-2 -Y 'frame.number in {5,6,7}'" FIELDS "-e iwarp.stag.first_seen -e iwarp.stag.invalidated "
        "-e iwarp.stag.invalidated_before",
        "5\t\t6\t\n"
        "6\t5\t\t\n"
        "7\t\t\t6\n");
}

static void test_a_read_response_knows_who_advertised_its_stag(void **state) {
    (void)state;
    assert_prints(stags.path, "-Y iwarp.stag.advertised" FIELDS "-e iwarp.stag.advertised", "9\t8\n10\t8\n");
}

static void test_requests_and_answers_are_linked(void **state) {
    (void)state;
    assert_prints(stags.path,
        "-2 -Y 'frame.number in {8,9,10}'" FIELDS "-e iwarp.rdmap.request_in -e iwarp.rdmap.response_in "
        "-e iwarp.rdmap.response_ends -e iwarp.rdmap.requests_waiting",
        "8\t\t9\t10\t1\n"
        "9\t8\t\t10\t\n"
        "10\t8\t9\t\t0\n");
}

static void test_segments_of_a_message_are_linked(void **state) {
    (void)state;
    assert_prints(stags.path,
        "-2 -Y 'frame.number in {9,10}'" FIELDS "-e iwarp.ddp.message.begins_in -e iwarp.ddp.message.ends_in "
        "-e iwarp.ddp.message.segments -e iwarp.ddp.message.octets",
        "9\t\t10\t\t\n"
        "10\t9\t\t2\t8\n");
}

/* FetchAdd of 5 to 7; then CmpSwap of the low 8 bits, 0Ch to 01h. One and two passes show the same. */
static void test_what_an_atomic_operation_did(void **state) {
    static const char options[] =
        "-Y 'iwarp.rdmap.opcode==0xb'" FIELDS "-e iwarp.rdmap.atomic.before -e iwarp.rdmap.atomic.after "
        "-e iwarp.rdmap.response_time -e iwarp.rdmap.requests_waiting -e iwarp.rdmap.requests_allowed";
    static const char expected[] = "10\t0x0000000000000007\t0x000000000000000c\t0.000002000\t1\t16\n"
                                   "14\t0x000000000000000c\t0x0000000000000001\t0.000003000\t1\t16\n";
    char twice[512];

    (void)state;
    snprintf(twice, sizeof twice, "-2 %s", options);
    assert_shows("synth/extensions.pcapng", options, expected);
    assert_shows("synth/extensions.pcapng", twice, expected);
}

/* The Read of frame 8 requests 4096 octets and gets 8; the FetchAdd is in frame 10. */
static void test_requests_wait_over_sctp_too(void **state) {
    (void)state;
    assert_shows("vectors/sctp_session.pcap",
        "-2 -Y iwarp.rdmap.requests_waiting" FIELDS "-e iwarp.rdmap.request_in -e iwarp.rdmap.response_in "
        "-e iwarp.rdmap.requests_waiting",
        "8\t\t9\t1\n"
        "9\t8\t\t0\n"
        "10\t\t12\t1\n"
        "12\t10\t\t0\n");
}

/* Two FetchAdds with responses in reverse order: the values in memory are unknown. */
static void test_a_response_with_a_wrong_identifier_shows_no_value(void **state) {
    static const uint8_t adds[2][76] = {
        {0x00, 0x46, 0x41, 0x4A, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5},
        {0x00, 0x46, 0x41, 0x4A, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6},
    };
    static const uint8_t answers[2][36] = {
        {0x00, 0x1E, 0x41, 0x4B, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8},
        {0x00, 0x1E, 0x41, 0x4B, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 9},
    };
    struct iw_tshark_capture others;

    (void)state;
    iw_tshark_open(&others);
    iw_tshark_connect(&others, 20100);
    iw_tshark_say(&others, false, request, sizeof request);
    iw_tshark_say(&others, true, reply, sizeof reply);
    for (unsigned i = 0; i < 2; i++)
        iw_tshark_say(&others, false, adds[i], sizeof adds[i]);
    for (unsigned i = 0; i < 2; i++)
        iw_tshark_say(&others, true, answers[i], sizeof answers[i]);
    iw_tshark_close(&others);
    assert_prints(others.path,
        "-2 -Y 'iwarp.finding.requirement==\"RFC7306-5.2.1-12\"'" FIELDS "-e iwarp.rdmap.request_in "
        "-e iwarp.rdmap.atomic.before -e iwarp.rdmap.atomic.after",
        "7\t5\t\t\n8\t6\t\t\n");
    iw_tshark_remove(&others);
}

/* ---- Terminate ---- */

#define CAUSE FIELDS "-e iwarp.rdmap.terminate.cause -e iwarp.rdmap.terminate.terminated_in"

static void test_a_terminate_is_linked_to_the_segment_at_fault(void **state) {
    (void)state;
    assert_shows("synth/terminate_stag.pcapng",
        "-2 -Y 'iwarp.rdmap.terminate.cause or iwarp.rdmap.terminate.terminated_in'" CAUSE,
        "7\t\t8\n8\t7\t\n");
    assert_shows("synth/terminate_read.pcapng", "-Y iwarp.rdmap.terminate.cause" CAUSE, "8\t7\t\n");
    /* without the header of the segment */
    assert_shows("synth/terminate_crc.pcapng", "-Y iwarp.rdmap.terminate.cause" CAUSE, "8\t7\t\n");
}

enum { MANY = 1100, FRAMES_BEFORE = 4 };

/* Terminate: Invalid STag, with the DDP header of an RDMA Write; the test fills in the TO. */
static const uint8_t terminate[44] = {0x00, 0x26, 0x41, 0x47, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0,
    0x11, 0x00, 0xC0, 0x00, 0x00, 0x12, 0xC1, 0x40, 0, 0, 0, 0x11};

static void put_to(uint8_t *at, unsigned to) {
    at[6] = (uint8_t)(to >> 8);
    at[7] = (uint8_t)to;
}

/* A Terminate links to the segment whose header it includes, unless more segments than the limit came after
 * that segment. */
static void test_the_segment_at_fault_is_found_among_the_last(void **state) {
    struct iw_tshark_capture many;
    uint8_t octets[44];
    char expected[32];

    (void)state;
    iw_tshark_open(&many);
    iw_tshark_connect(&many, 20100);
    iw_tshark_say(&many, false, request, sizeof request);
    iw_tshark_say(&many, true, reply, sizeof reply);
    for (unsigned i = 1; i <= MANY; i++) {
        memcpy(octets, write_to_stag, sizeof write_to_stag);
        put_to(octets + 8, i);
        iw_tshark_say(&many, false, octets, sizeof write_to_stag);
    }
    memcpy(octets, terminate, sizeof terminate);
    put_to(octets + 32, 10);
    iw_tshark_say(&many, true, octets, sizeof terminate);
    put_to(octets + 32, 200);
    iw_tshark_say(&many, true, octets, sizeof terminate);
    iw_tshark_close(&many);
    snprintf(expected, sizeof expected, "%d\t%d\t\n", FRAMES_BEFORE + MANY + 2, FRAMES_BEFORE + 200);
    assert_prints(many.path, "-Y iwarp.rdmap.terminate.cause" CAUSE, expected);
    iw_tshark_remove(&many);
}

static void test_errors_are_filtered_by_name(void **state) {
    (void)state;
    assert_shows("synth/terminate_stag.pcapng",
        "-Y 'iwarp.rdmap.terminate.etype_name==\"Tagged Buffer Error\" and "
        "iwarp.rdmap.terminate.code_name==\"Invalid STag\"'" FIELDS,
        "8\n");
}

/* ---- each fact is shown once ---- */

static unsigned times(const char *text, const char *word) {
    unsigned count = 0;

    for (; (text = strstr(text, word)) != NULL; text++)
        count++;
    return count;
}

/* Expects the details of frame `frame` to contain `word` `expected` times. */
static void assert_says(const char *file, unsigned frame, const char *word, unsigned expected) {
    char *shown = iw_tshark_run("-2 -r %s/captures/%s -Y frame.number==%u -O iwarp", SOURCE_DIR, file, frame);

    if (times(shown, word) != expected)
        fail_msg("frame %u of %s says \"%s\" %u times, not %u:\n%s", frame, file, word, times(shown, word),
            expected, shown);
    free(shown);
}

static void test_one_line_shows_the_crc(void **state) {
    (void)state;
    assert_says("synth/terminate_msn.pcapng", 6, "CRC: ", 1);
    assert_says("synth/terminate_msn.pcapng", 6, "        CRC: 0x29da63aa [correct]\n", 1);
    assert_says("oddities/badcrc.pcap", 6, "        CRC: ", 1);
    assert_says("oddities/snap128.pcap", 6, "        [CRC status: not captured]\n", 1);
    assert_says("oddities/snap128.pcap", 6, "CRC status", 1);
}

static void test_an_unchecked_crc_shows_the_reason(void **state) {
    char *shown = iw_tshark_run("-2 -r %s -Y frame.number==5 -O iwarp", stags.path);

    (void)state;
    assert_int_equal(times(shown, "        CRC: 0x00000000 [unverified] (not in use)\n"), 1);
    free(shown);
}

static void test_the_error_of_a_terminate_is_named_once(void **state) {
    (void)state;
    assert_says("synth/terminate_msn.pcapng", 8, ".... 0010 = EType: 0x2 (Untagged Buffer Error)\n", 1);
    assert_says("synth/terminate_msn.pcapng", 8, "Name of", 0);
}

/* RFC 6581 6: with Rev 1, S is a reserved bit. */
static void test_with_rev_1_s_is_reserved(void **state) {
    (void)state;
    assert_says("rules/rfc5044_startup.pcap", 155, "Enhanced", 0);
    assert_says("rules/rfc5044_startup.pcap", 155,
        "        ...1 .... = Reserved with Rev 1 (S from Rev 2 on): True\n", 1);
    assert_says("oddities/mpav2.pcap", 4, "        ...1 .... = S (Enhanced data present): True\n", 1);
}

/* The Reply in frame 76 has R=0 and answers the Request in frame 75, whose PD_Length is wrong; no FPDU
 * follows. In all other connections with a faulty startup frame the initiator continues. */
static void test_a_startup_that_violates_a_must_accepts_nothing(void **state) {
    (void)state;
    assert_shows("rules/rfc5044_startup.pcap",
        "-2 -Y 'iwarp.mpa.settled.result contains \"not known\"'" FIELDS "-e iwarp.mpa.r", "75\t0\n76\t0\n");
    assert_says("rules/rfc5044_startup.pcap", 41, "            [Connection: accepted]\n", 1);
    assert_says("oddities/mpav2.pcap", 5, "            [Connection: accepted]\n", 1);
}

/* ---- fields for filters ---- */

static void test_the_hash_of_a_verify(void **state) {
    (void)state;
    assert_shows("vectors/commit.pcap",
        "-2 -Y iwarp.rdmap.verify.hash" FIELDS
        "-e iwarp.rdmap.opcode -e iwarp.rdmap.verify.hash -e iwarp.payload",
        "10\t0x0f\t00112233445566778899aabbccddeeff\t\n11\t0x0e\t00112233445566778899aabbccddeeff\t\n");
}

/* A filter for Sends must not match a Terminate about a Send. */
static void test_an_included_opcode_has_a_name_of_its_own(void **state) {
    (void)state;
    assert_shows("synth/terminate_msn.pcapng", "-Y iwarp.rdmap.opcode==3" FIELDS, "6\n7\n");
    assert_shows("synth/terminate_msn.pcapng",
        "-Y iwarp.rdmap.terminate.opcode==3" FIELDS "-e iwarp.rdmap.opcode", "8\t0x07\n");
}

/* ---- column ---- */

static void test_the_info_column_of_a_read(void **state) {
    (void)state;
    assert_prints(stags.path, "-Y frame.number==8 -T fields -e _ws.col.Info",
        "RDMA Read Request  MSN 1 sink 0x12+0x1000 \xe2\x86\x90 src 0x56+0x2000 len 8\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_startup_settles),
        cmocka_unit_test(test_the_receiver_decides_about_markers),
        cmocka_unit_test(test_a_reject_settles_nothing_else),
        cmocka_unit_test(test_request_and_reply_are_linked),
        cmocka_unit_test(test_what_becomes_of_an_stag),
        cmocka_unit_test(test_a_read_response_knows_who_advertised_its_stag),
        cmocka_unit_test(test_requests_and_answers_are_linked),
        cmocka_unit_test(test_segments_of_a_message_are_linked),
        cmocka_unit_test(test_what_an_atomic_operation_did),
        cmocka_unit_test(test_requests_wait_over_sctp_too),
        cmocka_unit_test(test_a_response_with_a_wrong_identifier_shows_no_value),
        cmocka_unit_test(test_a_terminate_is_linked_to_the_segment_at_fault),
        cmocka_unit_test(test_the_segment_at_fault_is_found_among_the_last),
        cmocka_unit_test(test_errors_are_filtered_by_name),
        cmocka_unit_test(test_one_line_shows_the_crc),
        cmocka_unit_test(test_an_unchecked_crc_shows_the_reason),
        cmocka_unit_test(test_the_error_of_a_terminate_is_named_once),
        cmocka_unit_test(test_the_hash_of_a_verify),
        cmocka_unit_test(test_an_included_opcode_has_a_name_of_its_own),
        cmocka_unit_test(test_with_rev_1_s_is_reserved),
        cmocka_unit_test(test_a_startup_that_violates_a_must_accepts_nothing),
        cmocka_unit_test(test_the_info_column_of_a_read),
    };

    return cmocka_run_group_tests(tests, write_captures, remove_captures);
}

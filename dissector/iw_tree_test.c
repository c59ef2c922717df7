/* What the tree tells beyond the header fields: what the startup has settled, which frames belong together,
 * what became of an STag, where octets stand. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_tshark.h"

static const uint8_t request[20] = "MPA ID Req Frame\x00\x01\x00";
static const uint8_t reply[20] = "MPA ID Rep Frame\x00\x01\x00";

static struct iw_tshark_capture stags;

/* RDMA Write to STag 11h; the CRC is not in use. */
static const uint8_t write_to_stag[24] = {
    0x00, 0x12, 0xC1, 0x40, 0, 0, 0, 0x11, 0, 0, 0, 0, 0, 0, 0, 0x40, 'a', 'b', 'c', 'd'};
/* Send with Invalidate of STag 11h, MSN 1. */
static const uint8_t invalidate[28] = {
    0x00, 0x16, 0x41, 0x44, 0, 0, 0, 0x11, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 'e', 'f', 'g', 'h'};
/* Read Request of 8 octets from STag 56h, TO 2000h, to STag 12h, TO 1000h. */
static const uint8_t read_request[52] = {0x00, 0x2E, 0x41, 0x41, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0,
    0, 0, 0, 0, 0x12, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 8, 0, 0, 0, 0x56, 0, 0, 0, 0, 0, 0, 0x20, 0};
/* The Read Response, four octets a segment. */
static const uint8_t response_begin[24] = {
    0x00, 0x12, 0x81, 0x42, 0, 0, 0, 0x12, 0, 0, 0, 0, 0, 0, 0x10, 0x00, 'i', 'j', 'k', 'l'};
static const uint8_t response_end[24] = {
    0x00, 0x12, 0xC1, 0x42, 0, 0, 0, 0x12, 0, 0, 0, 0, 0, 0, 0x10, 0x04, 'm', 'n', 'o', 'p'};

/* Frames 5 to 10; 3 and 4 are the startup. */
static int write_captures(void **state) {
    (void)state;
    iw_tshark_open(&stags);
    iw_tshark_connect(&stags, 20100);
    iw_tshark_say(&stags, false, request, sizeof request);
    iw_tshark_say(&stags, true, reply, sizeof reply);
    iw_tshark_say(&stags, false, write_to_stag, sizeof write_to_stag);
    iw_tshark_say(&stags, false, invalidate, sizeof invalidate);
    iw_tshark_say(&stags, false, write_to_stag, sizeof write_to_stag);
    iw_tshark_say(&stags, false, read_request, sizeof read_request);
    iw_tshark_say(&stags, true, response_begin, sizeof response_begin);
    iw_tshark_say(&stags, true, response_end, sizeof response_end);
    iw_tshark_close(&stags);
    return 0;
}

static int remove_captures(void **state) {
    (void)state;
    iw_tshark_remove(&stags);
    return 0;
}

static void assert_prints(const char *path, const char *options, const char *expected) {
    char *shown = iw_tshark_run("-r %s %s", path, options);

    assert_string_equal(shown, expected);
    free(shown);
}

/* A capture of the corpus. */
static void assert_shows(const char *file, const char *options, const char *expected) {
    char path[256];

    snprintf(path, sizeof path, "%s/captures/%s", SOURCE_DIR, file);
    assert_prints(path, options, expected);
}

#define FIELDS " -T fields -e frame.number "

/* ---- startup ---- */

#define SETTLED                                                                                              \
    FIELDS "-e iwarp.mpa.settled.result -e iwarp.mpa.settled.rev -e iwarp.mpa.settled.markers_initiator "    \
           "-e iwarp.mpa.settled.markers_responder -e iwarp.mpa.settled.crc "                                \
           "-e iwarp.mpa.settled.depth_initiator -e iwarp.mpa.settled.depth_responder "                      \
           "-e iwarp.mpa.settled.model -e iwarp.mpa.settled.rtr"

/* IRD 4 and ORD 2 meet IRD 8 and ORD 4; the Request names the Read alone, the Reply all three types. */
static void test_startup_settles(void **state) {
    (void)state;
    assert_shows("synth/p2p_read.pcapng", "-Y iwarp.mpa.settled.result" SETTLED,
        "5\taccepted\t2\t0\t0\t1\t8\t4\tpeer-to-peer\tzero-length RDMA Read\n");
    assert_shows("synth/p2p_read.pcapng", "-2 -Y iwarp.mpa.settled.result" SETTLED,
        "4\taccepted\t2\t0\t0\t1\t8\t4\tpeer-to-peer\tzero-length RDMA Read\n"
        "5\taccepted\t2\t0\t0\t1\t8\t4\tpeer-to-peer\tzero-length RDMA Read\n");
}

/* The Reply alone asks for Markers: they are in what the initiator sends. */
static void test_markers_are_settled_by_who_receives_them(void **state) {
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

/* ---- conversation ---- */

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

/* FetchAdd of 5 to 7; then CmpSwap of the low 8 bits, 0Ch to 01h; by one pass or two the answers say the
 * same. */
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

/* The Read of frame 8, which asks for 4096 octets and gets 8; the FetchAdd of frame 10. */
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

/* Two FetchAdds, and their answers the other way round: which memory held what, nobody can say. */
static void test_an_answer_with_another_identifier_tells_of_no_memory(void **state) {
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

/* Terminate: Invalid STag, with the DDP header of an RDMA Write; the TO is to be written. */
static const uint8_t terminate[44] = {0x00, 0x26, 0x41, 0x47, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0,
    0x11, 0x00, 0xC0, 0x00, 0x00, 0x12, 0xC1, 0x40, 0, 0, 0, 0x11};

static void put_to(uint8_t *at, unsigned to) {
    at[6] = (uint8_t)(to >> 8);
    at[7] = (uint8_t)to;
}

/* Of many segments the Terminate finds the one it includes, but not one that is too long ago. */
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

/* ---- framing ---- */

static void test_a_wrong_crc_is_bad_and_remarkable(void **state) {
    static const char expected[] = "6\t0\tbad\n";

    (void)state;
    assert_shows("oddities/badcrc.pcap",
        "-Y iwarp.rule.RFC5044-4.4-11" FIELDS "-e iwarp.mpa.crc.status -e iwarp.mpa.crc_status", expected);
    assert_shows("oddities/badcrc.pcap", "-Y iwarp.mpa.crc.bad" FIELDS, "");
    assert_shows("oddities/badcrc.pcap",
        "-o iwarp.show_errors:FALSE -Y iwarp.mpa.crc.bad" FIELDS
        "-e iwarp.mpa.crc.status -e iwarp.mpa.crc_status",
        expected);
    assert_shows("oddities/badcrc.pcap",
        "-2 -Y 'iwarp.mpa.crc.status==0'" FIELDS "-e iwarp.mpa.crc.status -e iwarp.mpa.crc_status", expected);
}

static void test_the_middle_of_an_fpdu_says_so(void **state) {
    (void)state;
    assert_shows("oddities/unaligned_ok.pcap",
        "-2 -Y frame.number==8" FIELDS
        "-e iwarp.mpa.piece -e iwarp.mpa.pieces -e iwarp.mpa.ends_in -e _ws.col.Info",
        "8\t2\t3\t9\t41000 \xe2\x86\x92 20100 [PSH, ACK] Seq=2917 Ack=21 Win=65535 Len=1448 "
        "[piece 2 of 3 of an FPDU that ends in frame 9]\n");
}

/* So that the hierarchy of protocols counts it. */
static void test_the_middle_of_an_fpdu_is_mpa(void **state) {
    (void)state;
    assert_shows("oddities/unaligned_ok.pcap", "-2 -Y 'frame.number==8 and iwarp.mpa'" FIELDS, "8\n");
}

static void test_the_beginning_of_a_startup_frame_says_so(void **state) {
    (void)state;
    assert_shows(
        "oddities/split_req.pcap", "-2 -Y iwarp.mpa.ends_in" FIELDS "-e iwarp.mpa.ends_in", "4\t5\n");
    assert_shows(
        "oddities/split_req.pcap", "-2 -Y iwarp.mpa.begins_in" FIELDS "-e iwarp.mpa.begins_in", "5\t4\n");
}

/* ---- places ---- */

/* The value of an attribute of the only field of that name in PDML. */
static int attribute(const char *pdml, const char *name, const char *which) {
    char wanted[128];
    const char *field, *value;

    snprintf(wanted, sizeof wanted, "<field name=\"%s\"", name);
    field = strstr(pdml, wanted);
    if (field == NULL)
        fail_msg("%s is not shown", name);
    snprintf(wanted, sizeof wanted, " %s=\"", which);
    value = strstr(field, wanted);
    assert_non_null(value);
    return atoi(value + strlen(wanted));
}

static void assert_place(const char *pdml, const char *name, int position, int size) {
    if (attribute(pdml, name, "pos") != position || attribute(pdml, name, "size") != size)
        fail_msg("%s stands at %d with %d octets, expected at %d with %d", name, attribute(pdml, name, "pos"),
            attribute(pdml, name, "size"), position, size);
}

/* The FPDU of frame 8 begins behind 54 octets of headers. Its first Marker stands 52 octets further on: so
 * much of the FPDU was there when 512 octets were full. The last octets of its 518 are the CRC. */
static void test_octets_are_shown_where_they_stand_beside_markers(void **state) {
    char *pdml =
        iw_tshark_run("-2 -r %s/captures/synth/markers.pcapng -Y frame.number==8 -T pdml", SOURCE_DIR);

    (void)state;
    assert_place(pdml, "iwarp.mpa.ulpdu_length", 54, 2);
    assert_place(pdml, "iwarp.mpa.marker.reserved", 106, 2);
    assert_place(pdml, "iwarp.mpa.marker.fpduptr", 108, 2);
    assert_place(pdml, "iwarp.ddp.tagged", 56, 1);
    assert_place(pdml, "iwarp.ddp.msn", 66, 4);
    assert_place(pdml, "iwarp.rdmap.opcode", 57, 1);
    assert_place(pdml, "iwarp.mpa.pad", 513, 1);
    assert_place(pdml, "iwarp.mpa.crc", 514, 4);
    free(pdml);
}

/* Raw IP: 40 octets of headers. */
static void test_octets_are_shown_where_they_stand_in_the_packet(void **state) {
    char *pdml = iw_tshark_run("-2 -r %s -Y frame.number==8 -T pdml", stags.path);

    (void)state;
    assert_place(pdml, "iwarp.ddp.rsvdulp", 43, 1);
    assert_place(pdml, "iwarp.rdmap.rv", 43, 1);
    assert_place(pdml, "iwarp.rdmap.rsv", 43, 1);
    assert_place(pdml, "iwarp.rdmap.opcode", 43, 1);
    assert_place(pdml, "iwarp.ddp.qn", 48, 4);
    assert_place(pdml, "iwarp.rdmap.read.sink_stag", 60, 4);
    assert_place(pdml, "iwarp.rdmap.read.sink_to", 64, 8);
    assert_place(pdml, "iwarp.rdmap.read.source_to", 80, 8);
    assert_place(pdml, "iwarp.mpa.crc", 88, 4);
    free(pdml);
}

/* Wireshark prints the position of a field relative to its parent item if that begins later. The Marker of
 * frame 6 precedes the FPDU, at octet 54 of the frame. */
static void test_a_marker_before_the_fpdu_is_shown_where_it_stands(void **state) {
    char *pdml =
        iw_tshark_run("-2 -r %s/captures/vectors/markers.pcap -Y frame.number==6 -T pdml", SOURCE_DIR);

    (void)state;
    assert_place(pdml, "iwarp.mpa.marker.reserved", 54, 2);
    assert_place(pdml, "iwarp.mpa.marker.fpduptr", 56, 2);
    assert_place(pdml, "iwarp.mpa.ulpdu_length", 58, 2);
    free(pdml);
}

/* ---- each fact is shown once ---- */

static unsigned times(const char *text, const char *word) {
    unsigned count = 0;

    for (; (text = strstr(text, word)) != NULL; text++)
        count++;
    return count;
}

/* How often the details of frame `frame` contain a text. */
static void assert_says(const char *file, unsigned frame, const char *word, unsigned expected) {
    char *shown = iw_tshark_run("-2 -r %s/captures/%s -Y frame.number==%u -O iwarp", SOURCE_DIR, file, frame);

    if (times(shown, word) != expected)
        fail_msg("frame %u of %s says \"%s\" %u times, not %u:\n%s", frame, file, word, times(shown, word),
            expected, shown);
    free(shown);
}

static void test_one_line_tells_of_the_crc(void **state) {
    (void)state;
    assert_says("synth/terminate_msn.pcapng", 6, "CRC", 1);
    assert_says("synth/terminate_msn.pcapng", 6, "        CRC: 0x29da63aa [correct]\n", 1);
    assert_says("oddities/badcrc.pcap", 6, "        CRC: ", 1);
    assert_says("oddities/snap128.pcap", 6, "        [CRC status: not captured]\n", 1);
    assert_says("oddities/snap128.pcap", 6, "CRC", 1);
}

static void test_an_unchecked_crc_says_why(void **state) {
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
 * follows. In all other connections with a wrong startup frame the initiator goes on. */
static void test_a_startup_that_violates_a_must_accepts_nothing(void **state) {
    (void)state;
    assert_shows("rules/rfc5044_startup.pcap",
        "-2 -Y 'iwarp.mpa.settled.result contains \"not known\"'" FIELDS "-e iwarp.mpa.r", "75\t0\n76\t0\n");
    assert_says("rules/rfc5044_startup.pcap", 41, "            [Connection: accepted]\n", 1);
    assert_says("oddities/mpav2.pcap", 5, "            [Connection: accepted]\n", 1);
}

/* ---- fields for filters ---- */

static void test_where_an_fpdu_stands(void **state) {
    (void)state;
    assert_prints(stags.path,
        "-Y iwarp" FIELDS "-e iwarp.stream -e iwarp.mpa.fpdu_number -e iwarp.mpa.stream_offset",
        "3\t0\t\t0\n4\t0\t\t0\n5\t0\t1\t20\n6\t0\t2\t44\n7\t0\t3\t72\n8\t0\t4\t96\n9\t0\t1\t20\n"
        "10\t0\t2\t44\n");
    /* another connection between the same addresses */
    assert_shows("oddities/port_reuse.pcap", "-Y iwarp.stream==1" FIELDS "-e tcp.stream",
        "13\t1\n14\t1\n15\t1\n16\t1\n");
}

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

/* ---- several segments in a frame ---- */

/* An aggregated frame of IEEE 802.11 (9.3.2.2 of the standard) holds up to two TCP segments from the
 * initiator to the responder; sequence numbers begin at `seq`. */
struct msdu {
    uint32_t seq;
    const uint8_t *payload;
    size_t count;
};

static size_t write_msdu(uint8_t *to, const struct msdu *msdu, bool back) {
    static const uint8_t head[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0, 0, 0xAA, 0xAA, 3, 0, 0, 0, 8, 0,
        /* IP */ 0x45, 0, 0, 0, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
        /* TCP */ 0x9C, 0x40, 0x4E, 0x84, 0, 0, 0, 0, 0, 0, 1, 0xF4, 0x50, 0x10, 0xFF, 0xFF, 0, 0, 0, 0};
    static const uint8_t ports_back[] = {0x4E, 0x84, 0x9C, 0x40};

    memcpy(to, head, sizeof head);
    to[13] = (uint8_t)(8 + 40 + msdu->count);
    to[25] = (uint8_t)(40 + msdu->count);
    if (back) {
        to[37] = 2;
        to[41] = 1;
        memcpy(to + 42, ports_back, sizeof ports_back);
    }
    to[48] = (uint8_t)(msdu->seq >> 8);
    to[49] = (uint8_t)msdu->seq;
    memcpy(to + sizeof head, msdu->payload, msdu->count);
    return sizeof head + msdu->count;
}

static void write_aggregate(FILE *file, bool back, const struct msdu *msdus, size_t count) {
    static const uint8_t head[26] = {
        0x88, 0, 0, 0, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 3, 0, 0, 0x80, 0};
    uint8_t frame[512] = {0};
    uint32_t record[4] = {1700000000};
    size_t length = sizeof head;

    memcpy(frame, head, sizeof head);
    for (size_t i = 0; i < count; i++) {
        length += (sizeof head - length) & 3;
        length += write_msdu(frame + length, &msdus[i], back);
    }
    record[2] = record[3] = (uint32_t)length;
    fwrite(record, sizeof record, 1, file);
    fwrite(frame, 1, length, file);
}

/* The Write stands in both segments of frame 3, the Send in the second, the Read Request in the first one of
 * frame 4 and the beginning of another Send in the second. */
static void test_each_fpdu_is_shown_with_the_segment_that_it_ends_in(void **state) {
    static const uint32_t file_header[] = {0xA1B2C3D4, 4 << 16 | 2, 0, 0, 65535, 105};
    char path[] = "/tmp/iw_aggregate_XXXXXX";
    FILE *file = fdopen(mkstemp(path), "wb");
    uint8_t rest[14 + 28];

    (void)state;
    assert_non_null(file);
    memcpy(rest, write_to_stag + 10, 14);
    memcpy(rest + 14, invalidate, 28);
    fwrite(file_header, sizeof file_header, 1, file);
    write_aggregate(file, false, &(struct msdu){100, request, 20}, 1);
    write_aggregate(file, true, &(struct msdu){500, reply, 20}, 1);
    write_aggregate(file, false, (struct msdu[]){{120, write_to_stag, 10}, {130, rest, 42}}, 2);
    write_aggregate(file, false, (struct msdu[]){{172, read_request, 52}, {224, invalidate, 20}}, 2);
    fclose(file);
    assert_prints(path, "-2 -Y iwarp.ddp" FIELDS "-e iwarp.mpa.ulpdu_length -e iwarp.rdmap.opcode",
        "3\t18,22\t0x00,0x04\n4\t46,22\t0x01,0x04\n");
    unlink(path);
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
        cmocka_unit_test(test_markers_are_settled_by_who_receives_them),
        cmocka_unit_test(test_a_reject_settles_nothing_else),
        cmocka_unit_test(test_request_and_reply_are_linked),
        cmocka_unit_test(test_what_becomes_of_an_stag),
        cmocka_unit_test(test_a_read_response_knows_who_advertised_its_stag),
        cmocka_unit_test(test_requests_and_answers_are_linked),
        cmocka_unit_test(test_segments_of_a_message_are_linked),
        cmocka_unit_test(test_what_an_atomic_operation_did),
        cmocka_unit_test(test_requests_wait_over_sctp_too),
        cmocka_unit_test(test_an_answer_with_another_identifier_tells_of_no_memory),
        cmocka_unit_test(test_a_terminate_is_linked_to_the_segment_at_fault),
        cmocka_unit_test(test_the_segment_at_fault_is_found_among_the_last),
        cmocka_unit_test(test_errors_are_filtered_by_name),
        cmocka_unit_test(test_a_wrong_crc_is_bad_and_remarkable),
        cmocka_unit_test(test_the_middle_of_an_fpdu_says_so),
        cmocka_unit_test(test_the_middle_of_an_fpdu_is_mpa),
        cmocka_unit_test(test_the_beginning_of_a_startup_frame_says_so),
        cmocka_unit_test(test_octets_are_shown_where_they_stand_beside_markers),
        cmocka_unit_test(test_octets_are_shown_where_they_stand_in_the_packet),
        cmocka_unit_test(test_a_marker_before_the_fpdu_is_shown_where_it_stands),
        cmocka_unit_test(test_one_line_tells_of_the_crc),
        cmocka_unit_test(test_an_unchecked_crc_says_why),
        cmocka_unit_test(test_the_error_of_a_terminate_is_named_once),
        cmocka_unit_test(test_where_an_fpdu_stands),
        cmocka_unit_test(test_the_hash_of_a_verify),
        cmocka_unit_test(test_an_included_opcode_has_a_name_of_its_own),
        cmocka_unit_test(test_with_rev_1_s_is_reserved),
        cmocka_unit_test(test_a_startup_that_violates_a_must_accepts_nothing),
        cmocka_unit_test(test_each_fpdu_is_shown_with_the_segment_that_it_ends_in),
        cmocka_unit_test(test_the_info_column_of_a_read),
    };

    return cmocka_run_group_tests(tests, write_captures, remove_captures);
}

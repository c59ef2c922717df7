/* The plugin's own preferences take effect; those of TCP have no influence. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "iw_tshark.h"

#define CAPTURES SOURCE_DIR "/captures/"

static void assert_shown(const char *file, const char *options, const char *expected) {
    char *shown = iw_tshark_run("-2 -r " CAPTURES "%s %s", file, options);

    assert_string_equal(shown, expected);
    free(shown);
}

/* ---- preferences of TCP ---- */

static const char *const tcp_preferences[] = {
    "tcp.desegment_tcp_streams:FALSE",
    "tcp.reassemble_out_of_order:TRUE",
    "tcp.analyze_sequence_numbers:FALSE",
    "tcp.relative_sequence_numbers:FALSE",
    "tcp.check_checksum:TRUE",
    "tcp.try_heuristic_first:TRUE",
};

enum { TCP_PREFERENCES = sizeof tcp_preferences / sizeof *tcp_preferences };

static const char *const hard_captures[] = {
    "oddities/unaligned_drop.pcap",
    "oddities/ooo_send.pcap",
    "oddities/port_reuse.pcap",
    "oddities/port445.pcap",
    "synth/split_wrap.pcapng",
};

/* Each field with its position, value and display. */
#define IWARP_FIELDS "-Y iwarp -T pdml | grep -o 'name=\"iwarp[^>]*'"

static void assert_same_with(const char *file, const char *plain, const char *preference) {
    char *shown = iw_tshark_run("-2 -r " CAPTURES "%s -o %s " IWARP_FIELDS, file, preference);

    if (strcmp(shown, plain) != 0)
        fail_msg("%s is shown otherwise with %s", file, preference);
    free(shown);
}

static char *all_preferences(void) {
    static char all[512];

    all[0] = '\0';
    for (size_t i = 0; i < TCP_PREFERENCES; i++) {
        strcat(all, i > 0 ? " -o " : "");
        strcat(all, tcp_preferences[i]);
    }
    return all;
}

/* Each preference alone on the first capture, all together on every capture. */
static void test_the_preferences_of_tcp_make_no_difference(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof hard_captures / sizeof *hard_captures; i++) {
        char *plain = iw_tshark_run("-2 -r " CAPTURES "%s " IWARP_FIELDS, hard_captures[i]);

        assert_non_null(strstr(plain, "\"iwarp.ddp\""));
        for (size_t k = 0; i == 0 && k < TCP_PREFERENCES; k++)
            assert_same_with(hard_captures[i], plain, tcp_preferences[k]);
        assert_same_with(hard_captures[i], plain, all_preferences());
        free(plain);
    }
}

/* ---- CRC and Markers ---- */

#define CRC "-Y 'frame.number == 6' -T fields -e iwarp.mpa.crc_status -e iwarp.finding.requirement"

static void test_crc(void **state) {
    (void)state;
    assert_shown("oddities/badcrc.pcap", CRC, "bad\tRFC5044-4.4-11\n");
    assert_shown("oddities/badcrc.pcap", "-o iwarp.crc:off " CRC, "unchecked\t\n");
    assert_shown("synth/crc_off.pcapng", CRC, "unchecked\t\n");
    assert_shown("synth/crc_off.pcapng", "-o iwarp.crc:on " CRC, "bad\tRFC5044-4.4-11\n");
}

/* Only the initiator's Sends have Markers here, before octets 0, 508 and 392 of their FPDUs. */
#define MARKERS                                                                                              \
    "-Y 'frame.number == 6 or frame.number == 7' -T fields -e iwarp.mpa.marker.fpduptr -e "                  \
    "iwarp.rdmap.opcode"

static void test_markers(void **state) {
    (void)state;
    assert_shown("oddities/markers_one_dir.pcap", MARKERS, "0,508\t0x03\n392\t0x03\n");
    assert_shown("oddities/markers_one_dir.pcap", "-o iwarp.markers_responder:off " MARKERS,
        "0,508\t0x03\n392\t0x03\n");
    assert_shown("oddities/markers_one_dir.pcap",
        "-o iwarp.markers_initiator:off -Y 'iwarp.role == initiator and iwarp.rdmap'", "");
}

static void test_resynchronisation(void **state) {
    (void)state;
    assert_shown(
        "oddities/midstream.pcap", "-Y iwarp -T fields -e frame.number", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
    assert_shown(
        "oddities/midstream.pcap", "-o iwarp.resynchronise:FALSE -Y iwarp -T fields -e frame.number", "");
}

/* ---- extensions and levels ---- */

#define UNKNOWN "-Y 'iwarp.finding.requirement == RFC5040-4.1-06' -T fields -e iwarp.rdmap.opcode"

static void test_extensions(void **state) {
    (void)state;
    assert_shown("synth/extensions.pcapng", "-Y iwarp.finding -T fields -e iwarp.finding.requirement",
        "RFC6580-3.4-01\n");
    assert_shown("synth/extensions.pcapng", "-o iwarp.draft_note:FALSE -Y iwarp.finding", "");
    assert_shown("synth/extensions.pcapng",
        "-o iwarp.extension_7306:FALSE -o iwarp.extension_storm:TRUE " UNKNOWN, "");
    assert_shown("synth/extensions.pcapng", "-o iwarp.extension_7306:FALSE " UNKNOWN,
        "0x08\n0x09\n0x0a\n0x0b\n0x0a\n0x0b\n");
    assert_shown("synth/extensions.pcapng", "-o iwarp.extension_talpey:FALSE " UNKNOWN, "0x0c\n0x0e\n0x0d\n");
}

static void test_levels(void **state) {
    (void)state;
    assert_shown("oddities/badcrc.pcap", "-o iwarp.show_warnings:FALSE -o iwarp.show_notes:FALSE " CRC,
        "bad\tRFC5044-4.4-11\n");
    assert_shown("oddities/badcrc.pcap", "-o iwarp.show_errors:FALSE " CRC, "bad\t\n");
    assert_shown("oddities/badcrc.pcap", "-o iwarp.show_errors:FALSE -Y iwarp.rule.RFC5044-4.4-11", "");
}

static const uint8_t request[20] = "MPA ID Req Frame\x00\x01\x00";
static const uint8_t reply[20] = "MPA ID Rep Frame\x00\x01\x00";

/* Send, MSN 2 where 1 is expected, "abcd"; CRC is not in use. */
static const uint8_t second_send[28] = {
    0x00, 0x16, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 'a', 'b', 'c', 'd', 0, 0, 0, 0};
/* Terminate: DDP, Untagged Buffer Error, Invalid MSN; without the DDP header that RFC 5040 figure 10
 * requires. */
static const uint8_t terminate[28] = {
    0x00, 0x16, 0x41, 0x47, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0x12, 0x03, 0, 0, 0, 0, 0, 0};

static void test_warnings(void **state) {
    struct iw_tshark_capture capture;
    char *all, *errors, *warnings;

    (void)state;
    iw_tshark_open(&capture);
    iw_tshark_connect(&capture, 20100);
    iw_tshark_say(&capture, false, request, sizeof request);
    iw_tshark_say(&capture, true, reply, sizeof reply);
    iw_tshark_say(&capture, false, second_send, sizeof second_send);
    iw_tshark_say(&capture, true, terminate, sizeof terminate);
    iw_tshark_close(&capture);
#define LEVELS "-Y iwarp.finding -T fields -e frame.number -e iwarp.finding.level"
    all = iw_tshark_run("-2 -r %s " LEVELS, capture.path);
    errors = iw_tshark_run("-2 -r %s -o iwarp.show_warnings:FALSE " LEVELS, capture.path);
    warnings = iw_tshark_run("-2 -r %s -o iwarp.show_errors:FALSE " LEVELS, capture.path);
    assert_string_equal(all, "5\terror\n6\twarning,warning\n");
    assert_string_equal(errors, "5\terror\n");
    assert_string_equal(warnings, "6\twarning,warning\n");
    iw_tshark_remove(&capture);
    free(all);
    free(errors);
    free(warnings);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_preferences_of_tcp_make_no_difference),
        cmocka_unit_test(test_crc),
        cmocka_unit_test(test_markers),
        cmocka_unit_test(test_resynchronisation),
        cmocka_unit_test(test_extensions),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_warnings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

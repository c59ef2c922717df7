/* Each finding is attached to the field at fault, or highlights the octets at fault if they are not a
 * field. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_tshark.h"

static struct iw_tshark_capture wrong;

static const uint8_t request[20] = "MPA ID Req Frame\x00\x01\x00";
static const uint8_t reply[20] = "MPA ID Rep Frame\x00\x01\x00";

/* Send, MSN 1, one octet; the last of three octets of PAD is 1. The CRC is not in use. */
static const uint8_t pad[28] = {
    0x00, 0x13, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 'a', 0, 0, 1};
/* Immediate Data, MSN 2, with an Invalidate STag. */
static const uint8_t invalidate[32] = {0x00, 0x1A, 0x41, 0x48, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0,
    'i', 'm', 'm', 'e', 'd', 'i', 'a', 't'};
/* Unsolicited Read Response. */
static const uint8_t unasked[24] = {
    0x00, 0x12, 0xC1, 0x42, 0, 0, 0, 0x12, 0, 0, 0, 0, 0, 0, 0x10, 0x00, 'i', 'j', 'k', 'l'};
/* Terminate, local catastrophic error, and a Send after it. */
static const uint8_t terminate[28] = {
    0x00, 0x16, 0x41, 0x47, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t behind[24] = {0x00, 0x12, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0};
/* Flush Request, and an Atomic Write Response to it: its opcode has five bits. */
static const uint8_t flush[44] = {0x00, 0x26, 0x41, 0x4C, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0,
    0, 0, 9, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
static const uint8_t answer[24] = {0x00, 0x12, 0x41, 0x51, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1};

enum { PAD = 5, INVALIDATE, UNASKED, TERMINATE, BEHIND, ANSWER = 15 };

static void begin(void) {
    iw_tshark_connect(&wrong, 20100);
    iw_tshark_say(&wrong, false, request, sizeof request);
    iw_tshark_say(&wrong, true, reply, sizeof reply);
}

static int write_capture(void **state) {
    (void)state;
    iw_tshark_open(&wrong);
    begin();
    iw_tshark_say(&wrong, false, pad, sizeof pad);
    iw_tshark_say(&wrong, false, invalidate, sizeof invalidate);
    iw_tshark_say(&wrong, true, unasked, sizeof unasked);
    iw_tshark_say(&wrong, false, terminate, sizeof terminate);
    iw_tshark_say(&wrong, false, behind, sizeof behind);
    begin(); /* frames 10 to 13 */
    iw_tshark_say(&wrong, false, flush, sizeof flush);
    iw_tshark_say(&wrong, true, answer, sizeof answer);
    iw_tshark_close(&wrong);
    return 0;
}

static int remove_capture(void **state) {
    (void)state;
    iw_tshark_remove(&wrong);
    return 0;
}

/* Expects the item with the expert info: the last field that begins before the expert info, with position and
 * size. */
static void assert_marked(const char *path, unsigned frame, const char *expected) {
    char *pdml = iw_tshark_run("-2 -r %s -Y frame.number==%u -T pdml", path, frame);
    char *expert = strstr(pdml, "<field name=\"_ws.expert\"");
    const char *proto = strstr(pdml, "<proto name=\"iwarp");
    char marked[128] = "nothing";
    char name[64];
    int size, position;

    for (const char *at = proto; expert != NULL && at != NULL && at < expert;
         at = strstr(at + 1, "<field name=\"")) {
        const char *numbers = strstr(at, " size=\"");

        if (sscanf(at, "<field name=\"iwarp%63[^\"]\"", name) == 1 && strncmp(name, ".finding.", 9) != 0 &&
            sscanf(numbers, " size=\"%d\" pos=\"%d\"", &size, &position) == 2)
            snprintf(marked, sizeof marked, "iwarp%s %d+%d", name, position, size);
    }
    assert_string_equal(marked, expected);
    free(pdml);
}

/* Raw IP: 40 octets of headers. */
static void test_a_pad_octet(void **state) {
    (void)state;
    assert_marked(wrong.path, PAD, "iwarp.mpa.pad 61+3");
}

/* Without an Invalidate STag, its octets belong to DDP. */
static void test_octets_in_place_of_an_invalidate_stag(void **state) {
    (void)state;
    assert_marked(wrong.path, INVALIDATE, "iwarp.ddp.rsvdulp_rest 44+4");
}

static void test_a_response_without_an_outstanding_request(void **state) {
    (void)state;
    assert_marked(wrong.path, UNASKED, "iwarp.finding 40+24");
}

static void test_a_response_of_another_kind(void **state) {
    (void)state;
    assert_marked(wrong.path, ANSWER, "iwarp.rdmap.opcode 43+1");
}

static void test_a_whole_fpdu(void **state) {
    (void)state;
    assert_marked(wrong.path, BEHIND, "iwarp.finding 40+24");
}

/* After 54 octets of headers: the Marker comes before ULPDU_Length. */
static void test_a_marker_without_being_negotiated(void **state) {
    (void)state;
    assert_marked(SOURCE_DIR "/captures/oddities/markers_unasked.pcap", 6, "iwarp.mpa.marker.fpduptr 56+2");
}

/* MSN 4 instead of 2 in frame 168 is the first finding of its connection; the next Send, with MSN 2, is the
 * first consequence in the file. */
static void test_what_it_follows_from(void **state) {
    char *shown =
        iw_tshark_run("-2 -r %s -Y 'iwarp.finding.cause && frame.number < 170' -T fields -e frame.number "
                      "-e iwarp.finding.number -e iwarp.finding.cause -e iwarp.finding.cause_in",
            SOURCE_DIR "/captures/rules/rfc5041_4.pcap");
    char *tree =
        iw_tshark_run("-2 -r %s -Y iwarp.finding.cause -V", SOURCE_DIR "/captures/rules/rfc5041_4.pcap");

    (void)state;
    assert_string_equal(shown, "169\t2\t1\t168\n");
    assert_non_null(strstr(tree, "[Finding: MSN is 2, expected 4; follows from finding 1 in frame 168]"));
    free(shown);
    free(tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_pad_octet),
        cmocka_unit_test(test_octets_in_place_of_an_invalidate_stag),
        cmocka_unit_test(test_a_response_without_an_outstanding_request),
        cmocka_unit_test(test_a_response_of_another_kind),
        cmocka_unit_test(test_a_whole_fpdu),
        cmocka_unit_test(test_a_marker_without_being_negotiated),
        cmocka_unit_test(test_what_it_follows_from),
    };

    return cmocka_run_group_tests(tests, write_capture, remove_capture);
}

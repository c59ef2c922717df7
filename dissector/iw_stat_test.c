/* The statistics in tshark, for captures whose frames were counted by hand in the decoded text (captures,
 * *.expect). */

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

#define SIW "captures/siw/siw2siw_rping_crc.pcap"
#define EXTENSIONS "captures/synth/extensions.pcapng"

/* ---- what tshark prints ---- */

/* Runs of spaces become one. */
static char *squeeze(char *text) {
    char *to = text;

    for (const char *from = text; *from != '\0'; from++)
        if (*from != ' ' || (to > text && to[-1] != ' '))
            *to++ = *from;
    *to = '\0';
    return text;
}

/* The output of `-z STATISTIC` for a capture of the corpus in `passes` passes; to be freed. */
static char *run_statistic(const char *file, const char *statistic, int passes) {
    return squeeze(
        iw_tshark_run("%s -q -r %s/%s -z '%s'", passes == 2 ? "-2" : "", SOURCE_DIR, file, statistic));
}

static void assert_printed(const char *text, const char *expected) {
    if (strstr(text, expected) == NULL)
        fail_msg("\"%s\" is not in:\n%s", expected, text);
}

/* Expects each text in the statistic, with one pass and with two. */
static void assert_statistic(const char *file, const char *statistic, const char *const expected[]) {
    for (int passes = 1; passes <= 2; passes++) {
        char *text = run_statistic(file, statistic, passes);

        for (size_t i = 0; expected[i] != NULL; i++)
            assert_printed(text, expected[i]);
        free(text);
    }
}

/* ---- service response times ---- */

/* Frames 9 and 10, 17 and 18: 0.207407 - 0.206997 = 0.000410 s, 0.211587 - 0.211239 = 0.000348 s. */
static void test_response_times_of_reads(void **state) {
    static const char *const expected[] = {
        " RDMA Read Request, first segment 2 0.000348 0.000410 0.000379 0.000758\n",
        " RDMA Read Request, complete 2 0.000348 0.000410 0.000379 0.000758\n", NULL};

    (void)state;
    assert_statistic(SIW, "iwarp,srt", expected);
}

/* Frames 17 to 19, at 0.000216, 0.000317 and 0.000318 s: a Read whose response has two segments. */
static void test_a_read_is_timed_to_both_ends_of_its_answer(void **state) {
    static const char *const expected[] = {
        " RDMA Read Request, first segment 1 0.000101 0.000101 0.000101 0.000101\n",
        " RDMA Read Request, complete 1 0.000102 0.000102 0.000102 0.000102\n", NULL};

    (void)state;
    assert_statistic("captures/synth/split.pcapng", "iwarp,srt", expected);
}

/* One frame each microsecond. Request and response: FetchAdd 8 and 10, Read 9 and 12, CmpSwap 11 and 14,
 * Flush 13 and 16, Verify 15 and 18, Atomic Write 17 and 19. */
static void test_response_times_of_each_operation(void **state) {
    static const char *const expected[] = {" Atomic Request, FetchAdd 1 0.000002 ",
        " RDMA Read Request, first segment 1 0.000003 ", " RDMA Read Request, complete 1 0.000003 ",
        " Atomic Request, CmpSwap 1 0.000003 ", " RDMA Flush Request 1 0.000003 ",
        " RDMA Verify Request 1 0.000003 ", " Atomic Write Request 1 0.000002 ", NULL};

    (void)state;
    assert_statistic(EXTENSIONS, "iwarp,srt", expected);
}

/* ---- statistics tree ---- */

/* Adds a row of the tree with its parents: "CRC/good=14". Omits rows with a count of 0. */
static void add_row(char *rows, size_t size, char path[4][256], char *line) {
    size_t depth = strspn(line, " ");
    char *name = line + depth;
    char *end = strstr(name, "  ");
    unsigned count = 0;
    size_t used = strlen(rows);

    if (end == NULL || depth > 3 || sscanf(end, "%u", &count) != 1)
        return;
    *end = '\0';
    snprintf(path[depth], sizeof path[depth], "%s", name);
    if (count == 0)
        return;
    for (size_t i = 0; i <= depth; i++)
        used += (size_t)snprintf(rows + used, size - used, "%s%s", i > 0 ? "/" : "\n", path[i]);
    snprintf(rows + used, size - used, "=%u\n", count);
}

/* The rows with a count above 0 must be `expected`, in any order. */
static void assert_tree_once(const char *file, const char *const expected[], int passes) {
    static char rows[1 << 16];
    char path[4][256];
    char *text = iw_tshark_run("%s -q -r %s/%s -z iwarp,tree", passes == 2 ? "-2" : "", SOURCE_DIR, file);
    size_t wanted = 0, got = 0;

    rows[0] = '\0';
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
        add_row(rows, sizeof rows, path, line);
    for (; expected[wanted] != NULL; wanted++) {
        char row[256];

        snprintf(row, sizeof row, "\n%s\n", expected[wanted]);
        assert_printed(rows, row);
    }
    for (const char *at = rows; *at != '\0'; at++)
        got += *at == '=';
    if (got != wanted)
        fail_msg("%zu rows instead of %zu:%s", got, wanted, rows);
    free(text);
}

static void assert_tree(const char *file, const char *const expected[]) {
    assert_tree_once(file, expected, 1);
    assert_tree_once(file, expected, 2);
}

/* Frames 8 to 22: 4 Sends each way; the responder's 2 Read Requests, 2 Read Responses to them; 2 Writes. An
 * FPDU is ULPDU_Length and 2 + 4 octets: 8 of 40, 2 of 52, 4 of 120. */
static void test_tree_of_siw(void **state) {
    static const char *const expected[] = {
        "Startup frames=2",
        "Startup frames/MPA Request, revision 2=1",
        "Startup frames/MPA Reply, revision 2=1",
        "DDP Segments by sender and opcode=14",
        "DDP Segments by sender and opcode/responder=8",
        "DDP Segments by sender and opcode/responder/Send=4",
        "DDP Segments by sender and opcode/responder/RDMA Write=2",
        "DDP Segments by sender and opcode/responder/RDMA Read Request=2",
        "DDP Segments by sender and opcode/initiator=6",
        "DDP Segments by sender and opcode/initiator/Send=4",
        "DDP Segments by sender and opcode/initiator/RDMA Read Response=2",
        "Requests=2",
        "Requests/with a response=2",
        "Queues=14",
        "Queues/QN 0=8",
        "Queues/tagged=4",
        "Queues/QN 1=2",
        "Payload octets=14",
        "Payload octets/0=2",
        "Payload octets/16-63=8",
        "Payload octets/64-255=4",
        "FPDU octets=14",
        "FPDU octets/16-63=10",
        "FPDU octets/64-255=4",
        "CRC=14",
        "CRC/good=14",
        NULL,
    };

    (void)state;
    assert_tree(SIW, expected);
}

/* A Send of 16 octets, a Write of 5, the Terminate. */
static void test_tree_of_a_terminate(void **state) {
    static const char *const expected[] = {
        "Startup frames=2",
        "Startup frames/MPA Request, revision 1=1",
        "Startup frames/MPA Reply, revision 1=1",
        "DDP Segments by sender and opcode=3",
        "DDP Segments by sender and opcode/initiator=2",
        "DDP Segments by sender and opcode/initiator/Send=1",
        "DDP Segments by sender and opcode/initiator/RDMA Write=1",
        "DDP Segments by sender and opcode/responder=1",
        "DDP Segments by sender and opcode/responder/Terminate=1",
        "Queues=3",
        "Queues/QN 0=1",
        "Queues/QN 2=1",
        "Queues/tagged=1",
        "Payload octets=3",
        "Payload octets/16-63=2", /* the headers included in the Terminate are 16 octets */
        "Payload octets/1-15=1",
        "FPDU octets=3",
        "FPDU octets/16-63=3",
        "CRC=3",
        "CRC/good=3",
        "Terminate errors=1",
        "Terminate errors/1/1/01 Base or bounds violation=1",
        NULL,
    };

    (void)state;
    assert_tree("captures/synth/terminate_bounds.pcapng", expected);
}

/* Six Sends of 600 octets each way, with 2, 1, 1, 1, 2 and 1 Markers each. */
static void test_tree_of_markers(void **state) {
    static const char *const expected[] = {
        "Startup frames=2",
        "Startup frames/MPA Request, revision 1=1",
        "Startup frames/MPA Reply, revision 1=1",
        "DDP Segments by sender and opcode=12",
        "DDP Segments by sender and opcode/initiator=6",
        "DDP Segments by sender and opcode/initiator/Send=6",
        "DDP Segments by sender and opcode/responder=6",
        "DDP Segments by sender and opcode/responder/Send=6",
        "Queues=12",
        "Queues/QN 0=12",
        "Payload octets=12",
        "Payload octets/256-1023=12",
        "FPDU octets=12",
        "FPDU octets/256-1023=12",
        "Markers=16",
        "Markers/FPDUPTR as expected=16",
        "CRC=12",
        "CRC/good=12",
        NULL,
    };

    (void)state;
    assert_tree("captures/oddities/markers_both_1per.pcap", expected);
}

static void test_tree_of_a_wrong_crc(void **state) {
    static const char *const expected[] = {
        "Startup frames=2",
        "Startup frames/MPA Request, revision 1=1",
        "Startup frames/MPA Reply, revision 1=1",
        "DDP Segments by sender and opcode=1",
        "DDP Segments by sender and opcode/initiator=1",
        "DDP Segments by sender and opcode/initiator/Send=1",
        "Queues=1",
        "Queues/QN 0=1",
        "Payload octets=1",
        "Payload octets/16-63=1",
        "FPDU octets=1",
        "FPDU octets/16-63=1",
        "CRC=1",
        "CRC/bad=1",
        "Findings=1",
        "Findings/error=1",
        "Findings/error/RFC5044-4.4-11 The CRC is the CRC-32C of iSCSI digests over the FPDU=1",
        NULL,
    };

    (void)state;
    assert_tree("captures/oddities/badcrc.pcap", expected);
}

/* Three segments, and a lost one of 1024 octets between them. Only the end of the file proves where FPDUs
 * begin after the loss, so one pass does not count those FPDUs. */
static void test_tree_of_a_loss(void **state) {
    static const char *const expected[] = {
        "Startup frames=2",
        "Startup frames/MPA Request, revision 1=1",
        "Startup frames/MPA Reply, revision 1=1",
        "DDP Segments by sender and opcode=3",
        "DDP Segments by sender and opcode/initiator=3",
        "DDP Segments by sender and opcode/initiator/Send=3",
        "Queues=3",
        "Queues/QN 0=3",
        "Payload octets=3",
        "Payload octets/64-255=1",
        "Payload octets/256-1023=2",
        "FPDU octets=3",
        "FPDU octets/64-255=1",
        "FPDU octets/256-1023=1",
        "FPDU octets/1024-1500=1",
        "CRC=3",
        "CRC/good=3",
        "Octets not read=1",
        "Octets not read/initiator=1",
        NULL,
    };

    (void)state;
    assert_tree_once("captures/oddities/lost_send.pcap", expected, 2);
}

/* DDP over SCTP has neither FPDUs nor CRC: 11 DDP Segment Chunks in frames 7 to 16, two of them in frame 8.
 * The chunk of frame 10 comes before the one that its DDP-SSN follows, so its sender is known in the second
 * pass. */
static void test_tree_of_sctp(void **state) {
    static const char *const expected[] = {
        "DDP Segments by sender and opcode=11",
        "DDP Segments by sender and opcode/initiator=8",
        "DDP Segments by sender and opcode/initiator/Send=1",
        "DDP Segments by sender and opcode/initiator/RDMA Write=1",
        "DDP Segments by sender and opcode/initiator/RDMA Read Request=1",
        "DDP Segments by sender and opcode/initiator/Atomic Request=1",
        "DDP Segments by sender and opcode/initiator/Send with Invalidate=1",
        "DDP Segments by sender and opcode/initiator/Send with SE=1",
        "DDP Segments by sender and opcode/initiator/Send with SE and Invalidate=1",
        "DDP Segments by sender and opcode/initiator/Immediate Data=1",
        "DDP Segments by sender and opcode/responder=3",
        "DDP Segments by sender and opcode/responder/RDMA Read Response=1",
        "DDP Segments by sender and opcode/responder/Atomic Response=1",
        "DDP Segments by sender and opcode/responder/Terminate=1",
        "Requests=2",
        "Requests/with a response=2",
        "Queues=11",
        "Queues/QN 0=5",
        "Queues/tagged=2",
        "Queues/QN 1=2",
        "Queues/QN 2=1",
        "Queues/QN 3=1",
        "Payload octets=11",
        "Payload octets/0=4",
        "Payload octets/1-15=6",
        "Payload octets/16-63=1",
        "Terminate errors=1",
        "Terminate errors/1/1/01 Base or bounds violation=1",
        "Findings=1",
        "Findings/error=1",
        "Findings/error/RFC5040-4.4-05 A Read Response begins at the Data Sink Tagged Offset and has exactly "
        "the requested size=1",
        NULL,
    };

    (void)state;
    assert_tree_once("captures/vectors/sctp_session.pcap", expected, 2);
}

/* Segments are decoded with the chosen extensions, also that of frame 16, which is recognised only in frame
 * 17: Immediate Data (RFC 7306 6) has opcode 8. */
static void test_late_segments_use_the_same_extensions(void **state) {
    (void)state;
    for (int passes = 1; passes <= 2; passes++) {
        char *text =
            squeeze(iw_tshark_run("%s -q -o iwarp.extension_7306:false -o iwarp.extension_storm:false "
                                  "-r %s/captures/impairment/retransmission.pcap -z iwarp,tree",
                passes == 2 ? "-2" : "", SOURCE_DIR));

        assert_printed(text, " opcode 0x8 1 ");
        free(text);
    }
}

/* ---- conversations ---- */

/* FPDUs as in test_tree_of_siw: the responder's 4 x 40 + 2 x 52 + 2 x 120 = 504 octets, the initiator's
 * 4 x 40 + 2 x 120 = 400. */
static void test_conversation(void **state) {
    static const char *const expected[] = {
        "10.0.2.15 <-> 10.0.2.15 8 504 bytes 6 400 bytes 14 904 bytes ", NULL};

    (void)state;
    assert_statistic(SIW, "conv,iwarp", expected);
}

/* An FPDU of 624 octets six times, and 8 Markers of 4: 3776 octets each way. */
static void test_a_conversation_counts_markers(void **state) {
    static const char *const expected[] = {" 6 3776 bytes 6 3776 bytes 12 7552 bytes ", NULL};

    (void)state;
    assert_statistic("captures/oddities/markers_both_1per.pcap", "conv,iwarp", expected);
}

/* The same ports twice: one Send (56 octets) in the first connection; one each way in the second. */
static void test_reused_ports_make_another_conversation(void **state) {
    static const char *const expected[] = {
        " 0 0 bytes 1 56 bytes 1 56 bytes ", " 1 56 bytes 1 56 bytes 2 112 bytes ", NULL};

    (void)state;
    assert_statistic("captures/oddities/port_reuse.pcap", "conv,iwarp", expected);
}

static void test_endpoints(void **state) {
    static const char *const expected[] = {"10.0.2.15 14 904 ", NULL};

    (void)state;
    assert_statistic(SIW, "endpoints,iwarp", expected);
}

/* ---- follow ---- */

static void test_follow(void **state) {
    /* frames 6, 15 and 16 of the second connection */
    static const char *const first[] = {"\n32\nCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC\n=", NULL};
    static const char *const second[] = {"\n32\nDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD\n"
                                         "\t32\nEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE\n=",
        NULL};

    (void)state;
    assert_statistic("captures/oddities/port_reuse.pcap", "follow,iwarp,ascii,0", first);
    assert_statistic("captures/oddities/port_reuse.pcap", "follow,iwarp,ascii,1", second);
}

static void put_repeated(char *text, char octet, size_t count) {
    size_t used = strlen(text);

    memset(text + used, octet, count);
    text[used + count] = '\0';
}

/* Frame 8 fills the gap before frame 7: 1000 times "1", 1000 times "2", 500 times "3", 64 times "N". */
static void test_follow_puts_segments_in_order(void **state) {
    char expected[4096] = "\n1000\n";
    const char *const all[] = {expected, NULL};

    (void)state;
    put_repeated(expected, '1', 1000);
    strcat(expected, "\n1000\n");
    put_repeated(expected, '2', 1000);
    strcat(expected, "\n500\n");
    put_repeated(expected, '3', 500);
    strcat(expected, "\n64\n");
    put_repeated(expected, 'N', 64);
    assert_statistic("captures/oddities/ooo_send.pcap", "follow,iwarp,ascii,0", all);
}

/* ---- graphs ---- */

/* 8 Sends of 16 octets, 2 Writes and 2 Read Responses of 100: 528; the two response times above. */
static void test_fields_for_graphs(void **state) {
    static const char *const expected[] = {" 528 | 0.000379 |", NULL};

    (void)state;
    assert_statistic(SIW,
        "io,stat,0,SUM(iwarp.ddp.payload_octets)iwarp.ddp.payload_octets,"
        "AVG(iwarp.rdmap.response_time)iwarp.rdmap.response_time",
        expected);
}

/* Frame 7 is the response to frame 6; the requests of frames 8 and 9 are outstanding at the end. */
static void test_requests_without_a_response_are_counted(void **state) {
    static const char *const expected[] = {
        "\nRequests 3 ", " with a response 1 ", " no response known 2 ", NULL};

    (void)state;
    assert_statistic("captures/subtle/outstanding_capture.pcap", "iwarp,tree", expected);
}

/* 21 FPDUs in frame 7, and one each in frames 8 and 9. */
static void test_fpdus_that_may_be_payload_are_counted(void **state) {
    char *text = run_statistic("captures/subtle/nested_fpdus.pcap", "iwarp,tree", 2);

    (void)state;
    assert_printed(text, "\nFPDUs not judged 23 ");
    assert_printed(text, " it may be payload 23 ");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_response_times_of_reads),
        cmocka_unit_test(test_a_read_is_timed_to_both_ends_of_its_answer),
        cmocka_unit_test(test_response_times_of_each_operation),
        cmocka_unit_test(test_tree_of_siw),
        cmocka_unit_test(test_tree_of_a_terminate),
        cmocka_unit_test(test_tree_of_markers),
        cmocka_unit_test(test_tree_of_a_wrong_crc),
        cmocka_unit_test(test_tree_of_a_loss),
        cmocka_unit_test(test_tree_of_sctp),
        cmocka_unit_test(test_requests_without_a_response_are_counted),
        cmocka_unit_test(test_fpdus_that_may_be_payload_are_counted),
        cmocka_unit_test(test_late_segments_use_the_same_extensions),
        cmocka_unit_test(test_conversation),
        cmocka_unit_test(test_a_conversation_counts_markers),
        cmocka_unit_test(test_reused_ports_make_another_conversation),
        cmocka_unit_test(test_endpoints),
        cmocka_unit_test(test_follow),
        cmocka_unit_test(test_follow_puts_segments_in_order),
        cmocka_unit_test(test_fields_for_graphs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

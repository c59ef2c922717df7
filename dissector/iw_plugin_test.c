/* The plugin loaded by tshark: tshark must list the fields of the tables, and show a capture written here
 * octet by octet. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "iw_layout.h"
#include "iw_requirement.h"
#include "iw_tshark.h"

/* ---- the tables ---- */

static void test_protocols(void **state) {
    static const char *const names[] = {"iwarp", "iwarp.mpa", "iwarp.ddp", "iwarp.rdmap", "iwarp.sctp"};
    char *listed = iw_tshark_run("-G protocols");

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char row_ends[32];
        char column_ends[32];

        /* the filter name is the last column up to 4.0 */
        snprintf(row_ends, sizeof row_ends, "\t%s\n", names[i]);
        snprintf(column_ends, sizeof column_ends, "\t%s\t", names[i]);
        if (strstr(listed, row_ends) == NULL && strstr(listed, column_ends) == NULL)
            fail_msg("tshark does not list protocol %s", names[i]);
    }
    free(listed);
}

/* tshark prints a row per field: F, name, filter name, type, protocol, ... */
static void assert_listed(const char *listed, const char *filter, const char *type) {
    char wanted[128];

    snprintf(wanted, sizeof wanted, "\tiwarp.%s\t%s", filter, type);
    if (strstr(listed, wanted) == NULL)
        fail_msg("tshark does not list iwarp.%s as %s", filter, type);
}

static const char *type_of(const struct iw_field *field) {
    switch (field->kind) {
    case IW_KIND_FLAG:
        return "FT_BOOLEAN\t";
    case IW_KIND_OCTETS:
        return "FT_BYTES\t";
    case IW_KIND_KEY:
        return "FT_STRING\t";
    default:
        return field->bits <= 8    ? "FT_UINT8\t"
               : field->bits <= 16 ? "FT_UINT16\t"
               : field->bits <= 32 ? "FT_UINT32\t"
                                   : "FT_UINT64\t";
    }
}

static void test_fields(void **state) {
    char *listed = iw_tshark_run("-G fields");

    (void)state;
    for (size_t i = 0; i < IW_FIELD_COUNT; i++)
        assert_listed(listed, iw_fields[i].filter, type_of(&iw_fields[i]));
#define STRING "FT_STRING\t"
#define UINT "FT_UINT32\t"
#define OPCODE "FT_UINT8\t"
#define IW_DERIVED(symbol, label, filter, type, how) assert_listed(listed, filter, type);
#include "iw_derived.def"
    free(listed);
}

/* A requirement without a rule is never violated, so a filter for it would never match. */
static void test_every_requirement_with_a_rule_can_be_filtered(void **state) {
    char *listed = iw_tshark_run("-G fields");
    const char *at = listed;
    size_t rules = 0, filters = 0;

    (void)state;
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        char filter[64];

        if (iw_requirements[i].rule[0] == '\0')
            continue;
        snprintf(filter, sizeof filter, "rule.%s", iw_requirements[i].id);
        assert_listed(listed, filter, "");
        rules++;
    }
    while ((at = strstr(at, "\tiwarp.rule.")) != NULL) {
        at++;
        filters++;
    }
    assert_int_equal(filters, rules);
    assert_true(rules < IW_REQUIREMENT_COUNT / 2);
    free(listed);
}

/* ---- a capture ---- */

static const uint8_t request[20] = "MPA ID Req Frame\x00\x01\x00";
static const uint8_t reply[20] = "MPA ID Rep Frame\x00\x01\x00";

/* Send, MSN 1, "abcd"; CRC is not in use. */
static const uint8_t first_send[28] = {
    0x00, 0x16, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 'a', 'b', 'c', 'd', 0, 0, 0, 0};
/* Send, MSN 3 where 2 is expected, "efgh". */
static const uint8_t third_send[28] = {
    0x00, 0x16, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 'e', 'f', 'g', 'h', 0, 0, 0, 0};

/* Send, MSN 4, "ijklm" and three octets of PAD. */
static const uint8_t cut_send[32] = {0x00, 0x17, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0,
    'i', 'j', 'k', 'l', 'm', 0, 0, 0, 0, 0, 0, 0};

static struct iw_tshark_capture capture;

static int write_capture(void **state) {
    (void)state;
    iw_tshark_open(&capture);
    iw_tshark_connect(&capture, 445);
    iw_tshark_say(&capture, false, request, sizeof request);
    iw_tshark_say(&capture, true, reply, sizeof reply);
    iw_tshark_say(&capture, false, first_send, sizeof first_send);
    iw_tshark_say(&capture, false, third_send, 10);
    iw_tshark_say(&capture, false, third_send + 10, sizeof third_send - 10);
    iw_tshark_put(&capture, false, IW_TSHARK_ACK, 176, 520, cut_send, sizeof cut_send, 22);
    iw_tshark_close(&capture);
    return 0;
}

static int remove_capture(void **state) {
    (void)state;
    iw_tshark_remove(&capture);
    return 0;
}

static void assert_shown(const char *options, const char *expected) {
    char *shown = iw_tshark_run("-r %s %s", capture.path, options);

    assert_string_equal(shown, expected);
    free(shown);
}

#define VALUES                                                                                               \
    "-Y iwarp -T fields -e frame.number -e iwarp.role -e iwarp.mpa.key -e "                                  \
    "iwarp.rdmap.opcode "                                                                                    \
    "-e iwarp.ddp.msn -e iwarp.ddp.payload_octets -e iwarp.payload -e iwarp.mpa.crc_status "                 \
    "-e iwarp.finding.requirement -e frame.protocols"

static void test_values_are_the_same_on_every_pass(void **state) {
    static const char expected[] =
        "3\tinitiator\tMPA ID Req Frame\t\t\t\t\t\t\traw:ip:tcp:iwarp\n"
        "4\tresponder\tMPA ID Rep Frame\t\t\t\t\t\t\traw:ip:tcp:iwarp\n"
        "5\tinitiator\t\t0x03\t1\t4\t61626364\tunchecked\t\traw:ip:tcp:iwarp\n"
        "7\tinitiator\t\t0x03\t3\t4\t65666768\tunchecked\tRFC5041-4.3-08\traw:ip:tcp:iwarp\n"
        "8\tinitiator\t\t0x03\t4\t5\t696a\tnot captured\t\traw:ip:tcp:iwarp\n";

    (void)state;
    assert_shown(VALUES, expected);
    assert_shown("-2 " VALUES, expected);
}

static void test_an_earlier_piece_is_linked_to_the_fpdu(void **state) {
    (void)state;
    assert_shown("-2 -Y iwarp.mpa.ends_in -T fields -e frame.number -e iwarp.mpa.ends_in", "6\t7\n");
    assert_shown("-2 -Y iwarp.mpa.begins_in -T fields -e frame.number -e iwarp.mpa.begins_in", "7\t6\n");
}

static void test_a_finding_is_an_expert_info(void **state) {
    (void)state;
    assert_shown("-Y iwarp.rule.RFC5041-4.3-08 -T fields -e frame.number", "7\n");
}

static void assert_info(const char *file, unsigned frame, const char *expected) {
    char *shown = iw_tshark_run("-2 -r %s/captures/oddities/%s -Y frame.number==%u -T fields -e _ws.col.Info",
        SOURCE_DIR, file, frame);

    assert_string_equal(shown, expected);
    free(shown);
}

static void test_the_info_column_reads_well(void **state) {
    (void)state;
    assert_info("lost_send.pcap", 7,
        "[TCP Previous segment not captured] [1024 octets not read], Send  MSN 1 MO 2000 len 500\n");
    /* four of its nine octets are enhanced data */
    assert_info("mpav2.pcap", 4, "MPA Request  rev 2 CRC A=1 B=1 C=1 D=0 IRD 16 ORD 16 pd 5\n");
    assert_info(
        "../vectors/sends.pcap", 9, "Send with SE and Invalidate  MSN 4 len 5 invalidate 0x55667788\n");
}

static void test_the_info_column_says_what_is_wrong(void **state) {
    (void)state;
    assert_info(
        "../synth/terminate_msn.pcapng", 7, "[RFC5041-4.3-08: MSN is 3, expected 2] Send  MSN 3 len 5\n");
    assert_info("opcodes.pcap", 13,
        "[TALPEY-3.1.1.3-02: QN of RDMA Flush Response is 1, expected 3] [TALPEY-3.1.1.2-01: ULPDU_Length of "
        "RDMA Flush Response is 46, expected 18] RDMA Flush Response  QN 1 MSN 4 len 28\n");
}

/* Port 445 belongs to NetBIOS. */
static void test_only_iwarp_decodes_the_payload(void **state) {
    (void)state;
    assert_shown("-2 -Y 'iwarp_mpa or iwarp_ddp_rdmap or nbss'", "");
}

static void test_turned_off_it_decodes_nothing(void **state) {
    (void)state;
    assert_shown("--disable-protocol iwarp -Y iwarp", "");
    assert_shown("--disable-protocol iwarp -Y tcp.len==28 -T fields -e frame.number", "5\n");
}

/* MPA, DDP and RDMAP are one protocol with one switch; DDP over SCTP has another. With both off, the plugin
 * shows nothing. */
static void test_switches_work_or_are_not_there(void **state) {
    static const char *const layers[] = {"iwarp.mpa", "iwarp.ddp", "iwarp.rdmap"};
    static const char *const carriers[] = {"iwarp.sctp", "iwarp", "sctp"};
    char *listed = iw_tshark_run("-G protocols");
    char *shown;

    (void)state;
    assert_null(strstr(listed, "watched"));
    assert_null(strstr(listed, "iwarp.tcp\n"));
    free(listed);
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        shown = iw_tshark_run("-r %s --disable-protocol %s -Y %s", capture.path, layers[i], layers[i]);
        assert_string_not_equal(shown, "");
        free(shown);
    }
    for (size_t i = 0; i < sizeof carriers / sizeof *carriers; i++) {
        shown = iw_tshark_run("-r %s/captures/vectors/sctp_session.pcap --disable-protocol %s -Y iwarp",
            SOURCE_DIR, carriers[i]);
        assert_string_equal(shown, "");
        free(shown);
    }
    assert_shown("--disable-protocol tcp -Y iwarp", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_protocols),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_every_requirement_with_a_rule_can_be_filtered),
        cmocka_unit_test(test_values_are_the_same_on_every_pass),
        cmocka_unit_test(test_an_earlier_piece_is_linked_to_the_fpdu),
        cmocka_unit_test(test_a_finding_is_an_expert_info),
        cmocka_unit_test(test_the_info_column_reads_well),
        cmocka_unit_test(test_the_info_column_says_what_is_wrong),
        cmocka_unit_test(test_only_iwarp_decodes_the_payload),
        cmocka_unit_test(test_switches_work_or_are_not_there),
        cmocka_unit_test(test_turned_off_it_decodes_nothing),
    };

    return cmocka_run_group_tests(tests, write_capture, remove_capture);
}

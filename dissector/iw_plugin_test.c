/* The plugin as tshark loads it. The fields that tshark lists must be those of the tables; a capture written
 * here octet by octet must be shown. */

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

#include "iw_layout.h"
#include "iw_requirement.h"

enum { OUTPUT_MAX = 64 << 20 };

/* What tshark prints when it is run with the plugin; to be freed. */
static char *run_tshark(const char *arguments) {
    char command[1024];
    char *output = malloc(OUTPUT_MAX);
    size_t length;
    FILE *pipe;

    assert_non_null(output);
    assert_true(snprintf(command, sizeof command, "BUILD=%s %s %s", BUILD_DIR, TSHARK_SCRIPT, arguments) <
                (int)sizeof command);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    length = fread(output, 1, OUTPUT_MAX - 1, pipe);
    output[length] = '\0';
    assert_int_equal(pclose(pipe), 0);
    return output;
}

/* ---- the tables ---- */

static void test_protocols(void **state) {
    static const char *const names[] = {"iwarp", "iwarp.mpa", "iwarp.ddp", "iwarp.rdmap"};
    char *listed = run_tshark("-G protocols");

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
    char *listed = run_tshark("-G fields");

    (void)state;
    for (size_t i = 0; i < IW_FIELD_COUNT; i++)
        assert_listed(listed, iw_fields[i].filter, type_of(&iw_fields[i]));
#define STRING "FT_STRING\t"
#define UINT "FT_UINT32\t"
#define IW_DERIVED(symbol, label, filter, type, how) assert_listed(listed, filter, type);
#include "iw_derived.def"
#undef IW_DERIVED
    free(listed);
}

static void test_every_requirement_can_be_filtered(void **state) {
    char *listed = run_tshark("-G fields");

    (void)state;
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        char filter[64];

        snprintf(filter, sizeof filter, "rule.%s", iw_requirements[i].id);
        assert_listed(listed, filter, "");
    }
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

static char capture[] = "/tmp/iw_plugin_test_XXXXXX";

static void put32le(FILE *file, uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8)
        fputc((int)(value >> shift & 0xFF), file);
}

/* A packet of raw IP with `captured` of `count` octets of payload: from 10.0.0.1 port 40000 to 10.0.0.2 port
 * 445, or back. */
static void put_packet(FILE *file, bool back, uint8_t flags, uint32_t seq, uint32_t ack,
    const uint8_t *payload, uint32_t count, uint32_t captured) {
    uint32_t length = 40 + count;
    uint8_t source = back ? 2 : 1;
    uint8_t destination = back ? 1 : 2;
    uint8_t client[2] = {0x9C, 0x40};
    uint8_t server[2] = {0x01, 0xBD};
    uint8_t *from = back ? server : client;
    uint8_t *to = back ? client : server;
    uint8_t headers[40] = {0x45, 0, (uint8_t)(length >> 8), (uint8_t)length, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0,
        0, source, 10, 0, 0, destination, from[0], from[1], to[0], to[1], 0, 0, (uint8_t)(seq >> 8),
        (uint8_t)seq, 0, 0, (uint8_t)(ack >> 8), (uint8_t)ack, 0x50, flags, 0xFF, 0xFF, 0, 0, 0, 0};

    put32le(file, 1700000000);
    put32le(file, 0);
    put32le(file, length - count + captured);
    put32le(file, length);
    fwrite(headers, 1, sizeof headers, file);
    if (captured > 0)
        fwrite(payload, 1, captured, file);
}

static int write_capture(void **state) {
    static const uint8_t file_header[24] = {
        0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 101, 0, 0, 0};
    enum { SYN = 0x02, ACK = 0x10 };
    int descriptor = mkstemp(capture);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");

    (void)state;
    if (file == NULL)
        return -1;
    fwrite(file_header, 1, sizeof file_header, file);
    put_packet(file, false, SYN, 99, 0, NULL, 0, 0);
    put_packet(file, true, SYN | ACK, 499, 100, NULL, 0, 0);
    put_packet(file, false, ACK, 100, 500, request, sizeof request, sizeof request);
    put_packet(file, true, ACK, 500, 120, reply, sizeof reply, sizeof reply);
    put_packet(file, false, ACK, 120, 520, first_send, sizeof first_send, sizeof first_send);
    put_packet(file, false, ACK, 148, 520, third_send, 10, 10);
    put_packet(file, false, ACK, 158, 520, third_send + 10, sizeof third_send - 10, sizeof third_send - 10);
    put_packet(file, false, ACK, 176, 520, cut_send, sizeof cut_send, 22);
    return fclose(file);
}

static int remove_capture(void **state) {
    (void)state;
    return unlink(capture);
}

static void assert_shown(const char *options, const char *expected) {
    char arguments[512];
    char *shown;

    snprintf(arguments, sizeof arguments, "-r %s %s", capture, options);
    shown = run_tshark(arguments);
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
    char arguments[512];
    char *shown;

    snprintf(arguments, sizeof arguments,
        "-2 -r %s/captures/oddities/%s -Y frame.number==%u -T fields -e _ws.col.Info", SOURCE_DIR, file,
        frame);
    shown = run_tshark(arguments);
    assert_string_equal(shown, expected);
    free(shown);
}

static void test_the_info_column_reads_well(void **state) {
    (void)state;
    assert_info("lost_send.pcap", 7,
        "[TCP Previous segment not captured] [1024 octets not read], Send  MSN 1 MO 2000 len 500\n");
    /* four of its nine octets are enhanced data */
    assert_info("mpav2.pcap", 4, "MPA Request  rev 2 CRC IRD 16 ORD 16 pd 5\n");
}

/* Port 445 is NetBIOS's by its number. */
static void test_nobody_else_decodes_the_payload(void **state) {
    (void)state;
    assert_shown("-2 -Y 'iwarp_mpa or iwarp_ddp_rdmap or nbss'", "");
}

static void test_turned_off_it_decodes_nothing(void **state) {
    (void)state;
    assert_shown("--disable-protocol iwarp -Y iwarp", "");
    assert_shown("--disable-protocol iwarp -Y tcp.len==28 -T fields -e frame.number", "5\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_protocols),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_every_requirement_can_be_filtered),
        cmocka_unit_test(test_values_are_the_same_on_every_pass),
        cmocka_unit_test(test_an_earlier_piece_is_linked_to_the_fpdu),
        cmocka_unit_test(test_a_finding_is_an_expert_info),
        cmocka_unit_test(test_the_info_column_reads_well),
        cmocka_unit_test(test_nobody_else_decodes_the_payload),
        cmocka_unit_test(test_turned_off_it_decodes_nothing),
    };

    /* Whatever the user has set in Wireshark must not count. */
    setenv("WIRESHARK_CONFIG_DIR", "/nonexistent", 1);
    return cmocka_run_group_tests(tests, write_capture, remove_capture);
}

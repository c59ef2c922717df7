/* Precedence: traffic other than iWARP is shown as without the plugin, iWARP is shown on any port, and the
 * user's choice overrides both. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "iw_tshark.h"

/* Ports of iWARP, NetBIOS, NVMe/TCP, Artemis, NFS, NFS over RDMA, TLS, HTTP, and one without a protocol. */
static const uint16_t ports[] = {445, 139, 4420, 5445, 2049, 20049, 443, 80, 20100};
enum { PORTS = sizeof ports / sizeof *ports };

struct exchange {
    const void *asked;
    size_t asked_octets;
    const void *answered;
    size_t answered_octets;
};

/* ---- other protocols ---- */

static const char http_request[] =
    "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\nMPA ID Req Frame\0\1\0";
static const char http_response[] = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nMPA ID Rep Frame\0\1\0";

/* ClientHello and ServerHello of TLS 1.2: record, handshake, version, random, session, cipher, compression.
 */
static const uint8_t tls_client[50] = {22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3, [43] = 0, 0, 2, 0x00, 0x2F, 1, 0};
static const uint8_t tls_server[47] = {22, 3, 3, 0, 42, 2, 0, 0, 38, 3, 3, [43] = 0, 0x00, 0x2F, 0};

/* ICReq and ICResp of NVMe/TCP: type, flags, header length, data offset, length. */
static const uint8_t nvme_request[128] = {0, 0, 128, 0, 128, 0, 0, 0};
static const uint8_t nvme_response[128] = {1, 0, 128, 0, 128, 0, 0, 0};

/* SMB2 NEGOTIATE in a NetBIOS session message: header of 64 octets, one dialect; and an error response. */
static const uint8_t smb_request[106] = {
    0, 0, 0, 102, 0xFE, 'S', 'M', 'B', 64, [68] = 36, [70] = 1, [104] = 2, 2};
static const uint8_t smb_response[77] = {
    0, 0, 0, 73, 0xFE, 'S', 'M', 'B', 64, [12] = 0x0D, [15] = 0xC0, [20] = 1, [68] = 9};

/* Begins like a startup frame, but is not one. */
static const char nearly_request[] = "MPA IDs are not what this is about, it said";
static const char nearly_reply[] = "MPA ID? What is that?";

/* Neither text nor a known protocol. */
static uint8_t noise[2][600];

static const struct exchange others[] = {
    {http_request, sizeof http_request, http_response, sizeof http_response},
    {tls_client, sizeof tls_client, tls_server, sizeof tls_server},
    {nvme_request, sizeof nvme_request, nvme_response, sizeof nvme_response},
    {smb_request, sizeof smb_request, smb_response, sizeof smb_response},
    {nearly_request, sizeof nearly_request, nearly_reply, sizeof nearly_reply},
    {noise[0], sizeof noise[0], noise[1], sizeof noise[1]},
};

/* ---- iWARP ---- */

static const uint8_t request[20] = "MPA ID Req Frame\x00\x01\x00";
static const uint8_t reply[20] = "MPA ID Rep Frame\x00\x01\x00";

/* Send, MSN 1, "abcd"; CRC is not in use. */
static const uint8_t send_abcd[28] = {
    0x00, 0x16, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 'a', 'b', 'c', 'd', 0, 0, 0, 0};

/* ---- captures ---- */

static struct iw_tshark_capture foreign; /* each protocol other than iWARP, on each of the ports */
static struct iw_tshark_capture iwarp;   /* iWARP on each of the ports */

static void fill_noise(void) {
    uint32_t value = 1;

    for (size_t i = 0; i < sizeof noise; i++) {
        value = value * 1664525u + 1013904223u;
        ((uint8_t *)noise)[i] = (uint8_t)(value >> 24);
    }
}

static int write_captures(void **state) {
    (void)state;
    fill_noise();
    iw_tshark_open(&foreign);
    iw_tshark_open(&iwarp);
    for (size_t port = 0; port < PORTS; port++) {
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            iw_tshark_connect(&foreign, ports[port]);
            iw_tshark_say(&foreign, false, others[i].asked, others[i].asked_octets);
            iw_tshark_say(&foreign, true, others[i].answered, others[i].answered_octets);
        }
        iw_tshark_connect(&iwarp, ports[port]);
        iw_tshark_say(&iwarp, false, request, sizeof request);
        iw_tshark_say(&iwarp, true, reply, sizeof reply);
        iw_tshark_say(&iwarp, false, send_abcd, sizeof send_abcd);
    }
    iw_tshark_close(&foreign);
    iw_tshark_close(&iwarp);
    return 0;
}

static int remove_captures(void **state) {
    (void)state;
    iw_tshark_remove(&foreign);
    iw_tshark_remove(&iwarp);
    return 0;
}

/* ---- without the user's choice ---- */

static void assert_same(const char *path, const char *options) {
    char *with = iw_tshark_run("-r %s %s", path, options);
    char *without = iw_tshark_run_plain("-r %s %s", path, options);
    size_t same = 0;

    assert_true(strlen(without) > 0);
    while (with[same] != '\0' && with[same] == without[same])
        same++;
    if (with[same] != without[same])
        fail_msg("with the plugin it goes on: %.200s\nwithout: %.200s", with + same, without + same);
    free(with);
    free(without);
}

static void test_what_is_not_iwarp_is_shown_as_without_the_plugin(void **state) {
    (void)state;
    assert_same(foreign.path, "-V");
    assert_same(foreign.path, "-2 -V");
}

static void assert_shown(const char *options, const char *expected) {
    char *shown = iw_tshark_run("-r %s %s", iwarp.path, options);

    assert_string_equal(shown, expected);
    free(shown);
}

static void test_other_protocols_are_recognised_without_the_plugin(void **state) {
    char *shown = iw_tshark_run_plain("-r %s -Y 'tcp.srcport in {80, 443, 4420, 445} and (http or tls or "
                                      "nvme-tcp or smb2)' -T fields -e _ws.col.Protocol",
        foreign.path);

    (void)state;
    assert_non_null(strstr(shown, "HTTP"));
    assert_non_null(strstr(shown, "TLS"));
    assert_non_null(strstr(shown, "NVMe/TCP"));
    assert_non_null(strstr(shown, "SMB2"));
    free(shown);
}

static size_t lines_of(const char *text) {
    size_t count = 0;

    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

static void test_iwarp_wins_on_every_port(void **state) {
    char *shown = iw_tshark_run(
        "-2 -r %s -Y 'tcp.len > 0' -T fields -E separator=/s -e frame.protocols -e iwarp.role", iwarp.path);

    (void)state;
    assert_int_equal(lines_of(shown), 3 * PORTS);
    for (char *line = strtok(shown, "\n"); line != NULL; line = strtok(NULL, "\n"))
        if (strncmp(line, "raw:ip:tcp:iwarp", 16) != 0 || strchr(line, ' ') == NULL)
            fail_msg("this is not iWARP: %s", line);
    free(shown);
}

/* ---- with the user's choice ---- */

#define ON_20100 "-Y 'tcp.port == 20100 and tcp.len > 0' -T fields -e frame.protocols"
#define ON_445 "-Y 'tcp.port == 445 and tcp.len > 0' -T fields -e frame.protocols"

#define IWARP_3 "raw:ip:tcp:iwarp\nraw:ip:tcp:iwarp\nraw:ip:tcp:iwarp\n"
#define DATA_3 "raw:ip:tcp:data\nraw:ip:tcp:data\nraw:ip:tcp:data\n"

static void test_decode_as_takes_iwarp_away(void **state) {
    (void)state;
    assert_shown("-2 -d tcp.port==20100,data " ON_20100, DATA_3);
    assert_shown("-2 -d tcp.port==445,data " ON_445, DATA_3);
    assert_shown("-2 -d tcp.port==40008,data " ON_20100, DATA_3);
    assert_shown("-2 -d tcp.port==445,data " ON_20100, IWARP_3);
}

static void test_a_port_preference_of_another_protocol_overrides_iwarp(void **state) {
    (void)state;
    assert_shown("-2 -o http.tcp.port:20100 -Y 'tcp.port == 20100 and iwarp'", "");
}

static void test_without_recognition_only_decode_as_makes_it_iwarp(void **state) {
    (void)state;
    assert_shown("-2 --disable-heuristic iwarp_tcp -Y iwarp", "");
    assert_shown("-2 --disable-heuristic iwarp_tcp -d tcp.port==20100,iwarp " ON_20100, IWARP_3);
    assert_shown(
        "-2 --disable-heuristic iwarp_tcp -d tcp.port==20100,iwarp -Y 'iwarp and tcp.port != 20100'", "");
}

static void test_turned_off_it_takes_nothing(void **state) {
    char *sctp = iw_tshark_run(
        "-2 -r " SOURCE_DIR "/captures/vectors/sctp_session.pcap --disable-protocol iwarp -Y iwarp");

    (void)state;
    assert_string_equal(sctp, "");
    free(sctp);
    assert_shown("-2 --disable-protocol iwarp -d tcp.port==20100,iwarp -Y iwarp", "");
}

/* A stream captured after its startup, without CRC, cannot be recognised. */
static void test_decode_as_forces_iwarp_in_mid_stream(void **state) {
    struct iw_tshark_capture joined;
    char *left, *forced;

    (void)state;
    iw_tshark_open(&joined);
    joined.client_port = 50000;
    joined.server_port = 20100;
    iw_tshark_put(&joined, false, IW_TSHARK_ACK, 1000, 2000, send_abcd, sizeof send_abcd, sizeof send_abcd);
    iw_tshark_close(&joined);
    left = iw_tshark_run("-2 -r %s -Y iwarp", joined.path);
    forced = iw_tshark_run(
        "-2 -r %s -d tcp.port==20100,iwarp -Y iwarp.rdmap.opcode==3 -T fields -e iwarp.payload", joined.path);
    assert_string_equal(left, "");
    assert_string_equal(forced, "61626364\n");
    iw_tshark_remove(&joined);
    free(left);
    free(forced);
}

/* Two Sends, MSN 1, with correct CRCs: "hello", and one without payload. */
static const uint8_t two_sends[56] = {0x00, 0x17, 0x41, 0x43, [15] = 1, [20] = 'h', 'e', 'l', 'l',
    'o', [28] = 0xB9, 0x90, 0xB1, 0x0C, 0x00, 0x12, 0x41, 0x43, [47] = 1, [52] = 0x58, 0x7B, 0xE8, 0xC4};

/* A response with a body of 1256 octets that ends with two_sends; the 1200 octets before them are lost. */
static void say_body(struct iw_tshark_capture *capture) {
    static const char get[] = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n",
                      ok[] = "HTTP/1.1 200 OK\r\nContent-Length: 1256\r\n\r\n";

    iw_tshark_say(capture, false, get, sizeof get - 1);
    iw_tshark_say(capture, true, ok, sizeof ok - 1);
    capture->next[1] += 1200;
    iw_tshark_say(capture, true, two_sends, sizeof two_sends);
    iw_tshark_say(capture, false, get, sizeof get - 1);
}

/* No SYN of the second connection was captured, so it cannot be distinguished from the first. */
static void test_fpdus_in_the_payload_of_another_protocol_are_its_own(void **state) {
    struct iw_tshark_capture known, joined;
    char *shown;

    (void)state;
    iw_tshark_open(&known);
    iw_tshark_connect(&known, 80);
    say_body(&known);
    iw_tshark_close(&known);
    assert_same(known.path, "-V");
    assert_same(known.path, "-2 -V");
    iw_tshark_remove(&known);

    iw_tshark_open(&joined);
    joined.client_port = 50000;
    joined.server_port = 80;
    say_body(&joined);
    iw_tshark_close(&joined);
    shown = iw_tshark_run("-2 -r %s -Y iwarp.rdmap.opcode -T fields -e frame.number", joined.path);
    assert_string_equal(shown, "3\n");
    iw_tshark_remove(&joined);
    free(shown);
}

/* Neither SYN of the connection with reused addresses was captured. */
static void test_addresses_are_reused_after_a_reset(void **state) {
    static const char get[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n", ok[] = "HTTP/1.1 204 No Content\r\n\r\n";
    struct iw_tshark_capture again;
    char *shown;

    (void)state;
    iw_tshark_open(&again);
    iw_tshark_connect(&again, 80);
    iw_tshark_say(&again, false, request, sizeof request);
    iw_tshark_say(&again, true, reply, sizeof reply);
    iw_tshark_say(&again, false, send_abcd, sizeof send_abcd);
    iw_tshark_put(&again, true, IW_TSHARK_RST, again.next[1], 0, NULL, 0, 0);
    again.next[0] = 1000000000;
    again.next[1] = 2000000000;
    iw_tshark_say(&again, false, get, sizeof get - 1);
    iw_tshark_say(&again, true, ok, sizeof ok - 1);
    iw_tshark_close(&again);
    shown = iw_tshark_run("-2 -r %s -Y 'tcp.len > 0' -T fields -e frame.protocols", again.path);
    assert_string_equal(shown, IWARP_3 "raw:ip:tcp:http\nraw:ip:tcp:http\n");
    iw_tshark_remove(&again);
    free(shown);
}

/* ---- the built-in dissector ---- */

static void test_the_builtin_dissector_is_not_used(void **state) {
    (void)state;
    assert_shown("-2 -Y 'iwarp_mpa or iwarp_ddp_rdmap'", "");
}

static void test_the_builtin_can_be_seen_beside(void **state) {
    (void)state;
    assert_shown("-2 -o iwarp.builtin_off:FALSE -Y 'tcp.port == 20100 and iwarp_mpa and iwarp' -T fields -e "
                 "iwarp_mpa.rev -e iwarp.mpa.rev",
        "1\t1\n1\t1\n\t\n");
}

static void test_the_builtin_is_back_where_the_plugin_is_off(void **state) {
    (void)state;
    assert_shown(
        "-2 --disable-protocol iwarp -Y 'tcp.port == 20100 and iwarp_mpa' -T fields -e iwarp_mpa.rev",
        "1\n1\n\n");
    assert_shown(
        "-2 --disable-heuristic iwarp_tcp -Y 'tcp.port == 20100 and iwarp_mpa' -T fields -e iwarp_mpa.rev",
        "1\n1\n\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_protocols_are_recognised_without_the_plugin),
        cmocka_unit_test(test_what_is_not_iwarp_is_shown_as_without_the_plugin),
        cmocka_unit_test(test_iwarp_wins_on_every_port),
        cmocka_unit_test(test_decode_as_takes_iwarp_away),
        cmocka_unit_test(test_a_port_preference_of_another_protocol_overrides_iwarp),
        cmocka_unit_test(test_without_recognition_only_decode_as_makes_it_iwarp),
        cmocka_unit_test(test_turned_off_it_takes_nothing),
        cmocka_unit_test(test_decode_as_forces_iwarp_in_mid_stream),
        cmocka_unit_test(test_fpdus_in_the_payload_of_another_protocol_are_its_own),
        cmocka_unit_test(test_addresses_are_reused_after_a_reset),
        cmocka_unit_test(test_the_builtin_dissector_is_not_used),
        cmocka_unit_test(test_the_builtin_can_be_seen_beside),
        cmocka_unit_test(test_the_builtin_is_back_where_the_plugin_is_off),
    };

    return cmocka_run_group_tests(tests, write_captures, remove_captures);
}

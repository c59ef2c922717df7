#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_columns.h"
#include "iw_pcap_test.h"
#include "iw_check_report.h"
#include "iw_temporary_test.h"

/* What a form prints about a capture, and the exit code. */
struct printed {
    char *text;
    size_t octets;
    enum iw_exit exit;
    char path[TEMPORARY_PATH]; /* of the capture, which has been deleted */
};

static void print(
    struct printed *printed, const struct iw_check_report_form *form, const struct pcap_test *file) {
    const char *path = temporary_path(printed->path, "iw_check_report_test");
    struct iw_check_report report = {
        .out = open_memstream(&printed->text, &printed->octets), .form = form, .extensions = IW_EXT_ALL};
    int descriptor = mkstemp(printed->path);

    assert_true(descriptor >= 0);
    close(descriptor);
    pcap_write(file, file->length, path);
    printed->exit = iw_check_report_files(&report, &path, 1);
    printed->exit = iw_check_report_end(&report, printed->exit);
    fclose(report.out);
    unlink(path);
}

static void with_send(struct pcap_test *file, const char *send) {
    pcap_startup(file);
    pcap_packet(file, IW_SIDE_A, IW_TCP_ACK, send);
    pcap_close(file);
}

static void decode_is_a_line_per_event(void **state) {
    struct pcap_test file;
    struct printed printed;

    (void)state;
    with_send(&file, TALK_SEND);
    print(&printed, &iw_check_report_decode, &file);
    assert_string_equal(printed.text,
        "3 [0] initiator: MPA Request m=0 c=1 r=0 s=0 rev=1 pd_length=0\n"
        "4 [0] responder: MPA Reply m=0 c=1 r=0 s=0 rev=1 pd_length=0\n"
        "5 [0] initiator: Send ulpdu_length=23 l=1 qn=0 msn=1 mo=0, 5 octets of payload 68656c6c6f, pad 3\n"
        "6 [0] initiator: Close by FIN\n"
        "7 [0] responder: Close by FIN\n");
    assert_int_equal(printed.exit, IW_EXIT_CONFORMS);
    free(printed.text);
}

static void text_gives_the_verdict(void **state) {
    struct pcap_test file;
    struct printed printed;

    (void)state;
    with_send(&file, TALK_SEND);
    print(&printed, &iw_check_report_text, &file);
    assert_non_null(
        strstr(printed.text, "stream 0: 192.0.2.1:1000 (initiator) and 192.0.2.2:2000 (responder), "
                             "frames 1 to 7\n    capture: no octets missing\n"));
    assert_non_null(strstr(printed.text, "initiator sent 1 FPDU, 1 message, 5 octets of payload\n"));
    assert_non_null(
        strstr(printed.text, "\n1 iWARP stream, 1 FPDU: 0 errors, 0 warnings, 0 notes: conforms\n"));
    free(printed.text);
    with_send(&file, TALK_BAD_CRC);
    print(&printed, &iw_check_report_text, &file);
    assert_non_null(
        strstr(printed.text, "      Send: 1 FPDU, 1 message, 5 octets\n    responder sent 0 FPDUs, "));
    assert_non_null(strstr(printed.text,
        "    frame 5: error RFC5044-4.4-11 (RFC 5044 4.4, MUST) initiator: "
        "CRC is 0xb990b10d, expected 0xb990b10c\n"
        "      requires: The CRC is the CRC-32C of iSCSI digests over the FPDU\n"
        "      Send ulpdu_length=23 l=1 qn=0 msn=1 mo=0, 5 octets of payload 68656c6c6f, pad 3, "
        "CRC bad: 0xb990b10d instead of 0xb990b10c\n"
        "      00 17 41 43 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 00 68 65 6c 6c 6f 00 00 00 b9 90 b1 "
        "0d\n"
        "                                                                                          "
        "^^^^^^^^^^^ CRC\n"));
    assert_non_null(strstr(printed.text, "    verdict: violates\n"));
    assert_int_equal(printed.exit, IW_EXIT_VIOLATIONS);
    free(printed.text);
}

static void enhanced_data_are_not_private_data(void **state) {
    struct pcap_test file;
    struct printed printed;

    (void)state;
    /* IRD 16, ORD 8; the Request has the private data "abc" */
    pcap_answered(&file, "4d504120494420526571204672616d655002000700100008616263",
        "4d504120494420526570204672616d655002000400080010");
    pcap_close(&file);
    print(&printed, &iw_check_report_text, &file);
    assert_non_null(strstr(printed.text, "client-server, IRD 16, ORD 8, 3 octets of private data\n"));
    assert_non_null(strstr(printed.text, "client-server, IRD 8, ORD 16, 0 octets of private data\n"));
    free(printed.text);
}

static void a_gap_is_not_judged(void **state) {
    struct pcap_test file;
    struct printed printed;

    (void)state;
    pcap_startup(&file);
    file.seq[IW_SIDE_A] += 32; /* an FPDU as long as F07 was not captured */
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, TALK_SEND);
    pcap_close(&file);
    print(&printed, &iw_check_report_text, &file);
    assert_non_null(strstr(printed.text, "    capture: 32 octets missing"));
    assert_non_null(strstr(printed.text, "    not judged: 32 octets not captured\n"
                                         "      because TCP octets are missing: the capture lost packets\n"));
    assert_int_equal(printed.exit, IW_EXIT_UNJUDGED);
    assert_null(strstr(printed.text, "\nnot judged")); /* the summary of a single stream does not repeat it */
    free(printed.text);
}

static void jsonl_ends_with_a_summary(void **state) {
    struct pcap_test file;
    struct printed printed;
    char begin[TEMPORARY_FILE];

    (void)state;
    with_send(&file, TALK_BAD_CRC);
    print(&printed, &iw_check_report_jsonl, &file);
    snprintf(begin, sizeof begin, "{\"type\":\"finding\",\"file\":\"%s\",", printed.path);
    assert_memory_equal(printed.text, begin, strlen(begin));
    assert_non_null(strstr(printed.text, "\n{\"type\":\"stream\","));
    assert_non_null(strstr(printed.text, "\n{\"type\":\"summary\",\"files\":1,\"streams\":1,\"fpdus\":1,"));
    assert_non_null(strstr(printed.text, "\"exit\":1}\n"));
    free(printed.text);
}

/* One frame contains a fragment of an IP packet. */
static void every_form_reports_unread_packets(void **state) {
    static const struct {
        const struct iw_check_report_form *form;
        const char *text;
    } rows[] = {
        {&iw_check_report_text,
            "  not read: 1 frame with a fragment of an IP packet that could not be reassembled\n"},
        {&iw_check_report_jsonl, ",\"not_read\":{\"fragments\":1},"},
        {&iw_check_report_junit,
            "<skipped message=\"1 frame with a fragment of an IP packet that could not be reassembled\"/>"},
        {&iw_check_report_html, "1 frame with a fragment of an IP packet that could not be reassembled"},
    };
    struct pcap_test file;
    size_t at;

    (void)state;
    pcap_startup(&file);
    at = file.length;
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, "00000000"); /* with the TCP header, a multiple of 8 octets */
    file.octets[at + 16 + 6] = 0x20;                       /* More Fragments */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct printed printed;

        print(&printed, rows[i].form, &file);
        assert_non_null(strstr(printed.text, rows[i].text));
        free(printed.text);
    }
}

/* A connection that is open where the file is truncated may continue there. */
static void every_form_reports_a_truncated_file(void **state) {
    static const struct {
        const struct iw_check_report_form *form;
        const char *texts[4];
    } rows[] = {
        {&iw_check_report_text,
            {"    not judged: 1 connection open where a file could not be read any further\n",
                "    verdict: not fully judged\n", ": truncated after frame 5 (octet ",
                "\nnot read, or not to the end: 1 of 1 captures; see the errors on stderr\n1 iWARP stream, 1 "
                "FPDU: 0 errors, 0 warnings, 0 notes: not fully judged\n"}},
        {&iw_check_report_jsonl,
            {"\"unjudged\":{\"file\":1}", "\"not_read\":{\"files\":1}", ": truncated after frame 5 (octet ",
                "\"verdict\":\"not fully judged\",\"exit\":3}\n"}},
        {&iw_check_report_junit,
            {"<property name=\"verdict\" value=\"not fully judged\"/>",
                "<skipped message=\"1 connection open where a file could not be read any further",
                "<error type=\"environment\" message=\"", ": truncated after frame 5 (octet "}},
        {&iw_check_report_html,
            {"<title>not fully judged: ", "<b>Not read, or not to the end:</b> 1 of 1 captures.",
                "connection open where a file could not be read any further",
                ": truncated after frame 5 (octet "}},
    };
    struct pcap_test file;

    (void)state;
    pcap_startup(&file);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, TALK_SEND);
    pcap_put(&file, "cut", 3);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct printed printed;

        print(&printed, rows[i].form, &file);
        for (size_t k = 0; k < sizeof rows[i].texts / sizeof *rows[i].texts; k++)
            assert_non_null(strstr(printed.text, rows[i].texts[k]));
        assert_null(strstr(printed.text, ": conforms"));
        assert_int_equal(printed.exit, IW_EXIT_ENVIRONMENT);
        free(printed.text);
    }
}

/* The truncated part of the file comes after the end of the connection. */
static void an_ended_connection_ignores_the_unread_rest_of_its_file(void **state) {
    struct pcap_test file;
    struct printed printed;

    (void)state;
    with_send(&file, TALK_SEND);
    pcap_put(&file, "cut", 3);
    print(&printed, &iw_check_report_text, &file);
    assert_non_null(strstr(printed.text, "    verdict: conforms\n"));
    assert_non_null(strstr(printed.text, "0 notes: not fully judged\n"));
    free(printed.text);
    pcap_startup(&file);
    pcap_packet(&file, IW_SIDE_B, IW_TCP_ACK | IW_TCP_RST, "");
    pcap_put(&file, "cut", 3);
    print(&printed, &iw_check_report_text, &file);
    assert_non_null(strstr(printed.text, "    verdict: conforms\n"));
    free(printed.text);
}

static void two_requests_are_an_unfinished_startup(void **state) {
    struct printed printed;
    struct pcap_test file;

    (void)state;
    pcap_handshake(&file);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, TALK_REQUEST);
    pcap_packet(&file, IW_SIDE_B, IW_TCP_ACK, TALK_REQUEST);
    print(&printed, &iw_check_report_text, &file);
    assert_non_null(strstr(printed.text, "    verdict: conforms; startup not finished: no Reply captured\n"));
    free(printed.text);
}

/* No clause limits the time until the Reply, so the verdict stays "conforms", with a remark beside it. */
static void every_form_reports_an_unfinished_startup(void **state) {
    static const struct {
        const struct iw_check_report_form *form;
        const char *texts[2];
    } rows[] = {
        {&iw_check_report_text, {"    verdict: conforms; startup not finished: no Reply captured\n",
                                    ": conforms; startup of 1 stream not finished\n"}},
        {&iw_check_report_jsonl, {"\"unfinished_startups\":1,\"verdict\":\"conforms\"}\n",
                                     "\"unfinished_startups\":1,\"verdict\":\"conforms\",\"exit\":0}\n"}},
        {&iw_check_report_junit,
            {"<property name=\"verdict\" value=\"conforms\"/>",
                "<property name=\"startup\" value=\"startup not finished: no Reply captured\"/>"}},
        {&iw_check_report_html, {"<b>Startup not finished:</b> no Reply captured for 1 connection.",
                                    "Startup not finished: no Reply captured.</p>"}},
    };
    struct pcap_test file;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct printed printed;

        pcap_handshake(&file);
        pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, TALK_REQUEST);
        print(&printed, rows[i].form, &file);
        for (size_t k = 0; k < sizeof rows[i].texts / sizeof *rows[i].texts; k++)
            assert_non_null(strstr(printed.text, rows[i].texts[k]));
        assert_int_equal(printed.exit, IW_EXIT_CONFORMS);
        free(printed.text);
        with_send(&file, TALK_SEND);
        print(&printed, rows[i].form, &file);
        assert_null(strstr(printed.text, "not finished"));
        free(printed.text);
    }
}

/* Copies the text of column `column` (0 is the frame number) of the row at `row`. */
static void cell(const char *row, unsigned column, char *text, size_t octets) {
    while (column-- > 0)
        row += strcspn(row, "\t\n") + 1;
    snprintf(text, octets, "%.*s", (int)strcspn(row, "\t\n"), row);
}

static unsigned column_of(const char *name) {
    char *list = NULL, *at;
    size_t octets = 0;
    FILE *out = open_memstream(&list, &octets);
    unsigned column = 1;

    iw_columns_list(out, "", "");
    fclose(out);
    for (at = list; strncmp(at, name, strlen(name)) != 0 || at[strlen(name)] != '\n'; column++) {
        at = strchr(at, '\n');
        assert_non_null(at);
        at++;
    }
    free(list);
    return column;
}

static void check_cell(const char *row, const char *name, const char *expected) {
    char text[64];

    cell(row, column_of(name), text, sizeof text);
    assert_string_equal(text, expected);
}

static void fields_are_a_row_per_frame(void **state) {
    struct pcap_test file;
    struct printed printed;
    const char *row;

    (void)state;
    with_send(&file, TALK_SEND TALK_READ); /* two FPDUs in frame 5 */
    print(&printed, &iw_check_report_fields, &file);
    assert_memory_equal(printed.text, "3\tMPA ID Req Frame\t0\t1\t", 22);
    row = strchr(strchr(printed.text, '\n') + 1, '\n') + 1;
    assert_memory_equal(row, "5\t\t", 3);
    check_cell(row, "iwarp.mpa.ulpdu_length", "23,46");
    check_cell(row, "iwarp.ddp.qn", "0,1");
    check_cell(row, "iwarp.rdmap.opcode", "0x03,0x01");
    check_cell(row, "iwarp.rdmap.read.sink_stag", "0x00001234");
    check_cell(row, "iwarp.mpa.crc", "0xb990b10c,0x03173a1e");
    check_cell(row, "iwarp.mpa.crc_status", "good,good");
    check_cell(row, "iwarp.ddp.payload_octets", "5,0");
    check_cell(row, "iwarp.role", "initiator,initiator");
    check_cell(row, "iwarp.finding", "");
    assert_string_equal(strchr(row, '\n'), "\n"); /* the closes have no rows */
    free(printed.text);
}

static void no_stream_is_an_error(void **state) {
    struct pcap_test file;
    struct printed printed;

    (void)state;
    pcap_begin(&file);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_SYN, "");
    print(&printed, &iw_check_report_text, &file);
    assert_int_equal(printed.exit, IW_EXIT_ENVIRONMENT);
    assert_string_equal(printed.text, "");
    free(printed.text);
    print(&printed, &iw_check_report_jsonl, &file);
    assert_non_null(
        strstr(printed.text, ": no iWARP stream found in 1 frame: 1 TCP connection that is not iWARP\"],"));
    assert_non_null(strstr(printed.text, "\"verdict\":\"nothing judged\",\"exit\":3}\n"));
    free(printed.text);
    print(&printed, &iw_check_report_html, &file);
    assert_non_null(strstr(printed.text, "<b>Without iWARP:</b> 1 of 1 captures."));
    assert_null(strstr(printed.text, "has been judged."));
    free(printed.text);
}

/* A UDP packet to `port`. */
static void pcap_udp(struct pcap_test *file, uint16_t port) {
    size_t at = file->length;
    uint8_t *udp;

    pcap_packet(file, IW_SIDE_A, IW_TCP_ACK, "");
    file->octets[at + 16 + 9] = IW_IP_UDP;
    udp = file->octets + at + 16 + IW_IPV4_OCTETS;
    udp[2] = (uint8_t)(port >> 8);
    udp[3] = (uint8_t)port;
    udp[4] = 0;
    udp[5] = 20;
}

/* A UDP packet from or to port 3935. The 20 octets of the TCP header are replaced by the UDP header and the
 * first 12 octets of the message. */
static void pcap_message(struct pcap_test *file, enum iw_side side, const char *digits) {
    uint8_t octets[64];
    size_t at = file->length, count = 0;
    char rest[2 * sizeof octets + 1] = "";

    for (const char *digit = digits; *digit != '\0'; digit++)
        if (*digit != ' ')
            rest[count++] = *digit;
    count = talk_octets(rest, octets, sizeof octets);
    pcap_packet(file, side, IW_TCP_ACK, rest + 24);
    file->octets[at + 16 + 9] = IW_IP_UDP;
    uint8_t *udp = file->octets + at + 16 + IW_IPV4_OCTETS;
    udp[0] = udp[2] = 0x0f;
    udp[1] = udp[3] = 0x5f;
    udp[4] = 0;
    udp[5] = (uint8_t)(8 + count);
    memcpy(udp + 8, octets, count);
}

static void contents_of_a_capture_without_iwarp_are_reported(void **state) {
    static const char roce[] =
        "2 with RoCEv2 (UDP port 4791), not iWARP; 1 with messages of the iWARP port mapper "
        "(UDP port 3935)";
    struct pcap_test file;
    struct printed printed;

    (void)state;
    pcap_begin(&file);
    pcap_udp(&file, 4791);
    pcap_udp(&file, 3935);
    pcap_udp(&file, 4791);
    print(&printed, &iw_check_report_jsonl, &file);
    assert_int_equal(printed.exit, IW_EXIT_ENVIRONMENT);
    assert_non_null(strstr(printed.text, ": no iWARP stream found in 3 frames: 2 with RoCEv2"));
    assert_non_null(strstr(printed.text, roce));
    assert_non_null(
        strstr(printed.text, "\"not_iwarp\":[{\"content\":\"roce_v2\",\"number\":0,\"frames\":2,"));
    free(printed.text);
    print(&printed, &iw_check_report_junit, &file);
    assert_non_null(strstr(printed.text, roce));
    free(printed.text);
    print(&printed, &iw_check_report_html, &file);
    assert_non_null(strstr(printed.text, roce));
    free(printed.text);
}

/* Nine tunnels: one more than the limit, so that the segment inside is not read. */
static void too_many_tunnels_are_not_judged(void **state) {
    struct pcap_test file;
    struct printed printed;

    (void)state;
    with_send(&file, TALK_SEND);
    for (unsigned header = 0; header <= 9; header++) {
        uint8_t packet[16 + 20] = {[16] = 0x45, [18] = 0, [25] = 4};
        size_t octets = 20 * (10 - header);

        packet[19] = (uint8_t)octets;
        packet[11] = packet[15] = (uint8_t)octets;
        pcap_put(&file, header == 0 ? packet : packet + 16, header == 0 ? sizeof packet : 20);
    }
    print(&printed, &iw_check_report_text, &file);
    assert_non_null(strstr(printed.text, "  not read: 1 frame with more than 8 tunnels inside each other\n"));
    assert_non_null(strstr(printed.text, " 0 notes: not fully judged\n"));
    assert_int_equal(printed.exit, IW_EXIT_UNJUDGED);
    free(printed.text);
}

/* The IP packet with the last Send lacks a fragment, or is truncated within its TCP header. No segment
 * acknowledges it. */
static void an_unreadable_last_packet_is_not_judged(void **state) {
    static const struct {
        uint32_t captured; /* captured octets of the packet */
        bool fragment;
        const char *text, *json;
    } rows[] = {
        {52, true, "  not read: 1 frame with a fragment of an IP packet that could not be reassembled\n",
            "\"not_read\":{\"fragments\":1}"},
        {30, false, "  not read: 1 frame truncated within the headers\n", "\"not_read\":{\"cut\":1}"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pcap_test file;
        struct printed printed;
        size_t at;

        pcap_startup(&file);
        at = file.length;
        pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, TALK_SEND);
        pcap_number(file.octets + at + 8, rows[i].captured);
        file.length = at + 16 + rows[i].captured;
        if (rows[i].fragment) {
            pcap_number(file.octets + at + 12, rows[i].captured);
            file.octets[at + 16 + 3] = (uint8_t)rows[i].captured;
            file.octets[at + 16 + 6] = 0x20; /* More Fragments */
        }
        print(&printed, &iw_check_report_text, &file);
        assert_non_null(strstr(printed.text, rows[i].text));
        assert_non_null(strstr(printed.text, " 0 notes: not fully judged\n"));
        assert_int_equal(printed.exit, IW_EXIT_UNJUDGED);
        free(printed.text);
        print(&printed, &iw_check_report_jsonl, &file);
        assert_non_null(strstr(printed.text, rows[i].json));
        assert_non_null(strstr(printed.text, "\"verdict\":\"not fully judged\",\"exit\":2}"));
        free(printed.text);
        print(&printed, &iw_check_report_html, &file);
        assert_non_null(strstr(printed.text, "Packets that were not read may carry iWARP"));
        free(printed.text);
    }
}

/* The Request asks for port 3260 of 192.0.2.2; the connection will come from port 1000. The mapped TCP port
 * is 2000. After the connection, the next Request asks for port 3261 with the same mapped ports. */
static void mapped_ports_are_reported(void **state) {
    static const char request[] = "040003e80cbc8ca1 0000000000000017 c0000201000000000000000000000000"
                                  "c0000202000000000000000000000000 c0000201000000000000000000000000";
    static const char accept[] = "1400000007d08ca1 0000000000000017 c0000201000000000000000000000000"
                                 "c0000202000000000000000000000000";
    static const char next[] = "040003e80cbd8ca1 0000000000000018 c0000201000000000000000000000000"
                               "c0000202000000000000000000000000 c0000201000000000000000000000000";
    static const struct {
        const struct iw_check_report_form *form;
        const char *text;
    } rows[] = {
        {&iw_check_report_text,
            "    ports mapped by the iWARP port mapper: 192.0.2.1:36001 asked for 192.0.2.2:3260\n"},
        {&iw_check_report_jsonl,
            "\"port_mapping\":{\"advertised\":\"192.0.2.2:3260\",\"connecting\":\"192.0.2.1:36001\"}"},
        {&iw_check_report_junit, "192.0.2.2:3260"},
        {&iw_check_report_html, "192.0.2.1:36001 asked for 192.0.2.2:3260"},
    };

    (void)state;
    for (int accepted = 0; accepted < 2; accepted++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct pcap_test file, talk;
            struct printed printed;

            pcap_begin(&file);
            pcap_message(&file, IW_SIDE_A, request);
            if (accepted)
                pcap_message(&file, IW_SIDE_B, accept);
            with_send(&talk, TALK_SEND);
            pcap_put(&file, talk.octets + PCAP_HEADER, talk.length - PCAP_HEADER);
            pcap_message(&file, IW_SIDE_A, next);
            print(&printed, rows[i].form, &file);
            assert_int_equal(printed.exit, IW_EXIT_CONFORMS);
            assert_non_null(strstr(printed.text, rows[i].text));
            free(printed.text);
        }
}

/* Encrypted packets may carry iWARP, even if other packets can be read. */
static void encrypted_frames_are_reported_beside_iwarp(void **state) {
    struct pcap_test file;
    struct printed printed;
    size_t at;

    (void)state;
    pcap_startup(&file);
    at = file.length;
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, TALK_SEND);
    file.octets[at + 16 + 9] = IW_IP_ESP;
    print(&printed, &iw_check_report_text, &file);
    assert_non_null(strstr(
        printed.text, "  not read: 1 frame of encrypted packets (ESP, WireGuard, MACsec or IEEE 802.11)\n"));
    free(printed.text);
    print(&printed, &iw_check_report_jsonl, &file);
    assert_non_null(strstr(printed.text, ",\"not_read\":{\"encrypted\":1},"));
    free(printed.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decode_is_a_line_per_event),
        cmocka_unit_test(text_gives_the_verdict),
        cmocka_unit_test(enhanced_data_are_not_private_data),
        cmocka_unit_test(a_gap_is_not_judged),
        cmocka_unit_test(jsonl_ends_with_a_summary),
        cmocka_unit_test(every_form_reports_unread_packets),
        cmocka_unit_test(two_requests_are_an_unfinished_startup),
        cmocka_unit_test(every_form_reports_an_unfinished_startup),
        cmocka_unit_test(every_form_reports_a_truncated_file),
        cmocka_unit_test(an_ended_connection_ignores_the_unread_rest_of_its_file),
        cmocka_unit_test(fields_are_a_row_per_frame),
        cmocka_unit_test(no_stream_is_an_error),
        cmocka_unit_test(contents_of_a_capture_without_iwarp_are_reported),
        cmocka_unit_test(too_many_tunnels_are_not_judged),
        cmocka_unit_test(an_unreadable_last_packet_is_not_judged),
        cmocka_unit_test(mapped_ports_are_reported),
        cmocka_unit_test(encrypted_frames_are_reported_beside_iwarp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "iw_check_report_test.h"

#include "iw_check_report.h"

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

static void two_requests_are_not_fully_judged(void **state) {
    struct printed printed;
    struct pcap_test file;

    (void)state;
    pcap_handshake(&file);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, TALK_REQUEST);
    pcap_packet(&file, IW_SIDE_B, IW_TCP_ACK, TALK_REQUEST);
    print(&printed, &iw_check_report_text, &file);
    assert_non_null(strstr(printed.text, "    not judged: 2 sides whose role or terms are not known\n"));
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

    iw_check_report_fields_list(out, "", "");
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decode_is_a_line_per_event),
        cmocka_unit_test(text_gives_the_verdict),
        cmocka_unit_test(enhanced_data_are_not_private_data),
        cmocka_unit_test(a_gap_is_not_judged),
        cmocka_unit_test(jsonl_ends_with_a_summary),
        cmocka_unit_test(two_requests_are_not_fully_judged),
        cmocka_unit_test(every_form_reports_an_unfinished_startup),
        cmocka_unit_test(fields_are_a_row_per_frame),
        cmocka_unit_test(mapped_ports_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

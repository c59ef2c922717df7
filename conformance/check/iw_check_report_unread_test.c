#include "iw_check_report_test.h"

/* Packets and files that could not be read, and captures without iWARP. */

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

/* A capture that begins in the middle: whether the connection is iWARP is not known. */
static void a_connection_without_beginning_may_be_iwarp(void **state) {
    struct pcap_test file;
    struct printed printed;

    (void)state;
    pcap_begin(&file);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, "00112233");
    print(&printed, &iw_check_report_jsonl, &file);
    assert_int_equal(printed.exit, IW_EXIT_ENVIRONMENT);
    assert_non_null(strstr(printed.text,
        ": no iWARP stream found in 1 frame: 1 TCP connection without recognised iWARP; the capture lacks "
        "octets of 1 that would show it (packets cut by the snapshot length, or no beginning)\"],"));
    free(printed.text);
}

/* A UDP packet to `port`: its 16 octets are a Base Transport Header and an invariant CRC. */
static void pcap_udp(struct pcap_test *file, uint16_t port) {
    size_t at = file->length;
    uint8_t *udp;

    pcap_packet(file, IW_SIDE_A, IW_TCP_ACK, "00000000");
    file->octets[at + 16 + 9] = IW_IP_UDP;
    udp = file->octets + at + 16 + IW_IPV4_OCTETS;
    udp[2] = (uint8_t)(port >> 8);
    udp[3] = (uint8_t)port;
    udp[4] = 0;
    udp[5] = 24;
    memset(udp + 8, 0, 16);
    udp[8] = 4; /* a Send of a reliable connection */
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
        cmocka_unit_test(every_form_reports_unread_packets),
        cmocka_unit_test(every_form_reports_a_truncated_file),
        cmocka_unit_test(an_ended_connection_ignores_the_unread_rest_of_its_file),
        cmocka_unit_test(no_stream_is_an_error),
        cmocka_unit_test(a_connection_without_beginning_may_be_iwarp),
        cmocka_unit_test(contents_of_a_capture_without_iwarp_are_reported),
        cmocka_unit_test(too_many_tunnels_are_not_judged),
        cmocka_unit_test(an_unreadable_last_packet_is_not_judged),
        cmocka_unit_test(encrypted_frames_are_reported_beside_iwarp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include <pcap/pcap.h>

#include "iw_capture_file.h"
#include "iw_recorder.h"
#include "iw_tcp_table.h"
#include "iw_temporary_test.h"

static char path[TEMPORARY_PATH];
static char error[IW_RECORDER_TEXT_OCTETS];

static const struct iw_tcp_address ipv4[2] = {{.octets = {192, 0, 2, 1}, .port = 49152, .version = 4},
    {.octets = {192, 0, 2, 2}, .port = 7174, .version = 4}};
static const struct iw_tcp_address ipv6[2] = {
    {.octets = {0x20, 0x01, 0x0D, 0xB8, [15] = 1}, .port = 49152, .version = 6},
    {.octets = {0x20, 0x01, 0x0D, 0xB8, [15] = 2}, .port = 7174, .version = 6}};

static int set_up(void **state) {
    int descriptor;

    (void)state;
    descriptor = mkstemp(temporary_path(path, "iw_recorder_test"));
    assert_true(descriptor >= 0);
    close(descriptor);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    unlink(path);
    return 0;
}

static struct iw_chunk chunk_of(enum iw_chunk_kind kind, enum iw_side side, const char *octets) {
    return (struct iw_chunk){.kind = kind,
        .side = side,
        .length = (uint32_t)strlen(octets),
        .octets = (const uint8_t *)octets,
        .time_ns = UINT64_C(1000000000123456789)};
}

static void put(
    struct iw_recorder_flow *flow, enum iw_chunk_kind kind, enum iw_side side, const char *octets) {
    struct iw_chunk chunk = chunk_of(kind, side, octets);

    assert_int_equal(iw_recorder_chunk(flow, &chunk), IW_OK);
}

static void put_conversation(struct iw_recorder_flow *flow) {
    put(flow, IW_CHUNK_START, IW_SIDE_A, "");
    put(flow, IW_CHUNK_START, IW_SIDE_B, "");
    put(flow, IW_CHUNK_DATA, IW_SIDE_A, "question");
    put(flow, IW_CHUNK_DATA, IW_SIDE_B, "answer");
    put(flow, IW_CHUNK_FIN, IW_SIDE_A, "");
    put(flow, IW_CHUNK_FIN, IW_SIDE_B, "");
}

/* ---- read by libpcap, with checksums computed here ---- */

static uint16_t get16(const uint8_t *octets) {
    return (uint16_t)(octets[0] << 8 | octets[1]);
}

static uint32_t get32(const uint8_t *octets) {
    return (uint32_t)get16(octets) << 16 | get16(octets + 2);
}

/* The sum over data with its checksum is all ones (RFC 1071). */
static uint64_t sum_words(const uint8_t *octets, size_t count) {
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (uint64_t)octets[i] << (i % 2 == 0 ? 8 : 0);
    return sum;
}

static uint64_t fold(uint64_t sum) {
    while (sum > 0xFFFF)
        sum = sum % 0x10000 + sum / 0x10000;
    return sum;
}

struct seen {
    uint16_t source;
    uint32_t seq;
    uint32_t ack;
    uint8_t flags;
    char payload[64];
};

static void parse(const uint8_t *packet, size_t length, struct seen *seen) {
    bool wide = get16(packet + 12) == 0x86DD;
    const uint8_t *ip = packet + 14;
    const uint8_t *tcp = ip + (wide ? 40 : 20);
    size_t tcp_octets = wide ? get16(ip + 4) : get16(ip + 2) - 20u;
    size_t payload;
    size_t header;

    assert_int_equal(tcp + tcp_octets - packet, length);
    if (!wide)
        assert_int_equal(fold(sum_words(ip, 20)), 0xFFFF);
    assert_int_equal(
        fold(sum_words(wide ? ip + 8 : ip + 12, wide ? 32 : 8) + 6 + tcp_octets + sum_words(tcp, tcp_octets)),
        0xFFFF);
    header = (size_t)(tcp[12] >> 4) * 4;
    payload = tcp_octets - header;
    *seen =
        (struct seen){.source = get16(tcp), .seq = get32(tcp + 4), .ack = get32(tcp + 8), .flags = tcp[13]};
    assert_true(payload < sizeof seen->payload);
    memcpy(seen->payload, tcp + header, payload);
}

static void read_back(const struct seen *expected, size_t count) {
    pcap_t *file = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, error);
    struct pcap_pkthdr *header;
    const u_char *packet;
    struct seen seen;

    assert_non_null(file);
    assert_int_equal(pcap_datalink(file), DLT_EN10MB);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(pcap_next_ex(file, &header, &packet), 1);
        assert_int_equal(header->len, header->caplen);
        assert_int_equal(header->ts.tv_sec, 1000000000);
        assert_int_equal(header->ts.tv_usec, 123456789);
        parse(packet, header->caplen, &seen);
        assert_int_equal(seen.source, expected[i].source);
        assert_int_equal(seen.seq, expected[i].seq);
        assert_int_equal(seen.ack, expected[i].ack);
        assert_int_equal(seen.flags, expected[i].flags);
        assert_string_equal(seen.payload, expected[i].payload);
    }
    assert_int_equal(pcap_next_ex(file, &header, &packet), PCAP_ERROR_BREAK);
    pcap_close(file);
}

/* Initial sequence numbers directly before the wrap. */
static void writes_a_conversation(const struct iw_tcp_address addresses[2]) {
    static const uint32_t isn[2] = {0xFFFFFFFA, 100};
    static const struct seen expected[] = {
        {49152, 0xFFFFFFFA, 0, 0x02, ""},
        {7174, 100, 0xFFFFFFFB, 0x12, ""},
        {49152, 0xFFFFFFFB, 101, 0x10, ""},
        {49152, 0xFFFFFFFB, 101, 0x18, "question"},
        {7174, 101, 3, 0x18, "answer"},
        {49152, 3, 107, 0x11, ""},
        {7174, 107, 4, 0x11, ""},
    };
    struct iw_recorder *recorder = iw_recorder_open(path, NULL, error);

    assert_non_null(recorder);
    put_conversation(iw_recorder_flow(recorder, addresses, isn));
    assert_int_equal(iw_recorder_frames(recorder), 7);
    read_back(expected, 7); /* not closed yet: the file is readable after a kill */
    assert_int_equal(iw_recorder_close(recorder, error), IW_OK);
    read_back(expected, 7);
}

static void writes_valid_ipv4_and_ipv6(void **state) {
    (void)state;
    writes_a_conversation(ipv4);
    writes_a_conversation(ipv6);
}

static void splits_long_chunks(void **state) {
    static const uint32_t isn[2] = {0, 0};
    static const struct seen expected[] = {{49152, 0, 0, 0x18, "ques"}, {49152, 4, 0, 0x18, "tion"},
        {49152, 8, 0, 0x18, "s"}, {7174, 0, 9, 0x14, ""}};
    struct iw_recorder *recorder = iw_recorder_open(path, NULL, error);
    struct iw_recorder_flow *flow = iw_recorder_flow(recorder, ipv4, isn);

    (void)state;
    iw_recorder_segment(flow, 4);
    put(flow, IW_CHUNK_DATA, IW_SIDE_A, "questions");
    put(flow, IW_CHUNK_RST, IW_SIDE_B, "");
    assert_int_equal(iw_recorder_close(recorder, NULL), IW_OK);
    read_back(expected, 4);
}

/* The complete file, octet by octet: section and interface, then an RST with a comment. */
static void writes_comments_with_their_packets(void **state) {
    static const uint8_t expected[] = {/* section header: version 1.0, unspecified length, shb_userappl */
        0x0A, 0x0D, 0x0D, 0x0A, 0, 0, 0, 48, 0x1A, 0x2B, 0x3C, 0x4D, 0, 1, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xFF, 0xFF, 0, 4, 0, 9, 'w', 'a', 'r', 'p', 'c', 'h', 'e', 'c', 'k', 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 48,
        /* interface: Ethernet, if_tsresol 9 */
        0, 0, 0, 1, 0, 0, 0, 32, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32,
        /* packet of 54 octets */
        0, 0, 0, 6, 0, 0, 0, 104, 0, 0, 0, 0, 0x0D, 0xE0, 0xB6, 0xB3, 0xAE, 0xBF, 0xCD, 0x15, 0, 0, 0, 54, 0,
        0, 0, 54};
    static const uint8_t option[] = {
        0, 1, 0, 6, 's', 't', 'e', 'p', ' ', '1', 0, 0, 0, 0, 0, 0, 0, 0, 0, 104};
    struct iw_recorder *recorder = iw_recorder_open(path, NULL, error);
    struct iw_recorder_flow *flow = iw_recorder_flow(recorder, ipv4, NULL);
    uint8_t octets[512];
    size_t length;
    FILE *file;

    (void)state;
    assert_int_equal(iw_recorder_comment(flow, "step 1"), IW_OK);
    put(flow, IW_CHUNK_RST, IW_SIDE_A, "");
    assert_int_equal(iw_recorder_close(recorder, NULL), IW_OK);
    file = fopen(path, "rb");
    length = fread(octets, 1, sizeof octets, file);
    fclose(file);
    assert_int_equal(length, 48 + 32 + 104);
    assert_memory_equal(octets, expected, sizeof expected);
    assert_memory_equal(octets + length - sizeof option, option, sizeof option);
}

/* Wireshark reads pipes only in the order of its host. */
static void writes_pipes_in_host_order(void **state) {
    const uint32_t magic = 0x1A2B3C4D;
    struct iw_recorder *recorder;
    uint8_t head[80];
    int reader;

    (void)state;
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    reader = open(path, O_RDONLY | O_NONBLOCK);
    recorder = iw_recorder_open(path, NULL, error);
    assert_int_equal(read(reader, head, sizeof head), sizeof head);
    assert_memory_equal(head + 8, &magic, 4);
    iw_recorder_close(recorder, NULL);
    close(reader);
}

/* A SYN over IPv6 in a VLAN, of which the capture keeps 8 octets after the IP header. Its sequence number
 * precedes that of the first octet, which is three octets before the wrap. */
static void impairments_reach_the_file(void **state) {
    static const struct iw_impairment_plan plan = {
        .vlan = 7, .ipv6 = true, .snaplen = 66, .wrap = true, .wrap_octets = 3};
    static const uint8_t packet[66] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x81, 0, 0, 7, 0x86, 0xDD, /* */
        0x60, 0, 0, 0, 0, 20, 6, 64, 0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 192, 0, 2, 1, /* IPv6 */
        0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 192, 0, 2, 2,                              /* */
        0xC0, 0, 0x1C, 0x06, 0xFF, 0xFF, 0xFF, 0xFC};
    struct iw_recorder *recorder = iw_recorder_open(path, &plan, error);
    struct pcap_pkthdr *header;
    const u_char *octets;
    pcap_t *file;

    (void)state;
    assert_false(iw_recorder_changes_packets(recorder));
    put(iw_recorder_flow(recorder, ipv4, NULL), IW_CHUNK_START, IW_SIDE_A, "");
    assert_int_equal(iw_recorder_close(recorder, NULL), IW_OK);
    file = pcap_open_offline(path, error);
    assert_non_null(file);
    assert_int_equal(pcap_snapshot(file), 66);
    assert_int_equal(pcap_next_ex(file, &header, &octets), 1);
    assert_int_equal(header->len, 78);
    assert_int_equal(header->caplen, 66);
    assert_memory_equal(octets, packet, sizeof packet);
    pcap_close(file);
}

/* Closing writes held packets, and timestamps never decrease. */
static void close_writes_held_packets(void **state) {
    static const struct iw_impairment_plan plan = {
        .chance = {[IW_IMPAIRMENT_DUPLICATE] = IW_IMPAIRMENT_CERTAIN}};
    struct iw_chunk later = chunk_of(IW_CHUNK_DATA, IW_SIDE_A, "two");
    struct iw_recorder *recorder = iw_recorder_open(path, &plan, error);
    struct iw_recorder_flow *flow = iw_recorder_flow(recorder, ipv4, NULL);
    long last_ns = 0, frames = 0;
    struct pcap_pkthdr *header;
    const u_char *octets;
    pcap_t *file;

    (void)state;
    assert_true(iw_recorder_changes_packets(recorder));
    put(flow, IW_CHUNK_DATA, IW_SIDE_A, "one");
    later.time_ns += 5000;
    assert_int_equal(iw_recorder_chunk(flow, &later), IW_OK);
    assert_true(iw_recorder_frames(recorder) < 4);
    assert_int_equal(iw_recorder_close(recorder, NULL), IW_OK);
    file = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, error);
    for (; pcap_next_ex(file, &header, &octets) == 1; frames++) {
        assert_true(header->ts.tv_usec >= last_ns);
        last_ns = header->ts.tv_usec;
    }
    assert_int_equal(frames, 4);
    assert_int_equal(last_ns, 123461789);
    pcap_close(file);
}

/* ---- read by our own reader ---- */

struct heard {
    char text[2][64];
    unsigned flows;
    unsigned starts;
    unsigned fins;
    unsigned gaps;
};

static void hear(void *user, struct iw_tcp_flow *flow, const struct iw_chunk *chunk) {
    struct heard *heard = user;

    (void)flow;
    heard->starts += chunk->kind == IW_CHUNK_START;
    heard->fins += chunk->kind == IW_CHUNK_FIN;
    heard->gaps += chunk->kind == IW_CHUNK_GAP;
    if (chunk->kind == IW_CHUNK_DATA)
        strncat(heard->text[chunk->side], (const char *)chunk->octets, chunk->length);
}

static void count_flow(void *user, struct iw_tcp_flow *flow) {
    struct heard *heard = user;

    (void)flow;
    heard->flows++;
}

static void our_reader_returns_the_same_chunks(void **state) {
    const struct iw_tcp_handlers handlers = {.flow_new = count_flow, .chunk = hear};
    struct iw_recorder *recorder = iw_recorder_open(path, NULL, error);
    struct iw_tcp_address third[2] = {ipv4[0], ipv4[1]};
    struct heard heard = {0};
    struct iw_tcp_table *table = iw_tcp_table_new(NULL, &handlers, &heard);
    struct iw_capture_file *file;
    struct iw_packet packet;
    struct iw_tcp_segment segment;

    (void)state;
    third[0].port++;
    put_conversation(iw_recorder_flow(recorder, ipv4, NULL));
    put_conversation(iw_recorder_flow(recorder, ipv6, NULL));
    put_conversation(iw_recorder_flow(recorder, third, NULL));
    assert_int_equal(iw_recorder_close(recorder, NULL), IW_OK);

    assert_int_equal(iw_capture_file_open(path, &file, error, sizeof error), IW_OK);
    while (iw_capture_file_next(file, &packet, error, sizeof error) == IW_CAPTURE_PACKET) {
        assert_int_equal(iw_packet_find(&packet, &segment, &(struct iw_packet_facts){0}), IW_PACKET_TCP);
        assert_int_equal(iw_tcp_table_segment(table, &segment), IW_OK);
    }
    iw_capture_file_close(file);
    iw_tcp_table_finish(table);
    iw_tcp_table_free(table);
    assert_int_equal(heard.flows, 3);
    assert_int_equal(heard.starts, 6);
    assert_int_equal(heard.fins, 6);
    assert_int_equal(heard.gaps, 0);
    assert_string_equal(heard.text[IW_SIDE_A], "questionquestionquestion");
    assert_string_equal(heard.text[IW_SIDE_B], "answeransweranswer");
}

/* ---- errors ---- */

static void reports_the_path_of_an_unwritable_file(void **state) {
    (void)state;
    assert_null(iw_recorder_open("/nowhere/file.pcapng", NULL, error));
    assert_string_equal(error, "/nowhere/file.pcapng: No such file or directory");
}

static void reports_a_full_disk(void **state) {
    struct iw_recorder *recorder;

    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    recorder = iw_recorder_open("/dev/full", NULL, error);
    assert_null(recorder);
    assert_string_equal(error, "/dev/full: No space left on device");
}

static void keep_line(void *user, const char *text) {
    snprintf(user, IW_RECORDER_TEXT_OCTETS, "%s", text);
}

/* Recorded packets stay, and the error says that later ones are missing. */
static void stop_keeps_earlier_packets(void **state) {
    struct iw_recorder *recorder = iw_recorder_open(path, NULL, error);
    struct iw_recorder_flow *flow = iw_recorder_flow(recorder, ipv4, NULL);
    struct iw_chunk chunk = chunk_of(IW_CHUNK_DATA, IW_SIDE_A, "lost");
    char line[IW_RECORDER_TEXT_OCTETS] = "", expected[IW_RECORDER_TEXT_OCTETS];

    (void)state;
    iw_recorder_tell(recorder, keep_line, line);
    put(flow, IW_CHUNK_START, IW_SIDE_A, "");
    iw_recorder_stop(recorder, "out of memory");
    snprintf(expected, sizeof expected, "%s: out of memory; recorded up to frame 1", path);
    assert_string_equal(line, expected);
    assert_int_equal(iw_recorder_chunk(flow, &chunk), IW_ERR_IO);
    assert_int_equal(iw_recorder_last_frame(recorder), 0);
    assert_int_equal(iw_recorder_close(recorder, NULL), IW_ERR_IO);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(writes_valid_ipv4_and_ipv6),
        TEST(splits_long_chunks),
        TEST(writes_comments_with_their_packets),
        TEST(writes_pipes_in_host_order),
        TEST(impairments_reach_the_file),
        TEST(close_writes_held_packets),
        TEST(our_reader_returns_the_same_chunks),
        TEST(reports_the_path_of_an_unwritable_file),
        TEST(reports_a_full_disk),
        TEST(stop_keeps_earlier_packets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

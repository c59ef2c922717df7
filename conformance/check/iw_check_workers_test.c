#include "iw_check.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_pcap_test.h"
#include "iw_temporary_test.h"

/* Enough packets for many batches, whatever the size of a batch. */
enum { CONNECTIONS = 3000, ROUNDS = 2, HTTP_EVERY = 7 };

/* Sets the port of the connection, and sequence numbers of the round. */
static void put_connection(uint8_t *packet, unsigned connection, unsigned round) {
    static const uint16_t listen = 2000;
    uint8_t *tcp = packet + 16 + 20;
    bool from_b = (tcp[0] << 8 | tcp[1]) == listen;
    uint8_t *port = from_b ? tcp + 2 : tcp;

    port[0] = (uint8_t)(0x30 + connection / 256);
    port[1] = (uint8_t)connection;
    tcp[4] = (uint8_t)round;
    tcp[8] = (uint8_t)round;
}

/* The offset of the packet after the one at `at`, or the end of the file. */
static size_t next_packet(const struct pcap_test *file, size_t at) {
    const uint8_t *length = file->octets + at + 8;

    return at + 16 + (size_t)(length[2] << 8 | length[3]);
}

static void write_packet(
    FILE *out, const struct pcap_test *file, size_t at, unsigned connection, unsigned round) {
    uint8_t packet[512];
    size_t octets = next_packet(file, at) - at;

    assert(octets <= sizeof packet);
    memcpy(packet, file->octets + at, octets);
    put_connection(packet, connection, round);
    assert_int_equal(fwrite(packet, 1, octets, out), octets);
}

/* FPDUs with and without violations; the next round uses the same addresses again. */
static void one_of_iwarp(struct pcap_test *file) {
    pcap_startup(file);
    pcap_packet(file, IW_SIDE_A, IW_TCP_ACK, TALK_SEND);
    pcap_packet(file, IW_SIDE_A, IW_TCP_ACK, TALK_SEND); /* the same MSN again */
    pcap_packet(file, IW_SIDE_A, IW_TCP_ACK, TALK_BAD_CRC);
    pcap_packet(file, IW_SIDE_A, IW_TCP_ACK, "000f3e00");
    pcap_close(file);
}

static void one_of_http(struct pcap_test *file) {
    pcap_begin(file);
    pcap_packet(file, IW_SIDE_A, IW_TCP_SYN, "");
    pcap_packet(file, IW_SIDE_B, IW_TCP_SYN | IW_TCP_ACK, "");
    for (int i = 0; i < 3; i++) {
        pcap_packet(file, IW_SIDE_A, IW_TCP_ACK, "474554202f20485454502f312e310d0a0d0a");
        pcap_packet(file, IW_SIDE_B, IW_TCP_ACK, "485454502f312e3120323030204f4b0d0a0d0a");
    }
}

/* `talk`: the packets of an iWARP connection, and of one that is not iWARP. */
static void write_capture(FILE *out, const struct pcap_test talk[2]) {
    assert_int_equal(fwrite(talk[0].octets, 1, PCAP_HEADER, out), PCAP_HEADER);
    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t at[2] = {PCAP_HEADER, PCAP_HEADER};

        while (at[0] < talk[0].length || at[1] < talk[1].length) {
            for (unsigned i = 0; i < CONNECTIONS; i++) {
                unsigned kind = i % HTTP_EVERY == 0;

                if (at[kind] < talk[kind].length)
                    write_packet(out, &talk[kind], at[kind], i, round);
            }
            for (int kind = 0; kind < 2; kind++)
                if (at[kind] < talk[kind].length)
                    at[kind] = next_packet(&talk[kind], at[kind]);
        }
    }
    assert_int_equal(fclose(out), 0);
}

/* An FPDU of 4 KiB begins, and 2000 octets of it come before the peer sends an FPDU. */
static void one_that_waits(struct pcap_test *file) {
    char zeros[2 * 249 + 1] = "";

    memset(zeros, '0', sizeof zeros - 1);
    pcap_startup(file);
    pcap_packet(file, IW_SIDE_A, IW_TCP_ACK, "1000414300000000");
    for (int i = 0; i < 8; i++)
        pcap_packet(file, IW_SIDE_A, IW_TCP_ACK, zeros);
    pcap_packet(file, IW_SIDE_B, IW_TCP_ACK, TALK_SEND);
}

static void write_iwarp_and_http(FILE *out) {
    static struct pcap_test talk[2];

    one_of_iwarp(&talk[0]);
    one_of_http(&talk[1]);
    write_capture(out, talk);
}

static void write_waiting_and_http(FILE *out) {
    static struct pcap_test talk[2];

    one_that_waits(&talk[0]);
    one_of_http(&talk[1]);
    write_capture(out, talk);
}

/* ---- the calls of the handlers, as text ---- */

/* What `note` counts of a stream, in stream->user. */
struct noted {
    unsigned events;
    uint64_t id;
};

static void take_note(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct noted *noted = stream->user;

    (void)user;
    (void)event;
    if (!noted) {
        noted = stream->user = calloc(1, sizeof *noted);
        assert_non_null(noted);
        noted->id = stream->id;
    }
    noted->events++;
}

static void take_event(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    const struct iw_llp_event *llp = event->llp;
    FILE *log = user;

    fprintf(log, "%" PRIu64 ".%" PRIu64 ":", stream->id, llp->frame);
    for (size_t i = 0; i < event->finding_count; i++)
        fprintf(log, " %s %s", event->findings[i].requirement->id, event->findings[i].message);
    for (uint32_t i = 0; llp->kind == IW_LLP_SEGMENT && i < llp->image_captured; i++)
        fprintf(log, "%s%02x", i == 0 ? " " : "", llp->image[i]);
    if (event->segment && event->segment->payload_captured > 0)
        fprintf(log, " payload %02x msn %u expected %u", event->segment->payload[0], event->segment->msn,
            event->fact->msn_expected);
    fputc('\n', log);
}

static void take_end(void *user, struct iw_check_stream *stream) {
    const struct iw_monitor_counts *counts = iw_monitor_counts(stream->monitor);
    struct noted *noted = stream->user;
    FILE *log = user;

    assert_non_null(noted);
    assert_int_equal(noted->id, stream->id);
    fprintf(log,
        "%" PRIu64 " ends, frames %" PRIu64 " to %" PRIu64 ", port %u: %u events, %" PRIu64 " FPDUs, %" PRIu64
        " errors, %" PRIu64 " octets, %" PRIu64 " given up\n",
        stream->id, stream->first_frame, stream->last_frame, stream->address[0].port, noted->events,
        counts->fpdus[0], counts->findings[IW_SEVERITY_ERROR], stream->tcp[0].octets,
        counts->unjudged[IW_UNJUDGED_GIVEN_UP]);
    free(noted);
    stream->user = NULL;
}

static uint64_t memory; /* iw_check_config.memory */

static char *judge_chain(
    const char *const *paths, size_t count, unsigned threads, struct iw_check_counts *counts) {
    const struct iw_check_config config = {.extensions = IW_EXT_ALL, .threads = threads, .memory = memory};
    const struct iw_check_handlers handlers = {
        .note = take_note, .event = take_event, .findings_only = true, .stream_end = take_end};
    char *text = NULL;
    size_t octets;
    FILE *log = open_memstream(&text, &octets);
    uint64_t first[2];
    struct iw_check_chain chain = {paths, count, first};

    assert_non_null(log);
    assert_int_equal(iw_check_files(&chain, &config, &handlers, log, counts), IW_OK);
    assert_int_equal(fclose(log), 0);
    return text;
}

static char *judge(const char *path, unsigned threads, struct iw_check_counts *counts) {
    return judge_chain(&path, 1, threads, counts);
}

static FILE *open_capture(char path[static TEMPORARY_PATH]) {
    int descriptor = mkstemp(temporary_path(path, "iw_check_workers_test"));
    FILE *out;

    assert_true(descriptor >= 0);
    out = fdopen(descriptor, "wb");
    assert_non_null(out);
    return out;
}

/* Compares the reports of 2 to 5 threads with `one`, the report of one thread. */
static void compare_threads(const char *path, const char *one, const struct iw_check_counts *alone) {
    for (unsigned threads = 2; threads <= 5; threads++) {
        struct iw_check_counts counts;
        char *many = judge(path, threads, &counts);

        print_message("%u threads, %zu octets\n", threads, strlen(many));
        assert_true(strcmp(one, many) == 0);
        assert_memory_equal(alone, &counts, sizeof counts);
        free(many);
    }
}

/* Connections that are closed or not iWARP release memory first. If that is not enough, new connections are
 * not read. */
static void memory_limits_the_connections_for_any_number_of_threads(void **state) {
    char path[TEMPORARY_PATH];
    struct iw_check_counts alone;
    char *one;

    (void)state;
    write_iwarp_and_http(open_capture(path));
    memory = CONNECTIONS / 2 * IW_CHECK_CONNECTION_OCTETS;
    one = judge(path, 1, &alone);
    assert_in_range(alone.streams, ROUNDS * CONNECTIONS / 3, ROUNDS * CONNECTIONS / 2);
    assert_in_range(alone.dropped, 1, alone.frames);
    compare_threads(path, one, &alone);
    memory = 0;
    free(one);
    unlink(path);
}

/* All connections fit, but not the 4 KiB that each of them keeps: some lose their octets. */
static void memory_limits_the_kept_octets_for_any_number_of_threads(void **state) {
    char path[TEMPORARY_PATH];
    struct iw_check_counts alone;
    char *one;

    (void)state;
    write_waiting_and_http(open_capture(path));
    memory =
        (uint64_t)CONNECTIONS * (IW_CHECK_CONNECTION_OCTETS + 1024) * 64 / 55; /* 9/64: waiting segments */
    one = judge(path, 1, &alone);
    assert_int_equal(alone.dropped, 0);
    assert_int_equal(alone.streams, ROUNDS * (CONNECTIONS - (CONNECTIONS + HTTP_EVERY - 1) / HTTP_EVERY));
    assert_non_null(strstr(one, "errors, 2020 octets, 0 given up"));
    assert_non_null(strstr(one, "errors, 2020 octets, 2000 given up"));
    compare_threads(path, one, &alone);
    memory = 0;
    free(one);
    unlink(path);
}

static void any_number_of_threads_reports_the_same(void **state) {
    char path[TEMPORARY_PATH];
    unsigned http = (CONNECTIONS + HTTP_EVERY - 1) / HTTP_EVERY;
    struct iw_check_counts alone;
    char *one;

    (void)state;
    write_iwarp_and_http(open_capture(path));
    one = judge(path, 1, &alone);
    assert_int_equal(alone.tcp_flows, ROUNDS * CONNECTIONS);
    assert_int_equal(alone.streams, ROUNDS * (CONNECTIONS - http));
    assert_non_null(strstr(one, "RFC5041-"));
    assert_non_null(strstr(one, "RFC5044-"));
    compare_threads(path, one, &alone);
    free(one);
    unlink(path);
}

/* A connection that is not iWARP closes. A segment with other numbers follows, whose receiver discards it
 * because its checksum is wrong: it opens no connection, although the closed one need not be judged. */
static void write_discarded_after_close(FILE *out) {
    static const char octets[] = "485454502f312e3120323030204f4b0d0a0d0a";
    struct pcap_test file;

    pcap_begin(&file);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, "474554202f20485454502f312e310d0a0d0a");
    pcap_packet(&file, IW_SIDE_B, IW_TCP_ACK, octets);
    pcap_close(&file);
    file.seq[IW_SIDE_A] = 0x50000000;
    file.seq[IW_SIDE_B] = 0x60000000;
    pcap_packet(&file, IW_SIDE_B, IW_TCP_ACK, octets);
    file.octets[file.length - sizeof octets / 2 - 4] ^= 0xff; /* checksum */
    pcap_flush(&file, out);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_SYN, "");
    pcap_packet(&file, IW_SIDE_B, IW_TCP_SYN | IW_TCP_ACK, "");
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, TALK_REQUEST);
    pcap_packet(&file, IW_SIDE_B, IW_TCP_ACK, TALK_REPLY);
    pcap_flush(&file, out);
    assert_int_equal(fclose(out), 0);
}

static void a_flow_is_followed_alike_with_any_number_of_threads(void **state) {
    char path[TEMPORARY_PATH];
    struct iw_check_counts alone;
    char *one;

    (void)state;
    write_discarded_after_close(open_capture(path));
    one = judge(path, 1, &alone);
    assert_int_equal(alone.tcp_flows, 2);
    assert_non_null(strstr(one, "1 ends, frames 6 to 9"));
    compare_threads(path, one, &alone);
    free(one);
    unlink(path);
}

static void append_packets(FILE *out, const char *path, size_t from) {
    FILE *in = fopen(path, "rb");
    int octet;

    assert_non_null(in);
    assert_int_equal(fseek(in, (long)from, SEEK_SET), 0);
    while ((octet = fgetc(in)) != EOF)
        fputc(octet, out);
    fclose(in);
}

/* Some TCP connections end before the sessions over SCTP begin, some after them. */
static void sessions_are_reported_in_capture_order(void **state) {
    static const char tcp[] = WARPCHECK_SOURCE_DIR "/captures/rules/rfc5041_4.pcap";
    static const char sctp[] = WARPCHECK_SOURCE_DIR "/captures/vectors/sctp_malformed.pcap";
    char path[TEMPORARY_PATH];
    struct iw_check_counts alone;
    FILE *out = open_capture(path);
    char *one;

    (void)state;
    append_packets(out, tcp, 0);
    append_packets(out, sctp, PCAP_HEADER);
    append_packets(out, tcp, PCAP_HEADER);
    assert_int_equal(fclose(out), 0);
    one = judge(path, 1, &alone);
    assert_non_null(strstr(one, "RFC5041-"));
    assert_non_null(strstr(one, "RFC5043-"));
    compare_threads(path, one, &alone);
    free(one);
    unlink(path);
}

/* The first file is one batch, which the caller's thread judges. The threads start during the second file;
 * they must not judge the first batch again. */
static void late_threads_judge_no_chunk_twice(void **state) {
    enum { THREADS = 16 }; /* so many that one nearly always starts while `judged` is the first batch */
    char path[TEMPORARY_PATH];
    const char *const paths[] = {WARPCHECK_SOURCE_DIR "/captures/rules/rfc5041_4.pcap", path};
    struct iw_check_counts alone, counts;
    char *one, *many;

    (void)state;
    write_iwarp_and_http(open_capture(path));
    one = judge_chain(paths, 2, 1, &alone);
    many = judge_chain(paths, 2, THREADS, &counts);
    assert_true(strcmp(one, many) == 0);
    assert_memory_equal(&alone, &counts, sizeof counts);
    free(one);
    free(many);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_reports_the_same),
        cmocka_unit_test(a_flow_is_followed_alike_with_any_number_of_threads),
        cmocka_unit_test(memory_limits_the_connections_for_any_number_of_threads),
        cmocka_unit_test(memory_limits_the_kept_octets_for_any_number_of_threads),
        cmocka_unit_test(sessions_are_reported_in_capture_order),
        cmocka_unit_test(late_threads_judge_no_chunk_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "iw_check_extract.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_capture_file.h"
#include "iw_packet.h"
#include "iw_pcap_test.h"
#include "iw_sctp_table.h"
#include "iw_temporary_test.h"

/* A capture of one connection, and its extract. */
struct fixture {
    char folder[TEMPORARY_PATH];
    char capture[TEMPORARY_FILE], directory[TEMPORARY_PATH + 8];
    const char *path;
    uint64_t first;
    struct iw_check_chain chain;
    struct iw_check_stream stream;
    struct iw_check_finding finding;
    struct iw_check_connection connection;
    struct iw_check_extract extract;
};

static void write_capture(struct fixture *f, uint32_t packets) {
    struct pcap_test file;
    FILE *out = fopen(f->capture, "wb");

    assert_non_null(out);
    pcap_begin(&file);
    for (uint32_t i = 0; i < packets; i++) {
        pcap_packet(&file, i % 2 == 0 ? IW_SIDE_A : IW_SIDE_B, IW_TCP_ACK, "00");
        assert_int_equal(fwrite(file.octets, 1, file.length, out), file.length);
        file.length = 0;
    }
    assert_int_equal(fclose(out), 0);
}

/* The connection violates a requirement in `frame`. */
static int begin(void **state) {
    struct fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    *state = f;
    assert_non_null(mkdtemp(temporary_path(f->folder, "iw_check_extract_test")));
    snprintf(f->capture, sizeof f->capture, "%s/talk.pcap", f->folder);
    snprintf(f->directory, sizeof f->directory, "%s/out", f->folder);
    f->path = f->capture;
    f->first = 1;
    f->chain = (struct iw_check_chain){&f->path, 1, &f->first};
    f->stream = (struct iw_check_stream){.first_frame = 1};
    f->stream.address[IW_SIDE_A] =
        (struct iw_tcp_address){.octets = {192, 0, 2, 1}, .port = 1000, .version = 4};
    f->stream.address[IW_SIDE_B] =
        (struct iw_tcp_address){.octets = {192, 0, 2, 2}, .port = 2000, .version = 4};
    f->finding.finding = (struct iw_finding){.requirement = iw_requirement_find("RFC5044-4.4-11")};
    f->connection.kept.findings = &f->finding;
    f->connection.kept.finding_count = 1;
    f->connection.totals = (struct iw_totals){.streams = 1, .findings = {[IW_SEVERITY_ERROR] = 1}};
    f->extract.directory = f->directory;
    return 0;
}

static int end(void **state) {
    struct fixture *f = *state;

    iw_check_extract_end(&f->extract);
    free(f->connection.extract);
    assert_true(temporary_remove(f->folder));
    free(f);
    return 0;
}

static void add(struct fixture *f, uint64_t frame, uint64_t last_frame) {
    f->finding.finding.frame = frame;
    f->connection.last_frame = last_frame;
    free(f->connection.extract);
    f->connection.extract = NULL;
    iw_check_extract_add(&f->extract, f->capture, &f->stream, &f->connection);
}

/* Compares the seconds of the packets of an extract, which are their frames in the capture. */
static void expect_frames(const char *path, const uint32_t *frames, size_t count) {
    struct iw_capture_file *file;
    struct iw_packet packet;
    char error[256];

    assert_int_equal(iw_capture_file_open(path, &file, error, sizeof error), IW_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(iw_capture_file_next(file, &packet, error, sizeof error), IW_CAPTURE_PACKET);
        assert_int_equal(packet.time_ns / 1000000000, frames[i]);
    }
    assert_int_equal(iw_capture_file_next(file, &packet, error, sizeof error), IW_CAPTURE_END);
    iw_capture_file_close(file);
}

/* Expects at least one packet, and no incomplete packet. */
static void expect_whole(const char *path) {
    struct iw_capture_file *file;
    struct iw_packet packet;
    char error[256];
    int step;

    assert_int_equal(iw_capture_file_open(path, &file, error, sizeof error), IW_OK);
    assert_int_equal(iw_capture_file_next(file, &packet, error, sizeof error), IW_CAPTURE_PACKET);
    while ((step = iw_capture_file_next(file, &packet, error, sizeof error)) == IW_CAPTURE_PACKET)
        continue;
    assert_int_equal(step, IW_CAPTURE_END);
    iw_capture_file_close(file);
}

static void a_short_connection_is_extracted_whole(void **state) {
    struct fixture *f = *state;
    char expected[TEMPORARY_FILE];

    write_capture(f, 9);
    add(f, 3, 7);
    snprintf(expected, sizeof expected, "%s/talk-stream0.pcapng", f->directory);
    assert_string_equal(f->connection.extract, expected);
    iw_check_extract_write(&f->extract, &f->chain);
    expect_frames(expected, (const uint32_t[]){1, 2, 3, 4, 5, 6, 7}, 7);
    assert_false(f->extract.failed);
}

/* 32 packets at the beginning, 16 before the finding, 4 after it. */
static void a_long_connection_is_extracted_around_its_findings(void **state) {
    struct fixture *f = *state;
    uint32_t frames[53], count = 0;

    for (uint32_t i = 1; i <= 1200; i++)
        if (i <= 32 || (i >= 684 && i <= 704))
            frames[count++] = i;
    write_capture(f, 1200);
    add(f, 700, 1200);
    iw_check_extract_write(&f->extract, &f->chain);
    expect_frames(f->connection.extract, frames, count);
}

static void a_conforming_connection_is_not_extracted(void **state) {
    struct fixture *f = *state;

    f->connection.totals.findings[IW_SEVERITY_ERROR] = 0;
    add(f, 3, 7);
    assert_null(f->connection.extract);
    assert_int_equal(f->extract.made, 0);
    assert_int_equal(access(f->directory, F_OK), -1);
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void expect_text(const char *path, const char *text) {
    FILE *file = fopen(path, "r");
    char found[64] = "";

    assert_non_null(file);
    (void)!fgets(found, sizeof found, file);
    fclose(file);
    assert_string_equal(found, text);
}

/* A symbolic link at the path of a new file counts as existing, whatever its target. */
static void a_symbolic_link_is_not_followed(void **state) {
    struct fixture *f = *state;
    char link[TEMPORARY_FILE], target[TEMPORARY_FILE];

    snprintf(link, sizeof link, "%s/talk-stream0.pcapng", f->directory);
    snprintf(target, sizeof target, "%s/target", f->folder);
    assert_int_equal(mkdir(f->directory, 0777), 0);
    assert_int_equal(symlink(target, link), 0);
    write_capture(f, 4);
    add(f, 3, 4);
    assert_true(f->extract.failed);
    assert_null(f->connection.extract);
    iw_check_extract_write(&f->extract, &f->chain);
    assert_int_equal(access(target, F_OK), -1);
}

/* A killed run leaves no file that looks complete. */
static void a_complete_file_gets_its_final_name(void **state) {
    struct fixture *f = *state;
    char part[TEMPORARY_FILE + 8];

    write_capture(f, 4);
    add(f, 3, 4);
    snprintf(part, sizeof part, "%s.part", f->connection.extract);
    assert_int_equal(access(f->connection.extract, F_OK), -1);
    assert_int_equal(access(part, F_OK), 0);
    iw_check_extract_write(&f->extract, &f->chain);
    assert_false(f->extract.failed);
    assert_int_equal(access(part, F_OK), -1);
    expect_whole(f->connection.extract);
}

/* A file that appeared at the final path meanwhile stays. */
static void a_file_with_the_final_name_is_not_overwritten(void **state) {
    struct fixture *f = *state;

    write_capture(f, 4);
    add(f, 3, 4);
    write_text(f->connection.extract, "mine");
    iw_check_extract_write(&f->extract, &f->chain);
    assert_true(f->extract.failed);
    expect_text(f->connection.extract, "mine");
}

/* The part file of a killed run stays. */
static void an_existing_part_file_is_not_overwritten(void **state) {
    struct fixture *f = *state;
    char part[TEMPORARY_FILE];

    snprintf(part, sizeof part, "%s/talk-stream0.pcapng.part", f->directory);
    assert_int_equal(mkdir(f->directory, 0777), 0);
    write_text(part, "mine");
    write_capture(f, 4);
    add(f, 3, 4);
    assert_true(f->extract.failed);
    assert_false(f->extract.closed);
    assert_null(f->connection.extract);
    iw_check_extract_write(&f->extract, &f->chain);
    expect_text(part, "mine");
}

/* Another file or a pipe in place of the part file is not written to. */
static void a_replaced_file_is_not_written_to(void **state) {
    struct fixture *f = *state;
    char target[TEMPORARY_FILE], path[TEMPORARY_FILE];

    snprintf(target, sizeof target, "%s/target", f->folder);
    write_capture(f, 4);
    for (int kind = 0; kind < 3; kind++) {
        write_text(target, "mine");
        add(f, 3, 4);
        assert_non_null(f->connection.extract);
        snprintf(path, sizeof path, "%s.part", f->connection.extract);
        assert_int_equal(unlink(path), 0);
        if (kind == 0)
            assert_int_equal(symlink(target, path), 0);
        else if (kind == 1)
            assert_int_equal(link(target, path), 0);
        else
            assert_int_equal(mkfifo(path, 0600), 0);
        f->extract.failed = false;
        iw_check_extract_write(&f->extract, &f->chain);
        assert_true(f->extract.failed);
        expect_text(target, "mine");
    }
}

/* A full disk: whole packets as far as they fit, and no file without packets. */
static void a_full_disk_leaves_whole_packets_only(void **state) {
    static const rlim_t room[] = {20, 300, 400, 500};
    struct fixture *f = *state;
    struct rlimit before, limit;
    struct stat status;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    write_capture(f, 9);
    for (size_t i = 0; i < sizeof room / sizeof *room; i++) {
        f->extract.failed = false;
        add(f, 3, 9);
        assert_non_null(f->connection.extract);
        limit = (struct rlimit){room[i], before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        iw_check_extract_write(&f->extract, &f->chain);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_true(f->extract.failed);
        assert_int_equal(stat(f->connection.extract, &status), i == 0 ? -1 : 0);
        if (i > 0)
            expect_whole(f->connection.extract);
    }
}

/* The error is reported once, not for each connection. */
static void a_missing_folder_stops_further_attempts(void **state) {
    struct fixture *f = *state;

    write_text(f->directory, "mine");
    write_capture(f, 4);
    add(f, 3, 4);
    assert_true(f->extract.failed);
    add(f, 3, 4);
    add(f, 3, 4);
    assert_int_equal(f->extract.diagnostics, 1);
    assert_int_equal(f->extract.omitted, 2);
    iw_check_extract_write(&f->extract, &f->chain);
}

/* Not even root can create a file in /proc. */
static void a_readonly_folder_stops_further_attempts(void **state) {
    struct fixture *f = *state;

    f->extract.directory = "/proc";
    write_capture(f, 4);
    for (int i = 0; i < 3; i++)
        add(f, 3, 4);
    assert_true(f->extract.failed);
    assert_int_equal(f->extract.diagnostics, 1);
    assert_int_equal(f->extract.omitted, 2);
    iw_check_extract_write(&f->extract, &f->chain);
}

/* An SCTP packet between 192.0.N.1:1000 and 192.0.N.2:2000. */
static void put_sctp(
    struct pcap_test *file, uint8_t network, enum iw_side side, uint32_t tag, const char *digits) {
    uint8_t packet[16 + 32 + 64] = {[16] = 0x45, [16 + 9] = 132}, *ip = packet + 16;
    size_t octets = 32 + talk_octets(digits, packet + 48, 64);

    pcap_number(packet, ++file->packets);
    pcap_number(packet + 8, (uint32_t)octets);
    pcap_number(packet + 12, (uint32_t)octets);
    ip[3] = (uint8_t)octets;
    memcpy(ip + 12, (const uint8_t[]){192, 0, network, (uint8_t)(1 + side)}, 4);
    memcpy(ip + 16, (const uint8_t[]){192, 0, network, (uint8_t)(2 - side)}, 4);
    pcap_number(ip + 20, side == IW_SIDE_A ? 1000u << 16 | 2000u : 2000u << 16 | 1000u);
    pcap_number(ip + 24, tag);
    pcap_put(file, packet, 16 + octets);
}

static void add_association(void *user, struct iw_sctp_association *association) {
    struct fixture *f = user;

    f->stream.association = &association->state;
    f->stream.paths = association;
    f->connection.sctp = true;
    add(f, 3, 4);
}

/* RFC 9260 6.4: 192.0.2.1 has 192.0.3.1 as well, and 192.0.2.2 has 192.0.3.2. */
static void an_extract_has_all_paths_of_an_association(void **state) {
    static const struct iw_sctp_handlers handlers = {.end = add_association};
    struct fixture *f = *state;
    struct iw_sctp_table *table = iw_sctp_table_new(NULL, &handlers, f);
    struct iw_capture_file *capture;
    struct iw_tcp_segment segment;
    struct iw_packet packet;
    struct pcap_test file;
    char error[256];
    FILE *out = fopen(f->capture, "wb");

    pcap_begin(&file);
    put_sctp(&file, 2, IW_SIDE_A, 0, "0100001c0000000b00010000000100010000006400050008c0000301");
    put_sctp(&file, 2, IW_SIDE_B, 11, "0200001c000000160001000000010001000000c800050008c0000302");
    put_sctp(&file, 3, IW_SIDE_A, 22, "0007001100000064000000000000001061000000");
    put_sctp(&file, 4, IW_SIDE_A, 22, "0007001100000064000000000000001061000000");
    assert_non_null(out);
    assert_int_equal(fwrite(file.octets, 1, file.length, out), file.length);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(iw_capture_file_open(f->capture, &capture, error, sizeof error), IW_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(iw_capture_file_next(capture, &packet, error, sizeof error), IW_CAPTURE_PACKET);
        assert_int_equal(iw_packet_find(&packet, &segment, &(struct iw_packet_facts){0}), IW_PACKET_SCTP);
        iw_sctp_table_packet(table, &segment);
    }
    iw_capture_file_close(capture);
    iw_sctp_table_finish(table);
    iw_sctp_table_free(table);
    iw_check_extract_write(&f->extract, &f->chain);
    expect_frames(f->connection.extract, (const uint32_t[]){1, 2, 3}, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_short_connection_is_extracted_whole),
        TEST(a_long_connection_is_extracted_around_its_findings),
        TEST(a_conforming_connection_is_not_extracted),
        TEST(a_symbolic_link_is_not_followed),
        TEST(a_complete_file_gets_its_final_name),
        TEST(a_file_with_the_final_name_is_not_overwritten),
        TEST(an_existing_part_file_is_not_overwritten),
        TEST(a_replaced_file_is_not_written_to),
        TEST(an_extract_has_all_paths_of_an_association),
        TEST(a_full_disk_leaves_whole_packets_only),
        TEST(a_missing_folder_stops_further_attempts),
        TEST(a_readonly_folder_stops_further_attempts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

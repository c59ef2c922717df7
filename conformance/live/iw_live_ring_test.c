#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_capture_file.h"
#include "iw_live_ring.h"
#include "iw_temporary_test.h"

/* Captures of hand-written packets come through pipes. A packet of 1,000 octets has 1,044 in a file with its
 * packet id: the file of 4,096 takes three of them. */

enum { PACKET = 1000, FILE_OCTETS = 4096, NAMES = 32, NAME = 64 };

static const uint8_t head[24] = {0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, [16] = 0xff, 0xff, 0, 0, 1};
static uint8_t data[PACKET];
static char text[IW_LIVE_RING_TEXT_OCTETS];

/* pcap 2.4, little endian, microseconds; `link` is the LINKTYPE. */
static void write_capture(const char *path, uint8_t link, const uint32_t *seconds, size_t count) {
    FILE *file = fopen(path, "wb");
    uint8_t begin[sizeof head];

    assert_non_null(file);
    memcpy(begin, head, sizeof head);
    begin[20] = link;
    fwrite(begin, sizeof begin, 1, file);
    for (size_t i = 0; i < count; i++) {
        const uint32_t header[] = {seconds[i], 0, sizeof data, sizeof data + 1};

        fwrite(header, sizeof header, 1, file);
        fwrite(data, sizeof data, 1, file);
    }
    fclose(file);
}

struct bench {
    char input[2][TEMPORARY_PATH];
    char folder[TEMPORARY_PATH];
    struct iw_live_ring_config config;
    struct iw_live_source *source;
    struct iw_live_ring *ring;
    struct iw_check_source check;
    struct iw_check_observer observer;
    unsigned troubles;
    char trouble[IW_LIVE_RING_TEXT_OCTETS];
    char names[NAMES][NAME]; /* of the files in the folder, sorted */
    size_t count;
};

static void hear(void *user, const char *line) {
    struct bench *bench = user;

    bench->troubles++;
    snprintf(bench->trouble, sizeof bench->trouble, "%s", line);
}

static int open_bench(void **state) {
    struct bench *bench = calloc(1, sizeof *bench);

    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 2; i++)
        close(mkstemp(temporary_path(bench->input[i], "iw_live_ring_test")));
    assert_non_null(mkdtemp(temporary_path(bench->folder, "iw_live_ring_test")));
    bench->config = (struct iw_live_ring_config){
        .folder = bench->folder, .octets = FILE_OCTETS, .files = 3, .trouble = hear, .user = bench};
    *state = bench;
    return 0;
}

static int compare_names(const void *one, const void *other) {
    return strcmp(one, other);
}

static void list_files(struct bench *bench) {
    DIR *folder = opendir(bench->folder);
    const struct dirent *entry;

    bench->count = 0;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.' && bench->count < NAMES)
            snprintf(bench->names[bench->count++], NAME, "%.60s", entry->d_name);
    if (folder != NULL)
        closedir(folder);
    qsort(bench->names, bench->count, NAME, compare_names);
}

static void path_of(const struct bench *bench, size_t index, char path[TEMPORARY_FILE]) {
    snprintf(path, TEMPORARY_FILE, "%.200s/%.60s", bench->folder, bench->names[index]);
}

static void remove_files(struct bench *bench) {
    char path[TEMPORARY_FILE];

    list_files(bench);
    for (size_t i = 0; i < bench->count; i++) {
        path_of(bench, i, path);
        unlink(path);
    }
    rmdir(bench->folder);
}

static int close_bench(void **state) {
    struct bench *bench = *state;

    iw_live_source_close(bench->source);
    remove_files(bench);
    for (int i = 0; i < 2; i++)
        unlink(bench->input[i]);
    free(bench);
    return 0;
}

static void begin(struct bench *bench, size_t inputs) {
    const char *names[] = {bench->input[0], bench->input[1]};

    bench->source =
        iw_live_source_open(&(struct iw_live_source_config){.names = names, .count = inputs}, text);
    assert_non_null(bench->source);
    iw_live_source_init(bench->source, &bench->check);
    bench->ring = iw_live_ring_open(&bench->config, bench->source, text);
    assert_non_null(bench->ring);
    iw_live_ring_attach(bench->ring, &bench->check, &bench->observer);
}

static int next(struct bench *bench) {
    struct iw_packet packet;
    int step;

    while ((step = bench->check.next(bench->check.user, &packet, text, sizeof text)) == IW_CHECK_TICK)
        continue;
    return step;
}

/* The current packet has this finding. */
static void find(struct bench *bench, uint64_t frame) {
    struct iw_finding finding = {.requirement = iw_requirement_find("RFC5044-4.4-11"),
        .side = IW_SIDE_B,
        .role = IW_ROLE_RESPONDER,
        .frame = frame,
        .number = 1,
        .message = "CRC is wrong"};
    const struct iw_monitor_event event = {.findings = &finding, .finding_count = 1};
    struct iw_check_stream stream = {.id = 0};

    bench->observer.event(bench->observer.user, &stream, &event);
}

/* Takes all packets; the frame `found` has a finding (0: none). */
static void take_all(struct bench *bench, uint64_t found) {
    uint64_t frame = 0;
    int step;

    while ((step = next(bench)) == IW_CHECK_PACKET)
        if (++frame == found)
            find(bench, frame);
    assert_int_equal(step, IW_CHECK_END);
}

static void begin_seconds(struct bench *bench, uint32_t count) {
    uint32_t seconds[32];

    for (uint32_t i = 0; i < count; i++)
        seconds[i] = i;
    write_capture(bench->input[0], 1, seconds, count);
    begin(bench, 1);
}

/* Returns the number of packets of the file; *first is the second of the first one. */
static unsigned read_file(const struct bench *bench, size_t index, uint64_t *first, char *comment) {
    struct iw_capture_file *file;
    struct iw_capture_note note;
    struct iw_packet packet;
    char path[TEMPORARY_FILE];
    unsigned count = 0;

    path_of(bench, index, path);
    *comment = '\0';
    assert_int_equal(iw_capture_file_open(path, &file, text, sizeof text), IW_OK);
    while (iw_capture_file_next(file, &packet, text, sizeof text) == IW_CAPTURE_PACKET) {
        iw_capture_file_note(file, &note);
        if (count++ == 0)
            *first = packet.time_ns / 1000000000;
        assert_int_equal(packet.captured, PACKET);
        assert_int_equal(packet.length, PACKET + 1);
        assert_memory_equal(packet.octets, data, PACKET);
        assert_true(note.id > 0);
        if (note.comment != NULL)
            snprintf(comment, IW_PCAPNG_COMMENT_MAX, "%.*s", (int)note.comment_octets, note.comment);
    }
    iw_capture_file_close(file);
    return count;
}

static void keeps_the_newest_files_in_order_of_time(void **state) {
    struct bench *bench = *state;
    char comment[IW_PCAPNG_COMMENT_MAX];
    uint64_t first = 0;

    begin_seconds(bench, 11); /* files of frames 1-3, 4-6, 7-9, 10-11 */
    take_all(bench, 0);
    assert_true(iw_live_ring_close(bench->ring));
    list_files(bench);
    assert_int_equal(bench->count, 3);
    assert_string_equal(bench->names[0], "watch_19700101000003_00002.pcapng");
    assert_string_equal(bench->names[1], "watch_19700101000006_00003.pcapng");
    assert_string_equal(bench->names[2], "watch_19700101000009_00004.pcapng");
    assert_int_equal(read_file(bench, 0, &first, comment), 3);
    assert_int_equal(first, 3);
    assert_int_equal(read_file(bench, 2, &first, comment), 2);
    assert_int_equal(first, 9);
    assert_int_equal(bench->troubles, 0);
}

static void a_finding_is_the_comment_of_its_packet(void **state) {
    struct bench *bench = *state;
    char comment[IW_PCAPNG_COMMENT_MAX];
    uint64_t first;

    begin_seconds(bench, 2);
    assert_int_equal(next(bench), IW_CHECK_PACKET);
    assert_int_equal(next(bench), IW_CHECK_PACKET);
    find(bench, 2);
    find(bench, 1);
    assert_int_equal(next(bench), IW_CHECK_END);
    assert_true(iw_live_ring_close(bench->ring));
    list_files(bench);
    assert_int_equal(bench->count, 1);
    assert_int_equal(read_file(bench, 0, &first, comment), 2);
    assert_string_equal(comment, "error RFC5044-4.4-11 (RFC 5044 4.4, MUST) responder: CRC is wrong\n"
                                 "error RFC5044-4.4-11 (RFC 5044 4.4, MUST) responder: CRC is wrong "
                                 "(packet id 1)");
}

static void keeps_files_with_findings_and_the_ones_before(void **state) {
    struct bench *bench = *state;

    bench->config.findings_only = true;
    bench->config.files = 4;  /* the open file and the one before it count */
    begin_seconds(bench, 17); /* 1-3, 4-6, 7-9, 10-12, 13-15, 16-17 */
    take_all(bench, 8);
    assert_true(iw_live_ring_close(bench->ring));
    list_files(bench);
    assert_int_equal(bench->count, 2);
    assert_string_equal(bench->names[0], "watch_19700101000003_00002.pcapng");
    assert_string_equal(bench->names[1], "watch_19700101000006_00003.pcapng");
}

static void keeps_nothing_without_a_finding(void **state) {
    struct bench *bench = *state;

    bench->config.findings_only = true;
    begin_seconds(bench, 8);
    take_all(bench, 0);
    assert_true(iw_live_ring_close(bench->ring));
    list_files(bench);
    assert_int_equal(bench->count, 0);
}

/* A finding that comes at the end of the capture belongs to no packet. */
static void a_finding_at_the_end_keeps_the_last_file(void **state) {
    struct bench *bench = *state;

    bench->config.findings_only = true;
    begin_seconds(bench, 8);
    take_all(bench, 0);
    find(bench, 5);
    assert_true(iw_live_ring_close(bench->ring));
    list_files(bench);
    assert_int_equal(bench->count, 2);
    assert_string_equal(bench->names[1], "watch_19700101000006_00003.pcapng");
}

static void each_input_is_an_interface(void **state) {
    struct bench *bench = *state;
    char path[TEMPORARY_FILE];
    uint8_t found[FILE_OCTETS];
    size_t length, blocks[7] = {0};
    FILE *file;

    write_capture(bench->input[0], 1, (const uint32_t[]){1}, 1);
    write_capture(bench->input[1], 101, (const uint32_t[]){1}, 1);
    begin(bench, 2);
    take_all(bench, 0);
    assert_true(iw_live_ring_close(bench->ring));
    list_files(bench);
    assert_int_equal(bench->count, 1);
    path_of(bench, 0, path);
    file = fopen(path, "rb");
    assert_non_null(file);
    length = fread(found, 1, sizeof found, file);
    fclose(file);
    unsigned links = 0;
    /* Blocks of a pcapng file: type and total length, big endian. */
    for (size_t at = 0; at + 12 <= length;) {
        uint32_t size = (uint32_t)found[at + 6] << 8 | found[at + 7];

        assert_true(size >= 12);
        if (found[at + 3] == 1) { /* Interface Description Block: link type, snaplen, option 2: if_name */
            links += found[at + 9];
            assert_memory_equal(found + at + 16, ((uint8_t[]){0, 2}), 2);
            assert_memory_equal(found + at + 20, bench->input[found[at + 9] == 101], found[at + 19]);
        }
        if (found[at] == 0)
            blocks[found[at + 3] % 7]++;
        at += size;
    }
    assert_int_equal(blocks[1], 2);
    assert_int_equal(blocks[6], 2);
    assert_int_equal(links, 1 + 101);
}

static void names_stay_in_order_if_the_clock_is_set_back(void **state) {
    struct bench *bench = *state;
    char comment[IW_PCAPNG_COMMENT_MAX];
    uint64_t first;

    write_capture(bench->input[0], 1, (const uint32_t[]){100, 100, 100, 50, 50, 50, 60}, 7);
    begin(bench, 1);
    take_all(bench, 0);
    assert_true(iw_live_ring_close(bench->ring));
    list_files(bench);
    assert_string_equal(bench->names[1], "watch_19700101000140_00002.pcapng");
    assert_int_equal(read_file(bench, 1, &first, comment), 3);
    assert_int_equal(first, 50);
}

static void an_earlier_file_is_not_overwritten(void **state) {
    struct bench *bench = *state;
    char path[TEMPORARY_FILE];
    struct stat status;
    FILE *file;

    snprintf(path, sizeof path, "%s/watch_19700101000000_00001.pcapng", bench->folder);
    file = fopen(path, "wb");
    assert_non_null(file);
    fclose(file);
    begin_seconds(bench, 1);
    take_all(bench, 0);
    assert_true(iw_live_ring_close(bench->ring));
    list_files(bench);
    assert_int_equal(bench->count, 2);
    assert_string_equal(bench->names[1], "watch_19700101000000_00002.pcapng");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 0);
}

/* ---- what can go wrong ---- */

static void a_full_disk_is_one_line_and_loses_nothing(void **state) {
    struct bench *bench = *state;
    char comment[IW_PCAPNG_COMMENT_MAX];
    struct rlimit before, limit;
    uint64_t first;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    begin_seconds(bench, 11);
    for (int i = 0; i < 9; i++)
        assert_int_equal(next(bench), IW_CHECK_PACKET);
    limit = (struct rlimit){2500, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(next(bench), IW_CHECK_PACKET); /* the third packet of the third file does not fit */
    assert_int_equal(next(bench), IW_CHECK_PACKET);
    assert_int_equal(next(bench), IW_CHECK_END);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(bench->troubles, 1);
    assert_non_null(strstr(bench->trouble, "File too large; recorded up to frame 2"));
    assert_false(iw_live_ring_close(bench->ring));
    assert_int_equal(bench->troubles, 1);
    list_files(bench);
    assert_int_equal(bench->count, 3);
    assert_int_equal(read_file(bench, 0, &first, comment), 3);
    assert_int_equal(read_file(bench, 1, &first, comment), 3);
    assert_int_equal(read_file(bench, 2, &first, comment), 2);
}

static void a_lost_folder_is_one_line(void **state) {
    struct bench *bench = *state;

    begin_seconds(bench, 11);
    assert_int_equal(next(bench), IW_CHECK_PACKET);
    assert_int_equal(next(bench), IW_CHECK_PACKET);
    remove_files(bench);
    take_all(bench, 0);
    assert_int_equal(bench->troubles, 1);
    assert_non_null(strstr(bench->trouble, "was removed while it was written"));
    assert_false(iw_live_ring_close(bench->ring));
    assert_int_equal(bench->troubles, 1);
}

static void a_file_instead_of_a_folder_is_one_line(void **state) {
    struct bench *bench = *state;

    begin_seconds(bench, 1);
    assert_true(iw_live_ring_close(bench->ring));
    bench->config.folder = bench->input[0];
    assert_null(iw_live_ring_open(&bench->config, bench->source, text));
    assert_non_null(strstr(text, ": Not a directory"));
    bench->config.folder = "/nonexistent/folder";
    assert_null(iw_live_ring_open(&bench->config, bench->source, text));
    assert_string_equal(text, "/nonexistent/folder: No such file or directory");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_bench, close_bench)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(keeps_the_newest_files_in_order_of_time),
        TEST(a_finding_is_the_comment_of_its_packet),
        TEST(keeps_files_with_findings_and_the_ones_before),
        TEST(keeps_nothing_without_a_finding),
        TEST(a_finding_at_the_end_keeps_the_last_file),
        TEST(each_input_is_an_interface),
        TEST(names_stay_in_order_if_the_clock_is_set_back),
        TEST(an_earlier_file_is_not_overwritten),
        TEST(a_full_disk_is_one_line_and_loses_nothing),
        TEST(a_lost_folder_is_one_line),
        TEST(a_file_instead_of_a_folder_is_one_line),
    };

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)i;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

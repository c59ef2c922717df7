#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <signal.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_capture_file.h"
#include "iw_live_ring.h"
#include "iw_temporary_test.h"

/* For the tests of the ring. Captures of hand-written packets come through pipes. A packet of 1,000 octets
 * has 1,044 in a file with its packet id: the file of 4,096 takes three of them. */

enum { PACKET = 1000, FILE_OCTETS = 4096, NAMES = 32, NAME = 64 };

static const uint8_t ring_test_head[24] = {0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, [16] = 0xff, 0xff, 0, 0, 1};
static uint8_t ring_test_data[PACKET];
static char ring_test_text[IW_LIVE_RING_TEXT_OCTETS];

/* pcap 2.4, little endian, microseconds; `link` is the LINKTYPE. */
static inline void ring_test_write_capture(
    const char *path, uint8_t link, const uint32_t *seconds, size_t count) {
    FILE *file = fopen(path, "wb");
    uint8_t begin[sizeof ring_test_head];

    assert_non_null(file);
    memcpy(begin, ring_test_head, sizeof ring_test_head);
    begin[20] = link;
    fwrite(begin, sizeof begin, 1, file);
    for (size_t i = 0; i < count; i++) {
        const uint32_t header[] = {seconds[i], 0, sizeof ring_test_data, sizeof ring_test_data + 1};

        fwrite(header, sizeof header, 1, file);
        fwrite(ring_test_data, sizeof ring_test_data, 1, file);
    }
    fclose(file);
}

struct ring_test {
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

static inline void ring_test_hear(void *user, const char *line) {
    struct ring_test *bench = user;

    bench->troubles++;
    snprintf(bench->trouble, sizeof bench->trouble, "%s", line);
}

static inline int ring_test_open(void **state) {
    struct ring_test *bench = calloc(1, sizeof *bench);

    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < sizeof ring_test_data; i++)
        ring_test_data[i] = (uint8_t)i;
    for (int i = 0; i < 2; i++)
        close(mkstemp(temporary_path(bench->input[i], "iw_live_ring_test")));
    assert_non_null(mkdtemp(temporary_path(bench->folder, "iw_live_ring_test")));
    bench->config = (struct iw_live_ring_config){
        .folder = bench->folder, .octets = FILE_OCTETS, .files = 3, .trouble = ring_test_hear, .user = bench};
    *state = bench;
    return 0;
}

static inline int ring_test_compare_names(const void *one, const void *other) {
    return strcmp(one, other);
}

static inline void ring_test_list_files(struct ring_test *bench) {
    DIR *folder = opendir(bench->folder);
    const struct dirent *entry;

    bench->count = 0;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.' && bench->count < NAMES)
            snprintf(bench->names[bench->count++], NAME, "%.60s", entry->d_name);
    if (folder != NULL)
        closedir(folder);
    qsort(bench->names, bench->count, NAME, ring_test_compare_names);
}

static inline void ring_test_path_of(const struct ring_test *bench, size_t index, char path[TEMPORARY_FILE]) {
    snprintf(path, TEMPORARY_FILE, "%.200s/%.60s", bench->folder, bench->names[index]);
}

static inline void ring_test_remove_files(struct ring_test *bench) {
    char path[TEMPORARY_FILE];

    ring_test_list_files(bench);
    for (size_t i = 0; i < bench->count; i++) {
        ring_test_path_of(bench, i, path);
        unlink(path);
    }
    rmdir(bench->folder);
}

static inline int ring_test_close(void **state) {
    struct ring_test *bench = *state;

    iw_live_source_close(bench->source);
    ring_test_remove_files(bench);
    for (int i = 0; i < 2; i++)
        unlink(bench->input[i]);
    free(bench);
    return 0;
}

static inline void ring_test_begin(struct ring_test *bench, size_t inputs) {
    const char *names[] = {bench->input[0], bench->input[1]};

    bench->source =
        iw_live_source_open(&(struct iw_live_source_config){.names = names, .count = inputs}, ring_test_text);
    assert_non_null(bench->source);
    iw_live_source_init(bench->source, &bench->check);
    bench->ring = iw_live_ring_open(&bench->config, bench->source, ring_test_text);
    assert_non_null(bench->ring);
    iw_live_ring_attach(bench->ring, &bench->check, &bench->observer);
}

static inline int ring_test_next(struct ring_test *bench) {
    struct iw_packet packet;
    int step;

    while ((step = bench->check.next(bench->check.user, &packet, ring_test_text, sizeof ring_test_text)) ==
           IW_CHECK_TICK)
        continue;
    return step;
}

/* The current packet has this finding. */
static inline void ring_test_find(struct ring_test *bench, uint64_t frame) {
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
static inline void ring_test_take_all(struct ring_test *bench, uint64_t found) {
    uint64_t frame = 0;
    int step;

    while ((step = ring_test_next(bench)) == IW_CHECK_PACKET)
        if (++frame == found)
            ring_test_find(bench, frame);
    assert_int_equal(step, IW_CHECK_END);
}

static inline void ring_test_begin_seconds(struct ring_test *bench, uint32_t count) {
    uint32_t seconds[32];

    for (uint32_t i = 0; i < count; i++)
        seconds[i] = i;
    ring_test_write_capture(bench->input[0], 1, seconds, count);
    ring_test_begin(bench, 1);
}

/* Returns the number of packets of the file; *first is the second of the first one. */
static inline unsigned ring_test_read_file(
    const struct ring_test *bench, size_t index, uint64_t *first, char *comment) {
    struct iw_capture_file *file;
    struct iw_capture_note note;
    struct iw_packet packet;
    char path[TEMPORARY_FILE];
    unsigned count = 0;

    ring_test_path_of(bench, index, path);
    *comment = '\0';
    assert_int_equal(iw_capture_file_open(path, &file, ring_test_text, sizeof ring_test_text), IW_OK);
    while (iw_capture_file_next(file, &packet, ring_test_text, sizeof ring_test_text) == IW_CAPTURE_PACKET) {
        iw_capture_file_note(file, &note);
        if (count++ == 0)
            *first = packet.time_ns / 1000000000;
        assert_int_equal(packet.captured, PACKET);
        assert_int_equal(packet.length, PACKET + 1);
        assert_memory_equal(packet.octets, ring_test_data, PACKET);
        assert_true(note.id > 0);
        if (note.comment != NULL)
            snprintf(comment, IW_PCAPNG_COMMENT_MAX, "%.*s", (int)note.comment_octets, note.comment);
    }
    iw_capture_file_close(file);
    return count;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, ring_test_open, ring_test_close)

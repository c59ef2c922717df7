#define _GNU_SOURCE /* memfd_create */

/* Fuzz target: runs `warpcheck check` on the input, with the report format and extensions that the input
 * selects. An input that begins like a capture file is used as one; otherwise as records that describe
 * packets (iw_fuzz_frames.h). File errors go to stderr. Ends the program if memory or the file is
 * unavailable. */

#include "iw_fuzz_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "iw_check_report.h"
#include "iw_fuzz_frames.h"
#include "iw_fuzz_input.h"
#include "iw_fuzz_mutate.h"
#include "iw_opcode.h"

enum { LINK_TYPE_RAW_IP = 101, MAGIC_OCTETS = 4, PATH_OCTETS = 64 };

/* Whether the input begins like pcap or pcapng, in either byte order. */
static bool is_capture(const uint8_t *octets, size_t length) {
    static const uint8_t magic[][MAGIC_OCTETS] = {{0xd4, 0xc3, 0xb2, 0xa1}, {0xa1, 0xb2, 0xc3, 0xd4},
        {0x4d, 0x3c, 0xb2, 0xa1}, {0xa1, 0xb2, 0x3c, 0x4d}, {0x0a, 0x0d, 0x0d, 0x0a}};

    for (size_t i = 0; length >= MAGIC_OCTETS && i < sizeof magic / sizeof *magic; i++)
        if (memcmp(octets, magic[i], MAGIC_OCTETS) == 0)
            return true;
    return false;
}

/* ---- the file ---- */

static int file = -1;

static void exit_with_error(const char *what) {
    perror(what);
    exit(4);
}

static void write_octets(const void *octets, size_t count) {
    if (write(file, octets, count) != (ssize_t)count)
        exit_with_error("write");
}

/* Writes a packet: header and octets. */
static void write_packet(const uint32_t head[4], const void *octets, size_t count) {
    const struct iovec parts[] = {{(void *)(uintptr_t)head, 16}, {(void *)(uintptr_t)octets, count}};

    if (writev(file, parts, 2) != (ssize_t)(16 + count))
        exit_with_error("write");
}

static void begin_file(void) {
    if (file < 0)
        file = memfd_create("capture", 0);
    if (file < 0 || ftruncate(file, 0) != 0 || lseek(file, 0, SEEK_SET) != 0)
        exit_with_error("memfd");
}

static void write_packets(const struct iw_packet *frames, unsigned count) {
    const uint32_t head[] = {0xa1b23c4d, 0x00040002, 0, 0, 65535, LINK_TYPE_RAW_IP};

    write_octets(head, sizeof head);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t packet[] = {(uint32_t)(frames[i].time_ns / 1000000000),
            (uint32_t)(frames[i].time_ns % 1000000000), frames[i].captured, frames[i].length};

        write_packet(packet, frames[i].octets, frames[i].captured);
    }
}

/* ---- judgement ---- */

/* Setting up workers costs more than judging such a small input: only one in eight inputs uses two threads.
 */
static void judge_file(unsigned choice, unsigned extensions) {
    enum { FORMS = 5 };
    static const struct iw_check_report_form *const forms[FORMS] = {&iw_check_report_decode,
        &iw_check_report_text, &iw_check_report_jsonl, &iw_check_report_fields, &iw_check_report_junit};
    static FILE *nowhere;
    struct iw_check_report report = {0};
    char path[PATH_OCTETS];
    enum iw_exit exit;

    if (nowhere == NULL && (nowhere = fopen("/dev/null", "w")) == NULL)
        exit_with_error("/dev/null");
    report.out = nowhere;
    report.form = forms[choice % FORMS];
    report.extensions = extensions;
    report.upper = choice % 2 == 0 ? IW_CHECK_UPPER_WARN : IW_CHECK_UPPER_OFF;
    report.threads = choice / FORMS % 8 == 0 ? 2 : 1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    exit = iw_check_report_files(&report, &(const char *){path}, 1);
    iw_check_report_end(&report, exit);
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length) {
    struct iw_packet frames[IW_FUZZ_FRAMES_MAX];
    struct iw_cursor cursor = iw_cursor_over(octets, length);
    struct iw_fuzz_scene scene = {0};

    begin_file();
    if (is_capture(octets, length)) {
        write_octets(octets, length);
        scene.terms = octets[length - 1];
    } else {
        unsigned count = iw_fuzz_frames_make(frames, octets, length);

        scene = iw_fuzz_scene_take(&cursor);
        write_packets(frames, count);
        iw_fuzz_frames_dispose(frames, count);
    }
    judge_file(scene.terms, (unsigned)~scene.switches & IW_EXT_ALL);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *octets, size_t length, size_t capacity, unsigned seed) {
    if (is_capture(octets, length))
        return LLVMFuzzerMutate(octets, length, capacity);
    return iw_fuzz_mutate(octets, length, capacity, seed, LLVMFuzzerMutate);
}

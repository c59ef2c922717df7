#define _GNU_SOURCE /* memfd_create, pipe2 */

/* Fuzz target: reads the input as a capture file, compressed or not, to its end; every eighth input also
 * through a pipe. Aborts the program if a packet leaves its place too early, if frame numbers do not
 * increase, or if file and pipe give different packets. */

#include "iw_fuzz_target.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "iw_capture_file.h"

enum { PATH_OCTETS = 64, PIPE_OCTETS = 1 << 16, RECENT = 64, PACKETS_MAX = 1 << 16 };

static void expect_true(int good, const char *what) {
    if (good)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

/* FNV-1a */
static uint64_t sum_of(uint64_t sum, const void *octets, size_t count) {
    const uint8_t *at = octets;

    for (size_t i = 0; i < count; i++)
        sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
    return sum;
}

struct seen {
    struct iw_packet packet;
    uint64_t block, sum;
};

/* Checks that packets which must stay in memory have not changed. */
static void check_recent(const struct seen *recent, size_t count, uint64_t block) {
    for (size_t i = count > RECENT ? count - RECENT : 0; i < count; i++) {
        const struct seen *seen = &recent[i % RECENT];

        if (block > 0 && seen->block + 3 > block)
            expect_true(sum_of(0, seen->packet.octets, seen->packet.captured) == seen->sum,
                "a packet changed while it was in use");
    }
}

/* Reads all packets. Returns a checksum of everything read. */
static uint64_t read_file(struct iw_capture_file *file) {
    static struct seen recent[RECENT];
    struct iw_packet packet;
    char error[256];
    uint64_t sum = 0, frame = 0, block = 0;
    size_t count = 0;
    int step;

    while ((step = iw_capture_file_next(file, &packet, error, sizeof error)) == IW_CAPTURE_PACKET &&
           count < PACKETS_MAX) {
        struct seen seen = {packet, iw_capture_file_block(file), sum_of(0, packet.octets, packet.captured)};

        expect_true(packet.frame > frame, "a frame number does not rise");
        expect_true(seen.block == block || seen.block == block + 1, "a block was skipped");
        frame = packet.frame;
        block = seen.block;
        if (count % RECENT == 0 || seen.block != recent[(count - 1) % RECENT].block)
            check_recent(recent, count, block);
        recent[count++ % RECENT] = seen;
        sum = sum_of(sum, &seen.sum, sizeof seen.sum);
        sum = sum_of(sum, &packet.time_ns, sizeof packet.time_ns);
        sum = sum_of(sum, &packet.length, sizeof packet.length);
    }
    check_recent(recent, count, block);
    expect_true(step >= 0 || strchr(error, '\n') == NULL, "an error message is not exactly one line");
    expect_true(iw_capture_file_frames(file) >= frame, "frame numbers exceed the number of frames");
    frame = iw_capture_file_frames(file);
    sum = sum_of(sum, &frame, sizeof frame);
    return sum_of(sum, &step, sizeof step);
}

/* Reads the descriptor's file. Returns a checksum of everything read. */
static uint64_t read_descriptor(int descriptor) {
    char path[PATH_OCTETS], error[256];
    struct iw_capture_file *file;
    enum iw_status status;
    uint64_t sum = 0;

    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    status = iw_capture_file_open(path, &file, error, sizeof error);
    if (status != IW_OK)
        return sum_of(0, &status, sizeof status);
    sum = read_file(file);
    iw_capture_file_close(file);
    return sum;
}

/* The pipe is large enough for the whole input, so that no writer is needed while it is read. */
static uint64_t read_pipe(const uint8_t *input, size_t length) {
    int ends[2];
    uint64_t sum;

    expect_true(pipe2(ends, O_CLOEXEC) == 0, "no pipe");
    expect_true(write(ends[1], input, length) == (ssize_t)length, "a pipe does not hold the whole input");
    close(ends[1]);
    sum = read_descriptor(ends[0]);
    close(ends[0]);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length) {
    static int file = -1;
    uint64_t sum;

    if (file < 0)
        file = memfd_create("reader", MFD_CLOEXEC);
    expect_true(file >= 0 && ftruncate(file, 0) == 0 && pwrite(file, input, length, 0) == (ssize_t)length,
        "memfd_create failed");
    sum = read_descriptor(file);
    /* A pipe costs more memory and time: used for one input in eight. */
    if (length <= PIPE_OCTETS && sum % 8 == 0)
        expect_true(read_pipe(input, length) == sum, "a pipe gives other packets than a file");
    return 0;
}

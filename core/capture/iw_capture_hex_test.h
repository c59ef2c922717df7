#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_capture_file.h"
#include "iw_temporary_test.h"

/* Capture files as hexadecimal digits, written by hand, and checks of what the reader returns. */
struct hex_file {
    char path[TEMPORARY_PATH];
    struct iw_capture_file *file;
    struct iw_packet packet;
    char error[256];
};

static unsigned hex_digit(char digit) {
    return digit <= '9' ? (unsigned)(digit - '0') : (unsigned)(digit - 'a' + 10);
}

/* Decodes the digits, ignoring blanks and newlines. Returns the number of octets. */
static size_t hex_decode(const char *hex, uint8_t *octets, size_t capacity) {
    size_t count = 0;

    while (*hex != '\0') {
        if (*hex == ' ' || *hex == '\n') {
            hex++;
            continue;
        }
        assert_true(count < capacity);
        octets[count++] = (uint8_t)(hex_digit(hex[0]) << 4 | hex_digit(hex[1]));
        hex += 2;
    }
    return count;
}

static inline int hex_set_up(void **state) {
    struct hex_file *f = calloc(1, sizeof *f);
    int descriptor = mkstemp(temporary_path(f->path, "iw_capture_hex_test"));

    *state = f;
    return descriptor < 0 || close(descriptor) != 0;
}

static inline int hex_tear_down(void **state) {
    struct hex_file *f = *state;

    iw_capture_file_close(f->file);
    unlink(f->path);
    free(f);
    return 0;
}

static inline void hex_write_octets(const struct hex_file *f, const void *octets, size_t count) {
    FILE *stream = fopen(f->path, "wb");

    assert_non_null(stream);
    assert_int_equal(fwrite(octets, 1, count, stream), count);
    assert_int_equal(fclose(stream), 0);
}

static inline void hex_write(const struct hex_file *f, const char *hex) {
    static uint8_t octets[1 << 16];

    hex_write_octets(f, octets, hex_decode(hex, octets, sizeof octets));
}

static inline void hex_reopen(struct hex_file *f) {
    iw_capture_file_close(f->file);
    assert_int_equal(iw_capture_file_open(f->path, &f->file, f->error, sizeof f->error), IW_OK);
}

static inline void hex_open(struct hex_file *f, const char *hex) {
    hex_write(f, hex);
    hex_reopen(f);
}

static inline int hex_next(struct hex_file *f) {
    return iw_capture_file_next(f->file, &f->packet, f->error, sizeof f->error);
}

/* Expects the next packet to have this frame number and these octets. */
static inline void hex_expect(struct hex_file *f, uint64_t frame, uint64_t time_ns, enum iw_link link,
    const char *text, uint32_t length) {
    assert_int_equal(hex_next(f), IW_CAPTURE_PACKET);
    assert_int_equal(f->packet.frame, frame);
    assert_int_equal(f->packet.time_ns, time_ns);
    assert_int_equal(f->packet.link, link);
    assert_int_equal(f->packet.captured, strlen(text));
    assert_memory_equal(f->packet.octets, text, strlen(text));
    assert_int_equal(f->packet.length, length);
}

/* Expects the end of the file after this number of frames. */
static inline void hex_expect_end(struct hex_file *f, uint64_t frames) {
    assert_int_equal(hex_next(f), IW_CAPTURE_END);
    assert_int_equal(hex_next(f), IW_CAPTURE_END);
    assert_int_equal(iw_capture_file_frames(f->file), frames);
}

/* Expects the error line to be the path followed by `text`. */
static inline void hex_expect_line(const struct hex_file *f, const char *text) {
    assert_memory_equal(f->error, f->path, strlen(f->path));
    assert_string_equal(f->error + strlen(f->path), text);
}

/* Expects this status and this error line from the next call and the one after it. */
static inline void hex_expect_fault(struct hex_file *f, enum iw_status status, const char *text) {
    for (int i = 0; i < 2; i++) {
        f->error[0] = '\0';
        assert_int_equal(hex_next(f), status);
        hex_expect_line(f, text);
    }
}

static inline void hex_expect_refused(
    struct hex_file *f, const char *hex, enum iw_status status, const char *text) {
    hex_write(f, hex);
    assert_int_equal(iw_capture_file_open(f->path, &f->file, f->error, sizeof f->error), status);
    assert_null(f->file);
    hex_expect_line(f, text);
}

#define HEX_TEST(name) cmocka_unit_test_setup_teardown(name, hex_set_up, hex_tear_down)

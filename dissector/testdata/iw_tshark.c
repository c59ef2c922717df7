#include "iw_tshark.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { OUTPUT_MAX = 64 << 20, COMMAND_MAX = 4096 };

/* ---- tshark ---- */

static char *run(const char *build, const char *format, va_list arguments) {
    char command[COMMAND_MAX];
    char *output = malloc(OUTPUT_MAX);
    int prefix = snprintf(command, sizeof command, "BUILD=%s %s ", build, TSHARK_SCRIPT);
    int rest = vsnprintf(command + prefix, sizeof command - (size_t)prefix, format, arguments);
    size_t length;
    FILE *pipe;

    assert_int_equal(setenv("WIRESHARK_CONFIG_DIR", "/nonexistent", 1), 0);
    assert_non_null(output);
    assert_true(prefix + rest < (int)sizeof command);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    length = fread(output, 1, OUTPUT_MAX - 1, pipe);
    output[length] = '\0';
    if (pclose(pipe) != 0)
        fail_msg("this fails: %s", command);
    return output;
}

char *iw_tshark_run(const char *format, ...) {
    va_list arguments;
    char *output;

    va_start(arguments, format);
    output = run(BUILD_DIR, format, arguments);
    va_end(arguments);
    return output;
}

char *iw_tshark_run_plain(const char *format, ...) {
    va_list arguments;
    char *output;

    va_start(arguments, format);
    output = run("/nonexistent", format, arguments);
    va_end(arguments);
    return output;
}

/* ---- a capture ---- */

enum { CLIENT_SEQ = 99, SERVER_SEQ = 499 };

void iw_tshark_open(struct iw_tshark_capture *capture) {
    static const uint8_t file_header[24] = {
        0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 101, 0, 0, 0};
    int descriptor;

    *capture = (struct iw_tshark_capture){.path = "/tmp/iw_tshark_XXXXXX", .client_port = 40000 - 1};
    descriptor = mkstemp(capture->path);
    capture->file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    assert_non_null(capture->file);
    assert_int_equal(fwrite(file_header, 1, sizeof file_header, capture->file), sizeof file_header);
}

void iw_tshark_close(struct iw_tshark_capture *capture) {
    assert_int_equal(fclose(capture->file), 0);
    capture->file = NULL;
}

void iw_tshark_remove(const struct iw_tshark_capture *capture) {
    assert_int_equal(unlink(capture->path), 0);
}

static void put_le(FILE *file, size_t value) {
    for (int shift = 0; shift < 32; shift += 8)
        fputc((int)(value >> shift & 0xFF), file);
}

static void put_be(FILE *file, uint32_t value, int octets) {
    for (int shift = 8 * (octets - 1); shift >= 0; shift -= 8)
        fputc((int)(value >> shift & 0xFF), file);
}

/* Writes the pcap header of a packet and its IP header. */
static void put_ip(FILE *file, bool back, size_t length, size_t captured) {
    put_le(file, 1700000000);
    put_le(file, 0);
    put_le(file, captured);
    put_le(file, length);
    put_be(file, 0x45000000u | (uint32_t)length, 4);
    put_be(file, 0, 4);
    put_be(file, 64 << 24 | 6 << 16, 4);
    put_be(file, 0x0A000001u + back, 4);
    put_be(file, 0x0A000002u - back, 4);
}

void iw_tshark_put(struct iw_tshark_capture *capture, bool back, uint8_t flags, uint32_t seq, uint32_t ack,
    const void *payload, size_t count, size_t captured) {
    FILE *file = capture->file;

    put_ip(file, back, 40 + count, 40 + captured);
    put_be(file, back ? capture->server_port : capture->client_port, 2);
    put_be(file, back ? capture->client_port : capture->server_port, 2);
    put_be(file, seq, 4);
    put_be(file, ack, 4);
    put_be(file, 0x5000FFFFu | (uint32_t)flags << 16, 4);
    put_be(file, 0, 4);
    if (captured > 0)
        fwrite(payload, 1, captured, file);
}

void iw_tshark_connect(struct iw_tshark_capture *capture, uint16_t server_port) {
    capture->client_port++;
    capture->server_port = server_port;
    capture->next[0] = CLIENT_SEQ + 1;
    capture->next[1] = SERVER_SEQ + 1;
    iw_tshark_put(capture, false, IW_TSHARK_SYN, CLIENT_SEQ, 0, NULL, 0, 0);
    iw_tshark_put(capture, true, IW_TSHARK_SYN | IW_TSHARK_ACK, SERVER_SEQ, CLIENT_SEQ + 1, NULL, 0, 0);
}

void iw_tshark_say(struct iw_tshark_capture *capture, bool back, const void *payload, size_t count) {
    iw_tshark_put(
        capture, back, IW_TSHARK_ACK, capture->next[back], capture->next[!back], payload, count, count);
    capture->next[back] += (uint32_t)count;
}

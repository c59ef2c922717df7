#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_tshark.h"

/* Shared by the tests of the tree: a capture of one connection, and tshark's output for a capture. */

static const uint8_t request[20] = "MPA ID Req Frame\x00\x01\x00";
static const uint8_t reply[20] = "MPA ID Rep Frame\x00\x01\x00";

static struct iw_tshark_capture stags;

/* RDMA Write to STag 11h; the CRC is not in use. */
static const uint8_t write_to_stag[24] = {
    0x00, 0x12, 0xC1, 0x40, 0, 0, 0, 0x11, 0, 0, 0, 0, 0, 0, 0, 0x40, 'a', 'b', 'c', 'd'};
/* Send with Invalidate of STag 11h, MSN 1. */
static const uint8_t invalidate[28] = {
    0x00, 0x16, 0x41, 0x44, 0, 0, 0, 0x11, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 'e', 'f', 'g', 'h'};
/* Read Request of 8 octets from STag 56h, TO 2000h, to STag 12h, TO 1000h. */
static const uint8_t read_request[52] = {0x00, 0x2E, 0x41, 0x41, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0,
    0, 0, 0, 0, 0x12, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 8, 0, 0, 0, 0x56, 0, 0, 0, 0, 0, 0, 0x20, 0};
/* The Read Response, four octets a segment. */
static const uint8_t response_begin[24] = {
    0x00, 0x12, 0x81, 0x42, 0, 0, 0, 0x12, 0, 0, 0, 0, 0, 0, 0x10, 0x00, 'i', 'j', 'k', 'l'};
static const uint8_t response_end[24] = {
    0x00, 0x12, 0xC1, 0x42, 0, 0, 0, 0x12, 0, 0, 0, 0, 0, 0, 0x10, 0x04, 'm', 'n', 'o', 'p'};

/* Writes the FPDUs as frames 5 to 10; frames 3 and 4 are the startup. */
static inline int write_captures(void **state) {
    (void)state;
    iw_tshark_open(&stags);
    iw_tshark_connect(&stags, 20100);
    iw_tshark_say(&stags, false, request, sizeof request);
    iw_tshark_say(&stags, true, reply, sizeof reply);
    iw_tshark_say(&stags, false, write_to_stag, sizeof write_to_stag);
    iw_tshark_say(&stags, false, invalidate, sizeof invalidate);
    iw_tshark_say(&stags, false, write_to_stag, sizeof write_to_stag);
    iw_tshark_say(&stags, false, read_request, sizeof read_request);
    iw_tshark_say(&stags, true, response_begin, sizeof response_begin);
    iw_tshark_say(&stags, true, response_end, sizeof response_end);
    iw_tshark_close(&stags);
    return 0;
}

static inline int remove_captures(void **state) {
    (void)state;
    iw_tshark_remove(&stags);
    return 0;
}

static inline void assert_prints(const char *path, const char *options, const char *expected) {
    char *shown = iw_tshark_run("-r %s %s", path, options);

    assert_string_equal(shown, expected);
    free(shown);
}

/* Expects this output of tshark for a capture of the corpus. */
static inline void assert_shows(const char *file, const char *options, const char *expected) {
    char path[256];

    snprintf(path, sizeof path, "%s/captures/%s", SOURCE_DIR, file);
    assert_prints(path, options, expected);
}

#define FIELDS " -T fields -e frame.number "

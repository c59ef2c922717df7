#pragma once

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "iw_sctp_table.h"

/* A table, the packets that the tests give it, and a log of what it reports. */

static struct iw_sctp_table *table;
static char log_of[4096];
static uint64_t frame;
static uint64_t lost_of_b; /* chunks of side B that the latest association to end lacks */

static inline void record(const char *what) {
    snprintf(log_of + strlen(log_of), sizeof log_of - strlen(log_of), "%s ", what);
}

static inline void take_message(
    void *user, struct iw_sctp_association *association, const struct iw_sctp_message *message) {
    char text[96];

    assert_ptr_equal(user, &frame);
    snprintf(text, sizeof text, "%" PRIu64 "%c%" PRIu32 "=%.*s", association->id,
        message->side == IW_SIDE_A ? 'A' : 'B', message->tsn, (int)message->captured,
        (const char *)message->octets);
    record(text);
}

static inline void take_close(
    void *user, struct iw_sctp_association *association, enum iw_side side, enum iw_sctp_end how) {
    char text[96];

    (void)user;
    snprintf(text, sizeof text, "%" PRIu64 "%c:%s@%" PRIu64, association->id, side == IW_SIDE_A ? 'A' : 'B',
        how == IW_SCTP_END_ABORT ? "abort" : "shutdown", association->frame);
    record(text);
}

static inline void take_end(void *user, struct iw_sctp_association *association) {
    char text[96];

    (void)user;
    lost_of_b = association->state.lost[IW_SIDE_B];
    snprintf(text, sizeof text, "%" PRIu64 "$", association->id);
    record(text);
}

static inline void take_stray(void *user, const struct iw_tcp_segment *packet) {
    char text[96];

    (void)user;
    snprintf(text, sizeof text, "?%" PRIu64, packet->frame);
    record(text);
}

static const struct iw_sctp_handlers handlers = {take_message, take_close, take_stray, take_end};

static inline int set_up(void **state) {
    (void)state;
    table = iw_sctp_table_new(NULL, &handlers, &frame);
    log_of[0] = '\0';
    frame = 0;
    return table == NULL;
}

static inline int tear_down(void **state) {
    (void)state;
    iw_sctp_table_free(table);
    return 0;
}

/* A packet between two addresses; the lower of the ports `from` and `to` belongs to the first address. */
static inline enum iw_status packet(
    uint16_t from, uint16_t to, uint32_t tag, const uint8_t *chunks, uint32_t octets) {
    struct iw_tcp_segment segment = {
        .source = {.octets = {10, 0, 0, from < to ? 1 : 2}, .port = from, .version = 4},
        .destination = {.octets = {10, 0, 0, from < to ? 2 : 1}, .port = to, .version = 4},
        .seq = tag,
        .length = octets,
        .captured = octets,
        .payload = chunks,
    };

    segment.frame = ++frame;
    return iw_sctp_table_packet(table, &segment);
}

static inline enum iw_status init(uint16_t from, uint16_t to, uint32_t tag, uint8_t own_tag, uint8_t tsn) {
    const uint8_t chunk[] = {
        tag == 0 ? 1 : 2, 0, 0, 20, 0, 0, 0, own_tag, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, tsn};

    return packet(from, to, tag, chunk, sizeof chunk);
}

static inline enum iw_status data(uint16_t from, uint16_t to, uint32_t tag, uint8_t tsn, char what) {
    const uint8_t chunk[] = {0, 7, 0, 17, 0, 0, 0, tsn, 0, 0, 0, 0, 0, 0, 0, 16, (uint8_t)what, 0, 0, 0};

    return packet(from, to, tag, chunk, sizeof chunk);
}

static inline enum iw_status send_empty(
    uint16_t from, uint16_t to, uint32_t tag, uint8_t type, uint8_t flags) {
    const uint8_t chunk[] = {type, flags, 0, 4};

    return packet(from, to, tag, chunk, sizeof chunk);
}

static inline void open_one(void) {
    init(1, 2, 0, 11, 100);
    init(2, 1, 11, 22, 200);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

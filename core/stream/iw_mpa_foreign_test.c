#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_mpa.h"
#include "iw_test_stream.h"

/* Connections that are not iWARP: they are not recognised as iWARP by any configuration, unless it says
 * that they are. */

static const struct iw_mpa_config configs[] = {
    {.forced = false},
    {.crc = IW_MPA_ON},
    {.crc = IW_MPA_OFF},
    {.markers = {IW_MPA_ON, IW_MPA_ON}},
    {.markers = {IW_MPA_OFF, IW_MPA_OFF}},
    {.crc = IW_MPA_OFF, .markers = {IW_MPA_ON, IW_MPA_ON}},
    {.crc = IW_MPA_OFF, .markers = {IW_MPA_OFF, IW_MPA_ON}},
    {.crc = IW_MPA_ON, .markers = {IW_MPA_ON, IW_MPA_OFF}},
    {.resynchronise_off = true},
};

enum { CONFIGS = sizeof configs / sizeof *configs };

#define TEXT(text) .octets = text, .length = sizeof text - 1

/* The first octets of each side, written by hand. */
static const struct beginning {
    const char *name;
    struct {
        const char *octets;
        uint32_t length;
    } say[2];
} beginnings[] = {
    {"HTTP", {{TEXT("GET /index.html HTTP/1.1\r\nHost: example.org\r\nAccept: */*\r\n\r\n")},
                 {TEXT("HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
                       "Content-Length: 1000000\r\n\r\n")}}},
    {"TLS", {{TEXT("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")},
                {TEXT("\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03")}}},
    {"TLS application data",
        {{TEXT("\x17\x03\x03\x40\x11")}, {TEXT("\x17\x03\x03\x41\x43\x00\x00\x00\x00")}}},
    {"NVMe/TCP ICReq, ICResp",
        {{TEXT("\x00\x00\x80\x00\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
               "\x00\x00\x00\x00\x00\x00\x00\x00\x00")},
            {TEXT("\x01\x00\x80\x00\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00"
                  "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")}}},
    {"NVMe/TCP CapsuleCmd, C2HData",
        {{TEXT("\x04\x00\x48\x00\x48\x00\x00\x00\x02\x40\x01\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
               "\x00\x00\x00\x00\x00\x00\x00\x00\x00")},
            {TEXT("\x07\x0c\x18\x18\x18\x10\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x00"
                  "\x00\x00")}}},
    {"SMB2",
        {{TEXT("\x00\x00\x00\x6e\xfe\x53\x4d\x42\x40\x00\x00\x00\x00\x00\x00\x00\x00\x00\x1f\x00\x00\x00\x00"
               "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")},
            {TEXT("\x00\x00\x00\xf8\xfe\x53\x4d\x42\x40\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01\x00"
                  "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")}}},
    {"SSH", {{TEXT("SSH-2.0-OpenSSH_9.6\r\n\x00\x00\x05\xdc\x07\x14")},
                {TEXT("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n\x00\x00\x04\x54\x0a\x14")}}},
    {"zeros", {{TEXT("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")}, {TEXT("\x00\x00\x00\x00")}}},
    {"a word that begins like the key", {{TEXT("MPA Records, London")}, {TEXT("MPA ID number?")}}},
};

static unsigned events_but_losses;

/* Losses come from the search; those of an unrecognised connection are not shown to the user. */
static void count(void *user, const struct iw_llp_event *event) {
    (void)user;
    events_but_losses += event->kind == IW_LLP_SEGMENT || event->kind == IW_LLP_STARTUP;
}

static void begin(struct iw_mpa *mpa, const struct iw_mpa_config *config, bool from_start) {
    events_but_losses = 0;
    iw_mpa_init(mpa, config, count, NULL);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B && from_start; side++) {
        const struct iw_chunk syn = {.kind = IW_CHUNK_START, .side = side};

        iw_mpa_feed(mpa, &syn);
    }
}

static void feed(
    struct iw_mpa *mpa, enum iw_side side, uint64_t offsets[2], const void *octets, uint32_t length) {
    const struct iw_chunk chunk = {
        .kind = IW_CHUNK_DATA, .side = side, .octets = octets, .length = length, .offset = offsets[side]};

    iw_mpa_feed(mpa, &chunk);
    offsets[side] += length;
}

static uint32_t random_chunk(uint8_t octets[512], uint32_t *seed) {
    uint32_t length = 1 + (iw_test_random(seed) >> 9) % 511;

    for (uint32_t i = 0; i < length; i++)
        octets[i] = (uint8_t)(iw_test_random(seed) >> 11);
    return length;
}

static void end(struct iw_mpa *mpa) {
    iw_mpa_finish(mpa);
    assert_false(iw_mpa_recognised(mpa));
    assert_int_equal(events_but_losses, 0);
    iw_mpa_dispose(mpa);
}

static void expect_nothing(const struct beginning *row, const struct iw_mpa_config *config, bool from_start) {
    struct iw_mpa mpa;
    uint64_t offsets[2] = {0, 0};
    uint32_t seed = 271828182;
    uint8_t octets[512];

    begin(&mpa, config, from_start);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        feed(&mpa, side, offsets, row->say[side].octets, row->say[side].length);
    for (unsigned i = 0; i < 40; i++)
        feed(&mpa, i % 2, offsets, octets, random_chunk(octets, &seed));
    end(&mpa);
}

static void other_protocols_are_not_recognised(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        print_message("%s\n", beginnings[i].name);
        for (size_t config = 0; config < CONFIGS; config++) {
            expect_nothing(&beginnings[i], &configs[config], true);
            expect_nothing(&beginnings[i], &configs[config], false);
        }
    }
}

/* 100,000 chunks in connections of 100 each. */
static void random_octets_are_not_recognised(void **state) {
    uint32_t seed = 161803398;
    uint8_t octets[512];

    (void)state;
    for (unsigned connection = 0; connection < 1000; connection++) {
        uint64_t offsets[2] = {0, 0};
        struct iw_mpa mpa;

        begin(&mpa, &configs[connection / 2 % CONFIGS], connection % 2 == 0);
        for (unsigned i = 0; i < 100; i++)
            feed(&mpa, iw_test_random(&seed) >> 13 & 1, offsets, octets, random_chunk(octets, &seed));
        end(&mpa);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_protocols_are_not_recognised),
        cmocka_unit_test(random_octets_are_not_recognised),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#pragma once

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_monitor.h"

/* A short conversation for tests, as hexadecimal digits written by hand or taken from the vectors, and
 * functions that hand it to a monitor. */

#define TALK_REQUEST                                                                                         \
    "4d504120494420526571204672616d65"                                                                       \
    "40010000"
#define TALK_REPLY                                                                                           \
    "4d504120494420526570204672616d65"                                                                       \
    "40010000"
/* F07: Send "hello", MSN 1 */
#define TALK_SEND                                                                                            \
    "00174143000000000000000000000001000000006"                                                              \
    "8656c6c6f000000b990b10c"
/* F37: the same with one bit of the CRC inverted */
#define TALK_BAD_CRC "001741430000000000000000000000010000000068656c6c6f000000b990b10d"
/* F03: Read Request, MSN 1, sink 1234h/1000h, 4096 octets, source 5678h/2000h */
#define TALK_READ                                                                                            \
    "002e4141000000000000000100000001000000000000123400000000000010000000100000005678000000000000200003173a" \
    "1e"
/* F12: Terminate 2/0/02 */
#define TALK_TERMINATE                                                                                       \
    "00164147000000000000000200000001000000002002"                                                           \
    "00007fe42585"

static inline size_t talk_octets(const char *digits, uint8_t *octets, size_t capacity) {
    size_t count = strlen(digits) / 2;

    assert(count <= capacity);
    for (size_t i = 0; i < count; i++) {
        unsigned value;

        if (sscanf(digits + 2 * i, "%2x", &value) != 1)
            abort();
        octets[i] = (uint8_t)value;
    }
    return count;
}

struct talk {
    struct iw_monitor *monitor;
    uint64_t offset[2];
    uint64_t frame;
};

/* A monitor that has seen the beginning of both sides. */
static inline void talk_begin(struct talk *talk, iw_monitor_sink *sink, void *user) {
    struct iw_monitor_config config = {.extensions = IW_EXT_ALL};

    memset(talk, 0, sizeof *talk);
    talk->monitor = iw_monitor_new(&config, sink, user);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        iw_monitor_feed(
            talk->monitor, &(struct iw_chunk){.kind = IW_CHUNK_START, .side = side, .frame = ++talk->frame});
}

/* Octets of one side, in a frame of their own; frames are seconds. */
static inline void talk_say(struct talk *talk, enum iw_side side, const char *digits) {
    uint8_t octets[256];
    struct iw_chunk chunk = {.kind = IW_CHUNK_DATA, .side = side, .octets = octets, .frame = ++talk->frame};

    chunk.length = (uint32_t)talk_octets(digits, octets, sizeof octets);
    chunk.offset = talk->offset[side];
    chunk.time_ns = chunk.frame * 1000000000u;
    talk->offset[side] += chunk.length;
    iw_monitor_feed(talk->monitor, &chunk);
}

static inline void talk_close(struct talk *talk, enum iw_side side, enum iw_chunk_kind kind) {
    iw_monitor_feed(talk->monitor,
        &(struct iw_chunk){.kind = kind, .side = side, .offset = talk->offset[side], .frame = ++talk->frame});
}

static inline void talk_end(struct talk *talk) {
    iw_monitor_finish(talk->monitor);
    iw_monitor_free(talk->monitor);
}

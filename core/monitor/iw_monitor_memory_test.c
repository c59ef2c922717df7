#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_crc32c.h"
#include "iw_monitor.h"
#include "iw_test_memory.h"

/* Each allocation fails in turn. The monitor must then report the same findings as without the failure, or
 * that it could not judge everything, or that it cannot tell whether this is MPA. */

struct talk {
    struct iw_monitor *monitor;
    uint64_t offset[2];
    uint64_t frame;
    uint64_t findings; /* findings passed to its sink */
};

static void take_event(void *user, const struct iw_monitor_event *event) {
    struct talk *talk = user;

    talk->findings += event->finding_count;
}

static void feed(struct talk *talk, enum iw_side side, const uint8_t *octets, uint32_t length) {
    iw_monitor_feed(talk->monitor, &(struct iw_chunk){.kind = IW_CHUNK_DATA,
                                       .side = side,
                                       .length = length,
                                       .offset = talk->offset[side],
                                       .octets = octets,
                                       .frame = ++talk->frame});
    talk->offset[side] += length;
}

/* Feeds an FPDU with this ULPDU and a correct CRC, in two chunks. */
static void feed_fpdu(struct talk *talk, enum iw_side side, const uint8_t *ulpdu, uint32_t length) {
    uint8_t octets[256] = {0, (uint8_t)length};
    uint32_t end = (2 + length + 3) & ~3u;
    uint32_t crc;

    assert_true(end + 4 <= sizeof octets);
    memcpy(octets + 2, ulpdu, length);
    crc = iw_crc32c(octets, end);
    for (unsigned i = 0; i < 4; i++)
        octets[end + i] = (uint8_t)(crc >> (24 - 8 * i));
    feed(talk, side, octets, 10);
    feed(talk, side, octets + 10, end + 4 - 10);
}

static void feed_hex(struct talk *talk, enum iw_side side, const char *text) {
    uint8_t octets[128] = {0};
    uint32_t length = 0;

    for (; *text != '\0'; text += 2) {
        char digits[3] = {text[0], text[1], '\0'};

        assert_true(length < sizeof octets);
        octets[length++] = (uint8_t)strtoul(digits, NULL, 16);
    }
    feed_fpdu(talk, side, octets, length);
}

#define QUEUE(qn, msn, mo)                                                                                   \
    "00000000"                                                                                               \
    "0000000" qn "0000000" msn "000000" mo
#define READ_REQUEST(msn)                                                                                    \
    "4141" QUEUE("1", msn, "00") "00001234"                                                                  \
                                 "0000000000001000"                                                          \
                                 "00000004"                                                                  \
                                 "00005678"                                                                  \
                                 "0000000000002000"

static void converse(struct talk *talk) {
    feed(talk, IW_SIDE_A, (const uint8_t *)"MPA ID Req Frame\x40\x01\x00\x00", 20);
    feed(talk, IW_SIDE_B, (const uint8_t *)"MPA ID Rep Frame\x40\x01\x00\x00", 20);
    for (unsigned i = 1; i < 6; i++) {
        char request[] = READ_REQUEST("0");

        request[2 * 2 + 8 + 8 + 7] = (char)('0' + i);
        feed_hex(talk, IW_SIDE_A, request);
    }
    /* a segment of a Send at its expected offset */
    feed_hex(talk, IW_SIDE_A, "0143" QUEUE("0", "1", "00") "aaaaaaaa");
    /* a segment of the same Send after a hole */
    feed_hex(talk, IW_SIDE_A, "0143" QUEUE("0", "1", "10") "aaaaaaaa");
    feed_hex(talk, IW_SIDE_A, "4143" QUEUE("0", "1", "04") "aaaaaaaa");
    feed_hex(talk, IW_SIDE_B,
        "c042"
        "00001234"
        "0000000000001000"
        "01020304"); /* the first Read Response */
    feed_hex(talk, IW_SIDE_B,
        "c042"
        "00009999"
        "0000000000001000"
        "01020304");                                                    /* a wrong Read Response */
    feed_hex(talk, IW_SIDE_B, "4143" QUEUE("0", "7", "00") "aaaaaaaa"); /* MSN 7, expected 1 */
}

struct outcome {
    uint64_t findings;
    bool said; /* the monitor reported that something could not be judged */
};

static struct outcome run(unsigned long nth, bool onward, unsigned long *allocations) {
    static const struct iw_monitor_config config = {.extensions = IW_EXT_ALL};
    struct talk talk = {0};
    struct outcome outcome = {0, true};
    const struct iw_monitor_counts *counts;

    iw_test_memory_fail(nth, onward);
    talk.monitor = iw_monitor_new(&config, take_event, &talk);
    if (talk.monitor == NULL) {
        *allocations = iw_test_memory_restore();
        return outcome;
    }
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        iw_monitor_feed(talk.monitor, &(struct iw_chunk){.kind = IW_CHUNK_START, .side = side});
    converse(&talk);
    iw_monitor_finish(talk.monitor);
    *allocations = iw_test_memory_restore();
    counts = iw_monitor_counts(talk.monitor);
    outcome = (struct outcome){talk.findings, iw_monitor_failed(talk.monitor)};
    for (int reason = 0; reason < IW_UNJUDGED_COUNT; reason++)
        outcome.said |= counts->unjudged[reason] > 0;
    iw_monitor_free(talk.monitor);
    return outcome;
}

static void every_allocation_fails_in_turn(void **state) {
    unsigned long allocations, ignored;
    struct outcome whole = run(0, false, &allocations);

    (void)state;
    assert_int_equal(whole.findings, 5);
    assert_false(whole.said);
    assert_true(allocations > 10);
    for (unsigned long nth = 1; nth <= allocations; nth++)
        for (int onward = 0; onward < 2; onward++) {
            struct outcome outcome = run(nth, onward, &ignored);

            if (outcome.findings != whole.findings && !outcome.said)
                fail_msg("allocation %lu: %lu findings and all judged", nth, (unsigned long)outcome.findings);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_fails_in_turn)};

    return cmocka_run_group_tests_name("iw_monitor_memory", tests, NULL, NULL);
}

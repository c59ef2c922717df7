#include "iw_conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct iw_conversation c;

/* ---- events ---- */

struct seen {
    unsigned events;
    unsigned requests;
    unsigned responses;
    unsigned terminates;
    uint32_t waiting;
    uint64_t asked_in;
    uint16_t error;
    enum iw_role roles[2];
};

static void watch(void *user, const struct iw_monitor_event *event) {
    struct seen *seen = user;

    seen->events++;
    seen->roles[event->llp->side] = event->role;
    assert_int_equal(event->segment != NULL, event->llp->kind == IW_LLP_SEGMENT);
    assert_int_equal(event->fact != NULL, event->llp->kind == IW_LLP_SEGMENT);
    if (event->request != NULL) {
        seen->requests++;
        seen->waiting = event->requests_waiting;
        assert_int_equal(event->request->opcode, IW_RDMAP_OP_READ_REQUEST);
        assert_int_equal(event->request->request.header.read_request.size, 8);
    }
    if (event->response != NULL) {
        seen->responses++;
        assert_int_equal(event->requests_waiting, seen->waiting - seen->responses);
        assert_true(event->response->known);
        seen->asked_in = event->response->operation->request_frame;
    }
    if (event->terminate != NULL) {
        seen->terminates++;
        seen->error = iw_error_triple(
            event->terminate->control.layer, event->terminate->control.etype, event->terminate->control.code);
    }
}

/* Feeds the conversation once more, to a monitor whose events `watch` receives. */
static void watch_again(struct seen *seen) {
    struct iw_monitor *monitor = iw_monitor_new(&c.config, watch, seen);

    memset(seen, 0, sizeof *seen);
    assert_non_null(monitor);
    for (size_t i = 0; i < c.chunk_count; i++)
        iw_monitor_feed(monitor, &c.chunks[i]);
    iw_monitor_finish(monitor);
    iw_monitor_free(monitor);
}

static void reports_what_each_fpdu_is(void **state) {
    struct seen seen;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    for (unsigned i = 0; i < 2; i++)
        iw_conversation_fpdu(&c, IW_SIDE_A,
            i == 0 ? "4141 00000000 00000001 00000001 00000000 00001234 0000000000001000 00000008 00005678 "
                     "0000000000002000"
                   : "4141 00000000 00000001 00000002 00000000 00001234 0000000000001008 00000008 00005678 "
                     "0000000000002000");
    iw_conversation_say(&c, IW_SIDE_B, "F05");
    iw_conversation_fpdu(&c, IW_SIDE_B, "c142 00001234 0000000000001008 0102030405060708");
    iw_conversation_say(&c, IW_SIDE_B, "F12");
    watch_again(&seen);
    assert_int_equal(seen.events, 2 + 5 + 2);
    assert_int_equal(seen.roles[IW_SIDE_A], IW_ROLE_INITIATOR);
    assert_int_equal(seen.roles[IW_SIDE_B], IW_ROLE_RESPONDER);
    assert_int_equal(seen.requests, 2);
    assert_int_equal(seen.responses, 2);
    assert_int_equal(seen.asked_in, 4);
    assert_int_equal(seen.terminates, 1);
    assert_int_equal(seen.error, IW_ERROR_MPA_CRC);
    iw_conversation_end(&c);
}

static void counts_fpdus_messages_and_payload(void **state) {
    const struct iw_monitor_counts *counts;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_fpdu(&c, IW_SIDE_A, "0143 00000000 00000000 00000001 00000000 01020304");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000001 00000004 05060708 09");
    iw_conversation_say(&c, IW_SIDE_A, "F03");
    iw_conversation_say(&c, IW_SIDE_B, "F01");
    counts = iw_monitor_counts(c.monitor);
    assert_int_equal(counts->fpdus[IW_SIDE_A], 3);
    assert_int_equal(counts->fpdus[IW_SIDE_B], 1);
    assert_int_equal(counts->messages[IW_SIDE_A], 2);
    assert_int_equal(counts->messages[IW_SIDE_B], 1);
    assert_int_equal(counts->payload_octets[IW_SIDE_A], 9);
    assert_int_equal(counts->payload_octets[IW_SIDE_B], 8);
    for (int reason = 0; reason < IW_UNJUDGED_COUNT; reason++)
        assert_int_equal(counts->unjudged[reason], 0);
    iw_conversation_end(&c);
}

static void counts_findings_by_weight(void **state) {
    const struct iw_monitor_counts *counts;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F37");
    iw_conversation_say(&c, IW_SIDE_A, "F42");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4147 00000000 00000002 00000001 00000000 20028000 0017");
    counts = iw_monitor_counts(c.monitor);
    assert_int_equal(counts->findings[IW_SEVERITY_ERROR], 2);
    assert_int_equal(counts->findings[IW_SEVERITY_WARNING], 1);
    assert_int_equal(counts->findings[IW_SEVERITY_NOTE], 0);
    c.expected_count = 3;
    iw_conversation_end(&c);
}

static void reports_whether_it_is_mpa(void **state) {
    (void)state;
    iw_conversation_open(&c, "", "");
    assert_false(iw_monitor_recognised(c.monitor));
    assert_false(iw_monitor_hopeless(c.monitor));
    iw_conversation_say(&c, IW_SIDE_A, "M05");
    assert_true(iw_monitor_recognised(c.monitor));
    assert_false(iw_monitor_terms(c.monitor)->settled);
    iw_conversation_say(&c, IW_SIDE_B, "M06");
    assert_true(iw_monitor_terms(c.monitor)->settled);
    assert_int_equal(iw_monitor_terms(c.monitor)->frame[IW_SIDE_A].enhanced_data.ird, 16);
    iw_conversation_end(&c);
}

static void names_roles_and_reasons(void **state) {
    (void)state;
    assert_string_equal(iw_role_name(IW_ROLE_UNKNOWN), "unknown");
    assert_string_equal(iw_role_name(IW_ROLE_INITIATOR), "initiator");
    assert_string_equal(iw_role_name(IW_ROLE_RESPONDER), "responder");
    assert_string_equal(iw_unjudged_name(IW_UNJUDGED_LOST, 2), "octets not captured");
    assert_string_equal(iw_unjudged_name(IW_UNJUDGED_CUT, 0), "octets cut by the capture");
    assert_string_equal(iw_unjudged_name(IW_UNJUDGED_CRC, 1), "FPDU whose CRC could not be checked");
}

/* Programs rely on these keys. */
static void keys_of_reasons_stay(void **state) {
    static const char *const keys[] = {"lost", "cut", "startup", "crc", "unread", "sequence", "limit",
        "chunks", "given_up", "unfinished", "session", "outside", "differing", "framing", "revision",
        "streaming", "file"};

    (void)state;
    assert_int_equal(sizeof keys / sizeof *keys, IW_UNJUDGED_COUNT);
    for (int reason = 0; reason < IW_UNJUDGED_COUNT; reason++)
        assert_string_equal(iw_unjudged_key((enum iw_unjudged)reason), keys[reason]);
}

/* ---- incomplete captures ---- */

/* The capture ends in the middle of an FPDU: 8 octets of it, then a hole of 4. */
static void counts_an_fpdu_that_the_capture_ends_in(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "00174143 00000000");
    iw_conversation_gap(&c, IW_SIDE_A, 4, false);
    iw_conversation_finish(&c);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_LOST), 4);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_UNFINISHED), 8);
    iw_conversation_end(&c);
}

/* A side that resets the connection does not send the rest of its FPDU. */
static void counts_the_hole_in_an_fpdu_before_a_reset(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "00174143 00000000");
    iw_conversation_gap(&c, IW_SIDE_A, 4, true);
    iw_conversation_rst(&c, IW_SIDE_A);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_CUT), 4);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_UNFINISHED), 0);
    iw_conversation_end(&c);
}

/* Only the initiator was captured. */
static void accepts_one_direction_with_its_startup(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_say(&c, IW_SIDE_A, "M05");
    iw_conversation_say(&c, IW_SIDE_A, "F04");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_fpdu(&c, IW_SIDE_A, "c142 00009999 0000000000001000 01020304"); /* B asked for it */
    iw_conversation_fin(&c, IW_SIDE_A);
    assert_int_equal(c.events[IW_LLP_SEGMENT], 3);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 1);
    iw_conversation_end(&c);
}

/* Only the responder was captured, or all packets of the initiator were captured after those of the
 * responder. */
static void accepts_the_other_direction_with_its_startup(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_B, "M03");
    iw_conversation_say(&c, IW_SIDE_B, "F05");
    iw_conversation_fpdu(&c, IW_SIDE_B, "4143 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_fpdu(&c, IW_SIDE_B, "414b 00000000 00000003 00000001 00000000 cafe0001 0000000000000007");
    iw_conversation_fin(&c, IW_SIDE_B);
    assert_int_equal(c.events[IW_LLP_SEGMENT], 3);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 2);
    iw_conversation_end(&c);
}

/* The capture begins in the middle: the first MSN, response and FPDU seen prove nothing. */
static void accepts_a_conversation_from_its_middle_on(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_fpdu(&c, IW_SIDE_B, "c142 00001234 0000000000001000 01020304");
    iw_conversation_fpdu(&c, IW_SIDE_B, "4143 00000000 00000000 00000309 00000000 6f6b");
    iw_conversation_fpdu(&c, IW_SIDE_B, "4143 00000000 00000000 0000030a 00000000 6f6b");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000207 00000000 6f6b");
    iw_conversation_fpdu(&c, IW_SIDE_A, "414b 00000000 00000003 00000051 00000000 cafe0001 0000000000000007");
    iw_conversation_fpdu(&c, IW_SIDE_A,
        "4141 00000000 00000001 00000064 00000000 00001234 0000000000001000 00000008 00005678 "
        "0000000000002000");
    iw_conversation_say(&c, IW_SIDE_B, "F05");
    assert_true(iw_monitor_recognised(c.monitor));
    assert_int_equal(c.events[IW_LLP_SEGMENT], 7);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_STARTUP), 2);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 6);
    iw_conversation_end(&c);
}

/* The captured part is judged. */
static void judges_what_the_middle_of_a_conversation_shows(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000207 00000000 6f6b");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000208 00000000 6f6b");
    at = iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000208 00000000 6f6b");
    iw_conversation_expect(&c, "RFC5041-4.3-08", .side = IW_SIDE_A, .role = IW_ROLE_UNKNOWN, .frame = 3,
        .offset = at + 12, .octets = 4, .field = "ddp.msn", .expected = "521", .actual = "520");
    iw_conversation_end(&c);
}

static void accepts_a_conversation_whose_reply_is_lost(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "");
    iw_conversation_gap(&c, IW_SIDE_B, 20, false);
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_say(&c, IW_SIDE_B, "F07");
    iw_conversation_say(&c, IW_SIDE_B, "F09");
    iw_conversation_say(&c, IW_SIDE_A, "F09");
    assert_int_equal(c.events[IW_LLP_SEGMENT], 4);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_STARTUP), 1);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_LOST), 20);
    iw_conversation_end(&c);
}

/* A hole in the middle of an FPDU hides the rest of it and nothing else. */
static void judges_segments_after_a_hole_in_a_payload(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_cut(
        &c, IW_SIDE_A, "4143 00000000 00000000 00000001 00000000 0102030405060708", 24, false);
    at = iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000001 00000000");
    iw_conversation_expect(&c, "RFC5041-4.3-08", BY_INITIATOR, .frame = 5, .offset = at + 12, .octets = 4,
        .field = "ddp.msn", .expected = "2", .actual = "1");
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_LOST), 8);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_CRC), 1);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 0);
    iw_conversation_end(&c);
}

/* CRCs are not in use, so none is counted as unchecked. */
static void counts_no_crc_that_is_not_in_use(void **state) {
    (void)state;
    iw_conversation_open(
        &c, "4d504120 49442052 65712046 72616d65 00010000", "4d504120 49442052 65702046 72616d65 00010000");
    iw_conversation_cut(&c, IW_SIDE_A, "4143 00000000 00000000 00000001 00000000 0102030405060708", 24, true);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_CUT), 8);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_CRC), 0);
    iw_conversation_end(&c);
}

/* After the hole come octets that are not FPDUs, then an FPDU. */
static void counts_octets_skipped_after_a_hole(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_gap(&c, IW_SIDE_A, 100, false);
    iw_conversation_say(&c, IW_SIDE_A, "ffffffff ffffffff");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000009 00000000");
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_LOST), 100);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_UNREAD), 8);
    iw_conversation_end(&c);
}

/* ---- the end ---- */

static void accepts_octets_after_a_reset(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_rst(&c, IW_SIDE_A);
    iw_conversation_say(&c, IW_SIDE_A, "F09");
    iw_conversation_say(&c, IW_SIDE_B, "F07");
    iw_conversation_rst(&c, IW_SIDE_B);
    iw_conversation_end(&c);
}

static void accepts_another_protocol(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_A, "47455420 2f204854 54502f31 2e310d0a 0d0a");
    iw_conversation_say(&c, IW_SIDE_B, "48545450 2f312e31 20323030 204f4b0d 0a0d0a");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_fin(&c, IW_SIDE_B);
    assert_false(iw_monitor_recognised(c.monitor));
    iw_conversation_end(&c);
}

/* ---- hostile octets ---- */

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void swallow(void *user, const struct iw_monitor_event *event) {
    (void)event;
    ++*(unsigned *)user;
}

/* The octets of a complete conversation, some of them changed: the monitor always terminates. CRC is not in
 * use, so that every rule sees the faults. */
static void survives_changed_octets(void **state) {
    static const char *const ids[] = {
        "F01", "F03", "F07", "F09", "F17", "F20", "F25", "F28", "F29", "F32", "F33", "F34", "F05"};
    uint32_t seed = 1;
    unsigned events = 0;

    (void)state;
    iw_conversation_open(&c, "4d504120 49442052 65712046 72616d65 10020004 c004c004",
        "4d504120 49442052 65702046 72616d65 10020004 c004c004");
    for (size_t i = 0; i < 2 * sizeof ids / sizeof *ids; i++)
        iw_conversation_say(&c, i % 2 == 0 ? IW_SIDE_A : IW_SIDE_B, ids[i / 2]);
    for (unsigned round = 0; round < 400; round++) {
        struct iw_monitor *monitor = iw_monitor_new(&c.config, swallow, &events);

        assert_non_null(monitor);
        for (size_t i = 0; i < c.chunk_count; i++) {
            uint8_t octets[256];
            struct iw_chunk chunk = c.chunks[i];

            assert_true(chunk.length <= sizeof octets);
            if (chunk.length > 0)
                memcpy(octets, chunk.octets, chunk.length);
            if (chunk.length > 0 && next_random(&seed) % 4 == 0)
                octets[next_random(&seed) % chunk.length] = (uint8_t)next_random(&seed);
            chunk.octets = octets;
            iw_monitor_feed(monitor, &chunk);
        }
        iw_monitor_finish(monitor);
        iw_monitor_free(monitor);
    }
    assert_true(events > 400 * 4);
    c.expected_count = c.finding_count;
    iw_conversation_end(&c);
}

/* It is unknown whether the Reply had Rev 0; DV and RV show it (RFC 5044 C). */
static void accepts_version_0_without_a_reply(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_say(&c, IW_SIDE_A, "4d504120 49442052 65712046 72616d65 40010000");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4003 00000000 00000000 00000001 00000000 68656c6c6f");
    iw_conversation_fin(&c, IW_SIDE_A);
    assert_int_equal(c.events[IW_LLP_SEGMENT], 1);
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_version_0_without_a_reply),
        cmocka_unit_test(reports_what_each_fpdu_is),
        cmocka_unit_test(counts_fpdus_messages_and_payload),
        cmocka_unit_test(counts_findings_by_weight),
        cmocka_unit_test(reports_whether_it_is_mpa),
        cmocka_unit_test(names_roles_and_reasons),
        cmocka_unit_test(keys_of_reasons_stay),
        cmocka_unit_test(counts_an_fpdu_that_the_capture_ends_in),
        cmocka_unit_test(counts_the_hole_in_an_fpdu_before_a_reset),
        cmocka_unit_test(accepts_one_direction_with_its_startup),
        cmocka_unit_test(accepts_the_other_direction_with_its_startup),
        cmocka_unit_test(accepts_a_conversation_from_its_middle_on),
        cmocka_unit_test(judges_what_the_middle_of_a_conversation_shows),
        cmocka_unit_test(accepts_a_conversation_whose_reply_is_lost),
        cmocka_unit_test(judges_segments_after_a_hole_in_a_payload),
        cmocka_unit_test(counts_no_crc_that_is_not_in_use),
        cmocka_unit_test(counts_octets_skipped_after_a_hole),
        cmocka_unit_test(accepts_octets_after_a_reset),
        cmocka_unit_test(accepts_another_protocol),
        cmocka_unit_test(survives_changed_octets),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}

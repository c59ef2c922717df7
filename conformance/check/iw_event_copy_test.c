#include "iw_event_copy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_check.h"
#include "iw_describe.h"

/* A DDP Segment Chunk whose DDP-SSN is 3: a Send of "ok", MSN 1. */
static const uint8_t send_octets[] = {
    0, 3, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 'o', 'k'};

struct text {
    char *text;
    size_t octets;
};

static struct text describe(const struct iw_monitor_event *event) {
    struct text text;
    FILE *out = open_memstream(&text.text, &text.octets);

    assert_non_null(out);
    iw_describe_event(out, event);
    fclose(out);
    return text;
}

struct kept {
    struct iw_event_arena arena;
    const struct iw_monitor_event *copy;
    struct text before;
};

static void keep(void *user, const struct iw_monitor_event *event) {
    struct kept *kept = user;

    kept->before = describe(event);
    kept->copy = iw_event_copy(&kept->arena, event);
    assert_non_null(kept->copy);
}

/* Everything that the event points to is overwritten before the copy is read. */
static void a_chunk_of_a_session_is_copied(void **state) {
    struct iw_monitor *monitor;
    struct kept kept = {0};
    struct iw_session session = {.stream = 3, .number = 1, .state = IW_SESSION_ACCEPTED};
    struct iw_sctp_state association = {0};
    uint8_t octets[sizeof send_octets];
    struct iw_sctp_message message = {.side = IW_SIDE_A,
        .ordered = true,
        .stream = 3,
        .length = sizeof octets,
        .captured = sizeof octets,
        .octets = octets,
        .frame = 7};
    struct iw_session_event of_session = {
        .session = &session, .association = &association, .message = &message, .whole_header = true};
    struct iw_llp_event event = {.kind = IW_LLP_SEGMENT,
        .side = IW_SIDE_A,
        .octets = sizeof octets,
        .frame = 7,
        .image = octets,
        .image_octets = sizeof octets,
        .image_captured = sizeof octets,
        .segment_octets = sizeof octets - 2,
        .length_field = IW_FIELD_COUNT,
        .session = &of_session};
    struct text after;

    (void)state;
    memcpy(octets, send_octets, sizeof octets);
    monitor = iw_monitor_new(&(struct iw_monitor_config){.extensions = IW_EXT_ALL}, keep, &kept);
    iw_monitor_session(monitor, &event);
    iw_monitor_free(monitor);
    memset(octets, 0xff, sizeof octets);
    memset(&session, 0, sizeof session);
    memset(&message, 0, sizeof message);
    memset(&event, 0, sizeof event);
    memset(&of_session, 0, sizeof of_session);
    after = describe(kept.copy);
    assert_string_equal(after.text,
        "Send ssn=3 l=1 qn=0 msn=1 mo=0, 2 octets of payload 6f6b, DDP Stream 3, session 1 accepted");
    assert_string_equal(after.text, kept.before.text);
    free(after.text);
    free(kept.before.text);
    iw_event_arena_dispose(&kept.arena);
}

/* Responses on queue 3: the monitor may move the operation of the overtaken request at its next call. */
static void an_overtaken_request_is_copied(void **state) {
    struct iw_event_arena arena = {0};
    struct iw_llp_event llp = {.kind = IW_LLP_SEGMENT};
    struct iw_operation oldest = {.number = 1, .request_frame = 5};
    struct iw_response_fact response = {.known = true, .overtaken = &oldest};
    struct iw_monitor_event event = {.llp = &llp, .response = &response};
    const struct iw_monitor_event *copy = iw_event_copy(&arena, &event);

    (void)state;
    memset(&oldest, 0, sizeof oldest);
    assert_non_null(copy);
    assert_int_equal(copy->response->overtaken->request_frame, 5);
    iw_event_arena_dispose(&arena);
}

/* An event and everything that it points to; overwritten after copying. */
struct full {
    struct iw_monitor_event event;
    struct iw_llp_event llp;
    struct iw_fpdu fpdu;
    struct iw_marker markers[2];
    struct iw_span spans[2];
    uint8_t image[sizeof send_octets - 2];
    struct iw_segment segment;
    struct iw_segment_fact fact;
    struct iw_operation operations[4];
    struct iw_response_fact response;
    struct iw_terminate_message terminate;
    struct iw_stag_use stag_uses[2];
    struct iw_stag_life life;
    struct iw_unanswered unanswered[2];
    struct iw_finding findings[2];
};

static void fill(struct full *full) {
    memset(full, 0, sizeof *full);
    memcpy(full->image, send_octets + 2, sizeof full->image);
    full->fpdu = (struct iw_fpdu){.image = full->image,
        .image_captured = sizeof full->image,
        .markers = full->markers,
        .marker_count = 2,
        .spans = full->spans,
        .span_count = 2};
    full->markers[1].offset = 512;
    full->spans[1].frame = 8;
    full->llp = iw_llp_event_of_fpdu(&full->fpdu);
    full->segment.header = full->image;
    full->segment.payload = full->image + sizeof full->image - 2;
    full->response = (struct iw_response_fact){.operation = &full->operations[1],
        .earlier = &full->operations[2],
        .overtaken = &full->operations[3]};
    for (unsigned i = 0; i < 4; i++)
        full->operations[i].number = i + 1;
    full->terminate.terminated.header = full->image + 1;
    full->terminate.terminated.payload = full->image + 2;
    full->terminate.terminated_octets = full->image + 3;
    full->terminate.rdmap_octets = full->image + 4;
    full->stag_uses[1].life = &full->life;
    full->unanswered[IW_SIDE_A].count = 5;
    full->unanswered[IW_SIDE_B].count = 6;
    full->findings[1].frame = 9;
    full->event = (struct iw_monitor_event){.llp = &full->llp,
        .segment = &full->segment,
        .fact = &full->fact,
        .request = &full->operations[0],
        .response = &full->response,
        .terminate = &full->terminate,
        .stag_uses = full->stag_uses,
        .stag_use_count = 2,
        .unanswered = {&full->unanswered[IW_SIDE_A], &full->unanswered[IW_SIDE_B]},
        .findings = full->findings,
        .finding_count = 2};
}

/* No word of the copy points into the event. */
static void assert_moved(const struct full *full, const void *copy, size_t octets) {
    assert_non_null(copy);
    for (size_t at = 0; at + sizeof(uintptr_t) <= octets; at += sizeof(uintptr_t)) {
        uintptr_t word;

        memcpy(&word, (const uint8_t *)copy + at, sizeof word);
        assert_false(word >= (uintptr_t)full && word < (uintptr_t)(full + 1));
    }
}

#define ASSERT_MOVED(full, copy) assert_moved((full), (copy), sizeof *(copy))

static void an_event_is_copied_deeply(void **state) {
    struct iw_event_arena arena = {0};
    struct full *full = malloc(sizeof *full);
    const struct iw_monitor_event *copy;

    (void)state;
    assert_non_null(full);
    fill(full);
    copy = iw_event_copy(&arena, &full->event);
    ASSERT_MOVED(full, copy);
    ASSERT_MOVED(full, copy->llp);
    ASSERT_MOVED(full, copy->llp->fpdu);
    ASSERT_MOVED(full, copy->segment);
    ASSERT_MOVED(full, copy->fact);
    ASSERT_MOVED(full, copy->request);
    ASSERT_MOVED(full, copy->response);
    ASSERT_MOVED(full, copy->response->operation);
    ASSERT_MOVED(full, copy->terminate);
    ASSERT_MOVED(full, &copy->stag_uses[1]);
    ASSERT_MOVED(full, &copy->findings[1]);
    memset(full, 0xff, sizeof *full);
    assert_int_equal(copy->llp->fpdu->markers[1].offset, 512);
    assert_int_equal(copy->llp->fpdu->spans[1].frame, 8);
    assert_memory_equal(copy->llp->fpdu->image, send_octets + 2, sizeof send_octets - 2);
    assert_memory_equal(copy->segment->header, send_octets + 2, 2);
    assert_memory_equal(copy->segment->payload, "ok", 2);
    assert_memory_equal(copy->terminate->terminated.header, send_octets + 3, 2);
    assert_memory_equal(copy->terminate->rdmap_octets, send_octets + 6, 2);
    assert_int_equal(copy->request->number, 1);
    assert_int_equal(copy->response->operation->number, 2);
    assert_int_equal(copy->response->earlier->number, 3);
    assert_int_equal(copy->response->overtaken->number, 4);
    assert_non_null(copy->stag_uses[1].life);
    assert_int_equal(copy->unanswered[IW_SIDE_A]->count, 5);
    assert_int_equal(copy->unanswered[IW_SIDE_B]->count, 6);
    assert_int_equal(copy->findings[1].frame, 9);
    free(full);
    iw_event_arena_dispose(&arena);
}

/* ---- all events of captures ---- */

enum { EVENTS_MAX = 4096 };

struct all_kept {
    struct iw_event_arena arena;
    const struct iw_monitor_event *copy[EVENTS_MAX];
    struct text before[EVENTS_MAX];
    unsigned count;
};

static void keep_one(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct all_kept *all = user;

    (void)stream;
    assert_true(all->count < EVENTS_MAX);
    all->before[all->count] = describe(event);
    all->copy[all->count] = iw_event_copy(&all->arena, event);
    assert_non_null(all->copy[all->count++]);
}

/* The copies print the same text after the monitors and the octets of the capture have been freed. */
static void copies_of_all_events_print_the_same(void **state) {
    static const char *const captures[] = {"rules/rfc5040_read.pcap", "rules/rfc5040_terminate.pcap",
        "rules/rfc5043_session.pcap", "rules/rfc5044_startup.pcap", "oddities/lost_send.pcap",
        "oddities/markers_both_1per.pcap", "subtle/outstanding_close.pcap", "vectors/atomics.pcap"};
    static const struct iw_check_handlers handlers = {.event = keep_one};
    static const struct iw_check_config config = {.extensions = IW_EXT_ALL, .threads = 1};

    (void)state;
    for (size_t i = 0; i < sizeof captures / sizeof *captures; i++) {
        struct all_kept *all = calloc(1, sizeof *all);
        char path[512];
        const char *paths = path;
        uint64_t first;
        struct iw_check_chain chain = {&paths, 1, &first};
        struct iw_check_counts counts;

        assert_non_null(all);
        snprintf(path, sizeof path, "%s/%s", CAPTURES, captures[i]);
        assert_int_equal(iw_check_files(&chain, &config, &handlers, all, &counts), IW_OK);
        assert_true(all->count > 0);
        for (unsigned event = 0; event < all->count; event++) {
            struct text after = describe(all->copy[event]);

            assert_string_equal(after.text, all->before[event].text);
            free(after.text);
            free(all->before[event].text);
        }
        iw_event_arena_dispose(&all->arena);
        free(all);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chunk_of_a_session_is_copied),
        cmocka_unit_test(an_overtaken_request_is_copied),
        cmocka_unit_test(an_event_is_copied_deeply),
        cmocka_unit_test(copies_of_all_events_print_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "iw_event_copy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

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
    struct iw_event_room room;
    const struct iw_monitor_event *copy;
    struct text before;
};

static void keep(void *user, const struct iw_monitor_event *event) {
    struct kept *kept = user;

    kept->before = describe(event);
    kept->copy = iw_event_copy(&kept->room, event);
    assert_non_null(kept->copy);
}

/* What the event was made of is gone when the copy is read. */
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
    struct iw_session_event event = {.kind = IW_SESSION_SEGMENT,
        .session = &session,
        .association = &association,
        .side = IW_SIDE_A,
        .frame = 7,
        .message = &message,
        .whole_header = true};
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
    after = describe(kept.copy);
    assert_string_equal(after.text,
        "Send ssn=3 l=1 qn=0 msn=1 mo=0, 2 octets of payload 6f6b, DDP Stream 3, session 1 accepted");
    assert_string_equal(after.text, kept.before.text);
    free(after.text);
    free(kept.before.text);
    iw_event_room_dispose(&kept.room);
}

/* Queue 3: the request that was left out is one of those that the next call may move. */
static void the_request_that_was_left_out_is_copied(void **state) {
    struct iw_event_room room = {0};
    struct iw_mpa_event mpa = {.kind = IW_MPA_FPDU};
    struct iw_operation oldest = {.number = 1, .request_frame = 5};
    struct iw_response_fact response = {.known = true, .overtaken = &oldest};
    struct iw_monitor_event event = {.mpa = &mpa, .response = &response};
    const struct iw_monitor_event *copy = iw_event_copy(&room, &event);

    (void)state;
    memset(&oldest, 0, sizeof oldest);
    assert_non_null(copy);
    assert_int_equal(copy->response->overtaken->request_frame, 5);
    iw_event_room_dispose(&room);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chunk_of_a_session_is_copied),
        cmocka_unit_test(the_request_that_was_left_out_is_copied),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

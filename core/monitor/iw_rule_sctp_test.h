#pragma once

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_sctp_monitor.h"
#include "iw_session_fixture.h"

/* An association whose chunks the tests write, and what its monitor finds. */

enum { INITIATE = 1, ACCEPT, REJECT, TERMINATE, ENHANCED_INITIATE, ENHANCED_ACCEPT, ENHANCED_REJECT };

static struct iw_sctp_state association;
static struct iw_sctp_monitor *monitor;
static struct iw_session_fixture talk;
static char found[2048];        /* "ID of initiator in 7: expected, actual; " */
static uint64_t steps_unproven; /* of the last session that an event was about */
static uint64_t unplaced;       /* messages of that session whose place in the sequence is not known */

static inline void take_event(
    void *user, struct iw_judged_session *session, const struct iw_monitor_event *event) {
    (void)user;
    steps_unproven = iw_monitor_counts(session->monitor)->unjudged[IW_UNJUDGED_SESSION];
    unplaced = iw_monitor_counts(session->monitor)->unjudged[IW_UNJUDGED_SEQUENCE];
    for (size_t i = 0; i < event->finding_count; i++) {
        const struct iw_finding *finding = &event->findings[i];
        size_t at = strlen(found);

        snprintf(found + at, sizeof found - at, "%s of %s in %" PRIu64 "%s: %s, %s; ",
            finding->requirement->id, iw_role_name(finding->role), finding->frame,
            finding->cause != 0 ? " again" : "", finding->expected, finding->actual);
    }
}

static inline int begin(void **state) {
    static const struct iw_monitor_config config = {.extensions = IW_EXT_ALL};
    static const struct iw_judged_session_handlers handlers = {.event = take_event};

    (void)state;
    association = iw_session_fixture_state();
    talk = (struct iw_session_fixture){.frame = 4, .tsn = 100};
    found[0] = '\0';
    monitor = iw_sctp_monitor_new(&config, &association, &handlers, NULL);
    return monitor == NULL;
}

static inline int end(void **state) {
    (void)state;
    iw_sctp_monitor_free(monitor);
    return 0;
}

static inline void begin_again(void) {
    iw_sctp_monitor_free(monitor);
    assert_int_equal(begin(NULL), 0);
}

static inline void feed(const struct iw_sctp_message *message) {
    assert_int_equal(iw_sctp_monitor_feed(monitor, message), IW_OK);
}

/* A control message of the first or the other side, with a number of octets after its Function Code. */
static inline void active(uint16_t ssn, uint8_t function, uint32_t octets) {
    feed(iw_session_fixture_control(&talk, IW_SIDE_A, 0, ssn, function, octets));
}

static inline void passive(uint16_t ssn, uint8_t function, uint32_t octets) {
    feed(iw_session_fixture_control(&talk, IW_SIDE_B, 0, ssn, function, octets));
}

static inline void finish(enum iw_session_end how) {
    iw_sctp_monitor_finish(monitor, how, IW_SIDE_A, talk.frame, talk.frame * 1000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#pragma once

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_session.h"
#include "iw_session_fixture.h"

/* An association whose chunks the tests write, and a log of the events. */

enum { INITIATE = 1, ACCEPT, REJECT, TERMINATE, ENHANCED_INITIATE, ENHANCED_ACCEPT, ENHANCED_REJECT };
static const enum iw_side A = IW_SIDE_A;
static const enum iw_side B = IW_SIDE_B;

static struct iw_sctp_state association;
static struct iw_sessions *sessions;
static struct iw_session_fixture fixture;
static char log_of[8192];
static struct iw_session_event latest; /* its pointers are no longer valid */
static struct iw_session latest_session;
static unsigned events;

/* "3.1A0c?2 ": stream, session, side, DDP-SSN, c for control, and the order if it is not that of DDP-SSNs: ?
 * unknown, -n missing, !n lost, = again, < overtaken. "3.1$next/accepted " for an end. */
static inline void record_event(void *user, const struct iw_llp_event *llp) {
    static const char *const ends[] = {"input", "next", "shutdown", "abort"};
    const struct iw_session_event *event = llp->session;
    const struct iw_session *session = event->session;
    char *at = log_of + strlen(log_of);
    size_t room = sizeof log_of - strlen(log_of);
    char order[16] = "";

    (void)user;
    latest = *event;
    latest_session = *session;
    events++;
    if (room < 64)
        return;
    if (llp->kind == IW_LLP_CLOSE) {
        snprintf(at, room, "%u.%" PRIu32 "$%s/%s ", session->stream, session->number, ends[event->end],
            iw_session_state_name(session->state));
        return;
    }
    if (event->order == IW_SESSION_UNKNOWN || event->order == IW_SESSION_AGAIN)
        snprintf(order, sizeof order, "%c", event->order == IW_SESSION_UNKNOWN ? '?' : '=');
    else if (event->order != IW_SESSION_IN_ORDER)
        snprintf(
            order, sizeof order, "%c%" PRIu32, event->order == IW_SESSION_LOST ? '!' : '-', event->missing);
    snprintf(at, room, "%u.%" PRIu32 "%c%u%s%s%s ", session->stream, session->number,
        llp->side == IW_SIDE_A ? 'A' : 'B',
        event->message->captured < 2 ? 0 : event->message->octets[0] << 8 | event->message->octets[1],
        llp->kind == IW_LLP_CONTROL ? "c" : "", order, event->overtaken_frame != 0 ? "<" : "");
}

static inline int begin(void **state) {
    (void)state;
    association = iw_session_fixture_state();
    fixture = (struct iw_session_fixture){.frame = 4, .tsn = 100};
    log_of[0] = '\0';
    events = 0;
    sessions = iw_sessions_new(&association, record_event, NULL);
    return sessions == NULL;
}

static inline int end(void **state) {
    (void)state;
    iw_sessions_free(sessions);
    return 0;
}

static inline void control(enum iw_side side, uint16_t stream, uint16_t ssn, uint8_t function) {
    assert_true(
        iw_sessions_feed(sessions, iw_session_fixture_control(&fixture, side, stream, ssn, function, 4)));
}

static inline void segment(enum iw_side side, uint16_t stream, uint16_t ssn) {
    assert_true(iw_sessions_feed(sessions, iw_session_fixture_write(&fixture, side, stream, ssn)));
}

static inline void finish(enum iw_session_end how) {
    iw_sessions_finish(sessions, how, A, fixture.frame, fixture.frame * 1000);
}

static inline void open_session(uint16_t stream) {
    control(A, stream, 0, INITIATE);
    control(B, stream, 0, ACCEPT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#pragma once

#include "iw_diagnosis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "iw_diagnosis_part.h"
#include "iw_conclusion.h"

/* Evidence written by hand; the captures of captures/causes test the rest. */

#define SECOND UINT64_C(1000000000)

static struct iw_history history;
static struct iw_history_requests requests;
static struct iw_history_trouble trouble;
static struct iw_history_finding findings[IW_HISTORY_FINDINGS];
static struct iw_mpa_terms terms;
static struct iw_monitor_counts counts;
static struct iw_tcp_counters tcp[2];
static struct iw_tcp_life life;
static struct iw_tcp_trouble tcp_trouble;
static struct iw_facts facts;
static struct iw_diagnosis diagnosis;

/* A connection that is open, with a complete startup and a message of each side. */
static inline int reset(void **state) {
    (void)state;
    memset(&history, 0, sizeof history);
    memset(&requests, 0, sizeof requests);
    history.requests = &requests;
    memset(&trouble, 0, sizeof trouble);
    history.side[IW_SIDE_B].trouble = &trouble;
    memset(&terms, 0, sizeof terms);
    memset(&counts, 0, sizeof counts);
    memset(&life, 0, sizeof life);
    memset(&tcp_trouble, 0, sizeof tcp_trouble);
    life.side[IW_SIDE_A].trouble = &tcp_trouble;
    memset(&diagnosis, 0, sizeof diagnosis);
    terms.seen[IW_SIDE_A] = terms.seen[IW_SIDE_B] = terms.settled = terms.initiator_known = true;
    history.message_count = 2;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        history.side[side].close_kind = IW_LLP_CLOSE_INPUT;
    facts =
        (struct iw_facts){.history = &history, .terms = &terms, .counts = &counts, .tcp = tcp, .life = &life};
    return 0;
}

static inline const char *first(void) {
    iw_diagnose(&facts, &diagnosis);
    return diagnosis.count > 0 ? diagnosis.causes[0].cause->id : "";
}

/* The confidence of the first cause. */
static inline enum iw_confidence confidence(void) {
    return diagnosis.causes[0].confidence;
}

static inline void ends(enum iw_llp_close close) {
    history.side[IW_SIDE_A].close_kind = (uint8_t)close;
    history.side[IW_SIDE_A].close = (struct iw_history_mark){10, 3 * SECOND};
}

/* A Terminate of side B the segments that side A sent before, the rejected one last. */
static inline void rejects(uint16_t error, struct iw_history_message *messages, uint32_t count) {
    history.messages = messages;
    history.message_count = history.message_max = count;
    for (uint32_t i = 0; i < count; i++) {
        messages[i].mark.frame = 10 + i;
        messages[i].decoded = messages[i].known_opcode = messages[i].msn_expected = true;
    }
    trouble.terminate = (struct iw_history_terminate){.mark = {20, 20},
        .error = error,
        .has_header = true,
        .header_tagged = messages[count - 1].tagged,
        .has_message = true,
        .message = messages[count - 1]};
}

/* A finding of the monitor. */
static inline void finds(const char *id, enum iw_side side, uint64_t frame) {
    struct iw_history_finding *finding = &findings[history.finding_count];

    assert_int_not_equal(history.finding_count, IW_HISTORY_FINDINGS);
    *finding =
        (struct iw_history_finding){.requirement = iw_requirement_find(id), .side = side, .frame = frame};
    assert_non_null(finding->requirement);
    history.findings = findings;
    history.finding_count++;
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

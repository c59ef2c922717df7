#include "iw_exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_monitor.h"
#include "iw_exchange_side.h"

enum { IDLE_US = 60000000, MSS = 1460, PORT = 7174 };

struct exchange {
    const struct iw_exchange *words;
    struct iw_exchange_outcome *outcome;
    struct iw_loop *loop;
    struct iw_listener *listener;
    struct iw_timer timeout;
    struct iw_monitor *monitor;
    uint64_t frames;
    bool subject_is_opener;
    struct iw_exchange_side probe;
    struct iw_exchange_side subject;
};

/* ---- observation ---- */

static void take_findings(void *user, const struct iw_monitor_event *event) {
    struct exchange *exchange = user;
    enum iw_side subject = exchange->subject_is_opener ? IW_SIDE_A : IW_SIDE_B;
    struct iw_exchange_outcome *outcome = exchange->outcome;

    for (size_t i = 0; i < event->finding_count; i++) {
        const struct iw_finding *finding = &event->findings[i];
        bool own = finding->side == subject;

        (own ? outcome->broken : outcome->blamed)[finding->requirement - iw_requirements] = true;
        iw_exchange_side_append(
            outcome->report[own ? 0 : 1], sizeof outcome->report[0], "%s ", finding->requirement->id);
    }
}

/* Numbers each chunk as a frame. The tap is at the subject's port: the monitor sees messages in the
 * order in which the subject sent and received them. */
static void tap(void *user, const struct iw_chunk *chunk) {
    struct exchange *exchange = user;
    struct iw_chunk numbered = *chunk;

    numbered.frame = ++exchange->frames;
    if (chunk->kind == IW_CHUNK_START)
        numbered.mss = MSS;
    iw_monitor_feed(exchange->monitor, &numbered);
}

/* ---- the two sides ---- */

static struct iw_exchange_side *exchange_side_of(struct exchange *exchange, bool opener) {
    return opener == exchange->subject_is_opener ? &exchange->subject : &exchange->probe;
}

static void accept_port(void *user, struct iw_port *port) {
    struct exchange *exchange = user;
    struct iw_exchange_side *side = exchange_side_of(exchange, false);

    if (side == &exchange->subject)
        iw_port_set_tap(port, tap, exchange);
    side->endpoint = iw_endpoint_accept(port, &side->config, iw_exchange_side_event, side);
    if (!side->endpoint)
        abort();
}

static bool exchange_start(struct exchange *exchange) {
    struct iw_exchange_side *side = exchange_side_of(exchange, true);
    char text[IW_PORT_TEXT_OCTETS];

    exchange->listener = iw_listener_new(exchange->loop, "127.0.0.1", PORT, accept_port, exchange, text);
    if (exchange->listener)
        side->endpoint = iw_endpoint_connect(
            exchange->loop, "127.0.0.1", PORT, &side->config, iw_exchange_side_event, side, text);
    if (!side->endpoint)
        return false;
    if (side == &exchange->subject)
        iw_port_set_tap(iw_endpoint_port(side->endpoint), tap, exchange);
    return true;
}

static void stop_idle(void *user) {
    struct exchange *exchange = user;

    iw_loop_stop(exchange->loop);
}

/* Runs until both sides are idle for a long time; then one side closes, unless a side has closed
 * already. */
static void exchange_run(struct exchange *exchange) {
    struct iw_exchange_side *ender =
        exchange->words->probe_ends ? &exchange->probe : exchange_side_of(exchange, true);

    iw_timer_start(&exchange->timeout, exchange->loop, IDLE_US, stop_idle, exchange);
    iw_loop_run(exchange->loop);
    exchange->probe.at_rest = exchange->probe.ended;
    exchange->subject.at_rest = exchange->subject.ended;
    if (ender->endpoint && !ender->ended)
        iw_endpoint_close(ender->endpoint);
    iw_timer_start(&exchange->timeout, exchange->loop, IDLE_US, stop_idle, exchange);
    iw_loop_run(exchange->loop);
}

/* ---- expectations ---- */

static bool expectation_met(
    const struct exchange *exchange, const struct iw_exchange_expectation *expectation) {
    const struct iw_exchange_side *probe = &exchange->probe;
    const struct iw_exchange_side *subject = &exchange->subject;
    bool terminated = probe->terminates > 0;

    switch (expectation->due) {
    case IW_EXCHANGE_ANSWERS:
        return iw_exchange_side_answered(probe, expectation->opcode);
    case IW_EXCHANGE_DELIVERS:
        return strcmp(subject->delivered, probe->sent) == 0;
    case IW_EXCHANGE_WITHHOLDS:
        return subject->delivered[0] == '\0';
    case IW_EXCHANGE_INVALIDATES:
        return iw_exchange_side_invalidated(subject, probe);
    case IW_EXCHANGE_COMPLETES:
        return subject->completed == subject->posted;
    case IW_EXCHANGE_PLACES:
        return iw_exchange_side_placed(subject, probe);
    case IW_EXCHANGE_RETURNS:
        return iw_exchange_side_given(probe, subject);
    case IW_EXCHANGE_PERSISTS:
        return iw_exchange_side_kept(subject, probe);
    case IW_EXCHANGE_REJECTS:
        return subject->delivered[0] == '\0' && probe->answers == 0 && (terminated || probe->at_rest);
    case IW_EXCHANGE_ENDS:
        return terminated || probe->at_rest;
    case IW_EXCHANGE_TERMINATES:
        return terminated;
    case IW_EXCHANGE_REPORTS:
        return !terminated || probe->error == exchange->words->error;
    case IW_EXCHANGE_PRESERVES:
        return iw_exchange_side_untouched(subject);
    case IW_EXCHANGE_TOLERATES:
        return !terminated && !probe->reset;
    case IW_EXCHANGE_CLOSES:
        return probe->ended && !probe->gave_up;
    case IW_EXCHANGE_GRACEFUL:
        return !probe->reset;
    case IW_EXCHANGE_REPLIES:
        return probe->established;
    case IW_EXCHANGE_ABANDONS:
        return !subject->established && !probe->established;
    case IW_EXCHANGE_NOTHING_DUE:
        break;
    }
    return true;
}

static void exchange_judge(struct exchange *exchange) {
    struct iw_exchange_outcome *outcome = exchange->outcome;

    for (size_t i = 0; i < IW_EXCHANGE_EXPECTATIONS_MAX; i++) {
        const struct iw_exchange_expectation *expectation = &exchange->words->expects[i];

        if (expectation_met(exchange, expectation))
            continue;
        outcome->broken[expectation->broken] = true;
        iw_exchange_side_append(
            outcome->report[0], sizeof outcome->report[0], "(%s) ", iw_requirements[expectation->broken].id);
    }
    iw_exchange_side_append(outcome->report[1], sizeof outcome->report[1], "| subject: %s| probe: %s",
        exchange->subject.log, exchange->probe.log);
}

/* ---- entry point ---- */

void iw_exchange_hold(const struct iw_exchange *words, enum iw_defect_role role,
    const struct iw_defect *defect, struct iw_exchange_outcome *outcome) {
    static struct exchange exchange;
    const struct iw_monitor_config config = {.extensions = IW_EXT_ALL, .mpa = {.expected = true}};

    memset(outcome, 0, sizeof *outcome);
    memset(&exchange, 0, sizeof exchange);
    exchange.words = words;
    exchange.outcome = outcome;
    exchange.subject_is_opener = role == IW_DEFECT_INITIATOR;
    exchange.loop = iw_loop_new(IW_LOOP_VIRTUAL);
    exchange.monitor = iw_monitor_new(&config, take_findings, &exchange);
    if (!exchange.loop || !exchange.monitor)
        abort();
    iw_exchange_side_init(
        &exchange.subject, &words->both, &words->subject, exchange.subject_is_opener, defect);
    exchange.subject.config.policy.deviated = &outcome->deviated;
    iw_exchange_side_init(&exchange.probe, &words->both, &words->probe, !exchange.subject_is_opener,
        words->wrong.words ? &words->wrong : NULL);
    iw_exchange_side_plan(&exchange.subject, words->subject_sends, &exchange.probe, NULL);
    iw_exchange_side_plan(&exchange.probe, words->probe_sends, &exchange.subject, words->octets);
    if (exchange_start(&exchange))
        exchange_run(&exchange);
    exchange_judge(&exchange);
    iw_timer_stop(&exchange.timeout);
    iw_exchange_side_dispose(&exchange.subject);
    iw_exchange_side_dispose(&exchange.probe);
    iw_monitor_finish(exchange.monitor);
    iw_monitor_free(exchange.monitor);
    iw_listener_free(exchange.listener);
    iw_loop_free(exchange.loop);
}

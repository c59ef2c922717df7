#include "iw_exchange.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_monitor.h"
#include "iw_exchange_side.h"

enum { PATIENCE_US = 60000000, MSS = 1460, PORT = 7174 };

struct talk {
    const struct iw_exchange *words;
    struct iw_exchange_outcome *outcome;
    struct iw_loop *loop;
    struct iw_listener *listener;
    struct iw_timer patience;
    struct iw_monitor *monitor;
    uint64_t frames;
    bool subject_is_opener;
    struct iw_exchange_side probe;
    struct iw_exchange_side subject;
};

/* ---- watching ---- */

static void note(char *text, size_t octets, const char *format, ...) {
    size_t length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + length, octets - length, format, arguments);
    va_end(arguments);
}

static void take_findings(void *user, const struct iw_monitor_event *event) {
    struct talk *talk = user;
    enum iw_side subject = talk->subject_is_opener ? IW_SIDE_A : IW_SIDE_B;
    struct iw_exchange_outcome *outcome = talk->outcome;

    for (size_t i = 0; i < event->finding_count; i++) {
        const struct iw_finding *finding = &event->findings[i];
        bool own = finding->side == subject;

        (own ? outcome->broken : outcome->blamed)[finding->requirement - iw_requirements] = true;
        note(outcome->said[own ? 0 : 1], sizeof outcome->said[0], "%s ", finding->requirement->id);
    }
}

/* Each chunk counts as a packet. It is watched where the subject is, so that what that has sent and what it
 * knew stand in their order. */
static void tap(void *user, const struct iw_chunk *chunk) {
    struct talk *talk = user;
    struct iw_chunk numbered = *chunk;

    numbered.frame = ++talk->frames;
    if (chunk->kind == IW_CHUNK_START)
        numbered.mss = MSS;
    iw_monitor_feed(talk->monitor, &numbered);
}

/* ---- the two sides ---- */

static struct iw_exchange_side *side_of(struct talk *talk, bool opener) {
    return opener == talk->subject_is_opener ? &talk->subject : &talk->probe;
}

static void accept_port(void *user, struct iw_port *port) {
    struct talk *talk = user;
    struct iw_exchange_side *side = side_of(talk, false);

    if (side == &talk->subject)
        iw_port_set_tap(port, tap, talk);
    side->endpoint = iw_endpoint_accept(port, &side->config, iw_exchange_side_event, side);
    if (!side->endpoint)
        abort();
}

static bool start(struct talk *talk) {
    struct iw_exchange_side *side = side_of(talk, true);
    char text[IW_PORT_TEXT_OCTETS];

    talk->listener = iw_listener_new(talk->loop, "127.0.0.1", PORT, accept_port, talk, text);
    if (talk->listener)
        side->endpoint = iw_endpoint_connect(
            talk->loop, "127.0.0.1", PORT, &side->config, iw_exchange_side_event, side, text);
    if (!side->endpoint)
        return false;
    if (side == &talk->subject)
        iw_port_set_tap(iw_endpoint_port(side->endpoint), tap, talk);
    return true;
}

static void lose_patience(void *user) {
    struct talk *talk = user;

    iw_loop_stop(talk->loop);
}

/* Until nothing happens for long; then one side ends it, if nobody has. */
static void run(struct talk *talk) {
    struct iw_exchange_side *ender = talk->words->probe_ends ? &talk->probe : side_of(talk, true);

    iw_timer_start(&talk->patience, talk->loop, PATIENCE_US, lose_patience, talk);
    iw_loop_run(talk->loop);
    talk->probe.at_rest = talk->probe.ended;
    talk->subject.at_rest = talk->subject.ended;
    if (ender->endpoint && !ender->ended)
        iw_endpoint_close(ender->endpoint);
    iw_timer_start(&talk->patience, talk->loop, PATIENCE_US, lose_patience, talk);
    iw_loop_run(talk->loop);
}

/* ---- what was due ---- */

static bool met(const struct talk *talk, const struct iw_exchange_expectation *expectation) {
    const struct iw_exchange_side *probe = &talk->probe;
    const struct iw_exchange_side *subject = &talk->subject;
    bool told = probe->terminates > 0;

    switch (expectation->due) {
    case IW_EXCHANGE_ANSWERS:
        return iw_exchange_side_answered(probe, expectation->opcode);
    case IW_EXCHANGE_DELIVERS:
        return strcmp(subject->delivered, probe->said) == 0;
    case IW_EXCHANGE_WITHHOLDS:
        return subject->delivered[0] == '\0';
    case IW_EXCHANGE_INVALIDATES:
        return iw_exchange_side_invalidated(subject, probe);
    case IW_EXCHANGE_COMPLETES:
        return subject->completed == subject->posted;
    case IW_EXCHANGE_PLACES:
        return iw_exchange_side_placed(subject, probe);
    case IW_EXCHANGE_GIVES:
        return iw_exchange_side_given(probe, subject);
    case IW_EXCHANGE_KEEPS:
        return iw_exchange_side_kept(subject, probe);
    case IW_EXCHANGE_REFUSES:
        return subject->delivered[0] == '\0' && probe->answers == 0 && (told || probe->at_rest);
    case IW_EXCHANGE_ENDS:
        return told || probe->at_rest;
    case IW_EXCHANGE_TELLS:
        return told;
    case IW_EXCHANGE_TELLS_WHY:
        return !told || probe->error == talk->words->error;
    case IW_EXCHANGE_SPARES:
        return iw_exchange_side_untouched(subject);
    case IW_EXCHANGE_BEARS:
        return !told && !probe->reset;
    case IW_EXCHANGE_CLOSES:
        return probe->ended && !probe->gave_up;
    case IW_EXCHANGE_GRACE:
        return !probe->reset;
    case IW_EXCHANGE_REPLIES:
        return probe->established;
    case IW_EXCHANGE_LEAVES:
        return !subject->established && !probe->established;
    case IW_EXCHANGE_NOTHING_DUE:
        break;
    }
    return true;
}

static void judge(struct talk *talk) {
    struct iw_exchange_outcome *outcome = talk->outcome;

    for (size_t i = 0; i < IW_EXCHANGE_EXPECTATIONS_MAX; i++) {
        const struct iw_exchange_expectation *expectation = &talk->words->expects[i];

        if (met(talk, expectation))
            continue;
        outcome->broken[expectation->broken] = true;
        note(outcome->said[0], sizeof outcome->said[0], "(%s) ", iw_requirements[expectation->broken].id);
    }
    note(outcome->said[1], sizeof outcome->said[1], "| subject: %s| probe: %s", talk->subject.log,
        talk->probe.log);
}

/* ---- all of it ---- */

void iw_exchange_hold(const struct iw_exchange *words, enum iw_defect_role role,
    const struct iw_defect *defect, struct iw_exchange_outcome *outcome) {
    static struct talk talk;
    const struct iw_monitor_config config = {.extensions = IW_EXT_ALL, .mpa = {.expected = true}};

    memset(outcome, 0, sizeof *outcome);
    memset(&talk, 0, sizeof talk);
    talk.words = words;
    talk.outcome = outcome;
    talk.subject_is_opener = role == IW_DEFECT_INITIATOR;
    talk.loop = iw_loop_new(IW_LOOP_VIRTUAL);
    talk.monitor = iw_monitor_new(&config, take_findings, &talk);
    if (!talk.loop || !talk.monitor)
        abort();
    iw_exchange_side_init(&talk.subject, &words->both, &words->subject, talk.subject_is_opener, defect);
    talk.subject.config.deviated = &outcome->deviated;
    iw_exchange_side_init(&talk.probe, &words->both, &words->probe, !talk.subject_is_opener,
        words->wrong.words ? &words->wrong : NULL);
    iw_exchange_side_plan(&talk.subject, words->subject_says, &talk.probe, NULL);
    iw_exchange_side_plan(&talk.probe, words->probe_says, &talk.subject, words->octets);
    if (start(&talk))
        run(&talk);
    judge(&talk);
    iw_timer_stop(&talk.patience);
    iw_exchange_side_dispose(&talk.subject);
    iw_exchange_side_dispose(&talk.probe);
    iw_monitor_finish(talk.monitor);
    iw_monitor_free(talk.monitor);
    iw_listener_free(talk.listener);
    iw_loop_free(talk.loop);
}

#include "iw_impaired_conversation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_impaired_command.h"
#include "iw_impaired_trial.h"
#include "iw_timeouts.h"

enum {
    UNREACHED_MAX = 3,     /* conversations in a row that the devices did not begin; then the run gives up */
    GRACE_US = 1000000,    /* how long to wait for the connection after the end of the command */
    STARTUP_TIMEOUT_S = 60 /* of a device: how long it may wait for a startup frame */
};

struct iw_impaired_conversation {
    struct iw_impaired_way *way;
    struct iw_trial *trial;
    struct iw_loop *loop;
    const struct iw_case_relay *relay; /* of the cases; NULL: without impairment, as the measure */
    struct iw_impaired_trial *cases[IW_TRIAL_CASES_MAX]; /* the first one without a case for the measure */
    size_t count;
    bool again;          /* it is the one after the impaired one */
    bool held;           /* it has ended as it should: it is judged */
    uint64_t connection; /* number of the current one; 0: none yet */
    bool ending;         /* it has ended; only the RST of the relay may follow */
    uint32_t answer_ms, deadline_ms;
    struct iw_impaired_command command;
    struct iw_timer timer; /* the wait for the connection, for the next octets, or for the end of the relay */
    struct iw_timer deadline; /* of the conversation */
    char refused[256];        /* why the connection to the responder was not opened */
    bool left;                /* because the initiator left: this says nothing about the responder */
};

static void conversation_begin(struct iw_impaired_conversation *conversation);

static void conversation_stop_timers(struct iw_impaired_conversation *conversation) {
    iw_timer_stop(&conversation->timer);
    iw_timer_stop(&conversation->deadline);
}

static const struct iw_impaired_facts *conversation_facts(
    const struct iw_impaired_conversation *conversation) {
    return iw_impaired_trial_facts(conversation->cases[0]);
}

/* ---- end ---- */

/* The conversation is over: the one after it follows, or the trial ends. */
static void conversation_proceed(void *user) {
    struct iw_impaired_conversation *conversation = user;
    bool again = conversation->relay != NULL && conversation->relay->again && !conversation->again;

    iw_impaired_command_end(&conversation->command);
    if (again && conversation_facts(conversation)->impaired) {
        for (size_t i = 0; i < conversation->count; i++)
            iw_impaired_trial_again(conversation->cases[i]);
        conversation->again = true;
        conversation_begin(conversation);
        return;
    }
    conversation->held = true;
    conversation->way->unreached = 0;
    if (conversation->relay == NULL)
        conversation->way->base = *conversation_facts(conversation);
    iw_trial_end(conversation->trial);
}

/* Ends the conversation in any state. `silent_ms`: the devices did not end it, and were silent for so long.
 * `deadline`: they did not end it in time. */
static void conversation_end(
    struct iw_impaired_conversation *conversation, uint32_t silent_ms, bool deadline) {
    uint64_t connection = conversation->connection;

    conversation_stop_timers(conversation);
    for (size_t i = 0; i < conversation->count; i++)
        iw_impaired_trial_end(conversation->cases[i], silent_ms, deadline);
    conversation->connection = 0;
    iw_relay_reset(conversation->way->relay, connection);
    if (conversation->way->devices->start == NULL)
        conversation_proceed(conversation); /* at once: the initiator may connect again at once */
    else
        /* A command that still ends gets time for it; then its group is terminated. */
        iw_impaired_command_await(&conversation->command, conversation->loop, conversation->answer_ms,
            conversation_proceed, conversation);
}

/* The devices did not begin the conversation. `never`: they cannot, so the run ends. */
static void conversation_fail(struct iw_impaired_conversation *conversation, const char *reason, bool never) {
    conversation_stop_timers(conversation);
    iw_impaired_command_end(&conversation->command);
    conversation->connection = 0;
    never |= ++conversation->way->unreached >= UNREACHED_MAX;
    iw_trial_end_early(
        conversation->trial, never ? IW_TRIAL_BROKEN : IW_TRIAL_UNREACHED, IW_VERDICT_INCONCLUSIVE, reason);
}

static void conversation_on_silence(void *user) {
    struct iw_impaired_conversation *conversation = user;

    conversation_end(conversation, conversation->answer_ms, false);
}

static void conversation_on_deadline(void *user) {
    conversation_end(user, 0, true);
}

static void conversation_on_end(void *user) {
    conversation_end(user, 0, false);
}

static void conversation_on_no_connection(void *user) {
    struct iw_impaired_conversation *conversation = user;
    char text[IW_COMMAND_TEXT_OCTETS + 64];

    if (conversation->command.ended)
        snprintf(text, sizeof text, "the command of --start has ended without a connection: %s",
            conversation->command.text);
    else
        snprintf(text, sizeof text, "no initiator connected within %" PRIu32 " s",
            conversation->way->devices->wait_ms / 1000);
    conversation_fail(conversation, text, false);
}

static void conversation_on_refused(void *user) {
    struct iw_impaired_conversation *conversation = user;

    if (conversation->again && !conversation->left) /* the case is about that */
        conversation_end(conversation, 0, false);
    else
        conversation_fail(conversation, conversation->refused, false);
}

/* ---- what the relay reports ---- */

/* The next connection is the conversation; others at the same time are only relayed. */
static bool conversation_has(
    struct iw_impaired_conversation *conversation, uint64_t connection, bool begins) {
    if (conversation->connection == 0 && begins && iw_timer_runs(&conversation->timer)) {
        conversation->connection = connection;
        iw_relay_impair(conversation->way->relay, NULL, 0, 0);
        iw_timer_start(&conversation->deadline, conversation->loop,
            conversation->deadline_ms * UINT64_C(1000), conversation_on_deadline, conversation);
    }
    return conversation->connection == connection;
}

void iw_impaired_conversation_tap(
    struct iw_impaired_conversation *conversation, const struct iw_relay_tap *tap) {
    bool begins =
        tap->end == IW_SIDE_A && tap->chunk->kind == IW_CHUNK_START && tap->chunk->side == IW_SIDE_A;

    if (!conversation_has(conversation, tap->connection, begins))
        return;
    for (size_t i = 0; i < conversation->count; i++)
        iw_impaired_trial_tap(conversation->cases[i], tap);
    if (!conversation->ending)
        iw_timer_start(&conversation->timer, conversation->loop, conversation->answer_ms * UINT64_C(1000),
            conversation_on_silence, conversation);
}

void iw_impaired_conversation_note(
    struct iw_impaired_conversation *conversation, const struct iw_relay_note *note) {
    bool ended = note->kind == IW_RELAY_ENDED || note->kind == IW_RELAY_RESET;
    bool refused = note->kind == IW_RELAY_REFUSED || note->kind == IW_RELAY_LEFT;

    if (!conversation_has(conversation, note->connection, false))
        return;
    for (size_t i = 0; i < conversation->count; i++)
        iw_impaired_trial_note(conversation->cases[i], note);
    conversation->ending = ended || refused;
    if (ended) /* after the RST, which the relay sends next */
        iw_timer_start(&conversation->timer, conversation->loop, 0, conversation_on_end, conversation);
    if (refused) {
        conversation->left = note->kind == IW_RELAY_LEFT;
        snprintf(conversation->refused, sizeof conversation->refused,
            conversation->left ? "the responder had not accepted yet: %s"
                               : "the responder refuses the connection: %s",
            note->text);
        iw_timer_start(&conversation->timer, conversation->loop, 0, conversation_on_refused, conversation);
    }
}

/* ---- begin ---- */

static void conversation_on_command_ended(void *user) {
    struct iw_impaired_conversation *conversation = user;

    if (conversation->connection != 0)
        return;
    if (conversation->command.missing) {
        char text[IW_COMMAND_TEXT_OCTETS + 64];

        snprintf(text, sizeof text, "the command of --start cannot be run: %s", conversation->command.text);
        conversation_fail(conversation, text, true);
    } else {
        /* A part of the command may have been started, and may still connect. */
        iw_timer_start(
            &conversation->timer, conversation->loop, GRACE_US, conversation_on_no_connection, conversation);
    }
}

static void conversation_begin(struct iw_impaired_conversation *conversation) {
    const struct iw_impaired_devices *devices = conversation->way->devices;
    const struct iw_case_relay *relay = conversation->again ? NULL : conversation->relay;
    char text[IW_COMMAND_TEXT_OCTETS];

    conversation->connection = 0;
    conversation->ending = false;
    iw_relay_impair(conversation->way->relay, relay != NULL ? relay->rules : NULL,
        relay != NULL ? relay->rule_count : 0, relay != NULL ? relay->repair : 0);
    iw_timer_start(&conversation->timer, conversation->loop, devices->wait_ms * UINT64_C(1000),
        conversation_on_no_connection, conversation);
    if (devices->start != NULL &&
        !iw_impaired_command_start(&conversation->command, conversation->loop, devices->start,
            devices->start_host, iw_relay_port(conversation->way->relay), conversation_on_command_ended,
            conversation, text))
        conversation_fail(conversation, text, true);
}

static bool conversation_open_cases(struct iw_impaired_conversation *conversation) {
    struct iw_trial *trial = conversation->trial;
    size_t count = iw_trial_settings(trial)->count;

    while (conversation->count < (count > 0 ? count : 1)) {
        size_t i = conversation->count;

        conversation->cases[i] =
            iw_impaired_trial_new(iw_trial_result_of(trial, i), iw_trial_record_of(trial, i));
        if (conversation->cases[i] == NULL)
            return false;
        conversation->count++;
    }
    return true;
}

static void conversation_free(struct iw_impaired_conversation *conversation) {
    for (size_t i = 0; i < conversation->count; i++)
        iw_impaired_trial_free(conversation->cases[i]);
    free(conversation);
}

struct iw_impaired_conversation *iw_impaired_conversation_new(
    struct iw_impaired_way *way, struct iw_trial *trial) {
    const struct iw_trial_config *config = iw_trial_settings(trial);
    struct iw_impaired_conversation *conversation = calloc(1, sizeof *conversation);
    const struct iw_timeouts timeouts = iw_timeouts_of(config->startup_us, STARTUP_TIMEOUT_S, 0);

    if (conversation == NULL)
        return NULL;
    *conversation = (struct iw_impaired_conversation){.way = way,
        .trial = trial,
        .loop = config->loop,
        .relay = config->count > 0 ? config->cases[0]->relay : NULL,
        .answer_ms = timeouts.answer_ms,
        .deadline_ms = timeouts.deadline_ms};
    if (!conversation_open_cases(conversation)) {
        conversation_free(conversation);
        return NULL;
    }
    way->current = conversation;
    if (iw_trial_open_records(trial))
        conversation_begin(conversation);
    return conversation;
}

/* ---- functions of the way ---- */

bool iw_impaired_conversation_interrupt(void *user) {
    struct iw_impaired_conversation *conversation = user;

    conversation_stop_timers(conversation);
    iw_impaired_command_end(&conversation->command);
    iw_trial_end_early(conversation->trial, IW_TRIAL_UNFINISHED, IW_VERDICT_INCONCLUSIVE, "interrupted");
    return true;
}

void iw_impaired_conversation_end(void *user) {
    struct iw_impaired_conversation *conversation = user;
    struct iw_impaired_way *way = conversation->way;
    const struct iw_verdict_rules rules = iw_trial_rules(conversation->trial);

    conversation_stop_timers(conversation);
    iw_impaired_command_end(&conversation->command);
    way->current = NULL;
    iw_relay_reset(way->relay, conversation->connection);
    for (size_t i = 0; conversation->held && conversation->relay != NULL && i < conversation->count; i++)
        iw_impaired_trial_judge(conversation->cases[i], &way->base, &rules);
    conversation_free(conversation);
}

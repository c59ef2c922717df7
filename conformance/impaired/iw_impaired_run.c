#include "iw_impaired_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "iw_command.h"
#include "iw_impaired_command.h"
#include "iw_impaired_trial.h"
#include "iw_interrupt.h"
#include "iw_order.h"
#include "iw_recorder.h"
#include "iw_relay.h"
#include "iw_timeouts.h"

enum {
    SIDES = 2,
    UNREACHED_MAX = 3,     /* conversations in a row that the devices did not begin; then the run gives up */
    GRACE_US = 1000000,    /* how long to wait for the connection after the end of the command */
    STARTUP_TIMEOUT_S = 60 /* of a device: how long it may wait for a startup frame */
};

enum phase {
    PHASE_BASE,     /* the conversation without impairment, which is the measure */
    PHASE_IMPAIRED, /* the conversation of the cases */
    PHASE_AGAIN,    /* the one after it, of cases that are about it */
};

/* The conversation that the cases at `cases` share, and their trials. */
struct round {
    const struct iw_case *cases[SIDES];
    size_t count;
    unsigned repeat;
    struct iw_impaired_trial *trials[SIDES];
};

struct impaired_run {
    const struct iw_run_config *config;
    const struct iw_impaired_devices *devices;
    struct iw_run_counts *counts;
    struct iw_loop *loop;
    struct iw_relay *relay;
    struct iw_order order;
    struct round round;
    enum phase phase;
    struct iw_impaired_trial *base_trial;
    struct iw_impaired_facts base;
    uint64_t connection; /* number of the current one; 0: none yet */
    bool ending;         /* it has ended; only the RST of the relay may follow */
    uint32_t answer_ms, deadline_ms;
    uint64_t startup_us;
    struct iw_impaired_command command;
    struct iw_timer timer; /* the wait for the connection, for the next octets, or for the end of the relay */
    struct iw_timer deadline; /* of the conversation */
    unsigned unreached;       /* conversations in a row */
    uint64_t begun_ms;
    bool begun, stopped, no_memory, interrupted;
    char broken[512];      /* why the run is broken, or "" */
    char refused[256];     /* why the responder did not accept the latest connection */
    char unreachable[512]; /* why the first conversation did not begin, or "" */
    struct iw_dut_names names;
};

/* ---- results ---- */

static void run_break(struct impaired_run *run, const char *why) {
    if (run->broken[0] == '\0' && why != NULL)
        snprintf(run->broken, sizeof run->broken, "%s", why);
    run->stopped |= why != NULL;
}

static void run_check_recording(struct impaired_run *run) {
    if (run->config->handlers.broken != NULL)
        run_break(run, run->config->handlers.broken(run->config->handlers.user));
}

static void run_report_begin(struct impaired_run *run) {
    const struct iw_run_begin known = {.selected = run->counts->selected,
        .own = (unsigned)run->order.selection.count,
        .about = run->order.selection.about,
        .names = &run->names};

    if (run->begun)
        return;
    run->begun = true;
    if (run->config->handlers.begin != NULL)
        run->config->handlers.begin(run->config->handlers.user, &known);
    run_check_recording(run);
}

static void run_count(struct impaired_run *run, enum iw_verdict verdict, bool wrong_close) {
    bool stops =
        verdict == IW_VERDICT_FAIL || verdict == IW_VERDICT_INCONCLUSIVE || verdict == IW_VERDICT_ERROR;

    run->counts->cases++;
    run->counts->verdicts[verdict]++;
    run->counts->wrong_closes += wrong_close;
    run->stopped |= run->config->limits.until_failure && stops;
}

static void run_report(struct impaired_run *run, struct iw_trial_result *result, unsigned repeat) {
    run_report_begin(run);
    result->repeat = iw_order_number(&run->order, repeat);
    if (result->end == IW_TRIAL_BROKEN) {
        run_break(run, result->reason.message);
        run->counts->left++;
        return;
    }
    iw_order_count(&run->order, result, repeat);
    run_count(run, result->verdict, result->close.verdict == IW_CLOSE_WRONG);
    if (run->config->handlers.result != NULL)
        run->config->handlers.result(run->config->handlers.user, result);
    run_check_recording(run);
}

/* The next case, which has no conversation. */
static void run_report_left_out(
    struct impaired_run *run, const struct iw_case *one, enum iw_verdict verdict, const char *reason) {
    struct iw_trial_result result = {.one = one, .severity = iw_case_severity(one), .end = IW_TRIAL_FINISHED};
    unsigned repeat = run->order.repeat;

    iw_order_take(&run->order);
    iw_trial_result_set(&result, verdict, reason);
    run_report(run, &result, repeat);
}

/* ---- the order of the conversations ---- */

static bool run_shares(const struct iw_case *one, const struct iw_case *other) {
    return strcmp(one->relay->conversation, other->relay->conversation) == 0;
}

/* Finds the next case that can run; those before it that cannot are reported. Returns NULL after the last,
 * and if no case of a whole repeat can run, which an endless run would repeat for ever. */
static const struct iw_case *run_next_case(struct impaired_run *run) {
    const struct iw_case *one;
    size_t passed = 0;

    while (
        !run->stopped && passed < run->order.selection.count && (one = iw_order_next(&run->order)) != NULL) {
        char reason[IW_SELECTION_REASON_OCTETS];
        enum iw_verdict verdict;

        if (iw_selection_can_run(run->config, one, &verdict, reason))
            return one;
        run_report_left_out(run, one, verdict, reason);
        passed++;
    }
    return NULL;
}

/* Selects the next case, and the one of the other side of the same conversation in the same repeat. Returns
 * false after the last. */
static bool run_next_round(struct impaired_run *run) {
    const struct iw_case *one;

    run->round = (struct round){0};
    while (run->round.count < SIDES && (one = run_next_case(run)) != NULL &&
           (run->round.count == 0 ||
               (run_shares(one, run->round.cases[0]) && run->order.repeat == run->round.repeat))) {
        run->round.repeat = run->order.repeat;
        run->round.cases[run->round.count++] = one;
        iw_order_take(&run->order);
    }
    return run->round.count > 0;
}

/* ---- a conversation ---- */

static void run_begin_round(struct impaired_run *run);
static void run_begin_conversation(struct impaired_run *run);

static void run_each_trial(struct impaired_run *run,
    void (*call)(struct iw_impaired_trial *trial, const void *what), const void *what) {
    if (run->phase == PHASE_BASE)
        call(run->base_trial, what);
    for (size_t i = 0; i < run->round.count && run->phase != PHASE_BASE; i++)
        call(run->round.trials[i], what);
}

static void call_tap(struct iw_impaired_trial *trial, const void *what) {
    iw_impaired_trial_tap(trial, what);
}

static void call_note(struct iw_impaired_trial *trial, const void *what) {
    iw_impaired_trial_note(trial, what);
}

static void call_end(struct iw_impaired_trial *trial, const void *what) {
    iw_impaired_trial_end(trial, *(const uint32_t *)what);
}

static const struct iw_impaired_facts *run_facts(const struct impaired_run *run) {
    return iw_impaired_trial_facts(run->phase == PHASE_BASE ? run->base_trial : run->round.trials[0]);
}

static void run_free_round(struct impaired_run *run) {
    for (size_t i = 0; i < run->round.count; i++)
        iw_impaired_trial_free(run->round.trials[i]);
    run->round = (struct round){0};
}

/* Judges and reports the cases of the round. `reason`: why it has no conversation; NULL: it has one. */
static void run_end_round(struct impaired_run *run, const char *reason) {
    for (size_t i = 0; i < run->round.count; i++) {
        struct iw_trial_result result = *iw_impaired_trial_judge(run->round.trials[i], &run->base, reason);

        run_report(run, &result, run->round.repeat);
    }
    run_free_round(run);
}

static void run_learn(struct impaired_run *run, uint64_t startup_us) {
    struct iw_timeouts timeouts;

    if (startup_us > 0)
        run->startup_us = iw_timeouts_learn(run->startup_us, startup_us);
    timeouts = iw_timeouts_of(run->startup_us, STARTUP_TIMEOUT_S, 0);
    run->answer_ms = timeouts.answer_ms;
    run->deadline_ms = timeouts.deadline_ms;
}

static bool run_wants_again(const struct impaired_run *run) {
    return run->round.cases[0]->relay->again && run_facts(run)->impaired;
}

/* The conversation is over: goes on with what follows it. */
static void run_proceed(void *user) {
    struct impaired_run *run = user;

    iw_impaired_command_end(&run->command);
    if (run->stopped) {
        iw_loop_stop(run->loop);
        return;
    }
    switch (run->phase) {
    case PHASE_BASE:
        run->base = *run_facts(run);
        run_learn(run, iw_impaired_trial_startup_us(run->base_trial));
        iw_impaired_trial_free(run->base_trial);
        run->base_trial = NULL;
        run_begin_round(run);
        break;
    case PHASE_IMPAIRED:
        if (run_wants_again(run)) {
            for (size_t i = 0; i < run->round.count; i++)
                iw_impaired_trial_again(run->round.trials[i]);
            run->phase = PHASE_AGAIN;
            run_begin_conversation(run);
            break;
        }
        run_end_round(run, NULL);
        run_begin_round(run);
        break;
    case PHASE_AGAIN:
        run_end_round(run, NULL);
        run_begin_round(run);
        break;
    }
}

/* Ends the conversation in any state. `silent_ms`: the devices did not end it, and were silent for so long.
 */
static void run_end_conversation(struct impaired_run *run, uint32_t silent_ms) {
    uint64_t connection = run->connection;

    iw_timer_stop(&run->timer);
    iw_timer_stop(&run->deadline);
    run_each_trial(run, call_end, &silent_ms);
    run->unreached = 0;
    run->connection = 0;
    iw_relay_reset(run->relay, connection);
    if (run->devices->start == NULL)
        run_proceed(run); /* at once: the initiator may connect again at once */
    else
        /* A command that still ends gets time for it; then its group is terminated. */
        iw_impaired_command_await(&run->command, run->loop, run->answer_ms, run_proceed, run);
}

/* The devices did not begin the conversation. Without a conversation before, the run cannot begin. */
static void run_fail_conversation(struct impaired_run *run, const char *reason) {
    static const uint32_t ended = 0;

    iw_timer_stop(&run->timer);
    iw_timer_stop(&run->deadline);
    iw_impaired_command_end(&run->command);
    run->connection = 0;
    if (run->phase == PHASE_BASE) {
        snprintf(run->unreachable, sizeof run->unreachable, "%s", reason);
        run->stopped = true;
        iw_loop_stop(run->loop);
        return;
    }
    run_each_trial(run, call_end, &ended);
    run_end_round(run, reason);
    run->unreached++;
    if (run->unreached >= UNREACHED_MAX)
        run_break(run, reason);
    run_begin_round(run);
}

static void run_on_silence(void *user) {
    struct impaired_run *run = user;

    run_end_conversation(run, run->answer_ms);
}

static void run_on_end(void *user) {
    run_end_conversation(user, 0);
}

static void run_on_no_connection(void *user) {
    struct impaired_run *run = user;
    char text[IW_COMMAND_TEXT_OCTETS + 64];

    if (run->command.ended)
        snprintf(text, sizeof text, "the command of --start has ended without a connection: %s",
            run->command.text);
    else
        snprintf(
            text, sizeof text, "no initiator connected within %" PRIu32 " s", run->devices->wait_ms / 1000);
    run_fail_conversation(run, text);
}

/* ---- what the relay reports ---- */

/* The next connection is the conversation; others at the same time are only relayed. */
static bool run_is_current(struct impaired_run *run, uint64_t connection, bool begins) {
    if (run->connection == 0 && begins && iw_timer_runs(&run->timer)) {
        run->connection = connection;
        iw_relay_impair(run->relay, NULL, 0, 0);
        iw_timer_start(&run->deadline, run->loop, run->deadline_ms * UINT64_C(1000), run_on_silence, run);
    }
    return run->connection == connection;
}

static void run_take_tap(void *user, const struct iw_relay_tap *tap) {
    struct impaired_run *run = user;
    bool begins =
        tap->end == IW_SIDE_A && tap->chunk->kind == IW_CHUNK_START && tap->chunk->side == IW_SIDE_A;

    if (!run_is_current(run, tap->connection, begins))
        return;
    run_each_trial(run, call_tap, tap);
    if (!run->ending)
        iw_timer_start(&run->timer, run->loop, run->answer_ms * UINT64_C(1000), run_on_silence, run);
}

static void run_on_refused(void *user) {
    struct impaired_run *run = user;
    char reason[sizeof run->refused];

    memcpy(reason, run->refused, sizeof reason);
    if (run->phase == PHASE_AGAIN) /* the case is about that */
        run_end_conversation(run, 0);
    else
        run_fail_conversation(run, reason);
}

static void run_take_note(void *user, const struct iw_relay_note *note) {
    struct impaired_run *run = user;

    if (!run_is_current(run, note->connection, false))
        return;
    run_each_trial(run, call_note, note);
    run->ending =
        note->kind == IW_RELAY_ENDED || note->kind == IW_RELAY_RESET || note->kind == IW_RELAY_REFUSED;
    if (note->kind == IW_RELAY_ENDED || note->kind == IW_RELAY_RESET)
        iw_timer_start(
            &run->timer, run->loop, 0, run_on_end, run); /* after the RST, which the relay sends next */
    if (note->kind == IW_RELAY_REFUSED) {
        snprintf(run->refused, sizeof run->refused, "the responder refuses the connection: %s", note->text);
        iw_timer_start(&run->timer, run->loop, 0, run_on_refused, run);
    }
}

/* ---- begin ---- */

static void run_on_command_ended(void *user) {
    struct impaired_run *run = user;

    if (run->command.missing && run->connection == 0) {
        char text[sizeof run->broken];

        snprintf(text, sizeof text, "the command of --start cannot be run: %s", run->command.text);
        run_break(run, text);
        run_fail_conversation(run, text);
    } else if (run->connection == 0) {
        /* A part of the command may have been started, and may still connect. */
        iw_timer_start(&run->timer, run->loop, GRACE_US, run_on_no_connection, run);
    }
}

static void run_begin_conversation(struct impaired_run *run) {
    const struct iw_case_relay *relay = run->phase == PHASE_IMPAIRED ? run->round.cases[0]->relay : NULL;
    char text[IW_COMMAND_TEXT_OCTETS];

    run->connection = 0;
    run->ending = false;
    iw_relay_impair(run->relay, relay != NULL ? relay->rules : NULL, relay != NULL ? relay->rule_count : 0,
        relay != NULL ? relay->repair : 0);
    iw_timer_start(&run->timer, run->loop, run->devices->wait_ms * UINT64_C(1000), run_on_no_connection, run);
    if (run->devices->start != NULL &&
        !iw_impaired_command_start(&run->command, run->loop, run->devices->start, run->devices->start_host,
            iw_relay_port(run->relay), run_on_command_ended, run, text)) {
        run_break(run, text);
        run_fail_conversation(run, text);
    }
}

static bool run_open_trials(struct impaired_run *run) {
    char text[IW_RECORDER_TEXT_OCTETS];

    for (size_t i = 0; i < run->round.count; i++) {
        char path[512];

        iw_order_name_capture(&run->order, run->round.cases[i], run->round.repeat, path);
        run->round.trials[i] =
            iw_impaired_trial_new(run->round.cases[i], run->config, path[0] != '\0' ? path : NULL, text);
        if (run->round.trials[i] == NULL) {
            run_break(run, text);
            run->counts->left += (unsigned)run->round.count;
            run_free_round(run);
            return false;
        }
    }
    return true;
}

static void run_check_budget(struct impaired_run *run) {
    uint32_t budget = run->config->limits.budget_ms;

    if (budget == 0 || run->stopped || uv_hrtime() / 1000000 - run->begun_ms < budget)
        return;
    run->counts->not_started = iw_order_take_rest(&run->order);
    run->stopped = true;
}

static void run_begin_round(struct impaired_run *run) {
    run_check_budget(run);
    run->phase = PHASE_IMPAIRED;
    if (!run->stopped && run_next_round(run) && !run->stopped && run_open_trials(run)) {
        run_begin_conversation(run);
        return;
    }
    iw_loop_stop(run->loop);
}

/* Does not begin a further conversation. The current cases are left for --resume. */
static void run_on_interrupt(void *user) {
    struct impaired_run *run = user;

    run->stopped = run->interrupted = true;
    iw_loop_stop(run->loop);
}

static bool run_open_relay(struct impaired_run *run, char *error, size_t error_octets) {
    const struct iw_relay_config relay = {.host = run->devices->host,
        .port = run->devices->port,
        .device_host = run->devices->device_host,
        .device_port = run->devices->device_port,
        .seed = run->devices->seed,
        .note = run_take_note,
        .tap = run_take_tap,
        .user = run};
    char text[IW_RECORDER_TEXT_OCTETS];

    run->relay = iw_relay_new(run->loop, &relay, text);
    if (run->relay == NULL)
        snprintf(error, error_octets, "%s", text);
    else if (run->devices->listening != NULL)
        run->devices->listening(run->devices->user, iw_relay_port(run->relay));
    return run->relay != NULL;
}

static void run_conversations(struct impaired_run *run) {
    struct iw_interrupt *interrupt = iw_interrupt_new(run->loop, run_on_interrupt, run);
    char text[IW_RECORDER_TEXT_OCTETS];

    iw_interrupt_hold(interrupt);
    run_learn(run, 0);
    run->phase = PHASE_BASE;
    run->base_trial = iw_impaired_trial_new(NULL, run->config, NULL, text);
    run->no_memory = run->base_trial == NULL;
    if (!run->no_memory) {
        run_begin_conversation(run);
        if (!run->stopped)
            iw_loop_run(run->loop);
    }
    iw_interrupt_free(interrupt);
    run->counts->left += (unsigned)run->round.count;
    if (run->interrupted || run->broken[0] != '\0')
        run->counts->left += iw_order_take_rest(&run->order);
    iw_timer_stop(&run->timer);
    iw_timer_stop(&run->deadline);
    iw_impaired_command_end(&run->command);
    iw_impaired_trial_free(run->base_trial);
    run_free_round(run);
}

/* ---- begin and end of the run ---- */

static enum iw_status run_finish(struct impaired_run *run, char *error, size_t error_octets) {
    if (run->no_memory)
        return IW_ERR_NOMEM;
    if (run->unreachable[0] != '\0' && !run->begun && run->broken[0] == '\0') {
        snprintf(error, error_octets, "%s", run->unreachable);
        return IW_ERR_IO;
    }
    run->counts->broken = run->broken[0] != '\0';
    if (run->counts->broken) {
        snprintf(error, error_octets, "%s", run->broken);
        return IW_ERR_IO;
    }
    if (run->order.selection.total > 0)
        run_report_begin(run);
    run->counts->flakes = iw_order_report_flakes(&run->order);
    return IW_OK;
}

static enum iw_status run_prepare(struct impaired_run *run, char *error, size_t error_octets) {
    const struct iw_run_config *config = run->config;
    enum iw_status status;

    snprintf(error, error_octets, "out of memory");
    run->begun_ms = uv_hrtime() / 1000000;
    run->loop = iw_loop_new(IW_LOOP_REAL);
    if (run->loop == NULL)
        return IW_ERR_NOMEM;
    status = iw_order_init(&run->order, config, error, error_octets);
    if (status != IW_OK)
        return status;
    run->counts->selected = (unsigned)run->order.selection.total;
    run->counts->shard = config->selection.shard;
    run->counts->shards = config->selection.shards;
    for (size_t i = 0; i < config->earlier.case_count; i++)
        run_count(run, config->earlier.cases[i].verdict, config->earlier.cases[i].wrong_close);
    return IW_OK;
}

enum iw_status iw_impaired_run(const struct iw_run_config *config, const struct iw_impaired_devices *devices,
    struct iw_run_counts *counts, char *error, size_t error_octets) {
    struct impaired_run run = {.config = config, .devices = devices, .counts = counts};
    enum iw_status status;

    memset(counts, 0, sizeof *counts);
    status = run_prepare(&run, error, error_octets);
    if (status == IW_OK && run.order.selection.count > 0) {
        status = run_open_relay(&run, error, error_octets) ? IW_OK : IW_ERR_IO;
        if (status == IW_OK) {
            run_conversations(&run);
            status = run_finish(&run, error, error_octets);
        }
        iw_relay_free(run.relay);
    }
    iw_loop_free(run.loop);
    iw_order_dispose(&run.order);
    return status;
}

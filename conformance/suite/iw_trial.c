#include "iw_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_show.h"
#include "iw_trial_command.h"
#include "iw_trial_script.h"

enum { BEFORE_S = 600, HEALTH_S = 30 };

struct iw_trial {
    struct iw_trial_config config;
    const struct iw_trial_way *way;
    void *conversation; /* of the way; NULL: none */
    struct iw_trial_command command;
    struct trial_case {
        struct iw_trial_result result;
        struct iw_trial_record record;
    } cases[IW_TRIAL_CASES_MAX];
    struct iw_trial_device device;
    struct iw_timer ending; /* ends the trial early, or interrupts its conversation */
    bool begun;             /* the commands before the conversation have succeeded */
    bool checking;          /* the health command runs after the conversation */
    bool interrupted;
    uint64_t started_ns;
};

/* ---- what the way needs ---- */

const struct iw_trial_config *iw_trial_settings(const struct iw_trial *trial) {
    return &trial->config;
}

struct iw_trial_result *iw_trial_result_of(struct iw_trial *trial, size_t index) {
    return &trial->cases[index].result;
}

struct iw_trial_record *iw_trial_record_of(struct iw_trial *trial, size_t index) {
    return &trial->cases[index].record;
}

const struct iw_trial_device *iw_trial_device(const struct iw_trial *trial) {
    return &trial->device;
}

bool iw_trial_is_ending(const struct iw_trial *trial) {
    return iw_timer_runs(&trial->ending);
}

struct iw_verdict_rules iw_trial_rules(const struct iw_trial *trial) {
    const struct iw_run_config *run = trial->config.run;

    return (struct iw_verdict_rules){.foreign = run->target.host != NULL,
        .strict = run->strict,
        .lossy = run->network && iw_network_profile_loses(run->network)};
}

/* Returns how many results there are: one also without a case. */
static size_t trial_result_count(const struct iw_trial *trial) {
    return trial->config.count > 0 ? trial->config.count : 1;
}

/* ---- end of the trial ---- */

/* Whether --health and --console are about the device that the case is about. */
static bool trial_checks_device_of(const struct iw_trial *trial, const struct iw_case *one) {
    const struct iw_run_config *run = trial->config.run;

    return one == NULL || !run->relay || one->initiator == run->initiator_checked;
}

static bool trial_device_failed(const struct iw_trial *trial) {
    return trial->device.crash[0] != '\0' || trial->device.unresponsive[0] != '\0';
}

bool iw_trial_failed_apart(const struct iw_trial *trial, char text[IW_TRIAL_FAILURE_OCTETS]) {
    const struct iw_trial_device *device = &trial->device;

    for (size_t i = 0; i < trial_result_count(trial); i++)
        if (trial_checks_device_of(trial, trial->cases[i].result.one))
            return false;
    if (device->crash[0] != '\0')
        snprintf(text, IW_TRIAL_FAILURE_OCTETS, "%s", device->crash);
    else
        snprintf(text, IW_TRIAL_FAILURE_OCTETS, "it is not responsive: %s", device->unresponsive);
    return trial_device_failed(trial);
}

/* Called after the health command, if any, because console lines until then belong to this trial. */
static void trial_conclude(void *user) {
    struct iw_trial *trial = user;
    struct iw_console *console = trial->config.run->console;
    bool crashed = console && trial->begun && iw_console_read(console, trial->device.crash);

    iw_trial_command_end(&trial->command);
    iw_timer_stop(&trial->ending);
    for (size_t i = 0; i < trial_result_count(trial); i++) {
        struct iw_trial_result *result = &trial->cases[i].result;
        bool about = trial_checks_device_of(trial, result->one);

        if (about)
            result->device = trial->device;
        iw_trial_result_judge_device(result);
        iw_trial_record_close_log(&trial->cases[i].record, result, crashed && about ? console : NULL);
    }
    trial->config.done(trial->config.user, trial);
    free(trial);
}

static void trial_checked_after(void *user, bool good, const char *text) {
    struct iw_trial *trial = user;
    struct iw_trial_device *device = &trial->device;

    device->healthy = good;
    if (!good)
        iw_show_line(device->unresponsive, sizeof device->unresponsive, text);
    trial_conclude(trial);
}

static void trial_judge(struct iw_trial *trial) {
    const struct iw_verdict_rules rules = iw_trial_rules(trial);
    uint64_t took_ns = iw_loop_time_ns(trial->config.loop) - trial->started_ns;

    for (size_t i = 0; i < trial_result_count(trial); i++) {
        struct iw_trial_result *result = &trial->cases[i].result;

        if (result->one)
            iw_trial_result_judge(result, &rules);
        iw_trial_record_close_capture(&trial->cases[i].record, result);
        result->duration_ms = took_ns / 1000000;
    }
}

/* Judges the cases, then runs the health command, if any. Freeing the conversation can still add findings. */
static void trial_finish(void *user) {
    struct iw_trial *trial = user;

    iw_timer_stop(&trial->ending);
    if (trial->conversation)
        trial->way->end(trial->conversation);
    trial->conversation = NULL;
    trial_judge(trial);
    trial->checking = trial->config.run->health && trial->begun && !trial->interrupted;
    if (trial->checking)
        iw_trial_command_run(&trial->command, trial->config.loop, trial->config.run->health, HEALTH_S,
            trial_checked_after, trial);
    else
        trial_conclude(trial);
}

void iw_trial_end(struct iw_trial *trial) {
    trial_finish(trial);
}

void iw_trial_end_early(
    struct iw_trial *trial, enum iw_trial_end end, enum iw_verdict verdict, const char *message) {
    for (size_t i = 0; i < trial_result_count(trial); i++) {
        trial->cases[i].result.end = end;
        iw_trial_result_set(&trial->cases[i].result, verdict, message);
    }
    iw_timer_start(&trial->ending, trial->config.loop, 0, trial_finish, trial);
}

/* ---- evidence ---- */

static void trial_interrupt_conversation(void *user) {
    struct iw_trial *trial = user;

    if (trial->conversation)
        trial->way->interrupt(trial->conversation);
}

/* A capture cannot grow: ends the conversation from the loop, because the conversation is the caller. */
static void trial_recording_stopped(void *user) {
    struct iw_trial *trial = user;

    if (trial->conversation && !iw_trial_is_ending(trial))
        iw_timer_start(&trial->ending, trial->config.loop, 0, trial_interrupt_conversation, trial);
}

bool iw_trial_open_records(struct iw_trial *trial) {
    const struct iw_trial_config *config = &trial->config;

    for (size_t i = 0; i < config->count; i++) {
        struct iw_trial_record *record = &trial->cases[i].record;

        if (!config->captures[i])
            continue;
        if (!iw_trial_record_open(record, config->cases[i], config->captures[i], config->run->evidence_octets,
                trial_recording_stopped, trial)) {
            iw_trial_end_early(trial, IW_TRIAL_BROKEN, IW_VERDICT_ERROR, record->broken);
            return false;
        }
        snprintf(
            trial->cases[i].result.capture, sizeof trial->cases[i].result.capture, "%s", config->captures[i]);
    }
    return true;
}

/* ---- start ---- */

/* Notes the first crash that the console shows before the conversation. */
static void trial_read_console_before(struct iw_trial *trial) {
    char line[IW_CONSOLE_LINE_OCTETS], *crash = trial->device.crash_before;

    if (trial->config.run->console && iw_console_read(trial->config.run->console, line) && !crash[0])
        memcpy(crash, line, sizeof line);
}

static void trial_start_conversation(struct iw_trial *trial) {
    trial->begun = true;
    trial_read_console_before(trial);
    trial->conversation = trial->way->start(trial->config.run->way_user, trial);
    if (!trial->conversation)
        iw_trial_end_early(trial, IW_TRIAL_FINISHED, IW_VERDICT_ERROR, "not enough memory");
}

/* Ends the trial because a command before the conversation failed; from the loop: the command may be the
 * caller. A crash on the console may be the restart by that command, so it is only a part of the reason. */
static void trial_device_not_ready(struct iw_trial *trial, const char *command, const char *text) {
    char message[IW_COMMAND_TEXT_OCTETS + IW_CONSOLE_LINE_OCTETS + 64], line[IW_CONSOLE_LINE_OCTETS];
    bool crashed = false;

    if (iw_trial_is_ending(trial))
        return;
    crashed = trial->config.run->console && iw_console_read(trial->config.run->console, line);
    snprintf(message, sizeof message, "the command of --%s: %s%s%s", command, text,
        crashed ? "; on the console: " : "", crashed ? line : "");
    trial->device.not_ready = true;
    iw_trial_end_early(trial, IW_TRIAL_UNREACHED, IW_VERDICT_INCONCLUSIVE, message);
}

static void trial_checked_before(void *user, bool good, const char *text) {
    struct iw_trial *trial = user;

    if (!good)
        trial_device_not_ready(trial, "health", text);
    else if (!iw_trial_is_ending(trial))
        trial_start_conversation(trial);
}

static void trial_check_before(struct iw_trial *trial) {
    if (trial->config.run->health && !trial->config.healthy)
        iw_trial_command_run(&trial->command, trial->config.loop, trial->config.run->health, HEALTH_S,
            trial_checked_before, trial);
    else
        trial_start_conversation(trial);
}

static void trial_before_ended(void *user, bool good, const char *text) {
    struct iw_trial *trial = user;

    if (!good)
        trial_device_not_ready(trial, "before", text);
    else if (!iw_trial_is_ending(trial))
        trial_check_before(trial);
}

struct iw_trial *iw_trial_start(const struct iw_trial_config *config) {
    struct iw_trial *trial = calloc(1, sizeof *trial);

    if (!trial)
        return NULL;
    trial->config = *config;
    trial->way = config->run->way ? config->run->way : &iw_trial_script;
    for (size_t i = 0; i < config->count; i++) {
        trial->cases[i].result.one = config->cases[i];
        trial->cases[i].result.severity = iw_case_severity(config->cases[i]);
    }
    trial->started_ns = iw_loop_time_ns(config->loop);
    trial_read_console_before(trial); /* a later line may be of a restart by --before */
    if (config->run->before)
        iw_trial_command_run(
            &trial->command, config->loop, config->run->before, BEFORE_S, trial_before_ended, trial);
    else
        trial_check_before(trial);
    return trial;
}

void iw_trial_stall(struct iw_trial *trial) {
    if (trial->conversation && trial->way->stall)
        trial->way->stall(trial->conversation);
}

void iw_trial_interrupt(struct iw_trial *trial) {
    trial->interrupted = true;
    if (trial->conversation && trial->way->interrupt(trial->conversation))
        return;
    if (iw_trial_is_ending(trial))
        return;
    for (size_t i = 0; i < trial_result_count(trial); i++) {
        trial->cases[i].result.end = IW_TRIAL_UNFINISHED;
        iw_trial_result_set(&trial->cases[i].result, IW_VERDICT_INCONCLUSIVE, "interrupted");
    }
    iw_timer_start(
        &trial->ending, trial->config.loop, 0, trial->checking ? trial_conclude : trial_finish, trial);
}

#include "iw_play.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "iw_describe.h"
#include "iw_interrupt.h"
#include "iw_live_capture.h"
#include "iw_live_device.h"
#include "iw_recorder.h"

enum { SHOWN_MAX = 16384 }; /* octets printed of a text */

/* Prints the text without control characters, in one write, because standard error is unbuffered. */
static void play_print_clean(FILE *file, const char *text) {
    char clean[SHOWN_MAX];
    size_t count = 0;

    for (; count < sizeof clean && text[count] != '\0'; count++)
        clean[count] = (char)((unsigned char)text[count] < ' ' || text[count] == 0x7F ? ' ' : text[count]);
    if (count > 0)
        fwrite(clean, 1, count, file);
    size_t more = strlen(text + count);
    if (more > 0)
        fprintf(file, " (and %zu octets more)", more);
}

static void play_print_time(struct iw_play_log *log, uint64_t time_ns) {
    if (log->start_ns == 0 || time_ns < log->start_ns)
        log->start_ns = time_ns;
    uint64_t us = (time_ns - log->start_ns) / 1000;
    fprintf(log->out, "%4" PRIu64 ".%06" PRIu64 "  ", us / 1000000, us % 1000000);
}

static void play_print_line(
    struct iw_play_log *log, struct iw_scenario *scenario, const char *what, const char *text) {
    if (log->quiet)
        return;
    play_print_time(log, iw_loop_time_ns(iw_scenario_config(scenario)->loop));
    fputs(what, log->out);
    play_print_clean(log->out, text);
    fputc('\n', log->out);
    fflush(log->out);
}

static void play_print_step(void *user, struct iw_scenario *scenario, const char *text) {
    struct iw_play_log *log = user;

    if (log->live != NULL)
        iw_live_capture_comment(log->live, text);
    play_print_line(log, scenario, "-- ", text);
}

static void play_print_log_line(void *user, struct iw_scenario *scenario, const char *text) {
    play_print_line(user, scenario, "", text);
}

static void play_keep_finding(
    struct iw_play_log *log, bool own, unsigned connection, const struct iw_finding *finding) {
    FILE *out;

    if (log->findings.out == NULL && !iw_text_open(&log->findings))
        log->findings_lost = true;
    out = log->findings.out;
    if (out == NULL)
        return;
    fprintf(out, "  %s, connection %u", own ? "this side" : "peer", connection);
    if (finding->frame != 0)
        fprintf(out, ", frame %" PRIu64, finding->frame);
    fputs(": ", out);
    iw_describe_finding(out, finding, NULL);
    fputc('\n', out);
    log->findings_lost |= !iw_text_flush(&log->findings);
}

static void play_take_event(void *user, struct iw_scenario *scenario, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event) {
    struct iw_play_log *log = user;
    enum iw_side side = event->llp->side;

    if (log->live != NULL)
        iw_live_capture_pump(log->live);
    log->peer |= !own[IW_SIDE_A] || !own[IW_SIDE_B];
    log->given_up += event->llp->loss.limited + event->llp->loss.given_up;
    for (size_t i = 0; i < event->finding_count; i++)
        play_keep_finding(log, own[event->findings[i].side], connection, &event->findings[i]);
    if (log->quiet || (event->llp->kind == IW_LLP_CLOSE && event->llp->close == IW_LLP_CLOSE_INPUT))
        return;
    play_print_time(log, iw_loop_time_ns(iw_scenario_config(scenario)->loop));
    if (connection != 1)
        fprintf(log->out, "[%u] ", connection);
    bool outward = own[IW_SIDE_A] && own[IW_SIDE_B] ? side == IW_SIDE_A : own[side];
    fputs(outward ? "> " : "< ", log->out);
    iw_describe_event(log->out, event);
    fputs(event->finding_count > 0 ? "  (!)\n" : "\n", log->out);
    fflush(log->out);
}

struct iw_scenario_hooks iw_play_log_hooks(struct iw_play_log *log) {
    return (struct iw_scenario_hooks){
        .step = play_print_step, .log = play_print_log_line, .event = play_take_event, .user = log};
}

void iw_play_log_dispose(struct iw_play_log *log) {
    free(iw_text_close(&log->findings));
}

/* Whether the message says that a library or function is missing which --trust would provide. */
static bool play_lacks_trust(const char *message) {
    static const char *const names[] = {
        "io", "os", "debug", "package", "require", "dofile", "loadfile", "collectgarbage"};
    char global[32];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(global, sizeof global, "(global '%s')", names[i]);
        if (strstr(message, global) != NULL)
            return true;
    }
    return false;
}

static void play_print_mishap(FILE *file, const char *prefix, const struct iw_scenario_result *result) {
    fputs(prefix, file);
    if (result->script != NULL && result->script[0] != '\0')
        fprintf(file, "%s:%d: ", result->script, result->line);
    play_print_clean(file, result->message);
    if (result->outcome == IW_SCENARIO_ERROR && play_lacks_trust(result->message))
        fputs("; only --trust gives it to a script", file);
    if (result->step[0] != '\0') {
        fputs(" (step: ", file);
        play_print_clean(file, result->step);
        fputc(')', file);
    }
    fputc('\n', file);
}

static void play_print_failure(FILE *out, const struct iw_scenario_result *result) {
    play_print_mishap(out, "failed: ", result);
    if (result->expected == NULL)
        return;
    fputs("  expected: ", out);
    play_print_clean(out, result->expected);
    fputs("\n  actual:   ", out);
    play_print_clean(out, result->actual == NULL ? "" : result->actual);
    fputc('\n', out);
}

/* Violations of the script's own sides are not a failure, but the verdict must not be "conforms". */
static void play_print_verdict(const struct iw_play_log *log, const struct iw_scenario *scenario) {
    uint64_t own = iw_scenario_findings(scenario, true)[IW_SEVERITY_ERROR];
    uint64_t peer = iw_scenario_findings(scenario, false)[IW_SEVERITY_ERROR];

    if (peer > 0)
        fprintf(log->out, "violations: %" PRIu64 " on the peer's side\n", peer);
    else if (own > 0 && !log->peer)
        fprintf(log->out, "violations: %" PRIu64 " on the script's own sides\n", own);
    else if (log->given_up > 0)
        fprintf(log->out,
            "not fully judged: %" PRIu64 " octets given up at a limit or because memory ran out\n",
            log->given_up);
    else
        fputs(own > 0 ? "the peer conforms\n" : "conforms\n", log->out);
}

/* Prints the findings. If memory ran out and some were lost, prints only complete lines, and says so. */
static void play_print_findings(struct iw_play_log *log, FILE *err) {
    const struct iw_text *findings = &log->findings;
    size_t length = findings->octets == NULL ? 0 : findings->length;

    while (length > 0 && findings->octets[length - 1] != '\n')
        length--;
    if (length > 0) {
        fputs("findings:\n", log->out);
        fwrite(findings->octets, 1, length, log->out);
    }
    fflush(log->out);
    if (log->findings_lost)
        fputs("warpcheck: out of memory: not all findings are shown\n", err);
}

static enum iw_exit play_print_outcome(
    struct iw_play_log *log, const struct iw_scenario *scenario, FILE *err) {
    const struct iw_scenario_result *result = iw_scenario_result(scenario);
    bool violated = log->judges_peer && iw_scenario_findings(scenario, false)[IW_SEVERITY_ERROR] > 0;

    switch (result->outcome) {
    case IW_SCENARIO_OK:
        play_print_verdict(log, scenario);
        if (violated)
            return IW_EXIT_VIOLATIONS;
        return log->given_up > 0 ? IW_EXIT_UNJUDGED : IW_EXIT_CONFORMS;
    case IW_SCENARIO_FAILED:
    case IW_SCENARIO_ABSENT:
    case IW_SCENARIO_DEADLINE:
        play_print_failure(log->out, result);
        return IW_EXIT_VIOLATIONS;
    case IW_SCENARIO_INTERRUPTED:
        play_print_mishap(log->out, "", result);
        return violated ? IW_EXIT_VIOLATIONS : IW_EXIT_UNJUDGED;
    case IW_SCENARIO_ERROR:
    case IW_SCENARIO_ENVIRONMENT:
    case IW_SCENARIO_UNREACHED:
    case IW_SCENARIO_UNSUPPORTED:
    case IW_SCENARIO_INAPPLICABLE:
        fflush(log->out);
        play_print_mishap(err, "warpcheck: ", result);
        return IW_EXIT_ENVIRONMENT;
    }
    return IW_EXIT_INTERNAL;
}

enum iw_exit iw_play_conclude(struct iw_play_log *log, const struct iw_scenario *scenario, FILE *err) {
    play_print_findings(log, err);
    enum iw_exit code = play_print_outcome(log, scenario, err);
    return log->findings_lost ? IW_EXIT_INTERNAL : code;
}

static enum iw_exit play_out_of_memory(FILE *err) {
    fprintf(err, "warpcheck: not enough memory\n");
    return IW_EXIT_INTERNAL;
}

/* Where the conversation is recorded; both NULL: not recorded. */
struct record {
    struct iw_recorder *recorder;
    struct iw_live_capture *live;
};

static const char *play_numeric_address(const char *peer) {
    uint8_t address[16];

    if (peer != NULL && (inet_pton(AF_INET, peer, address) == 1 || inet_pton(AF_INET6, peer, address) == 1))
        return peer;
    return NULL;
}

bool iw_play_overwrites(const char *capture, const char *script, FILE *err) {
    struct stat one, other;

    if (capture == NULL || script == NULL || stat(capture, &one) != 0 || stat(script, &other) != 0 ||
        one.st_dev != other.st_dev || one.st_ino != other.st_ino)
        return false;
    fprintf(err, "warpcheck: %s: the capture would be written over the script\n", capture);
    return true;
}

void iw_play_report_trouble(void *err, const char *text) {
    fprintf(err, "warpcheck: %s\n", text);
}

static bool play_open_record(const struct iw_play_options *options, struct record *record, FILE *err) {
    char text[IW_RECORDER_TEXT_OCTETS] = "";

    if (options->record == NULL)
        return true;
    if (iw_play_overwrites(options->record, options->script, err))
        return false;
    if (options->live != NULL)
        record->live = iw_live_capture_open(
            options->live, play_numeric_address(options->host), options->port, options->record, text);
    else
        record->recorder = iw_recorder_open(options->record, NULL, text);
    if (record->live != NULL && !iw_live_device_drop_rights())
        iw_play_report_trouble(err, "the rights for the live capture cannot be given up");
    if (record->recorder != NULL)
        iw_recorder_tell(record->recorder, iw_play_report_trouble, err);
    else if (record->live != NULL)
        iw_live_capture_tell(record->live, iw_play_report_trouble, err);
    else
        iw_play_report_trouble(err, text);
    return record->recorder != NULL || record->live != NULL;
}

static bool play_close_record(const struct record *record, FILE *err) {
    uint64_t dropped;
    bool whole = iw_live_capture_close(record->live, &dropped, NULL) == IW_OK;

    if (dropped > 0)
        fprintf(err, "warpcheck: the system dropped %" PRIu64 " packets of the live capture\n", dropped);
    whole &= iw_recorder_close(record->recorder, NULL) == IW_OK;
    return whole && dropped == 0;
}

static void play_take_interrupt(void *user) {
    iw_scenario_interrupt(user);
}

static enum iw_exit play_run(const struct iw_play_options *options, struct iw_script *script,
    struct iw_loop *loop, const struct record *record) {
    struct iw_play_log log = {.out = options->out == NULL ? stdout : options->out,
        .quiet = options->quiet,
        .judges_peer = true,
        .live = record->live};
    FILE *err = options->err == NULL ? stderr : options->err;
    const struct iw_scenario_config config = {.script = script,
        .loop = loop,
        .recorder = record->recorder,
        .has_extensions = true,
        .extensions = options->has_extensions ? options->extensions : IW_EXT_DEFAULT,
        .timeout_ms = options->timeout_ms,
        .deadline_ms = options->deadline_ms,
        .hooks = iw_play_log_hooks(&log),
        .configure = options->configure,
        .configure_user = options->configure_user};
    struct iw_scenario *scenario = iw_scenario_new(&config);

    if (scenario == NULL || iw_scenario_start_script(scenario) != IW_OK) {
        iw_scenario_free(scenario);
        return play_out_of_memory(err);
    }

    struct iw_interrupt *interrupt =
        options->at_once ? NULL : iw_interrupt_new(loop, play_take_interrupt, scenario);

    iw_scenario_run(scenario);
    iw_interrupt_free(interrupt);
    enum iw_exit code = iw_play_conclude(&log, scenario, err);
    iw_scenario_free(scenario);
    iw_play_log_dispose(&log);
    return code;
}

static enum iw_exit play_run_recorded(const struct iw_play_options *options, struct iw_script *script) {
    FILE *err = options->err == NULL ? stderr : options->err;
    struct record record = {NULL, NULL};

    if (!play_open_record(options, &record, err))
        return IW_EXIT_ENVIRONMENT;

    struct iw_loop *loop = iw_loop_new(IW_LOOP_REAL);
    enum iw_exit code = loop == NULL ? play_out_of_memory(err) : play_run(options, script, loop, &record);

    iw_loop_free(loop);
    if (!play_close_record(&record, err) && code != IW_EXIT_INTERNAL)
        code = IW_EXIT_ENVIRONMENT;
    return code;
}

enum iw_exit iw_play(const struct iw_play_options *options) {
    const struct iw_sandbox_config sandbox = {.trust = options->trust};
    FILE *err = options->err == NULL ? stderr : options->err;
    struct iw_script *script = iw_script_new(&sandbox);
    char error[4096];

    if (script == NULL ||
        iw_script_set_arguments(script, options->arguments, options->argument_count) != IW_OK ||
        (options->host != NULL && iw_script_set_peer(script, options->host, options->port) != IW_OK)) {
        iw_script_free(script);
        return play_out_of_memory(err);
    }
    enum iw_exit code = IW_EXIT_ENVIRONMENT;
    if (iw_script_load(script, options->script, error, sizeof error) == IW_OK)
        code = play_run_recorded(options, script);
    else
        iw_play_report_trouble(err, error);
    iw_script_free(script);
    return code;
}

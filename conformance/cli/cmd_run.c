#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "cmd_run_file.h"
#include "cmd_run_screen.h"
#include "cmd_run_settings.h"
#include "iw_catalogue.h"
#include "iw_coverage.h"
#include "iw_json.h"
#include "iw_listing_suite.h"
#include "iw_option.h"
#include "iw_reasons.h"
#include "iw_results.h"
#include "iw_run.h"
#include "iw_selection.h"
#include "iw_violations.h"

struct running {
    struct cmd_run_settings settings;
    struct cmd_run_file file;
    struct iw_reasons reasons; /* why cases do not apply or are not tested; printed at the end */
    struct iw_coverage coverage;
    struct iw_violations violations;
    struct cmd_run_screen screen;
    bool ended; /* the summary is written to the results file */
};

/* Shard I of N has the cases I, I + N, ... */
static void run_begin_screen(struct running *running, unsigned selected) {
    const struct iw_run_config *run = &running->settings.run;
    unsigned shards = run->selection.shards > 0 ? run->selection.shards : 1;
    unsigned before = run->selection.shards > 0 ? run->selection.shard - 1 : 0;
    uint64_t own = (selected + shards - 1 - before) / shards;

    cmd_run_screen_begin(&running->screen,
        run->limits.endless ? 0 : own * (run->limits.repeats > 0 ? run->limits.repeats : 1),
        run->earlier.case_count);
}

static void run_begin_file(void *user, const struct iw_run_begin *begin) {
    struct running *running = user;
    const struct iw_results_head head = {.version = WARPCHECK_VERSION,
        .config = &running->settings.run,
        .begin = begin,
        .origin = running->settings.origin,
        .options = running->settings.words};

    cmd_run_file_begin(&running->file, &head, &running->settings.resume.prior);
    memcpy(running->coverage.selected, begin->about, sizeof running->coverage.selected);
    running->coverage.selected_cases = begin->own;
    running->coverage.available_cases = (unsigned)running->settings.run.catalogue->count;
    run_begin_screen(running, begin->selected);
}

/* Whether to print the result: cases left out are counted by reason; those that passed need --verbose. */
static bool run_prints(struct running *running, const struct iw_trial_result *result) {
    if (iw_verdict_is_left_out(result->verdict))
        return !iw_reasons_add(&running->reasons, result->verdict, result->reason.message, result->one->id);
    return running->settings.verbose || result->verdict != IW_VERDICT_PASS;
}

static void run_result(void *user, const struct iw_trial_result *result) {
    struct running *running = user;

    cmd_sweep_take(&running->settings.sweep, result);
    iw_violations_add(&running->violations, result);
    iw_coverage_add_trial(&running->coverage, result);
    if (run_prints(running, result)) {
        cmd_run_screen_clear(&running->screen);
        iw_results_print(stdout, result, running->screen.coloured);
    }
    cmd_run_screen_count(&running->screen, result->verdict == IW_VERDICT_FAIL);
    if (running->file.out) {
        iw_results_json(running->file.out, result);
        cmd_run_file_flush(&running->file);
    }
}

static const char *run_broken(void *user) {
    const struct running *running = user;

    return running->file.error[0] ? running->file.error : NULL;
}

static void run_take_contradiction(
    void *user, const struct iw_case *one, const struct iw_contradiction *contradiction) {
    struct running *running = user;

    cmd_run_screen_clear(&running->screen);
    iw_results_put_claim(stdout, running->file.out, one, contradiction);
}

static void run_take_crash(void *user, const struct iw_case *one, const char *line) {
    struct running *running = user;

    cmd_run_screen_clear(&running->screen);
    iw_results_put_crash(stdout, running->file.out, one, line);
}

static void run_take_flake(void *user, const struct iw_case *one, const unsigned *verdicts) {
    struct running *running = user;

    cmd_run_screen_clear(&running->screen);
    iw_results_put_flake(stdout, running->file.out, one, verdicts);
}

static int run_no_case(void) {
    return iw_option_error(
        &cmd_run_usage, "no case matches --only, --skip and --tier (see warpcheck list cases)");
}

static void run_print_place(const char *folder) {
    printf("results: %s (as a page: warpcheck report --format html -o report.html %s)\n", folder, folder);
}

static int run_report(struct running *running, const struct iw_run_counts *counts) {
    struct cmd_sweep *sweep = &running->settings.sweep;
    enum iw_exit code =
        counts->broken ? IW_EXIT_ENVIRONMENT : iw_run_exit(counts, running->settings.run.accept_untested);

    if (counts->selected == 0)
        return run_no_case();
    cmd_run_screen_clear(&running->screen);
    if (!counts->broken && counts->left == 0)
        cmd_sweep_minimise(sweep, &running->settings.run);
    iw_reasons_print(stdout, &running->reasons);
    iw_violations_print(stdout, &running->violations);
    iw_results_put_minimise(stdout, running->file.out, &sweep->minimise);
    iw_results_print_summary(stdout, counts, &running->coverage);
    if (running->file.out) {
        iw_results_json_violations(running->file.out, &running->violations);
        iw_results_json_coverage(running->file.out, &running->coverage);
        iw_results_json_summary(running->file.out, counts, code);
        run_print_place(running->file.folder);
    }
    running->ended = running->file.out != NULL && !counts->broken;
    return (int)code;
}

static int run_list_cases(struct cmd_run_settings *settings) {
    int code = settings->relay.given ? 0 : cmd_run_device(settings), selected;

    if (code != 0)
        return code;
    selected = iw_listing_run(&settings->run, settings->format, stdout);
    if (selected < 0)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s", iw_selection_failure(&settings->run));
    return selected > 0 ? IW_EXIT_CONFORMS : run_no_case();
}

static int run_cases(struct running *running) {
    struct cmd_run_settings *settings = &running->settings;
    struct iw_run_counts counts;
    char error[512];
    int code = settings->force || settings->resume.folder ? 0 : cmd_run_file_check(&running->file);

    if (code == 0 && !settings->relay.given)
        code = cmd_run_device(settings);
    if (code == 0)
        code = cmd_run_settings_make_network(settings);
    if (code == 0)
        code = cmd_run_file_prepare(&running->file);
    settings->run.folder = running->file.folder;
    if (code == 0 && settings->resume.folder)
        code = cmd_resume_apply(&cmd_run_usage, &settings->resume, &settings->run, &settings->sweep);
    if (code != 0)
        return code;
    if (settings->resume.folder)
        iw_prior_run_count(&settings->resume.prior, &running->violations, &running->coverage);
    settings->run.handlers.begin = run_begin_file;
    settings->run.handlers.result = run_result;
    settings->run.handlers.contradiction = run_take_contradiction;
    settings->run.handlers.crash = run_take_crash;
    settings->run.handlers.flake = run_take_flake;
    settings->run.handlers.broken = run_broken;
    settings->run.handlers.user = running;
    if ((settings->relay.given ? cmd_run_relay(settings, &counts, error, sizeof error)
                               : iw_run(&settings->run, &counts, error, sizeof error)) == IW_OK)
        return run_report(running, &counts);
    cmd_run_screen_clear(&running->screen);
    if (counts.broken && counts.cases > 0)
        run_report(running, &counts);
    return cmd_fail(IW_EXIT_ENVIRONMENT, "%s", error);
}

static enum iw_status run_load_cases(const struct cmd_run_settings *settings, struct iw_catalogue *catalogue,
    char *error, size_t error_octets) {
    if (settings->relay.given && settings->options.cases == NULL)
        return iw_catalogue_init_relay(catalogue, error, error_octets);
    return iw_catalogue_init(catalogue, settings->options.cases, error, error_octets);
}

static int run_suite(struct running *running) {
    struct cmd_run_settings *settings = &running->settings;
    struct iw_catalogue catalogue;
    char error[512];
    int code;

    if (run_load_cases(settings, &catalogue, error, sizeof error) != IW_OK)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s", error);
    settings->run.catalogue = &catalogue;
    code = cmd_sweep_choose(&cmd_run_usage, &settings->sweep, &settings->options, &settings->run);
    if (code == 0)
        code = settings->list ? run_list_cases(settings) : run_cases(running);
    iw_catalogue_dispose(&catalogue);
    return code;
}

/* Closes the results file; if it is complete, applies --expect and --write-expect. Frees the settings. */
static int run_end(struct running *running, int code) {
    bool incomplete = iw_json_memory_failed();

    if (!cmd_run_file_close(&running->file))
        code = (int)iw_exit_join((enum iw_exit)code, IW_EXIT_ENVIRONMENT);
    else if (running->ended)
        code = (int)cmd_expect_run(&running->settings.expect, running->file.folder, (enum iw_exit)code);
    if (incomplete || iw_json_memory_failed())
        code = cmd_fail(IW_EXIT_INTERNAL, "out of memory: the results may be incomplete");
    iw_reasons_dispose(&running->reasons);
    cmd_run_settings_dispose(&running->settings);
    return code;
}

int cmd_run(int argc, char **argv) {
    struct running running = {0};
    int code;

    iw_json_watch_memory();
    code = cmd_run_settings_read(&running.settings, argc, argv);
    if (code == IW_OPTION_DONE) {
        running.file.folder = running.settings.out;
        cmd_run_screen_init(&running.screen);
        code = run_suite(&running);
    }
    return run_end(&running, code);
}

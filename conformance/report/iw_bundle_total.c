#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_bundle_check.h"
#include "iw_json.h"
#include "iw_json_member.h"
#include "iw_outcome_claim.h"
#include "iw_repeat.h"
#include "iw_text.h"

/* Checks what follows from all cases of a run: that none is missing, the counts of the summary, its exit
 * code, and the lines about violations, coverage and flaky cases. */

enum {
    TOTAL_NAMED_MAX = 10,       /* cases that are named as missing */
    TOTAL_REPEATS_MAX = 1000000 /* as of --repeat */
};

/* ---- the list of the cases ---- */

static uint64_t bundle_total_not_run(const struct iw_outcome_run *run) {
    return run->not_run + iw_outcome_number(run->summary, "not_begun");
}

/* Returns how often each case was run; 0: until a failure. */
static uint64_t bundle_total_repeats(const struct iw_bundle_check *check) {
    return check->plan.options.until_failure ? 0 : iw_outcome_number(check->run.header, "repeats");
}

/* Returns how many results of each case the run must have. A run until a failure has at least one, if no case
 * ended it. */
static uint64_t bundle_total_wanted_repeats(const struct iw_bundle_check *check) {
    const struct iw_outcome_run *run = &check->run;
    uint64_t ends =
        run->counts[IW_VERDICT_FAIL] + run->counts[IW_VERDICT_INCONCLUSIVE] + run->counts[IW_VERDICT_ERROR];
    uint64_t repeats = bundle_total_repeats(check);

    return repeats > 0 ? repeats : ends == 0;
}

static void bundle_total_name_missing(struct iw_bundle_check *check, uint64_t repeats) {
    const struct iw_selection *selection = &check->plan.selection;
    unsigned named = 0;

    for (uint64_t repeat = 1; repeat <= repeats && named < TOTAL_NAMED_MAX; repeat++)
        for (size_t i = 0; i < selection->count && named < TOTAL_NAMED_MAX; i++)
            if (iw_outcome_find(&check->run, selection->cases[i]->id, repeats > 1 ? repeat : 0) == NULL &&
                iw_outcome_find(&check->run, selection->cases[i]->id, repeat) == NULL) {
                iw_bundle_fault(check, selection->cases[i]->id,
                    "the run selected this case, but has no result%s", repeats > 1 ? " of each repeat" : "");
                named++;
            }
}

/* What cases without a result are about is only in the header: the coverage counts it as not tested. */
static void bundle_total_check_selection(struct iw_bundle_check *check) {
    const json_t *header = check->run.header, *stated = json_object_get(header, "requirements");
    json_t *wanted = iw_results_requirement_ids(check->plan.selection.about);
    bool cut_short = check->run.summary == NULL || bundle_total_not_run(&check->run) > 0;

    if (stated == NULL ? cut_short : !json_equal(stated, wanted))
        iw_bundle_fault(check, IW_RESULTS_FILE,
            "its header does not state the requirements that its selected cases are about");
    json_decref(wanted);
    stated = json_object_get(header, "available");
    if (stated != NULL && iw_outcome_number(header, "available") != check->plan.run.catalogue->count)
        iw_bundle_fault(check, IW_RESULTS_FILE, "states %" PRIu64 " available cases, but there are %zu",
            iw_outcome_number(header, "available"), check->plan.run.catalogue->count);
}

/* Each selected case has a result for each repeat, unless the summary counts it as not run. */
static void bundle_total_check_list(struct iw_bundle_check *check) {
    const struct iw_outcome_run *run = &check->run;
    uint64_t repeats = bundle_total_wanted_repeats(check),
             stated = iw_outcome_number(run->header, "selected");
    uint64_t found = run->count + bundle_total_not_run(run);
    bool exact = bundle_total_repeats(check) > 0;

    bundle_total_check_selection(check);
    if (stated != check->plan.selection.total)
        iw_bundle_fault(check, IW_RESULTS_FILE,
            "states %" PRIu64 " selected cases, but its options select %zu", stated,
            check->plan.selection.total);
    if (run->summary == NULL || repeats == 0 || repeats > TOTAL_REPEATS_MAX)
        return;
    if (!exact && bundle_total_not_run(run) == 0)
        bundle_total_name_missing(check, repeats);
    if (!exact || found == check->plan.selection.count * repeats)
        return;
    iw_bundle_fault(check, IW_RESULTS_FILE,
        "accounts for %" PRIu64 " results, but %zu case%s ran %" PRIu64 " time%s", found,
        check->plan.selection.count, check->plan.selection.count == 1 ? "" : "s", repeats,
        repeats == 1 ? "" : "s");
    bundle_total_name_missing(check, repeats);
}

static void bundle_total_check_repeats(struct iw_bundle_check *check) {
    uint64_t repeats = iw_outcome_number(check->run.header, "repeats"); /* 0: without limit */

    if (repeats > TOTAL_REPEATS_MAX)
        iw_bundle_fault(check, IW_RESULTS_FILE, "has an impossible number of repeats");
    for (size_t i = 0; i < check->run.count; i++) {
        const struct iw_outcome_case *one = &check->run.cases[i];

        if (repeats == 1 ? one->repeat != 0 : one->repeat == 0 || (repeats > 0 && one->repeat > repeats))
            iw_bundle_fault(
                check, one->id, "has repeat %" PRIu64 " in a run of %" PRIu64, one->repeat, repeats);
    }
}

/* ---- the header against the options ---- */

static void bundle_total_check_flag(
    struct iw_bundle_check *check, const char *key, const char *option, bool given) {
    if (json_is_true(json_object_get(check->run.header, key)) != given)
        iw_bundle_fault(check, IW_RESULTS_FILE, "its header has \"%s\" %s, but its options have %s%s", key,
            given ? "false" : "true", given ? "" : "no ", option);
}

static void bundle_total_check_without(struct iw_bundle_check *check) {
    const struct iw_run_options *options = &check->plan.options;
    const json_t *without = json_object_get(check->run.header, "without");

    for (size_t i = 0; i < options->without_count; i++)
        if (!iw_outcome_lists(without, options->without[i]))
            iw_bundle_fault(check, IW_RESULTS_FILE, "its header lacks --without %.60s of its options",
                options->without[i]);
    if (options->without_count != json_array_size(without))
        iw_bundle_fault(check, IW_RESULTS_FILE, "its header has %zu claims \"without\", its options %zu",
            json_array_size(without), options->without_count);
}

static void bundle_total_check_shard(struct iw_bundle_check *check) {
    const struct iw_shard *shard = &check->plan.options.shard;
    uint64_t number = iw_outcome_number(check->run.header, "shard"),
             count = iw_outcome_number(check->run.header, "shards");

    if (shard->count > 0 ? number == shard->number && count == shard->count : number == count && count <= 1)
        return;
    if (shard->count > 0)
        iw_bundle_fault(check, IW_RESULTS_FILE,
            "its header has shard %" PRIu64 "/%" PRIu64 ", its options %u/%u", number, count, shard->number,
            shard->count);
    else
        iw_bundle_fault(check, IW_RESULTS_FILE,
            "its header has shard %" PRIu64 "/%" PRIu64 ", its options none", number, count);
}

static void bundle_total_check_numbers(struct iw_bundle_check *check) {
    const struct iw_run_limits *limits = &check->plan.run.limits;
    uint64_t repeats = iw_outcome_number(check->run.header, "repeats");
    unsigned wanted = limits->repeats > 0 ? limits->repeats : 1;

    if (!limits->until_failure && repeats != wanted)
        iw_bundle_fault(
            check, IW_RESULTS_FILE, "its header has %" PRIu64 " repeats, its options %u", repeats, wanted);
    if (limits->budget_ms == 0 && iw_outcome_number(check->run.summary, "not_begun") > 0)
        iw_bundle_fault(
            check, IW_RESULTS_FILE, "has cases that were not begun, but its options have no --budget");
}

static void bundle_total_check_network(struct iw_bundle_check *check) {
    const struct iw_network_profile *network = &check->plan.options.network;
    const char *stated = iw_json_member_text(json_object_get(check->run.header, "network"), "profile");

    if (strcmp(stated, network->name) != 0)
        iw_bundle_fault(check, IW_RESULTS_FILE, "its header has the network \"%.100s\", its options \"%s\"",
            stated, network->name);
}

static void bundle_total_check_options(struct iw_bundle_check *check) {
    const struct iw_run_options *options = &check->plan.options;

    bundle_total_check_flag(check, "strict", "--strict", options->strict);
    bundle_total_check_flag(check, "accept_untested", "--accept-untested", options->accept_untested);
    bundle_total_check_flag(check, "simulated", "--simulate", options->simulated);
    bundle_total_check_network(check);
    bundle_total_check_without(check);
    bundle_total_check_shard(check);
    bundle_total_check_numbers(check);
}

/* ---- the summary ---- */

static void bundle_total_check_number(struct iw_bundle_check *check, const char *key, uint64_t value) {
    const json_t *summary = check->run.summary, *stated = json_object_get(summary, key);

    if (stated == NULL ? value != 0 : iw_outcome_number(summary, key) != value)
        iw_bundle_fault(check, IW_RESULTS_FILE, "its summary has %s %" PRIu64 ", but there are %" PRIu64, key,
            iw_outcome_number(summary, key), value);
}

static enum iw_exit bundle_total_exit(const struct iw_outcome_run *run) {
    struct iw_run_counts counts = iw_outcome_run_counts(run);

    return iw_run_exit(&counts, iw_outcome_accepts_untested(run));
}

static void bundle_total_check_summary(struct iw_bundle_check *check) {
    const struct iw_outcome_run *run = &check->run;
    uint64_t exit = iw_outcome_number(run->summary, "exit");

    bundle_total_check_number(check, "cases", run->count);
    for (int i = 0; i < IW_VERDICT_COUNT; i++)
        bundle_total_check_number(check, iw_verdict_key((enum iw_verdict)i), run->counts[i]);
    bundle_total_check_number(check, "wrong_closes", run->wrong_closes);
    bundle_total_check_number(check, "wrong_claims", iw_outcome_object_count(run, "claim"));
    bundle_total_check_number(check, "crashes", iw_outcome_object_count(run, "crash"));
    bundle_total_check_number(check, "flakes", iw_outcome_object_count(run, "flake"));
    if (exit != (uint64_t)bundle_total_exit(run))
        iw_bundle_fault(check, IW_RESULTS_FILE, "its summary has exit %" PRIu64 ", but its cases give %d",
            exit, bundle_total_exit(run));
}

/* ---- lines that follow from the cases ---- */

/* Returns the lines that the cases give: the caller frees them. NULL: memory ran out. */
static char *bundle_total_wanted_lines(const struct iw_outcome_run *run) {
    struct iw_violations *violations = calloc(1, sizeof *violations);
    struct iw_coverage *coverage = calloc(1, sizeof *coverage);
    struct iw_text text;
    char *lines = NULL;

    if (violations != NULL && coverage != NULL && iw_text_open(&text)) {
        iw_outcome_violations(run, violations);
        iw_outcome_coverage(run, coverage);
        iw_results_json_violations(text.out, violations);
        iw_results_json_coverage(text.out, coverage);
        lines = iw_text_close(&text);
    }
    free(violations);
    free(coverage);
    return lines;
}

static char *bundle_total_stated_lines(const struct iw_outcome_run *run) {
    struct iw_text text;

    if (!iw_text_open(&text))
        return NULL;
    for (size_t i = 0; i < json_array_size(run->derived); i++)
        iw_json_line(text.out, json_incref(json_array_get(run->derived, i)));
    return iw_text_close(&text);
}

/* Adds a fault for the first line that differs: the others often follow from it. */
static void bundle_total_check_lines(struct iw_bundle_check *check) {
    char *wanted = bundle_total_wanted_lines(&check->run), *stated = bundle_total_stated_lines(&check->run);
    const char *a = wanted, *b = stated;

    if (wanted == NULL || stated == NULL)
        iw_bundle_note_no_memory();
    while (a != NULL && b != NULL && (*a != '\0' || *b != '\0')) {
        size_t of_a = strcspn(a, "\n"), of_b = strcspn(b, "\n");

        if (of_a != of_b || memcmp(a, b, of_a) != 0) {
            iw_bundle_fault(check, IW_RESULTS_FILE, "has %.*s, but its cases give %.*s",
                of_b > 0 ? (int)of_b : 7, of_b > 0 ? b : "no line", of_a > 0 ? (int)of_a : 7,
                of_a > 0 ? a : "no line");
            break;
        }
        a += of_a + (a[of_a] == '\n');
        b += of_b + (b[of_b] == '\n');
    }
    free(wanted);
    free(stated);
}

/* ---- flaky cases ---- */

static json_t *bundle_total_flake(const struct iw_case *one, const unsigned *verdicts) {
    json_t *object = iw_json_object("flake", NULL, 0), *counts = json_object();

    iw_json_set_text(object, "case", one->id);
    for (int i = 0; i < IW_VERDICT_COUNT; i++)
        if (verdicts[i] > 0)
            json_object_set_new(counts, iw_verdict_key((enum iw_verdict)i), json_integer(verdicts[i]));
    json_object_set_new(object, "verdicts", counts);
    return object;
}

static void bundle_total_check_flake(
    struct iw_bundle_check *check, const struct iw_case *one, const unsigned *verdicts) {
    json_t *wanted = bundle_total_flake(one, verdicts);
    bool found = false;

    for (size_t i = 0; i < json_array_size(check->run.other_objects); i++)
        found |= json_equal(json_array_get(check->run.other_objects, i), wanted) == 1;
    if (!found)
        iw_bundle_fault(check, one->id, "its repeats differ, but no line \"flake\" says so");
    json_decref(wanted);
}

static void bundle_total_check_flakes(struct iw_bundle_check *check) {
    struct iw_repeats repeats;
    const struct iw_case *one;
    const unsigned *verdicts;
    uint64_t count = 0;

    if (iw_repeats_init(&repeats, check->plan.run.catalogue, NULL, 0) != IW_OK) {
        iw_bundle_note_no_memory();
        return;
    }
    for (size_t i = 0; i < check->run.count; i++)
        if ((one = iw_bundle_plan_find(&check->plan, check->run.cases[i].id)) != NULL &&
            !json_is_true(json_object_get(check->run.cases[i].object, "unfinished")))
            iw_repeats_add(&repeats, one, check->run.cases[i].verdict);
    for (size_t i = 0; i < check->plan.selection.count; i++)
        if ((verdicts = iw_repeats_flaky(&repeats, check->plan.selection.cases[i])) != NULL) {
            bundle_total_check_flake(check, check->plan.selection.cases[i], verdicts);
            count++;
        }
    if (count != iw_outcome_object_count(&check->run, "flake"))
        iw_bundle_fault(check, IW_RESULTS_FILE, "%" PRIu64 " cases are flaky, not %" PRIu64, count,
            iw_outcome_object_count(&check->run, "flake"));
    iw_repeats_dispose(&repeats);
}

void iw_bundle_total_check(struct iw_bundle_check *check) {
    if (check->run.summary != NULL)
        bundle_total_check_summary(check);
    if (check->plan.selected)
        bundle_total_check_options(check);
    if (!check->plan.known)
        return;
    if (check->plan.selected)
        bundle_total_check_list(check);
    bundle_total_check_repeats(check);
    if (check->run.summary == NULL)
        return;
    bundle_total_check_lines(check);
    bundle_total_check_flakes(check);
}

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_bundle_check.h"
#include "iw_json_member.h"
#include "iw_outcome_claim.h"
#include "iw_outcome_fact.h"
#include "iw_outcome_report.h"
#include "iw_plural.h"
#include "iw_show.h"

/* Prints what a bundle says. Its texts are untrusted: each is printed as one line, and truncated. */

enum { SUMMARY_TEXT_OCTETS = 300 };

static const char *summary_clean(char shown[SUMMARY_TEXT_OCTETS], const char *text) {
    iw_show_line(shown, SUMMARY_TEXT_OCTETS, text);
    return shown;
}

static void summary_put(FILE *out, const char *name, const char *text) {
    char shown[SUMMARY_TEXT_OCTETS];

    if (text[0] != '\0')
        fprintf(out, "  %-10s  %s\n", name, summary_clean(shown, text));
}

static void summary_put_suite(FILE *out, const struct iw_bundle_check *check) {
    const json_t *header = check->run.header;
    const char *version = iw_json_member_text(header, "version");
    char made[SUMMARY_TEXT_OCTETS], cases[SUMMARY_TEXT_OCTETS];

    fprintf(out, "%s: made by warpcheck %s, cases %s\n", check->bundle->path, summary_clean(made, version),
        summary_clean(cases, iw_json_member_text(header, "catalogue")));
    fprintf(out, "  %-10s  %s; %s\n", "versions",
        strcmp(version, WARPCHECK_VERSION) == 0 ? "warpcheck is this version"
                                                : "this is warpcheck " WARPCHECK_VERSION,
        !check->plan.known     ? "the cases are not those of this program"
        : check->cases != NULL ? "the cases are those of --cases"
                               : "the cases are those of this program");
    summary_put(out, "build", iw_json_member_text(header, "build"));
}

static void summary_put_facts(FILE *out, const struct iw_bundle_check *check, unsigned kinds) {
    if (!iw_outcome_put_facts(out, &check->run, kinds, "  "))
        iw_bundle_note_no_memory();
}

static void summary_put_device(FILE *out, const struct iw_bundle_check *check) {
    summary_put_facts(out, check, IW_OUTCOME_FACT_DEVICE);
    if (json_object_get(check->run.header, "profile") == NULL)
        summary_put(out, "profile", "none");
}

/* The claims tell what was not expected of the device. */
static void summary_put_claims(FILE *out, const struct iw_bundle_check *check) {
    if (json_object_get(check->run.header, "profile") == NULL)
        return;
    fprintf(out, "  %-10s ", "claims");
    for (size_t i = 0; iw_profile_claim(i) != NULL; i++)
        if (iw_outcome_claims(&check->run, iw_profile_claim(i)))
            fprintf(out, " %s", iw_profile_claim(i));
    fputc('\n', out);
}

/* Whether the number of all cases is known. */
static bool summary_knows_total(const struct iw_bundle_plan *plan) {
    return plan->known && plan->selected && plan->sweep.catalogue.count == 0;
}

static void summary_put_selection(FILE *out, const struct iw_bundle_check *check) {
    const struct iw_bundle_plan *plan = &check->plan;
    unsigned shards = plan->run.selection.shards;

    if (summary_knows_total(plan))
        fprintf(out, "  %-10s  %zu of %zu cases", "selected", plan->selection.total, plan->builtin.count);
    else
        fprintf(
            out, "  %-10s  %" PRIu64 " cases", "selected", iw_outcome_number(check->run.header, "selected"));
    if (shards > 1)
        fprintf(out, "; this is part %u of %u, with %zu of them", plan->run.selection.shard, shards,
            plan->selection.count);
    fputc('\n', out);
}

void iw_bundle_summary_print(FILE *out, const struct iw_bundle_check *check) {
    if (!check->read)
        return;
    summary_put_suite(out, check);
    summary_put_device(out, check);
    summary_put_claims(out, check);
    summary_put_facts(out, check, IW_OUTCOME_FACT_TEST);
    summary_put_selection(out, check);
    fprintf(out, "  %-10s  ", "results");
    iw_outcome_put_counts(out, &check->run);
    fprintf(out, "\n  %-10s  ", "coverage");
    iw_outcome_put_coverage(out, &check->run);
    fputc('\n', out);
}

/* ---- what is not proved ---- */

static void summary_put_unproven(FILE *out, size_t count, const char *text) {
    if (count > 0)
        fprintf(out, "  %-10s  %s: %zu\n", "not proved", text, count);
}

static void summary_put_gaps(FILE *out, const struct iw_bundle_check *check) {
    const struct iw_bundle_plan *plan = &check->plan;
    char shown[SUMMARY_TEXT_OCTETS];

    if (!check->read)
        return;
    if (!plan->known)
        fprintf(out, "  not proved  list, titles and levels of the cases, claims and coverage: %s\n",
            summary_clean(shown, plan->unknown));
    else if (!plan->selected)
        fputs("  not proved  which cases were selected: the options of the run are missing\n", out);
    summary_put_unproven(
        out, check->unproven.scripted, "verdicts that rest on what the scripts of their cases saw");
    summary_put_unproven(out, check->unproven.left_out,
        "cases that a script or the agent ended as not applicable or not tested");
    summary_put_unproven(out, check->unproven.unsaved, "repeats without evidence");
    summary_put_unproven(out, check->unproven.limited, "cases with shortened evidence (--evidence-limit)");
    summary_put_unproven(
        out, check->unproven.streamed, "cases in which, by their logs, octets before MPA belong to the ULP");
    fprintf(out,
        "  not proved  %sdevice, firmware, lab, host, times, options, claims, crashes between cases%s\n",
        check->signature_valid ? "what the signer says: " : "",
        check->signature_valid ? "" : ": there is no valid signature");
}

/* ---- the verdict ---- */

static bool summary_is_whole(const struct iw_bundle_check *check) {
    return check->run.summary != NULL && check->plan.known && check->plan.selected &&
           check->plan.run.selection.shards <= 1;
}

enum iw_exit iw_bundle_exit(const struct iw_bundle_check *check) {
    const struct iw_outcome_run *run = &check->run;
    bool fails = run->counts[IW_VERDICT_FAIL] + iw_outcome_object_count(run, "claim") +
                     iw_outcome_object_count(run, "crash") >
                 0;

    if (check->count > 0 || !check->read)
        return IW_EXIT_ENVIRONMENT;
    if (fails)
        return IW_EXIT_VIOLATIONS;
    return iw_outcome_exit(run) == IW_EXIT_CONFORMS && summary_is_whole(check) ? IW_EXIT_CONFORMS
                                                                               : IW_EXIT_UNJUDGED;
}

/* The embedded peer must not pass for the device that `run --device` names. */
static void summary_put_subject(FILE *out, const struct iw_bundle_check *check) {
    bool embedded = strcmp(iw_json_member_text(check->run.header, "peer"), IW_RESULTS_EMBEDDED) == 0;

    fprintf(out, "the %s ", embedded ? "embedded peer" : "device");
}

static void summary_put_fails(FILE *out, const struct iw_bundle_check *check) {
    const struct iw_outcome_run *run = &check->run;
    uint64_t claims = iw_outcome_object_count(run, "claim"), crashes = iw_outcome_object_count(run, "crash");

    fprintf(out, "FAILS: %" PRIu64 " of %zu case%s", run->counts[IW_VERDICT_FAIL], run->count,
        iw_plural(run->count));
    if (claims > 0)
        fprintf(out, ", %" PRIu64 " wrong claim%s", claims, iw_plural(claims));
    if (crashes > 0)
        fprintf(out, ", %" PRIu64 " crash%s between cases", crashes, crashes > 1 ? "es" : "");
}

static void summary_put_unjudged(FILE *out, const struct iw_bundle_check *check) {
    const struct iw_outcome_run *run = &check->run;
    struct iw_run_counts counts = iw_outcome_run_counts(run);
    unsigned unjudged = counts.verdicts[IW_VERDICT_INCONCLUSIVE] + counts.verdicts[IW_VERDICT_NOT_TESTED] +
                        counts.verdicts[IW_VERDICT_ERROR] + counts.left + counts.not_started;

    fputs("is NOT JUDGED: ", out);
    if (run->summary == NULL)
        fputs("the run was cut short", out);
    else if (iw_outcome_exit(run) != IW_EXIT_CONFORMS && unjudged == 0)
        fprintf(out, counts.flakes > 0 ? "%u flaky" : "nothing was tested, and %u not applicable",
            counts.flakes > 0 ? counts.flakes : counts.verdicts[IW_VERDICT_NOT_APPLICABLE]);
    else if (iw_outcome_exit(run) != IW_EXIT_CONFORMS)
        fprintf(out, "%u inconclusive, %u not tested, %u in error, %u not run",
            counts.verdicts[IW_VERDICT_INCONCLUSIVE], counts.verdicts[IW_VERDICT_NOT_TESTED],
            counts.verdicts[IW_VERDICT_ERROR], counts.left + counts.not_started);
    else if (check->plan.run.selection.shards > 1)
        fputs("this is only a part of the run", out);
    else
        fputs("the list of its cases could not be verified", out);
}

/* Puts what the verdict does not cover: it must not be taken for more than was seen. */
static void summary_put_untested(FILE *out, const struct iw_bundle_check *check) {
    const struct iw_outcome_run *run = &check->run;
    const struct iw_bundle_plan *plan = &check->plan;
    uint64_t count = run->counts[IW_VERDICT_NOT_TESTED] + iw_outcome_number(run->summary, "not_begun");
    const char *between = ", as far as it was tested: ";

    if (count > 0) {
        fprintf(out, "%s%" PRIu64 " case%s that appl%s %s not", between, count, iw_plural(count),
            count == 1 ? "ies" : "y", count == 1 ? "was" : "were");
        between = "; ";
    }
    if (plan->sweep.catalogue.count > 0)
        fprintf(out, "%sthe run had only generated cases", between);
    else if (summary_knows_total(plan) && plan->selection.total < plan->builtin.count)
        fprintf(
            out, "%sthe run selected %zu of %zu cases", between, plan->selection.total, plan->builtin.count);
}

void iw_bundle_summary_print_verdict(FILE *out, const struct iw_bundle_check *check) {
    summary_put_gaps(out, check);
    fprintf(out, "%s: %zu file%s, %zu fault%s\n", check->bundle->path, check->bundle->count,
        iw_plural(check->bundle->count), check->count, iw_plural(check->count));
    fprintf(out, "%s: ", check->bundle->path);
    switch (iw_bundle_exit(check)) {
    case IW_EXIT_CONFORMS:
        summary_put_subject(out, check);
        fputs("conforms", out);
        summary_put_untested(out, check);
        break;
    case IW_EXIT_VIOLATIONS:
        summary_put_subject(out, check);
        summary_put_fails(out, check);
        break;
    case IW_EXIT_UNJUDGED:
        summary_put_subject(out, check);
        summary_put_unjudged(out, check);
        break;
    case IW_EXIT_ENVIRONMENT:
    case IW_EXIT_INTERNAL:
        fputs("INVALID: it proves nothing about the device", out);
        break;
    }
    fputc('\n', out);
}

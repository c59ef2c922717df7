#include "iw_grade.h"

#include <stdlib.h>
#include <string.h>

#include "iw_json.h"
#include "iw_outcome_claim.h"
#include "iw_outcome_report.h"
#include "iw_plural.h"
#include "iw_profile.h"

const char *iw_grade_state_name(enum iw_grade_state state) {
    static const char *const names[IW_GRADE_COUNT] = {
        [IW_GRADE_FAILED] = "failed",
        [IW_GRADE_MISSING] = "missing",
        [IW_GRADE_MET] = "met",
        [IW_GRADE_NOT_NEEDED] = "not needed",
    };

    return names[state];
}

/* ---- the requirements of a run ---- */

/* A case without a result in the run counts as not tested, or not applicable, by the claims of the device. */
static void grade_add_absent_case(
    struct iw_coverage *coverage, const struct iw_outcome_run *run, const struct iw_case *one) {
    const char *missing = iw_outcome_missing_claim(run, one);
    char reason[IW_COVERAGE_REASON_OCTETS] = "the run has no result of its cases";
    const struct iw_coverage_result result = {.id = one->id,
        .requirements = one->requirements,
        .count = one->requirement_count,
        .verdict = missing != NULL ? IW_VERDICT_NOT_APPLICABLE : IW_VERDICT_NOT_TESTED,
        .reason = reason};

    if (missing != NULL)
        snprintf(reason, sizeof reason, "the device does not claim %s", missing);
    iw_coverage_add(coverage, &result);
}

/* The results of a case with factors may be those of some of its combinations: "sweep-001.0120". */
static bool grade_has_result(const struct iw_outcome_run *run, const struct iw_case *one) {
    size_t octets = strlen(one->id);

    if (iw_outcome_find(run, one->id, 0) != NULL || iw_outcome_find(run, one->id, 1) != NULL)
        return true;
    for (size_t i = 0; one->factors != NULL && i < run->count; i++)
        if (strncmp(run->cases[i].id, one->id, octets) == 0 && run->cases[i].id[octets] == '.')
            return true;
    return false;
}

static void grade_cover(
    struct iw_grade *grade, const struct iw_outcome_run *run, const struct iw_catalogue *catalogue) {
    iw_outcome_coverage(run, &grade->coverage);
    if (grade->other_catalogue)
        return;
    for (size_t i = 0; i < catalogue->count; i++)
        if (!grade_has_result(run, &catalogue->cases[i]))
            grade_add_absent_case(&grade->coverage, run, &catalogue->cases[i]);
}

/* Whether a case about the requirement that applies has not shown how the device behaves. */
static bool grade_lacks_case(const struct iw_coverage *coverage, const struct iw_requirement *requirement) {
    const unsigned *of = coverage->of[requirement - iw_requirements];

    return of[IW_VERDICT_NOT_TESTED] + of[IW_VERDICT_INCONCLUSIVE] + of[IW_VERDICT_ERROR] > 0;
}

static enum iw_grade_state grade_state(const struct iw_grade_policy *policy,
    const struct iw_coverage *coverage, const struct iw_requirement *requirement) {
    if (iw_requirement_severity(requirement) < policy->level ||
        json_object_get(policy->except, requirement->id) != NULL)
        return IW_GRADE_NOT_NEEDED;
    switch (iw_coverage_state(coverage, requirement)) {
    case IW_COVERAGE_FAILED:
        return IW_GRADE_FAILED;
    case IW_COVERAGE_PASSED:
        return policy->every_case && grade_lacks_case(coverage, requirement) ? IW_GRADE_MISSING
                                                                             : IW_GRADE_MET;
    case IW_COVERAGE_INCONCLUSIVE:
    case IW_COVERAGE_NOT_TESTED:
        return IW_GRADE_MISSING;
    case IW_COVERAGE_NOT_CLAIMED:
    case IW_COVERAGE_ABSENT:
    case IW_COVERAGE_COUNT:
        break;
    }
    return IW_GRADE_NOT_NEEDED;
}

static enum iw_exit grade_exit(const struct iw_grade *grade) {
    if (grade->counts[IW_GRADE_FAILED] + grade->contradictions + grade->crashes > 0)
        return IW_EXIT_VIOLATIONS;
    return grade->counts[IW_GRADE_MISSING] > 0 || grade->counts[IW_GRADE_MET] == 0 || grade->other_catalogue
               ? IW_EXIT_UNJUDGED
               : IW_EXIT_CONFORMS;
}

void iw_grade_run(const struct iw_grade_policy *policy, const struct iw_outcome_run *run,
    const struct iw_catalogue *catalogue, struct iw_grade *grade) {
    *grade = (struct iw_grade){
        .contradictions = (unsigned)iw_outcome_object_count(run, "claim"),
        .crashes = (unsigned)iw_outcome_object_count(run, "crash"),
        .other_catalogue = strcmp(iw_results_text(run->header, "catalogue"), catalogue->digest) != 0,
    };
    grade_cover(grade, run, catalogue);
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        grade->states[i] = grade_state(policy, &grade->coverage, &iw_requirements[i]);
        grade->counts[grade->states[i]]++;
    }
    grade->exit = grade_exit(grade);
}

/* ---- printing ---- */

static unsigned grade_needed(const struct iw_grade *grade) {
    return grade->counts[IW_GRADE_FAILED] + grade->counts[IW_GRADE_MISSING] + grade->counts[IW_GRADE_MET];
}

static void grade_put_requirement(
    FILE *out, const struct iw_grade *grade, const struct iw_requirement *requirement) {
    size_t at = (size_t)(requirement - iw_requirements);
    bool failed = grade->states[at] == IW_GRADE_FAILED;
    const char *reason = grade->coverage.reason[at];

    fprintf(out, "  %-8s  %-18s  %s %s, %s: ", iw_grade_state_name(grade->states[at]), requirement->id,
        requirement->document, requirement->section, iw_level_name(requirement->level));
    if (failed)
        fprintf(out, "%s; see %s\n", requirement->words, grade->coverage.failed[at]);
    else
        fprintf(out, "%s\n", reason[0] != '\0' ? reason : "no case shows it");
}

/* A certificate says nothing about what the device does not claim. */
static void grade_put_unclaimed(FILE *out, const struct iw_outcome_run *run) {
    const char *between = "  not claimed, so not tested:", *claim;

    for (size_t i = 0; (claim = iw_profile_claim(i)) != NULL; i++)
        if (!iw_outcome_claims(run, claim)) {
            fprintf(out, "%s %s", between, claim);
            between = ",";
        }
    if (between[0] == ',')
        fputc('\n', out);
}

void iw_grade_put(FILE *out, const struct iw_grade_policy *policy, const struct iw_outcome_run *run,
    const struct iw_grade *grade) {
    static const char *const verdicts[] = {
        [IW_EXIT_CONFORMS] = "met", [IW_EXIT_VIOLATIONS] = "not met", [IW_EXIT_UNJUDGED] = "not shown"};

    fprintf(out,
        "%s: policy %s (%s): %s; of %u requirements %u met, %u failed, %u missing; %u claim%s contradicted, "
        "%u "
        "crash%s between cases\n",
        run->name, policy->name, policy->title, verdicts[grade->exit], grade_needed(grade),
        grade->counts[IW_GRADE_MET], grade->counts[IW_GRADE_FAILED], grade->counts[IW_GRADE_MISSING],
        grade->contradictions, iw_plural(grade->contradictions), grade->crashes,
        grade->crashes == 1 ? "" : "es");
    if (grade->other_catalogue)
        fputs("  the cases of the run are those of another version: what it leaves out is unknown\n", out);
    for (enum iw_grade_state state = IW_GRADE_FAILED; state <= IW_GRADE_MISSING; state++)
        for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
            if (grade->states[i] == state)
                grade_put_requirement(out, grade, &iw_requirements[i]);
    grade_put_unclaimed(out, run);
}

static json_t *grade_ids(const struct iw_grade *grade, enum iw_grade_state state) {
    json_t *ids = json_array();

    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        if (grade->states[i] == state)
            json_array_append_new(ids, json_string(iw_requirements[i].id));
    return ids;
}

json_t *iw_grade_json(const struct iw_grade_policy *policy, const struct iw_grade *grade) {
    json_t *object = iw_json_object("policy", NULL, 0);

    iw_json_set_text(object, "policy", policy->name);
    iw_json_set_text(object, "title", policy->title);
    json_object_set_new(object, "met", json_boolean(grade->exit == IW_EXIT_CONFORMS));
    json_object_set_new(object, "requirements", json_integer(grade_needed(grade)));
    json_object_set_new(object, "failed", grade_ids(grade, IW_GRADE_FAILED));
    json_object_set_new(object, "missing", grade_ids(grade, IW_GRADE_MISSING));
    json_object_set_new(object, "wrong_claims", json_integer(grade->contradictions));
    json_object_set_new(object, "crashes", json_integer(grade->crashes));
    if (grade->other_catalogue)
        json_object_set_new(object, "other_catalogue", json_true());
    return object;
}

/* ---- partners ---- */

/* A device in the name of a run. */
struct grade_name {
    const char *text;
    size_t octets;
};

static struct grade_name grade_name_of(const struct iw_outcome_run *run, bool responder) {
    size_t octets = iw_outcome_pair(run);

    return responder ? (struct grade_name){run->name + octets + 1, strlen(run->name + octets + 1)}
                     : (struct grade_name){run->name, octets};
}

static bool grade_same_name(struct grade_name one, struct grade_name other) {
    return one.octets == other.octets && strncmp(one.text, other.text, one.octets) == 0;
}

/* Returns whether the run is between the device and another; sets *partner to the other. */
static bool grade_is_between(
    const struct iw_outcome_run *run, struct grade_name device, struct grade_name *partner) {
    struct grade_name initiator = grade_name_of(run, false), responder = grade_name_of(run, true);

    if (iw_outcome_pair(run) == 0)
        return false;
    *partner = grade_same_name(device, initiator) ? responder : initiator;
    return grade_same_name(device, initiator) || grade_same_name(device, responder);
}

/* Returns whether run `at` is the first between the device and its partner; joins the exit codes of all of
 * these into *exit. */
static bool grade_is_first_with(const struct iw_outcome_run *runs, size_t count, size_t at,
    struct grade_name device, enum iw_exit *exit) {
    struct grade_name partner, other;

    *exit = IW_EXIT_CONFORMS;
    if (!grade_is_between(&runs[at], device, &partner))
        return false;
    for (size_t i = 0; i < count; i++)
        if (grade_is_between(&runs[i], device, &other) && grade_same_name(partner, other)) {
            if (i < at)
                return false;
            *exit = iw_exit_join(*exit, iw_outcome_exit(&runs[i]));
        }
    return true;
}

static enum iw_exit grade_put_device(FILE *out, const struct iw_grade_policy *policy,
    const struct iw_outcome_run *runs, size_t count, struct grade_name device) {
    unsigned partners = 0, passed = 0, failed = 0;
    enum iw_exit exit;

    for (size_t i = 0; i < count; i++)
        if (grade_is_first_with(runs, count, i, device, &exit)) {
            partners++;
            passed += exit == IW_EXIT_CONFORMS;
            failed += exit == IW_EXIT_VIOLATIONS;
        }
    exit = partners >= policy->partners && passed >= policy->partners_pass ? IW_EXIT_CONFORMS
           : failed > policy->partners - policy->partners_pass             ? IW_EXIT_VIOLATIONS
                                                                           : IW_EXIT_UNJUDGED;
    if (out != NULL)
        fprintf(out, "%.*s: policy %s: %s; conforms with %u of %u partner%s, demanded: %u of %u\n",
            (int)device.octets, device.text, policy->name,
            exit == IW_EXIT_CONFORMS     ? "met"
            : exit == IW_EXIT_VIOLATIONS ? "not met"
                                         : "not shown",
            passed, partners, iw_plural(partners), policy->partners_pass, policy->partners);
    return exit;
}

/* Whether the device, one of run `at`, is not in the name of an earlier run, nor the initiator of this one.
 */
static bool grade_is_new(const struct iw_outcome_run *runs, size_t at, bool responder) {
    struct grade_name device = grade_name_of(&runs[at], responder), partner;

    for (size_t i = 0; i < at; i++)
        if (grade_is_between(&runs[i], device, &partner))
            return false;
    return !responder || !grade_same_name(device, grade_name_of(&runs[at], false));
}

enum iw_exit iw_grade_put_partners(
    FILE *out, const struct iw_grade_policy *policy, const struct iw_outcome_run *runs, size_t count) {
    enum iw_exit exit = IW_EXIT_CONFORMS;
    bool found = false;

    for (size_t i = 0; i < count; i++)
        for (int responder = 0; responder < 2; responder++)
            if (iw_outcome_pair(&runs[i]) > 0 && grade_is_new(runs, i, responder)) {
                found = true;
                exit = iw_exit_join(
                    exit, grade_put_device(out, policy, runs, count, grade_name_of(&runs[i], responder)));
            }
    if (found)
        return exit;
    if (out != NULL)
        fprintf(out, "policy %s: not shown; no run is named A/B, after an initiator and a responder\n",
            policy->name);
    return IW_EXIT_ENVIRONMENT;
}

#include "iw_grade.h"

#include <stdlib.h>
#include <string.h>

#include "iw_json.h"
#include "iw_json_member.h"
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

const char *iw_grade_verdict(enum iw_exit exit) {
    return exit == IW_EXIT_CONFORMS ? "met" : exit == IW_EXIT_VIOLATIONS ? "not met" : "not shown";
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

/* RFC 5042 describes attacks without a key word, too: to withstand them is good, but not demanded. */
static bool grade_demands(const struct iw_grade_policy *policy, const struct iw_requirement *requirement) {
    return iw_requirement_severity(requirement) >= policy->level &&
           (policy->attacks || !iw_requirement_is_advice(requirement)) &&
           json_object_get(policy->except, requirement->id) == NULL;
}

static enum iw_grade_state grade_state(const struct iw_grade_policy *policy,
    const struct iw_coverage *coverage, const struct iw_requirement *requirement) {
    if (!grade_demands(policy, requirement))
        return IW_GRADE_NOT_NEEDED;
    switch (iw_coverage_state(coverage, requirement)) {
    case IW_COVERAGE_FAILED:
        return IW_GRADE_FAILED;
    case IW_COVERAGE_PASSED:
        return policy->every_case && iw_coverage_lacks_case(coverage, requirement) ? IW_GRADE_MISSING
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
        .other_catalogue = strcmp(iw_json_member_text(run->header, "catalogue"), catalogue->digest) != 0,
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
    const char *reason = iw_coverage_reason(&grade->coverage, requirement);

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
    fprintf(out,
        "%s: policy %s (%s): %s; of %u requirements %u met, %u failed, %u missing; %u claim%s contradicted, "
        "%u "
        "crash%s between cases\n",
        run->name, policy->name, policy->title, iw_grade_verdict(grade->exit), grade_needed(grade),
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

json_t *iw_grade_ids(const enum iw_grade_state states[IW_REQUIREMENT_COUNT], enum iw_grade_state state) {
    json_t *ids = json_array();

    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        if (states[i] == state)
            json_array_append_new(ids, json_string(iw_requirements[i].id));
    return ids;
}

json_t *iw_grade_json(const struct iw_grade_policy *policy, const struct iw_grade *grade) {
    json_t *object = iw_json_object("policy", NULL, 0);

    iw_json_set_text(object, "policy", policy->name);
    iw_json_set_text(object, "title", policy->title);
    json_object_set_new(object, "met", json_boolean(grade->exit == IW_EXIT_CONFORMS));
    iw_json_set_text(object, "verdict", iw_grade_verdict(grade->exit));
    json_object_set_new(object, "requirements", json_integer(grade_needed(grade)));
    json_object_set_new(object, "failed", iw_grade_ids(grade->states, IW_GRADE_FAILED));
    json_object_set_new(object, "missing", iw_grade_ids(grade->states, IW_GRADE_MISSING));
    json_object_set_new(object, "wrong_claims", json_integer(grade->contradictions));
    json_object_set_new(object, "crashes", json_integer(grade->crashes));
    if (grade->other_catalogue)
        json_object_set_new(object, "other_catalogue", json_true());
    return object;
}

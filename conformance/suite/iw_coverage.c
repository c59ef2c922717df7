#include "iw_coverage.h"

#include <string.h>

#include "iw_case.h"
#include "iw_json.h"
#include "iw_json_member.h"
#include "iw_results.h"
#include "iw_trial_result.h"

static bool coverage_is_failure(enum iw_verdict verdict) {
    return iw_verdict_is_tested(verdict) && verdict != IW_VERDICT_PASS;
}

static void coverage_note_failure(struct iw_coverage *coverage, size_t at, const char *id) {
    if (!coverage->failed[at][0])
        snprintf(coverage->failed[at], sizeof coverage->failed[at], "%s", id);
}

static bool coverage_fails(
    const struct iw_coverage_result *result, const struct iw_requirement *requirement) {
    return result->checks_failed &&
           !(result->should && iw_requirement_severity(requirement) == IW_SEVERITY_ERROR);
}

void iw_coverage_add(struct iw_coverage *coverage, const struct iw_coverage_result *result) {
    enum iw_verdict verdict = result->verdict;

    if (result->repeat <= 1)
        coverage->cases[verdict]++;
    for (size_t i = 0; i < result->count; i++) {
        const struct iw_requirement *requirement = result->requirements[i];
        size_t at = requirement ? (size_t)(requirement - iw_requirements) : IW_REQUIREMENT_COUNT;

        if (at == IW_REQUIREMENT_COUNT)
            continue;
        coverage->of[at][verdict]++;
        coverage->unfailed[at] += coverage_is_failure(verdict) && !coverage_fails(result, requirement);
        if (coverage_is_failure(verdict) && coverage_fails(result, requirement))
            coverage_note_failure(coverage, at, result->id);
        /* Not tested is the stronger reason: something can be done about it. */
        if ((verdict == IW_VERDICT_NOT_TESTED && coverage->of[at][verdict] == 1) ||
            (verdict == IW_VERDICT_NOT_APPLICABLE && !coverage->reason[at][0]))
            snprintf(coverage->reason[at], sizeof coverage->reason[at], "%s", result->reason);
    }
}

void iw_coverage_add_finding(
    struct iw_coverage *coverage, const struct iw_requirement *requirement, const char *id) {
    size_t at = (size_t)(requirement - iw_requirements);

    coverage->findings[at]++;
    coverage_note_failure(coverage, at, id);
}

/* The rule for both forms of a result: one that is live, and one that was read from a file. */
static bool coverage_checks_failed(
    const char *script, bool reaction, const char *crash, const char *unresponsive) {
    return script[0] || reaction || crash[0] || unresponsive[0];
}

bool iw_coverage_checks_failed(const json_t *object) {
    return coverage_checks_failed(iw_json_member_text(object, "script"),
        iw_json_member_text(object, "reaction")[0] != '\0', iw_json_member_text(object, "crash"),
        iw_json_member_text(object, "unresponsive"));
}

void iw_coverage_add_trial(struct iw_coverage *coverage, const struct iw_trial_result *trial) {
    bool aside = trial->checks.verdict != IW_VERDICT_PASS;
    const struct iw_coverage_result result = {.id = trial->one->id,
        .requirements = trial->one->requirements,
        .count = trial->one->requirement_count,
        .verdict = aside ? trial->checks.verdict : trial->verdict,
        .checks_failed = coverage_checks_failed(
            trial->reason.script, trial->reason.reaction, trial->device.crash, trial->device.unresponsive),
        .should = trial->severity == IW_SEVERITY_WARNING,
        .repeat = trial->repeat,
        .reason = aside ? trial->checks.message : trial->reason.message};

    iw_coverage_add(coverage, &result);
    for (unsigned i = 0; i < trial->findings.kept_count; i++)
        iw_coverage_add_finding(coverage, trial->findings.kept[i].requirement, trial->one->id);
}

static void coverage_take_case(struct iw_coverage *coverage, const json_t *object, enum iw_verdict verdict) {
    const json_t *ids = json_object_get(object, "requirements"), *id;
    const struct iw_requirement *requirements[IW_CASE_LIST_MAX];
    struct iw_coverage_result result = {.id = iw_json_member_text(object, "case"),
        .requirements = requirements,
        .verdict = verdict,
        .checks_failed = iw_coverage_checks_failed(object),
        .should = strcmp(iw_json_member_text(object, "level"), iw_case_level(IW_SEVERITY_WARNING)) == 0,
        .repeat = json_integer_value(json_object_get(object, "repeat")) > 1 ? 2 : 0,
        .reason = iw_json_member_text(object, "message")};
    size_t i;

    if (iw_verdict_find(iw_json_member_text(object, "checks"), &result.verdict))
        result.reason = iw_json_member_text(object, "checks_message");
    json_array_foreach(ids, i, id) {
        if (result.count < IW_CASE_LIST_MAX && json_is_string(id))
            requirements[result.count++] = iw_requirement_find(json_string_value(id));
    }
    iw_coverage_add(coverage, &result);
}

void iw_coverage_take(struct iw_coverage *coverage, const json_t *object) {
    const char *type = iw_json_member_text(object, "type");
    const struct iw_requirement *requirement;
    enum iw_verdict verdict;

    if (strcmp(type, "case") == 0 && iw_verdict_find(iw_json_member_text(object, "verdict"), &verdict))
        coverage_take_case(coverage, object, verdict);
    else if (strcmp(type, "finding") == 0 &&
             (requirement = iw_requirement_find(iw_json_member_text(object, "requirement"))))
        iw_coverage_add_finding(coverage, requirement, iw_json_member_text(object, "case"));
}

const char *iw_coverage_state_name(enum iw_coverage_state state) {
    static const char *const names[IW_COVERAGE_COUNT] = {
        [IW_COVERAGE_FAILED] = "failed",
        [IW_COVERAGE_PASSED] = "passed",
        [IW_COVERAGE_INCONCLUSIVE] = "inconclusive",
        [IW_COVERAGE_NOT_TESTED] = "not tested",
        [IW_COVERAGE_NOT_CLAIMED] = "not claimed",
        [IW_COVERAGE_ABSENT] = "no case",
    };

    return names[state];
}

unsigned iw_coverage_not_run(const struct iw_coverage *coverage) {
    unsigned results = 0;

    for (size_t i = 0; i < IW_VERDICT_COUNT; i++)
        results += coverage->cases[i];
    return coverage->selected_cases > results ? coverage->selected_cases - results : 0;
}

/* Whether the run selected cases about the requirement, but has ended before it ran them all. */
static bool coverage_is_cut_short(const struct iw_coverage *coverage, size_t at) {
    return coverage->selected[at] && iw_coverage_not_run(coverage) > 0;
}

enum iw_coverage_state iw_coverage_state(
    const struct iw_coverage *coverage, const struct iw_requirement *requirement) {
    size_t at = (size_t)(requirement - iw_requirements);
    const unsigned *of = coverage->of[at];
    unsigned failures = of[IW_VERDICT_FAIL] + of[IW_VERDICT_WARNING] + of[IW_VERDICT_NOTE];

    if (coverage->findings[at] > 0 || failures > coverage->unfailed[at])
        return IW_COVERAGE_FAILED;
    if (of[IW_VERDICT_PASS] + coverage->unfailed[at] > 0)
        return IW_COVERAGE_PASSED;
    if (of[IW_VERDICT_INCONCLUSIVE] + of[IW_VERDICT_ERROR] > 0)
        return IW_COVERAGE_INCONCLUSIVE;
    if (of[IW_VERDICT_NOT_TESTED] > 0)
        return IW_COVERAGE_NOT_TESTED;
    if (of[IW_VERDICT_NOT_APPLICABLE] > 0)
        return IW_COVERAGE_NOT_CLAIMED;
    return coverage_is_cut_short(coverage, at) ? IW_COVERAGE_NOT_TESTED : IW_COVERAGE_ABSENT;
}

const char *iw_coverage_reason(const struct iw_coverage *coverage, const struct iw_requirement *requirement) {
    size_t at = (size_t)(requirement - iw_requirements);
    enum iw_coverage_state state = iw_coverage_state(coverage, requirement);

    if (state != IW_COVERAGE_NOT_TESTED && state != IW_COVERAGE_NOT_CLAIMED)
        return "";
    return coverage->of[at][IW_VERDICT_NOT_TESTED] + coverage->of[at][IW_VERDICT_NOT_APPLICABLE] > 0
               ? coverage->reason[at]
               : "the run ended before its cases";
}

bool iw_coverage_lacks_case(const struct iw_coverage *coverage, const struct iw_requirement *requirement) {
    const unsigned *of = coverage->of[requirement - iw_requirements];

    return of[IW_VERDICT_NOT_TESTED] + of[IW_VERDICT_INCONCLUSIVE] + of[IW_VERDICT_ERROR] > 0;
}

void iw_coverage_count(const struct iw_coverage *coverage, unsigned counts[IW_COVERAGE_COUNT]) {
    for (size_t i = 0; i < IW_COVERAGE_COUNT; i++)
        counts[i] = 0;
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        counts[iw_coverage_state(coverage, &iw_requirements[i])]++;
}

struct numbers {
    unsigned applicable, tested; /* cases */
    unsigned wanted, shown;      /* requirements that cases of the run are about; those tested */
    unsigned states[IW_COVERAGE_COUNT];
};

static struct numbers coverage_numbers(const struct iw_coverage *coverage) {
    struct numbers numbers = {.applicable = iw_coverage_not_run(coverage)};

    for (enum iw_verdict verdict = IW_VERDICT_PASS; verdict < IW_VERDICT_COUNT; verdict++) {
        numbers.applicable += verdict == IW_VERDICT_NOT_APPLICABLE ? 0 : coverage->cases[verdict];
        numbers.tested += iw_verdict_is_tested(verdict) ? coverage->cases[verdict] : 0;
    }
    iw_coverage_count(coverage, numbers.states);
    numbers.shown = numbers.states[IW_COVERAGE_FAILED] + numbers.states[IW_COVERAGE_PASSED];
    numbers.wanted =
        numbers.shown + numbers.states[IW_COVERAGE_INCONCLUSIVE] + numbers.states[IW_COVERAGE_NOT_TESTED];
    return numbers;
}

void iw_coverage_print(FILE *out, const struct iw_coverage *coverage) {
    struct numbers numbers = coverage_numbers(coverage);

    fprintf(out, "requirements: %u of %u tested, %u pass; cases: %u of %u that apply tested", numbers.shown,
        numbers.wanted, numbers.states[IW_COVERAGE_PASSED], numbers.tested, numbers.applicable);
    if (coverage->selected_cases < coverage->available_cases)
        fprintf(out, "; %u of %u cases selected", coverage->selected_cases, coverage->available_cases);
}

/* Prints each reason of the requirements with this state, and their number. */
static void coverage_print_reasons(
    FILE *out, const struct iw_coverage *coverage, enum iw_coverage_state state) {
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        const char *reason = iw_coverage_reason(coverage, &iw_requirements[i]);
        unsigned count = 0;
        bool before = false;

        if (iw_coverage_state(coverage, &iw_requirements[i]) != state)
            continue;
        for (size_t j = 0; j < IW_REQUIREMENT_COUNT; j++)
            if (iw_coverage_state(coverage, &iw_requirements[j]) == state &&
                strcmp(iw_coverage_reason(coverage, &iw_requirements[j]), reason) == 0) {
                before |= j < i;
                count++;
            }
        if (!before)
            fprintf(out, "  %-14s %5u  %s\n", iw_coverage_state_name(state), count, reason);
    }
}

/* Whether no traffic can show a violation of the requirement. */
static bool coverage_is_untestable(const struct iw_requirement *requirement) {
    return requirement->visibility == IW_VISIBILITY_INTERNAL ||
           requirement->visibility == IW_VISIBILITY_OUTSIDE;
}

void iw_coverage_print_states(FILE *out, const struct iw_coverage *coverage) {
    unsigned counts[IW_COVERAGE_COUNT], untestable = 0;

    iw_coverage_count(coverage, counts);
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        untestable += coverage_is_untestable(&iw_requirements[i]) &&
                      iw_coverage_state(coverage, &iw_requirements[i]) == IW_COVERAGE_ABSENT;
    fputs("Requirements:\n", out);
    for (enum iw_coverage_state state = IW_COVERAGE_FAILED; state < IW_COVERAGE_COUNT; state++)
        switch (state) {
        case IW_COVERAGE_FAILED:
        case IW_COVERAGE_PASSED:
        case IW_COVERAGE_INCONCLUSIVE:
            fprintf(out, "  %-14s %5u\n", iw_coverage_state_name(state), counts[state]);
            break;
        case IW_COVERAGE_NOT_TESTED:
        case IW_COVERAGE_NOT_CLAIMED:
            coverage_print_reasons(out, coverage, state);
            break;
        case IW_COVERAGE_ABSENT:
            fprintf(out, "  %-14s %5u  no case in this run\n", "not tested", counts[state] - untestable);
            break;
        case IW_COVERAGE_COUNT:
            break;
        }
    fprintf(out, "  %-14s %5u  the wire does not show them\n", "not testable", untestable);
}

json_t *iw_coverage_json(const struct iw_coverage *coverage) {
    struct numbers numbers = coverage_numbers(coverage);
    json_t *object = iw_json_object("coverage", NULL, 0);

    json_object_set_new(object, "cases_applicable", json_integer(numbers.applicable));
    json_object_set_new(object, "cases_tested", json_integer(numbers.tested));
    json_object_set_new(object, "requirements", json_integer(numbers.wanted));
    json_object_set_new(object, "tested", json_integer(numbers.shown));
    json_object_set_new(object, "passed", json_integer(numbers.states[IW_COVERAGE_PASSED]));
    json_object_set_new(object, "failed", json_integer(numbers.states[IW_COVERAGE_FAILED]));
    json_object_set_new(object, "inconclusive", json_integer(numbers.states[IW_COVERAGE_INCONCLUSIVE]));
    json_object_set_new(object, "not_tested", json_integer(numbers.states[IW_COVERAGE_NOT_TESTED]));
    json_object_set_new(object, "not_claimed", json_integer(numbers.states[IW_COVERAGE_NOT_CLAIMED]));
    return object;
}

json_t *iw_coverage_requirement_json(
    const struct iw_coverage *coverage, const struct iw_requirement *requirement) {
    size_t at = (size_t)(requirement - iw_requirements);
    enum iw_coverage_state state = iw_coverage_state(coverage, requirement);
    json_t *object = iw_json_object("requirement", NULL, 0);
    unsigned cases = 0;

    for (size_t i = 0; i < IW_VERDICT_COUNT; i++)
        cases += coverage->of[at][i];
    iw_json_set_text(object, "requirement", requirement->id);
    iw_json_set_text(object, "level", iw_level_name(requirement->level));
    iw_json_set_text(object, "state", iw_coverage_state_name(state));
    json_object_set_new(object, "cases", json_integer(cases));
    json_object_set_new(object, "findings", json_integer(coverage->findings[at]));
    if (state == IW_COVERAGE_FAILED)
        iw_json_set_text(object, "first", coverage->failed[at]);
    if (state == IW_COVERAGE_NOT_TESTED || state == IW_COVERAGE_NOT_CLAIMED)
        iw_json_set_text(object, "reason", iw_coverage_reason(coverage, requirement));
    return object;
}

#define _GNU_SOURCE /* basename, memmem */
#include <stdlib.h>
#include <string.h>

#include "iw_builtin_suite.h"
#include "iw_bundle_check.h"
#include "iw_json_member.h"

/* Compares each case of the results with the catalogue: its title, requirements and role; its level and
 * verdict; and whether it applies to the device, by the profile and the options of the run. */

static bool bundle_case_has_evidence(const struct iw_outcome_case *one) {
    return iw_json_member_text(one->object, "file")[0] != '\0';
}

static bool bundle_case_has_failed_device(const struct iw_outcome_case *one) {
    return iw_json_member_text(one->object, "crash")[0] != '\0' ||
           iw_json_member_text(one->object, "unresponsive")[0] != '\0';
}

static void bundle_case_check_text(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const char *key, const char *wanted) {
    if (strcmp(iw_json_member_text(one->object, key), wanted) != 0)
        iw_bundle_fault(check, one->id, "its %s is \"%.200s\", not \"%s\"", key,
            iw_json_member_text(one->object, key), wanted);
}

/* A run names the files after the case and its repeat. */
static void bundle_case_check_file(struct iw_bundle_check *check, const struct iw_outcome_case *one) {
    const char *file = basename(iw_json_member_text(one->object, "file"));
    char wanted[IW_OUTCOME_NAME_OCTETS + 16];

    if (one->repeat > 1)
        snprintf(wanted, sizeof wanted, "%s-%u.pcapng", one->id, (unsigned)one->repeat);
    else
        snprintf(wanted, sizeof wanted, "%s.pcapng", one->id);
    if (file[0] != '\0' && strcmp(file, wanted) != 0)
        iw_bundle_fault(check, one->id, "its capture is %.200s, not %s", file, wanted);
}

static void bundle_case_check_facts(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_case *known) {
    json_t *requirements = iw_case_requirement_ids(known);

    bundle_case_check_file(check, one);
    bundle_case_check_text(check, one, "title", known->title);
    bundle_case_check_text(check, one, "role", known->initiator ? "initiator" : "responder");
    if (!json_equal(json_object_get(one->object, "requirements"), requirements))
        iw_bundle_fault(check, one->id, "its requirements are not those of the catalogue");
    json_decref(requirements);
}

/* ---- level and verdict ---- */

/* Returns whether something that decided the verdict can have this severity: the case itself, a finding, or
 * the failure of the device. */
static bool bundle_case_may_have_severity(
    const struct iw_outcome_case *one, const struct iw_case *known, enum iw_severity severity) {
    if (severity == iw_case_severity(known))
        return true;
    if (one->verdict != IW_VERDICT_NOTE && one->verdict != IW_VERDICT_WARNING &&
        one->verdict != IW_VERDICT_FAIL)
        return false;
    for (size_t i = 0; i < json_array_size(one->findings); i++) {
        const struct iw_requirement *requirement =
            iw_requirement_find(iw_json_member_text(json_array_get(one->findings, i), "requirement"));

        if (requirement != NULL && iw_requirement_severity(requirement) == severity)
            return true;
    }
    return severity == IW_SEVERITY_ERROR && bundle_case_has_failed_device(one);
}

/* A failure gives the verdict of its level: note for a MAY, and so on. */
static void bundle_case_check_level(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_case *known) {
    const struct iw_verdict_rules rules = {.strict = check->plan.run.strict};
    const char *level = iw_json_member_text(one->object, "level");
    enum iw_severity severity = IW_SEVERITY_NOTE;
    enum iw_verdict wanted;

    while (severity < IW_SEVERITY_ERROR && strcmp(level, iw_case_level(severity)) != 0)
        severity++;
    if (strcmp(level, iw_case_level(severity)) != 0 || !bundle_case_may_have_severity(one, known, severity)) {
        iw_bundle_fault(check, one->id, "its level is \"%.40s\", but that of the case is \"%s\"", level,
            iw_case_level(iw_case_severity(known)));
        return;
    }
    wanted = iw_trial_result_failure_verdict(&rules, severity);
    if (iw_verdict_is_tested(one->verdict) && one->verdict != IW_VERDICT_PASS && one->verdict != wanted)
        iw_bundle_fault(check, one->id, "its verdict is \"%s\", but a failed %s gives \"%s\"",
            iw_verdict_name(one->verdict), level, iw_verdict_name(wanted));
}

/* Only a case that an outside reason ended is unfinished: --resume runs it again. */
static void bundle_case_check_end(struct iw_bundle_check *check, const struct iw_outcome_case *one) {
    if (json_is_true(json_object_get(one->object, "unfinished")) && one->verdict != IW_VERDICT_INCONCLUSIVE &&
        one->verdict != IW_VERDICT_ERROR)
        iw_bundle_fault(
            check, one->id, "is unfinished, but its verdict is \"%s\"", iw_verdict_name(one->verdict));
}

/* ---- whether it applies ---- */

/* Returns whether the file of the case, or the SCTP of the suite, ends a case as not applicable for this
 * reason. */
static bool bundle_case_gives_reason(const struct iw_case *known, const char *reason) {
    char call[600];

    snprintf(call, sizeof call, "not_applicable(\"%.500s\")", reason);
    for (size_t i = 0; i < iw_builtin_case_count; i++)
        if (strcmp(iw_builtin_cases[i].name, known->file) == 0 &&
            memmem(iw_builtin_cases[i].text, iw_builtin_cases[i].octets, call, strlen(call)) != NULL)
            return true;
    return iw_case_claims(known, "sctp") && strstr(reason, ": the peer accepts streams 0 to ") != NULL;
}

/* The script ended the case with this verdict, or an agent did not support a request. */
static void bundle_case_check_ended(struct iw_bundle_check *check, const struct iw_outcome_case *one,
    const struct iw_case *known, enum iw_verdict verdict, const char *reason) {
    const struct iw_dut_target *target = &check->plan.run.target;

    check->unproven.left_out++;
    if (verdict == IW_VERDICT_NOT_APPLICABLE && check->cases == NULL &&
        !bundle_case_gives_reason(known, reason))
        iw_bundle_fault(
            check, one->id, "no case of %s is not applicable because \"%.200s\"", known->file, reason);
    if (verdict == IW_VERDICT_NOT_TESTED && target->host != NULL && target->agent == NULL &&
        !check->plan.run.rping)
        iw_bundle_fault(check, one->id, "is \"not tested\", but nothing prevented its test");
}

/* Without evidence, a repeat has the verdict of the first. */
static void bundle_case_check_repeat(struct iw_bundle_check *check, const struct iw_outcome_case *one) {
    const struct iw_outcome_case *first = iw_outcome_find(&check->run, one->id, 1);

    check->unproven.unsaved++;
    if (first == NULL || first->verdict != one->verdict)
        iw_bundle_fault(check, one->id, "repeat %u is \"%s\" without evidence", (unsigned)one->repeat,
            iw_verdict_name(one->verdict));
}

/* A case that ran has evidence, unless the device failed before it began. */
static void bundle_case_check_ran(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_case *known) {
    enum iw_verdict checks = one->verdict;
    bool aside = iw_verdict_find(iw_json_member_text(one->object, "checks"), &checks);

    if (bundle_case_has_evidence(one)) {
        if (iw_verdict_is_left_out(checks))
            bundle_case_check_ended(check, one, known, checks,
                aside ? iw_json_member_text(one->object, "checks_message") : one->message);
    } else if (one->repeat > 1) {
        bundle_case_check_repeat(check, one);
    } else if (iw_verdict_is_left_out(one->verdict)) {
        iw_bundle_fault(check, one->id, "is \"%s\" (%.200s), but it applies and can be tested",
            iw_verdict_name(one->verdict), one->message);
    } else if (iw_verdict_is_tested(one->verdict) && !bundle_case_has_failed_device(one)) {
        iw_bundle_fault(check, one->id, "is \"%s\" without evidence", iw_verdict_name(one->verdict));
    }
}

/* Without the options of the run, only the claims decide: how the device was reached is unknown. */
static bool bundle_case_is_decidable(
    const struct iw_bundle_check *check, const struct iw_outcome_case *one, enum iw_verdict verdict) {
    return check->plan.selected ||
           (verdict != IW_VERDICT_NOT_TESTED && one->verdict != IW_VERDICT_NOT_TESTED);
}

static void bundle_case_check_applies(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_case *known) {
    char reason[IW_SELECTION_REASON_OCTETS] = "";
    enum iw_verdict verdict = IW_VERDICT_PASS;
    bool can = iw_selection_can_run(&check->plan.run, known, &verdict, reason);

    if (!bundle_case_is_decidable(check, one, can ? IW_VERDICT_PASS : verdict))
        return;
    if (can)
        bundle_case_check_ran(check, one, known);
    else if (one->verdict != verdict || strcmp(one->message, reason) != 0 || bundle_case_has_evidence(one))
        iw_bundle_fault(check, one->id, "is \"%s\" (%.200s), but it is \"%s\": %s",
            iw_verdict_name(one->verdict), one->message, iw_verdict_name(verdict), reason);
}

void iw_bundle_case_check(struct iw_bundle_check *check) {
    if (check->plan.fault[0] != '\0')
        iw_bundle_fault(check, IW_RESULTS_FILE, "%s", check->plan.fault);
    for (size_t i = 0; check->plan.known && i < check->run.count; i++) {
        const struct iw_outcome_case *one = &check->run.cases[i];
        const struct iw_case *known = iw_bundle_plan_find(&check->plan, one->id);

        if (known == NULL) {
            iw_bundle_fault(check, one->id, "is not a case that the run selected");
            continue;
        }
        bundle_case_check_facts(check, one, known);
        bundle_case_check_level(check, one, known);
        bundle_case_check_end(check, one);
        bundle_case_check_applies(check, one, known);
    }
}

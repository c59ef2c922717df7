#include "iw_bundle_device.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_json_member.h"

/* ---- findings ---- */

/* Counts the findings of this severity. */
static uint64_t bundle_device_count_findings(const struct iw_outcome_case *one, enum iw_severity severity) {
    uint64_t count = 0;

    for (size_t i = 0; i < json_array_size(one->findings); i++) {
        const struct iw_requirement *requirement =
            iw_requirement_find(iw_json_member_text(json_array_get(one->findings, i), "requirement"));

        count += requirement != NULL && iw_requirement_severity(requirement) == severity;
    }
    return count;
}

/* The results keep the severest findings, up to their limit. */
static void bundle_device_check_counts(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_bundle_seen *seen) {
    uint64_t left = IW_TRIAL_FINDINGS_MAX;

    for (int severity = IW_SEVERITY_ERROR; severity >= IW_SEVERITY_NOTE; severity--) {
        uint64_t stated = bundle_device_count_findings(one, (enum iw_severity)severity);
        uint64_t found = seen->result.findings.counts[severity];
        uint64_t wanted = found < left ? found : left;

        left -= wanted;
        if (stated != wanted)
            iw_bundle_fault(check, one->id,
                "its capture shows %" PRIu64 " violation%s of a %s by the device, the results have %" PRIu64,
                wanted, wanted == 1 ? "" : "s", iw_case_level((enum iw_severity)severity), stated);
    }
}

/* A finding that is there twice could stand for a different one, because their numbers are equal. */
static void bundle_device_check_finding(struct iw_bundle_check *check, const struct iw_outcome_case *one,
    const json_t *finding, const struct iw_bundle_texts *stated, const struct iw_bundle_texts *seen) {
    char *text = iw_bundle_finding_text(finding);
    size_t found = text != NULL ? iw_bundle_texts_count(seen, text) : 0;

    if (text == NULL)
        iw_bundle_note_no_memory();
    else if (found < iw_bundle_texts_count(stated, text))
        iw_bundle_fault(check, one->id, "the results have %s in frame %" PRIu64 "%s",
            iw_json_member_text(finding, "requirement"), iw_outcome_number(finding, "frame"),
            found > 0 ? " more often than the capture" : ", the capture does not");
    free(text);
}

static void bundle_device_check_findings(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_bundle_seen *seen) {
    size_t count = json_array_size(one->findings);
    struct iw_bundle_texts stated = {.list = NULL};

    bundle_device_check_counts(check, one, seen);
    if (count > IW_TRIAL_FINDINGS_MAX) {
        iw_bundle_fault(
            check, one->id, "has %zu findings, but a run keeps at most %d", count, IW_TRIAL_FINDINGS_MAX);
        return;
    }
    for (size_t i = 0; i < count; i++)
        iw_bundle_texts_add(&stated, iw_bundle_finding_text(json_array_get(one->findings, i)));
    iw_bundle_texts_sort(&stated);
    for (size_t i = 0; i < count; i++)
        bundle_device_check_finding(check, one, json_array_get(one->findings, i), &stated, &seen->findings);
    iw_bundle_texts_clear(&stated);
}

/* ---- the verdict ---- */

/* Returns whether the reason names a violation that is among the findings. Example of a reason:
 * "RFC5044-4.4-11 in frame 10: ...". */
static bool bundle_device_explains(const struct iw_outcome_case *one) {
    for (size_t i = 0; i < json_array_size(one->findings); i++) {
        const json_t *finding = json_array_get(one->findings, i);
        const char *id = iw_json_member_text(finding, "requirement");

        if (strncmp(one->message, id, strlen(id)) == 0 &&
            strstr(one->message, iw_json_member_text(finding, "message")) != NULL)
            return true;
    }
    return false;
}

static bool bundle_device_names_requirement(const char *message) {
    char id[64];

    snprintf(id, sizeof id, "%.*s", (int)strcspn(message, " :"), message);
    return iw_requirement_find(id) != NULL;
}

/* Returns what the script made of the case, before the findings: PASS if the script may have succeeded. */
static enum iw_verdict bundle_device_checks(const struct iw_outcome_case *one) {
    enum iw_verdict checks;

    if (iw_verdict_find(iw_json_member_text(one->object, "checks"), &checks))
        return checks;
    return iw_verdict_is_tested(one->verdict) ? IW_VERDICT_PASS : one->verdict;
}

/* Judges the findings of the capture as the run did, after the script. */
static void bundle_device_judge_findings(struct iw_trial_result *alone, const struct iw_bundle_check *check,
    const struct iw_outcome_case *one, const struct iw_case *known, const struct iw_bundle_seen *seen) {
    *alone = seen->result;
    alone->one = known;
    alone->verdict = bundle_device_checks(one);
    alone->severity = iw_case_severity(known);
    iw_trial_result_judge(alone, &(struct iw_verdict_rules){.strict = check->plan.run.strict});
}

static bool bundle_device_is_milder(enum iw_verdict verdict, enum iw_verdict than) {
    static const int ranks[IW_VERDICT_COUNT] = {
        [IW_VERDICT_NOTE] = 1, [IW_VERDICT_WARNING] = 2, [IW_VERDICT_FAIL] = 3};

    return ranks[verdict] < ranks[than];
}

/* A verdict is at least as severe as the findings alone make it. If the script gave no verdict on the device,
 * the findings decide it: then it is exactly theirs. Only a crash, or a device that does not respond, makes
 * it worse. */
static void bundle_device_check_verdict(struct iw_bundle_check *check, const struct iw_outcome_case *one,
    const struct iw_case *known, const struct iw_bundle_seen *seen) {
    bool scripted = bundle_device_checks(one) == IW_VERDICT_PASS;
    struct iw_trial_result alone;

    bundle_device_judge_findings(&alone, check, one, known, seen);
    if (scripted ? bundle_device_is_milder(one->verdict, alone.verdict) : one->verdict != alone.verdict)
        iw_bundle_fault(check, one->id, "is \"%s\", but its capture makes it \"%s\": %s",
            iw_verdict_name(one->verdict), iw_verdict_name(alone.verdict), alone.reason.message);
    if (bundle_device_names_requirement(one->message) && !bundle_device_explains(one))
        iw_bundle_fault(check, one->id, "its reason is no finding of it: %.200s", one->message);
}

/* ---- the close ---- */

static void bundle_device_check_close(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_bundle_seen *seen) {
    const struct iw_trial_close *close = &seen->result.close;

    if (strcmp(close->how, one->close) != 0)
        iw_bundle_fault(
            check, one->id, "its close is \"%.40s\", that of its capture \"%s\"", one->close, close->how);
    if (strcmp(close->terminate, iw_json_member_text(one->object, "terminate")) != 0)
        iw_bundle_fault(check, one->id, "its Terminate is \"%.40s\", that of its capture \"%s\"",
            iw_json_member_text(one->object, "terminate"), close->terminate);
}

/* From which finding the failure of the checks follows. That it does, only the run knew: the capture does not
 * show for what the script waited. */
static void bundle_device_check_follows(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_bundle_seen *seen) {
    uint64_t told = iw_outcome_number(one->object, "follows");

    if (told != 0 && told != iw_trial_result_stream_end(&seen->result))
        iw_bundle_fault(check, one->id,
            "its failure follows from the finding %" PRIu64 ", which did not end the stream in its capture",
            told);
}

/* The verdict on the close follows from its kind and from the case. */
static void bundle_device_check_close_verdict(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_case *known) {
    struct iw_trial_result result = {.one = known, .verdict = one->verdict};

    snprintf(result.close.how, sizeof result.close.how, "%s", one->close);
    if (json_is_true(json_object_get(one->object, "unfinished")))
        result.end = IW_TRIAL_UNFINISHED;
    iw_trial_result_judge(&result, &(struct iw_verdict_rules){.strict = false});
    if (strcmp(one->close_verdict, iw_close_verdict_name(result.close.verdict)) != 0)
        iw_bundle_fault(check, one->id, "its close is \"%.40s\", but the case makes it \"%s\"",
            one->close_verdict, iw_close_verdict_name(result.close.verdict));
}

/* ---- claims ---- */

static bool bundle_device_has_claim(const struct iw_outcome_run *run, const char *claim) {
    for (size_t i = 0; i < json_array_size(run->other_objects); i++) {
        const json_t *object = json_array_get(run->other_objects, i);

        if (strcmp(iw_json_member_text(object, "type"), "claim") == 0 &&
            strcmp(iw_json_member_text(object, "claim"), claim) == 0)
            return true;
    }
    return false;
}

/* An agent, and the embedded peer, may have been configured to do it; other devices contradict their claims.
 */
static void bundle_device_check_claims(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_bundle_seen *seen) {
    const struct iw_dut_target *target = &check->plan.run.target;

    if (target->host == NULL || target->agent != NULL)
        return;
    for (unsigned i = 0; i < seen->contradictions.count; i++)
        if (!bundle_device_has_claim(&check->run, seen->contradictions.list[i].claim))
            iw_bundle_fault(check, one->id, "no line \"claim\" says that the device %s",
                seen->contradictions.list[i].message);
}

/* Makes a case of what the results say of it, for cases that this program does not know. */
static void bundle_device_stand_in(struct iw_case *known, const struct iw_outcome_case *one) {
    *known = (struct iw_case){.id = one->id, .title = one->title};
    for (size_t i = 0; i < one->requirement_count && known->requirement_count < IW_CASE_LIST_MAX; i++)
        if (one->known[i] != NULL)
            known->requirements[known->requirement_count++] = one->known[i];
}

void iw_bundle_device_check_shortened(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_bundle_seen *seen) {
    const struct iw_case *known = iw_bundle_plan_find(&check->plan, one->id);
    struct iw_trial_result alone;
    struct iw_case stand_in;

    bundle_device_stand_in(&stand_in, one);
    bundle_device_judge_findings(&alone, check, one, known != NULL ? known : &stand_in, seen);
    if (bundle_device_is_milder(one->verdict, alone.verdict))
        iw_bundle_fault(check, one->id, "is \"%s\", but its capture makes it \"%s\": %s",
            iw_verdict_name(one->verdict), iw_verdict_name(alone.verdict), alone.reason.message);
}

void iw_bundle_device_check(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_bundle_seen *seen) {
    const struct iw_case *known = iw_bundle_plan_find(&check->plan, one->id);
    struct iw_case stand_in;

    check->unproven.scripted += !iw_verdict_is_left_out(one->verdict) && !bundle_device_explains(one);
    bundle_device_check_findings(check, one, seen);
    bundle_device_stand_in(&stand_in, one);
    bundle_device_check_verdict(check, one, known != NULL ? known : &stand_in, seen);
    if (known == NULL)
        return;
    bundle_device_check_close(check, one, seen);
    bundle_device_check_follows(check, one, seen);
    bundle_device_check_close_verdict(check, one, known);
    bundle_device_check_claims(check, one, seen);
}

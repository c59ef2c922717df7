#include "iw_interop.h"

#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_json.h"
#include "iw_outcome_report.h"
#include "iw_plural.h"

const char iw_interop_no_pairs[] = "no run is named A/B, after an initiator and a responder";

/* ---- computation ---- */

/* Returns the name of the initiator or of the responder of a run A/B, which the caller frees; NULL if memory
 * runs out. */
static char *interop_name(const struct iw_outcome_run *run, bool responder) {
    size_t octets = iw_outcome_pair(run);

    return responder ? strdup(run->name + octets + 1) : strndup(run->name, octets);
}

/* Returns the device of this name, which is added if it is new; NULL if memory runs out. Takes the name. */
static struct iw_interop_device *interop_device(struct iw_interop *interop, char *name) {
    for (size_t i = 0; name != NULL && i < interop->count; i++)
        if (strcmp(interop->devices[i].name, name) == 0) {
            free(name);
            return &interop->devices[i];
        }
    if (name == NULL || !iw_array_grow(&interop->devices, interop->count, sizeof *interop->devices)) {
        free(name);
        return NULL;
    }
    interop->devices[interop->count] = (struct iw_interop_device){.name = name};
    return &interop->devices[interop->count++];
}

/* Returns the partner of this name, which is added if it is new; NULL if memory runs out. Takes the name. */
static struct iw_interop_partner *interop_partner(struct iw_interop_device *device, char *name) {
    struct iw_interop_partner *partner;

    for (size_t i = 0; name != NULL && i < device->count; i++)
        if (strcmp(device->partners[i].name, name) == 0) {
            free(name);
            return &device->partners[i];
        }
    if (name == NULL || !iw_array_grow(&device->partners, device->count, sizeof *device->partners)) {
        free(name);
        return NULL;
    }
    partner = &device->partners[device->count++];
    *partner = (struct iw_interop_partner){.name = name, .exit = IW_EXIT_CONFORMS};
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        partner->states[i] = IW_GRADE_NOT_NEEDED;
    return partner;
}

static enum iw_grade_state interop_state(
    const struct iw_coverage *coverage, const struct iw_requirement *requirement) {
    if (iw_coverage_state(coverage, requirement) == IW_COVERAGE_FAILED)
        return IW_GRADE_FAILED;
    if (iw_coverage_lacks_case(coverage, requirement))
        return IW_GRADE_MISSING;
    return iw_coverage_state(coverage, requirement) == IW_COVERAGE_PASSED ? IW_GRADE_MET
                                                                          : IW_GRADE_NOT_NEEDED;
}

static bool interop_add(struct iw_interop *interop, const struct iw_outcome_run *run,
    const struct iw_coverage *coverage, bool responder) {
    struct iw_interop_device *device = interop_device(interop, interop_name(run, responder));
    struct iw_interop_partner *partner =
        device != NULL ? interop_partner(device, interop_name(run, !responder)) : NULL;
    struct iw_run_counts counts = iw_outcome_run_counts(run);

    if (partner == NULL)
        return false;
    partner->runs++;
    partner->exit = iw_exit_join(partner->exit, iw_outcome_exit(run));
    counts.shards = 0; /* what other shards have tested is not known here */
    if (iw_run_tested_nothing(&counts))
        partner->exit = iw_exit_join(partner->exit, IW_EXIT_UNJUDGED);
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        enum iw_grade_state state = interop_state(coverage, &iw_requirements[i]);

        if (state < partner->states[i])
            partner->states[i] = state;
    }
    return true;
}

/* Returns whether the device was tested with itself. */
static bool interop_is_loop(const struct iw_outcome_run *run) {
    size_t octets = iw_outcome_pair(run);

    return strlen(run->name + octets + 1) == octets && memcmp(run->name, run->name + octets + 1, octets) == 0;
}

/* Adds the run to its initiator and to its responder. */
static bool interop_add_run(struct iw_interop *interop, const struct iw_outcome_run *run) {
    struct iw_coverage *coverage;
    bool good;

    if (iw_outcome_pair(run) == 0)
        return true;
    coverage = calloc(1, sizeof *coverage);
    if (coverage == NULL)
        return false;
    iw_outcome_coverage(run, coverage);
    good = interop_add(interop, run, coverage, false) &&
           (interop_is_loop(run) || interop_add(interop, run, coverage, true));
    free(coverage);
    return good;
}

static void interop_judge(const struct iw_grade_policy *policy, struct iw_interop_device *device) {
    unsigned failed = 0;

    for (size_t i = 0; i < device->count; i++) {
        device->conforming += device->partners[i].exit == IW_EXIT_CONFORMS;
        failed += device->partners[i].exit == IW_EXIT_VIOLATIONS;
    }
    device->exit = device->count >= policy->partners && device->conforming >= policy->partners_pass
                       ? IW_EXIT_CONFORMS
                   : failed > policy->partners - policy->partners_pass ? IW_EXIT_VIOLATIONS
                                                                       : IW_EXIT_UNJUDGED;
}

bool iw_interop_init(struct iw_interop *interop, const struct iw_grade_policy *policy,
    const struct iw_outcome_run *runs, size_t count) {
    *interop = (struct iw_interop){.policy = policy, .exit = IW_EXIT_CONFORMS};
    for (size_t i = 0; i < count; i++)
        if (!interop_add_run(interop, &runs[i]))
            return false;
    for (size_t i = 0; i < interop->count; i++) {
        interop_judge(policy, &interop->devices[i]);
        interop->exit = iw_exit_join(interop->exit, interop->devices[i].exit);
    }
    if (interop->count == 0)
        interop->exit = IW_EXIT_ENVIRONMENT;
    return true;
}

void iw_interop_clear(struct iw_interop *interop) {
    for (size_t i = 0; i < interop->count; i++) {
        for (size_t j = 0; j < interop->devices[i].count; j++)
            free(interop->devices[i].partners[j].name);
        free(interop->devices[i].partners);
        free(interop->devices[i].name);
    }
    free(interop->devices);
    *interop = (struct iw_interop){0};
}

/* ---- printing ---- */

const char *iw_interop_partner_verdict(const struct iw_interop_partner *partner) {
    return partner->exit == IW_EXIT_CONFORMS     ? "conforms"
           : partner->exit == IW_EXIT_VIOLATIONS ? "fails"
                                                 : "not judged";
}

static void interop_put_ids(FILE *out, const struct iw_interop_partner *partner, enum iw_grade_state state) {
    const char *between = "";

    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        if (partner->states[i] != state)
            continue;
        if (between[0] == '\0')
            fprintf(out, "    %-8s  ", iw_grade_state_name(state));
        fprintf(out, "%s%s", between, iw_requirements[i].id);
        between = ", ";
    }
    if (between[0] != '\0')
        fputc('\n', out);
}

static void interop_put_device(
    FILE *out, const struct iw_grade_policy *policy, const struct iw_interop_device *device) {
    fprintf(out, "%s: policy %s: %s; conforms with %u of %zu partner%s, demanded: %u of %u\n", device->name,
        policy->name, iw_grade_verdict(device->exit), device->conforming, device->count,
        iw_plural(device->count), policy->partners_pass, policy->partners);
    for (size_t i = 0; i < device->count; i++) {
        const struct iw_interop_partner *partner = &device->partners[i];

        fprintf(out, "  with %s: %s in %u run%s\n", partner->name, iw_interop_partner_verdict(partner),
            partner->runs, iw_plural(partner->runs));
        interop_put_ids(out, partner, IW_GRADE_FAILED);
        interop_put_ids(out, partner, IW_GRADE_MISSING);
    }
}

void iw_interop_put(FILE *out, const struct iw_interop *interop) {
    for (size_t i = 0; i < interop->count; i++)
        interop_put_device(out, interop->policy, &interop->devices[i]);
    if (interop->count == 0)
        fprintf(out, "policy %s: %s; %s\n", interop->policy->name, iw_grade_verdict(IW_EXIT_UNJUDGED),
            iw_interop_no_pairs);
}

static json_t *interop_partner_json(const struct iw_interop_partner *partner) {
    json_t *object = json_object();

    iw_json_set_text(object, "partner", partner->name);
    json_object_set_new(object, "runs", json_integer(partner->runs));
    iw_json_set_text(object, "verdict", iw_interop_partner_verdict(partner));
    json_object_set_new(object, "failed", iw_grade_ids(partner->states, IW_GRADE_FAILED));
    json_object_set_new(object, "missing", iw_grade_ids(partner->states, IW_GRADE_MISSING));
    return object;
}

json_t *iw_interop_json(const struct iw_interop *interop, const struct iw_interop_device *device) {
    enum iw_exit exit = device != NULL ? device->exit : IW_EXIT_UNJUDGED;
    json_t *object = iw_json_object("interop", NULL, 0), *partners = json_array();

    iw_json_set_text(object, "policy", interop->policy->name);
    if (device != NULL)
        iw_json_set_text(object, "device", device->name);
    json_object_set_new(object, "met", json_boolean(exit == IW_EXIT_CONFORMS));
    iw_json_set_text(object, "verdict", iw_grade_verdict(exit));
    json_object_set_new(object, "of", json_integer(interop->policy->partners));
    json_object_set_new(object, "pass", json_integer(interop->policy->partners_pass));
    json_object_set_new(object, "conforming", json_integer(device != NULL ? device->conforming : 0));
    for (size_t i = 0; device != NULL && i < device->count; i++)
        json_array_append_new(partners, interop_partner_json(&device->partners[i]));
    json_object_set_new(object, "partners", partners);
    if (device == NULL)
        iw_json_set_text(object, "message", iw_interop_no_pairs);
    return object;
}

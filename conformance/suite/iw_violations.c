#include "iw_violations.h"

#include <inttypes.h>
#include <string.h>

#include "iw_json.h"
#include "iw_json_member.h"
#include "iw_plural.h"
#include "iw_results.h"

enum { LISTED_MAX = 10 };

static void violations_add_finding(struct iw_violations *violations, const char *id,
    const struct iw_requirement *requirement, uint64_t frame) {
    struct iw_violation *violation = &violations->of[requirement - iw_requirements];
    bool again = violation->last_case == violations->cases;

    if (!again && violation->cases++ == 0) {
        snprintf(violation->first, sizeof violation->first, "%s", id);
        violation->frame = frame;
    }
    if (frame > 0 && !(again && violation->last_frame == frame))
        violation->frames++;
    violation->last_case = violations->cases;
    violation->last_frame = frame;
}

void iw_violations_add(struct iw_violations *violations, const struct iw_trial_result *result) {
    violations->cases++;
    for (unsigned i = 0; i < result->findings.kept_count; i++)
        violations_add_finding(violations, result->one->id, result->findings.kept[i].requirement,
            result->findings.kept[i].frame);
}

void iw_violations_take(struct iw_violations *violations, const json_t *object) {
    const char *type = iw_json_member_text(object, "type");
    const struct iw_requirement *requirement =
        iw_requirement_find(iw_json_member_text(object, "requirement"));
    json_int_t frame = json_integer_value(json_object_get(object, "frame"));

    if (strcmp(type, "case") == 0)
        violations->cases++;
    else if (strcmp(type, "finding") == 0 && violations->cases > 0 && requirement)
        violations_add_finding(
            violations, iw_json_member_text(object, "case"), requirement, frame > 0 ? (uint64_t)frame : 0);
}

const struct iw_violation *iw_violations_of(
    const struct iw_violations *violations, const struct iw_requirement *requirement) {
    return &violations->of[requirement - iw_requirements];
}

size_t iw_violations_order(
    const struct iw_violations *violations, const struct iw_requirement *order[IW_REQUIREMENT_COUNT]) {
    size_t count = 0;

    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        size_t at = count;

        if (violations->of[i].cases == 0)
            continue;
        for (; at > 0 && iw_violations_of(violations, order[at - 1])->cases < violations->of[i].cases; at--)
            order[at] = order[at - 1];
        order[at] = &iw_requirements[i];
        count++;
    }
    return count;
}

static void violations_print_one(
    FILE *out, const struct iw_violation *violation, const struct iw_requirement *requirement) {
    fprintf(out, "  %5u case%s  %s (%s %s, %s): %s\n", violation->cases, iw_plural(violation->cases),
        requirement->id, requirement->document, requirement->section, iw_level_name(requirement->level),
        requirement->words);
    fprintf(out, "               first in %s", violation->first);
    if (violation->frame > 0)
        fprintf(out, ", frame %" PRIu64, violation->frame);
    fputc('\n', out);
}

void iw_violations_print(FILE *out, const struct iw_violations *violations) {
    const struct iw_requirement *order[IW_REQUIREMENT_COUNT];
    size_t count = iw_violations_order(violations, order);

    if (count > 0)
        fprintf(out, "\nViolations by the device:\n");
    for (size_t i = 0; i < count && i < LISTED_MAX; i++)
        violations_print_one(out, iw_violations_of(violations, order[i]), order[i]);
    if (count > LISTED_MAX)
        fprintf(out, "  and %zu more requirement%s\n", count - LISTED_MAX, iw_plural(count - LISTED_MAX));
}

json_t *iw_violations_json(const struct iw_violations *violations, const struct iw_requirement *requirement) {
    const struct iw_violation *violation = iw_violations_of(violations, requirement);
    json_t *object = iw_json_object("violation", NULL, 0);

    iw_json_set_text(object, "requirement", requirement->id);
    iw_json_set_text(object, "document", requirement->document);
    iw_json_set_text(object, "section", requirement->section);
    iw_json_set_text(object, "level", iw_level_name(requirement->level));
    iw_json_set_text(object, "words", requirement->words);
    json_object_set_new(object, "cases", json_integer(violation->cases));
    json_object_set_new(object, "frames", json_integer(violation->frames));
    iw_json_set_text(object, "first", violation->first);
    if (violation->frame > 0)
        json_object_set_new(object, "frame", json_integer((json_int_t)violation->frame));
    return object;
}

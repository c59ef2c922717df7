#include "iw_violations.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

#include "iw_plural.h"

enum { TOLD_MAX = 10 };

void iw_violations_add(struct iw_violations *violations, const struct iw_trial_result *result) {
    for (unsigned i = 0; i < result->kept_count; i++) {
        const struct iw_finding *finding = &result->kept[i];
        struct iw_violation *violation = &violations->of[finding->requirement - iw_requirements];
        bool again = false;

        for (unsigned j = 0; j < i; j++)
            again |= result->kept[j].requirement == finding->requirement;
        if (again)
            continue;
        if (violation->cases++ == 0) {
            violation->first = result->one;
            violation->frame = finding->frame;
        }
    }
}

/* The one with the most cases of those that have not been told; the count of all if there is none. */
static size_t find_most(const struct iw_violations *violations, const bool *told) {
    size_t most = IW_REQUIREMENT_COUNT;

    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        if (!told[i] && violations->of[i].cases > 0 &&
            (most == IW_REQUIREMENT_COUNT || violations->of[i].cases > violations->of[most].cases))
            most = i;
    return most;
}

static void print_one(
    FILE *out, const struct iw_violation *violation, const struct iw_requirement *requirement) {
    fprintf(out, "  %5u case%s  %s (%s %s, %s): %s\n", violation->cases, iw_plural(violation->cases),
        requirement->id, requirement->document, requirement->section, iw_level_name(requirement->level),
        requirement->words);
    fprintf(out, "               first in %s", violation->first->id);
    if (violation->frame > 0)
        fprintf(out, ", frame %" PRIu64, violation->frame);
    fputc('\n', out);
}

void iw_violations_print(FILE *out, const struct iw_violations *violations) {
    bool told[IW_REQUIREMENT_COUNT] = {false};
    unsigned count = 0, more = 0;

    for (size_t at; (at = find_most(violations, told)) < IW_REQUIREMENT_COUNT; told[at] = true) {
        if (count == 0)
            fprintf(out, "\nWhat the device sent violates:\n");
        if (count++ < TOLD_MAX)
            print_one(out, &violations->of[at], &iw_requirements[at]);
        else
            more++;
    }
    if (more > 0)
        fprintf(out, "  and %u requirement%s more\n", more, iw_plural(more));
}

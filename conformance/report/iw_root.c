#include "iw_root.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_json_member.h"
#include "iw_plural.h"

/* Returns the finding from which the failure of the case's checks follows; NULL: from none. */
static const json_t *root_followed(const struct iw_outcome_case *one) {
    uint64_t number = iw_outcome_number(one->object, "follows");

    for (size_t i = 0; number > 0 && i < json_array_size(one->findings); i++)
        if (iw_outcome_number(json_array_get(one->findings, i), "number") == number)
            return json_array_get(one->findings, i);
    return NULL;
}

const json_t *iw_root_finding(const struct iw_outcome_case *one) {
    const struct iw_requirement *worst = NULL;
    const json_t *found = root_followed(one);

    if (found != NULL)
        return found;

    for (size_t i = 0; i < json_array_size(one->findings); i++) {
        const json_t *finding = json_array_get(one->findings, i);
        const struct iw_requirement *requirement =
            iw_requirement_find(iw_json_member_text(finding, "requirement"));

        if (requirement != NULL &&
            (worst == NULL || iw_requirement_severity(requirement) > iw_requirement_severity(worst))) {
            worst = requirement;
            found = finding;
        }
    }
    return found;
}

bool iw_root_is_only_violations(const struct iw_outcome_case *one) {
    char crash[IW_FAULT_OCTETS];

    if (!iw_fault_has(one) || json_array_size(one->findings) == 0)
        return false;
    iw_fault_text(one, IW_FAULT_CRASH, crash);
    return strcmp(crash, "none") == 0 &&
           (!iw_coverage_checks_failed(one->object) || root_followed(one) != NULL);
}

static bool root_is_failure(const struct iw_outcome_case *one) {
    return one->verdict != IW_VERDICT_PASS && !iw_verdict_is_left_out(one->verdict);
}

/* Sets kind, requirement and text of the root of the case. */
static void root_of(const struct iw_outcome_case *one, struct iw_root *root) {
    const json_t *finding = iw_root_finding(one);

    *root = (struct iw_root){.kind = IW_ROOT_CRASH, .first = one};
    iw_fault_text(one, IW_FAULT_CRASH, root->text);
    if (strcmp(root->text, "none") != 0)
        return;
    root->text[0] = '\0';
    root->kind = finding != NULL ? IW_ROOT_VIOLATION : IW_ROOT_BEHAVIOUR;
    if (finding != NULL)
        root->requirement = iw_requirement_find(iw_json_member_text(finding, "requirement"));
    else
        iw_fault_mask(one->actual[0] != '\0' ? one->actual : one->message, root->text);
}

static bool root_is_same(const struct iw_root *one, const struct iw_root *other) {
    return one->kind == other->kind && one->requirement == other->requirement &&
           strcmp(one->text, other->text) == 0;
}

static struct iw_root *root_find(const struct iw_roots *roots, const struct iw_root *wanted) {
    for (size_t i = 0; i < roots->count; i++)
        if (root_is_same(&roots->list[i], wanted))
            return &roots->list[i];
    return NULL;
}

/* The sort is stable by the number of the first case, which grows in the list. */
static int root_compare(const void *a, const void *b) {
    const struct iw_root *one = a, *other = b;

    return one->cases != other->cases  ? (one->cases < other->cases ? 1 : -1)
           : one->first < other->first ? -1
                                       : 1;
}

bool iw_roots_init(struct iw_roots *roots, const struct iw_outcome_run *run) {
    *roots = (struct iw_roots){0};
    for (size_t i = 0; i < run->count; i++) {
        struct iw_root root, *found;

        if (!root_is_failure(&run->cases[i]))
            continue;
        roots->cases++;
        root_of(&run->cases[i], &root);
        found = root_find(roots, &root);
        if (found == NULL) {
            if (!iw_array_grow(&roots->list, roots->count, sizeof root))
                return false;
            found = &roots->list[roots->count++];
            *found = root;
        }
        found->cases++;
    }
    if (roots->count > 0)
        qsort(roots->list, roots->count, sizeof *roots->list, root_compare);
    return true;
}

void iw_roots_clear(struct iw_roots *roots) {
    free(roots->list);
    *roots = (struct iw_roots){0};
}

static void root_put_what(FILE *out, const struct iw_root *root) {
    switch (root->kind) {
    case IW_ROOT_CRASH:
        fprintf(out, "crash: %s\n", root->text);
        break;
    case IW_ROOT_VIOLATION:
        fprintf(out, "violate %s (%s %s, %s): %s\n", root->requirement->id, root->requirement->document,
            root->requirement->section, iw_level_name(root->requirement->level), root->requirement->words);
        break;
    case IW_ROOT_BEHAVIOUR:
        fprintf(out, "%s: %s\n", iw_verdict_name(root->first->verdict),
            root->text[0] != '\0' ? root->text : "no reason given");
        break;
    }
}

static void root_put_first(FILE *out, const struct iw_root *root) {
    const json_t *finding = root->kind == IW_ROOT_VIOLATION ? iw_root_finding(root->first) : NULL;
    char name[IW_OUTCOME_NAME_OCTETS];

    iw_outcome_case_name(root->first, name);
    fprintf(out, "               %s", name);
    if (root->first->capture != NULL)
        fprintf(out, ", %s", root->first->capture);
    if (finding != NULL)
        fprintf(out, ", frame %" PRIu64 ": %s\n", iw_outcome_number(finding, "frame"),
            iw_json_member_text(finding, "message"));
    else if (root->first->expected[0] != '\0')
        fprintf(out, ": expected %s\n", root->first->expected);
    else
        fputc('\n', out);
}

void iw_roots_put(FILE *out, const struct iw_outcome_run *run, const struct iw_roots *roots) {
    fprintf(out, "%s: %zu case%s did not pass, for %zu reason%s%s\n", run->name, roots->cases,
        iw_plural(roots->cases), roots->count, iw_plural(roots->count),
        roots->count > 1    ? "; the most frequent first:"
        : roots->count == 1 ? ":"
                            : "");
    for (size_t i = 0; i < roots->count; i++) {
        fprintf(out, "  %5zu case%s  ", roots->list[i].cases, roots->list[i].cases == 1 ? " " : "s");
        root_put_what(out, &roots->list[i]);
        root_put_first(out, &roots->list[i]);
    }
}

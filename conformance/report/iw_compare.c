#include "iw_compare.h"

#include <stdlib.h>
#include <string.h>

#include "iw_fault.h"
#include "iw_json.h"
#include "iw_json_member.h"
#include "iw_plural.h"

static const struct {
    const char *name, *key;
} compare_names[IW_CHANGE_COUNT] = {
    [IW_CHANGE_REGRESSED] = {"regressed", "regressed"},
    [IW_CHANGE_NEW] = {"new failure", "new"},
    [IW_CHANGE_UNTESTED] = {"no longer tested", "untested"},
    [IW_CHANGE_FLAKY] = {"flaky", "flaky"},
    [IW_CHANGE_OTHER] = {"fails differently", "different"},
    [IW_CHANGE_FAILING] = {"still failing", "failing"},
    [IW_CHANGE_FIXED] = {"fixed", "fixed"},
    [IW_CHANGE_ADDED] = {"newly tested", "added"},
    [IW_CHANGE_NONE] = {"the same", "same"},
};

const char *iw_change_name(enum iw_change change) {
    return compare_names[change].name;
}

/* Returns the worst result of the case in the run; sets *flaky if its repeats have different verdicts. */
static const struct iw_outcome_case *compare_worst(
    const struct iw_outcome_run *run, const char *id, bool *flaky) {
    const struct iw_outcome_case *worst = iw_outcome_find(run, id, 0), *one;

    for (uint64_t repeat = 1; (one = iw_outcome_find(run, id, repeat)) != NULL; repeat++) {
        *flaky |= worst != NULL && one->verdict != worst->verdict;
        if (worst == NULL || one->verdict > worst->verdict)
            worst = one;
    }
    return worst;
}

static bool compare_is_tested(const struct iw_outcome_case *one) {
    return one != NULL && !iw_verdict_is_left_out(one->verdict);
}

static bool compare_same_fault(const struct iw_outcome_case *before, const struct iw_outcome_case *after) {
    char one[IW_FAULT_OCTETS], other[IW_FAULT_OCTETS];

    for (enum iw_fault_part part = 0; part < IW_FAULT_PARTS; part++) {
        iw_fault_text(before, part, one);
        iw_fault_text(after, part, other);
        if (strcmp(one, other) != 0)
            return false;
    }
    return before->verdict == after->verdict;
}

static enum iw_change compare_change(
    const struct iw_outcome_case *before, const struct iw_outcome_case *after, bool flaky) {
    bool tested = compare_is_tested(after);

    if (flaky)
        return IW_CHANGE_FLAKY;
    if (!compare_is_tested(before))
        return !tested ? IW_CHANGE_NONE : after->verdict == IW_VERDICT_PASS ? IW_CHANGE_ADDED : IW_CHANGE_NEW;
    if (!tested)
        return IW_CHANGE_UNTESTED;
    if (after->verdict == IW_VERDICT_PASS)
        return before->verdict == IW_VERDICT_PASS ? IW_CHANGE_NONE : IW_CHANGE_FIXED;
    if (before->verdict == IW_VERDICT_PASS)
        return IW_CHANGE_REGRESSED;
    return compare_same_fault(before, after) ? IW_CHANGE_FAILING : IW_CHANGE_OTHER;
}

static void compare_add(struct iw_compare *compare, const char *id) {
    struct iw_compared *compared = &compare->list[compare->count++];
    bool flaky = false;

    compared->before = compare_worst(compare->before, id, &flaky);
    compared->after = compare_worst(compare->after, id, &flaky);
    compared->change = compare_change(compared->before, compared->after, flaky);
    compare->counts[compared->change]++;
}

/* Adds the cases of the run that are not those of an earlier repeat, nor of `other`. */
static void compare_add_run(
    struct iw_compare *compare, const struct iw_outcome_run *run, const struct iw_outcome_run *other) {
    bool flaky;

    for (size_t i = 0; i < run->count; i++)
        if (run->cases[i].repeat <= 1 &&
            (other == NULL || compare_worst(other, run->cases[i].id, &flaky) == NULL))
            compare_add(compare, run->cases[i].id);
}

bool iw_compare_init(
    struct iw_compare *compare, const struct iw_outcome_run *before, const struct iw_outcome_run *after) {
    *compare = (struct iw_compare){.before = before, .after = after};
    compare->list = calloc(before->count + after->count + 1, sizeof *compare->list);
    if (compare->list == NULL)
        return false;
    compare_add_run(compare, before, NULL);
    compare_add_run(compare, after, before);
    return true;
}

void iw_compare_clear(struct iw_compare *compare) {
    free(compare->list);
    *compare = (struct iw_compare){0};
}

enum iw_exit iw_compare_exit(const struct iw_compare *compare) {
    const unsigned *counts = compare->counts;

    if (counts[IW_CHANGE_REGRESSED] + counts[IW_CHANGE_NEW] + counts[IW_CHANGE_OTHER] > 0)
        return IW_EXIT_VIOLATIONS;
    return counts[IW_CHANGE_UNTESTED] + counts[IW_CHANGE_FLAKY] > 0 || compare->after->summary == NULL
               ? IW_EXIT_UNJUDGED
               : IW_EXIT_CONFORMS;
}

/* ---- printing ---- */

const char *iw_compare_verdict(const struct iw_outcome_case *one) {
    return one != NULL ? iw_verdict_name(one->verdict) : "no result";
}

/* The network that the run was made over; "none" for a run without --network. */
static const char *compare_network(const struct iw_outcome_run *run) {
    const char *network = iw_json_member_text(json_object_get(run->header, "network"), "profile");

    return network[0] != '\0' ? network : "none";
}

static bool compare_networks_differ(const struct iw_compare *compare) {
    return strcmp(compare_network(compare->before), compare_network(compare->after)) != 0;
}

/* What happened now; for a case that is no longer tested, why not. */
static const char *compare_reason(const struct iw_compared *compared) {
    const struct iw_outcome_case *after = compared->after;

    if (after == NULL)
        return "no result in this run";
    if (after->verdict == IW_VERDICT_PASS)
        return "";
    return iw_verdict_is_left_out(after->verdict) || after->actual[0] == '\0' ? after->message
                                                                              : after->actual;
}

static void compare_put_case(FILE *out, const struct iw_compared *compared) {
    const struct iw_outcome_case *one = compared->after != NULL ? compared->after : compared->before;
    const char *reason = compare_reason(compared);

    fprintf(out, "%-17s  %-22s  %s -> %s: %s%s%s\n", iw_change_name(compared->change), one->id,
        iw_compare_verdict(compared->before), iw_compare_verdict(compared->after), one->title,
        reason[0] != '\0' ? "; " : "", reason);
}

/* Prints the cases that are no longer tested, or newly tested, by reason: there may be very many. Returns
 * false if memory runs out. */
static bool compare_put_groups(FILE *out, const struct iw_compare *compare, enum iw_change change) {
    struct iw_reasons reasons = {0};
    bool good = true;

    for (size_t i = 0; i < compare->count && good; i++) {
        const struct iw_compared *compared = &compare->list[i];
        const struct iw_outcome_case *one = compared->after != NULL ? compared->after : compared->before;

        if (compared->change == change)
            good = iw_reasons_add(&reasons, one->verdict, compare_reason(compared), one->id);
    }
    for (size_t i = 0; i < reasons.count; i++) {
        const struct iw_reason *reason = &reasons.list[i];

        fprintf(out, "%-17s  %u case%s, the first %s%s%s\n", iw_change_name(change), reason->cases,
            iw_plural(reason->cases), reason->first, reason->text[0] != '\0' ? ": " : "", reason->text);
    }
    iw_reasons_dispose(&reasons);
    return good;
}

static void compare_put_cases(FILE *out, const struct iw_compare *compare, enum iw_change change) {
    for (size_t i = 0; i < compare->count; i++)
        if (compare->list[i].change == change)
            compare_put_case(out, &compare->list[i]);
}

bool iw_compare_put(FILE *out, const struct iw_compare *compare) {
    const char *between = "";
    bool good = true;

    for (enum iw_change change = 0; change < IW_CHANGE_NONE; change++)
        if (change == IW_CHANGE_UNTESTED || change == IW_CHANGE_ADDED)
            good &= compare_put_groups(out, compare, change);
        else
            compare_put_cases(out, compare, change);
    fprintf(out, "%s -> %s: ", compare->before->name, compare->after->name);
    for (enum iw_change change = 0; change < IW_CHANGE_COUNT; change++) {
        fprintf(out, "%s%u %s", between, compare->counts[change], iw_change_name(change));
        between = ", ";
    }
    fputc('\n', out);
    if (compare_networks_differ(compare))
        fprintf(out, "The networks differ (run --network): %s -> %s\n", compare_network(compare->before),
            compare_network(compare->after));
    return good;
}

static json_t *compare_case_json(const struct iw_compared *compared) {
    const struct iw_outcome_case *one = compared->after != NULL ? compared->after : compared->before;
    json_t *object = iw_json_object("change", NULL, 0);

    iw_json_set_text(object, "case", one->id);
    iw_json_set_text(object, "title", one->title);
    iw_json_set_text(object, "change", compare_names[compared->change].key);
    iw_json_set_text(object, "before", iw_compare_verdict(compared->before));
    iw_json_set_text(object, "after", iw_compare_verdict(compared->after));
    iw_json_set_text(object, "message", compare_reason(compared));
    return object;
}

bool iw_compare_put_jsonl(FILE *out, const struct iw_compare *compare) {
    json_t *object = iw_json_object("comparison", NULL, 0);
    bool good = true;

    for (size_t i = 0; i < compare->count; i++)
        if (compare->list[i].change != IW_CHANGE_NONE)
            good &= iw_json_line(out, compare_case_json(&compare->list[i]));
    iw_json_set_text(object, "before", compare->before->name);
    iw_json_set_text(object, "after", compare->after->name);
    if (compare_networks_differ(compare)) {
        iw_json_set_text(object, "network_before", compare_network(compare->before));
        iw_json_set_text(object, "network_after", compare_network(compare->after));
    }
    for (enum iw_change change = 0; change < IW_CHANGE_COUNT; change++)
        json_object_set_new(
            object, compare_names[change].key, json_integer((json_int_t)compare->counts[change]));
    return iw_json_line(out, object) && good;
}

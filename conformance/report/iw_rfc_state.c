#include "iw_rfc_page.h"

#include <string.h>

static const struct {
    const char *name, *key, *class, *bar;
} states[IW_RFC_STATE_COUNT] = {
    [IW_RFC_FAILED] = {"failed", "failed", "violates", "bar-failed"},
    [IW_RFC_PASSED] = {"passed", "passed", "conforms", "bar-passed"},
    [IW_RFC_INCONCLUSIVE] = {"inconclusive", "inconclusive", "warning", "bar-open"},
    [IW_RFC_NOT_TESTED] = {"not tested", "not-tested", "unjudged", "bar-untested"},
    [IW_RFC_NOT_CLAIMED] = {"not claimed", "not-claimed", "waived", "bar-unclaimed"},
    [IW_RFC_NO_CASE] = {"no case in the run", "no-case", "waived", "bar-unclaimed"},
    [IW_RFC_WIRE] = {"in any capture", "wire", "note", "bar-wire"},
    [IW_RFC_ACTIVE] = {"if provoked", "active", "unjudged", "bar-untested"},
    [IW_RFC_NOT_TESTABLE] = {"not testable", "not-testable", "waived", NULL},
};

const char *iw_rfc_state_name(enum iw_rfc_state state) {
    return states[state].name;
}

const char *iw_rfc_state_key(enum iw_rfc_state state) {
    return states[state].key;
}

const char *iw_rfc_state_class(enum iw_rfc_state state) {
    return states[state].class;
}

const char *iw_rfc_state_bar(enum iw_rfc_state state) {
    return states[state].bar;
}

static enum iw_rfc_state rfc_state_by_visibility(const struct iw_requirement *requirement) {
    switch (requirement->visibility) {
    case IW_VISIBILITY_WIRE:
        return IW_RFC_WIRE;
    case IW_VISIBILITY_ACTIVE:
        return IW_RFC_ACTIVE;
    case IW_VISIBILITY_INTERNAL:
    case IW_VISIBILITY_OUTSIDE:
        break;
    }
    return IW_RFC_NOT_TESTABLE;
}

enum iw_rfc_state iw_rfc_state_of(const struct iw_rfc_page *page, size_t run, size_t requirement) {
    static const enum iw_rfc_state of[IW_COVERAGE_COUNT] = {
        [IW_COVERAGE_FAILED] = IW_RFC_FAILED,
        [IW_COVERAGE_PASSED] = IW_RFC_PASSED,
        [IW_COVERAGE_INCONCLUSIVE] = IW_RFC_INCONCLUSIVE,
        [IW_COVERAGE_NOT_TESTED] = IW_RFC_NOT_TESTED,
        [IW_COVERAGE_NOT_CLAIMED] = IW_RFC_NOT_CLAIMED,
        [IW_COVERAGE_ABSENT] = IW_RFC_NO_CASE,
    };
    enum iw_rfc_state visible = rfc_state_by_visibility(&iw_requirements[requirement]), state;

    if (page->report->count == 0)
        return visible;
    state = of[iw_coverage_state(&page->coverages[run], &iw_requirements[requirement])];
    return state == IW_RFC_NO_CASE && visible == IW_RFC_NOT_TESTABLE ? IW_RFC_NOT_TESTABLE : state;
}

enum iw_rfc_state iw_rfc_state_worst(const struct iw_rfc_page *page, size_t requirement) {
    /* What was not tested is worse than what passed. */
    static const enum iw_rfc_state order[] = {IW_RFC_FAILED, IW_RFC_INCONCLUSIVE, IW_RFC_NOT_TESTED,
        IW_RFC_PASSED, IW_RFC_NOT_CLAIMED, IW_RFC_NO_CASE};

    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (size_t run = 0; run < page->report->count; run++)
            if (iw_rfc_state_of(page, run, requirement) == order[i])
                return order[i];
    return iw_rfc_state_of(page, 0, requirement);
}

bool iw_rfc_state_is_used(const struct iw_rfc_page *page, enum iw_rfc_state state) {
    if (state == IW_RFC_NOT_TESTABLE)
        return true;
    return (state == IW_RFC_WIRE || state == IW_RFC_ACTIVE) == (page->report->count == 0);
}

unsigned iw_rfc_state_count(
    const struct iw_rfc_page *page, size_t run, const char *document, unsigned counts[IW_RFC_STATE_COUNT]) {
    unsigned total = 0;

    memset(counts, 0, IW_RFC_STATE_COUNT * sizeof *counts);
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        if (document != NULL && strcmp(iw_requirements[i].document, document) != 0)
            continue;
        counts[iw_rfc_state_of(page, run, i)]++;
        total++;
    }
    return total;
}

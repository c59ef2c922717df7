#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_upper_state.h"

static void upper_finding_fill(const struct iw_upper *upper, struct iw_upper_finding *finding,
    enum iw_upper_rule_id rule, uint64_t about, const char *expected, const char *actual) {
    *finding = (struct iw_upper_finding){.rule = &iw_upper_rules[rule],
        .frame = upper->frame,
        .time_ns = upper->time_ns,
        .about_frame = about,
        .side = upper->side};
    snprintf(finding->expected, sizeof finding->expected, "%s", expected);
    snprintf(finding->actual, sizeof finding->actual, "%s", actual);
}

static void upper_finding_add(struct iw_upper *upper, const struct iw_upper_finding *finding) {
    upper->counts.findings[iw_upper_rule_severity(finding->rule)]++;
    if (upper->rules == NULL)
        upper->rules = calloc(IW_UPPER_RULE_COUNT, sizeof *upper->rules);
    if (upper->rules != NULL)
        upper->rules[finding->rule - iw_upper_rules].of[finding->side]++;
    else
        iw_upper_set_no_memory(upper);
    if (upper->finding_count >= upper->findings_max)
        return;
    if (!iw_array_grow(&upper->findings, upper->finding_count, sizeof *upper->findings)) {
        iw_upper_set_no_memory(upper);
        return;
    }
    upper->findings[upper->finding_count++] = *finding;
    if (upper->handlers->found != NULL)
        upper->handlers->found(upper->user, finding);
}

struct iw_upper_moment iw_upper_set_moment(struct iw_upper *upper, struct iw_upper_moment moment) {
    struct iw_upper_moment previous = {upper->side, upper->frame, upper->time_ns};

    upper->side = moment.side;
    upper->frame = moment.frame;
    upper->time_ns = moment.time_ns;
    return previous;
}

void iw_upper_report(struct iw_upper *upper, enum iw_upper_rule_id rule, uint64_t about, const char *expected,
    const char *actual, const char *format, ...) {
    struct iw_upper_finding finding;
    va_list values;

    upper_finding_fill(upper, &finding, rule, about, expected, actual);
    va_start(values, format);
    vsnprintf(finding.message, sizeof finding.message, format, values);
    va_end(values);
    upper_finding_add(upper, &finding);
}

void iw_upper_report_later(struct iw_upper *upper, enum iw_upper_rule_id rule, uint64_t about,
    uint64_t received, struct iw_upper_refuter by, const char *expected, const char *actual,
    const char *format, ...) {
    struct iw_upper_pending pending = {.other = iw_side_other(upper->side), .received = received, .by = by};
    va_list values;

    if (received == UINT64_MAX)
        return;
    upper_finding_fill(upper, &pending.finding, rule, about, expected, actual);
    va_start(values, format);
    vsnprintf(pending.finding.message, sizeof pending.finding.message, format, values);
    va_end(values);
    if (upper->reached[pending.other] >= received) {
        upper_finding_add(upper, &pending.finding);
        return;
    }
    if (upper->pending == NULL)
        upper->pending = calloc(IW_UPPER_PENDING_MAX, sizeof *upper->pending);
    if (upper->pending == NULL)
        iw_upper_set_no_memory(upper);
    else if (upper->pending_count == IW_UPPER_PENDING_MAX)
        upper->finding_dropped = true;
    else
        upper->pending[upper->pending_count++] = pending;
}

static void upper_pending_remove(struct iw_upper *upper, unsigned at) {
    upper->pending_count--;
    memmove(
        &upper->pending[at], &upper->pending[at + 1], (upper->pending_count - at) * sizeof *upper->pending);
}

void iw_upper_refute(struct iw_upper *upper, enum iw_side side, uint64_t end, enum iw_upper_refuter_kind kind,
    uint64_t value) {
    for (unsigned i = upper->pending_count; i-- > 0;) {
        const struct iw_upper_pending *pending = &upper->pending[i];

        if (pending->other == side && pending->received >= end && pending->by.kind == kind &&
            pending->by.value == value)
            upper_pending_remove(upper, i);
    }
}

/* Whether what was not read may refute the finding. */
static bool upper_pending_is_open(const struct iw_upper *upper, const struct iw_upper_pending *pending) {
    return pending->by.kind == IW_UPPER_BY_ADVERTISEMENT ? !iw_upper_all_seen(upper)
                                                         : !iw_upper_all_messages_seen(upper);
}

void iw_upper_confirm(struct iw_upper *upper, enum iw_side side, uint64_t reached) {
    for (unsigned i = 0; i < upper->pending_count;) {
        if (upper_pending_is_open(upper, &upper->pending[i])) {
            upper_pending_remove(upper, i);
        } else if (upper->pending[i].other == side && reached >= upper->pending[i].received) {
            upper_finding_add(upper, &upper->pending[i].finding);
            upper_pending_remove(upper, i);
        } else {
            i++;
        }
    }
}

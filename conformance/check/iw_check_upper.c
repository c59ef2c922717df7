#include "iw_check_upper.h"

#include <stdlib.h>

#include "iw_array.h"
#include "iw_check_result.h"

static bool upper_copy_findings(struct iw_check_upper *copy, const struct iw_upper *upper) {
    size_t count;
    const struct iw_upper_finding *findings = iw_upper_findings(upper, &count);

    if (count == 0)
        return true;
    copy->findings = calloc(count, sizeof *copy->findings);
    if (copy->findings == NULL)
        return false;
    copy->finding_count = count;
    for (size_t i = 0; i < count; i++)
        copy->findings[i].finding = findings[i];
    return true;
}

static uint64_t upper_count_kept(
    const struct iw_check_upper *copy, const struct iw_upper_rule *rule, enum iw_side side) {
    uint64_t kept = 0;

    for (size_t i = 0; i < copy->finding_count; i++)
        kept += copy->findings[i].finding.rule == rule && copy->findings[i].finding.side == side;
    return kept;
}

/* After the findings. */
static bool upper_copy_breaches(struct iw_check_upper *copy, const struct iw_upper *upper) {
    const struct iw_upper_rule_count *counts = iw_upper_rule_counts(upper);

    for (size_t i = 0; counts != NULL && i < IW_UPPER_RULE_COUNT; i++)
        for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
            if (counts[i].of[side] == 0)
                continue;
            if (!iw_array_grow(&copy->breaches, copy->breach_count, sizeof *copy->breaches))
                return false;
            copy->breaches[copy->breach_count++] = (struct iw_check_upper_breach){.rule = &iw_upper_rules[i],
                .side = side,
                .count = counts[i].of[side],
                .kept = upper_count_kept(copy, &iw_upper_rules[i], side)};
        }
    return true;
}

static void upper_copy_calls(struct iw_check_upper *copy, const struct iw_upper *upper) {
    const struct iw_upper_call *calls = iw_upper_calls(upper, &copy->call_count);

    for (size_t i = 0; i < copy->call_count && i < IW_CHECK_UPPER_CALLS; i++) {
        copy->calls[i].call = calls[i];
        iw_upper_call_name(upper, &calls[i], copy->calls[i].name);
    }
}

struct iw_check_upper *iw_check_upper_new(struct iw_upper *upper, enum iw_check_upper_mode mode) {
    struct iw_check_upper *copy = calloc(1, sizeof *copy);

    if (copy == NULL)
        return NULL;
    iw_upper_finish(upper);
    copy->mode = mode;
    copy->protocol = iw_upper_protocol(upper);
    copy->complete = iw_upper_complete(upper);
    copy->counts = *iw_upper_counts(upper);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        copy->credits[side] = iw_upper_credits(upper, side);
    upper_copy_calls(copy, upper);
    if (upper_copy_findings(copy, upper) && upper_copy_breaches(copy, upper))
        return copy;
    iw_check_upper_free(copy);
    return NULL;
}

void iw_check_upper_free(struct iw_check_upper *upper) {
    if (upper == NULL)
        return;
    free(upper->breaches);
    free(upper->findings);
    free(upper);
}

void iw_check_upper_place(const struct iw_check_chain *chain, struct iw_check_upper *upper) {
    for (size_t i = 0; i < upper->finding_count; i++) {
        struct iw_check_upper_finding *placed = &upper->findings[i];

        placed->file = iw_check_chain_place(chain, &placed->finding.frame);
        placed->about_file = iw_check_chain_place(chain, &placed->finding.about_frame);
    }
    for (size_t i = 0; i < upper->call_count && i < IW_CHECK_UPPER_CALLS; i++)
        upper->calls[i].file = iw_check_chain_place(chain, &upper->calls[i].call.frame);
}

void iw_check_upper_total(struct iw_check_upper *upper) {
    for (size_t i = 0; i < upper->breach_count; i++) {
        const struct iw_check_upper_breach *breach = &upper->breaches[i];

        if (breach->waiver != NULL)
            upper->waived += breach->count;
        else
            upper->counted[iw_upper_rule_severity(breach->rule)] += breach->count;
    }
}

const struct iw_waiver *iw_check_upper_waiver(
    const struct iw_check_upper *upper, const struct iw_upper_finding *finding) {
    for (size_t i = 0; i < upper->breach_count; i++)
        if (upper->breaches[i].rule == finding->rule && upper->breaches[i].side == finding->side)
            return upper->breaches[i].waiver;
    return NULL;
}

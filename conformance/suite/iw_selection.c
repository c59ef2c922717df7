#include "iw_selection.h"

#include <stdio.h>
#include <stdlib.h>

#include "iw_claim.h"

/* Whether tier and patterns select the case. The patterns apply to id, title and requirement ids. */
static bool selection_has_case(const struct iw_run_config *config, const struct iw_case *one) {
    char subject[1024];
    size_t length = (size_t)snprintf(subject, sizeof subject, "%s\n%s", one->id, one->title);

    for (size_t i = 0; i < one->requirement_count && length < sizeof subject; i++)
        length +=
            (size_t)snprintf(subject + length, sizeof subject - length, "\n%s", one->requirements[i]->id);
    if (config->selection.tiers != 0 && !(config->selection.tiers & 1u << one->tier))
        return false;
    if (config->selection.only && !iw_pattern_found(config->selection.only, subject))
        return false;
    return !config->selection.skip || !iw_pattern_found(config->selection.skip, subject);
}

static void selection_note_requirements(struct iw_selection *selection, const struct iw_case *one) {
    for (size_t i = 0; i < one->requirement_count; i++)
        selection->about[one->requirements[i] - iw_requirements] = true;
}

static bool selection_gave_up(const struct iw_run_config *config) {
    return iw_pattern_gave_up(config->selection.only) || iw_pattern_gave_up(config->selection.skip);
}

const char *iw_selection_failure(const struct iw_run_config *config) {
    return selection_gave_up(config) ? "the pattern of --only or --skip takes too long" : "out of memory";
}

enum iw_status iw_selection_init(struct iw_selection *selection, const struct iw_run_config *config) {
    const struct iw_catalogue *catalogue = config->catalogue;
    unsigned shards = config->selection.shards > 0 ? config->selection.shards : 1;
    unsigned shard = config->selection.shards > 0 ? config->selection.shard - 1 : 0;

    *selection = (struct iw_selection){.cases = calloc(catalogue->count + 1, sizeof *selection->cases)};
    if (!selection->cases)
        return IW_ERR_NOMEM;
    for (size_t i = 0; i < catalogue->count && !selection_gave_up(config); i++) {
        if (!selection_has_case(config, &catalogue->cases[i]))
            continue;
        selection_note_requirements(selection, &catalogue->cases[i]);
        if (selection->total++ % shards == shard)
            selection->cases[selection->count++] = &catalogue->cases[i];
    }
    if (!selection_gave_up(config))
        return IW_OK;
    iw_selection_dispose(selection);
    return IW_ERR_LIMIT;
}

void iw_selection_dispose(struct iw_selection *selection) {
    free(selection->cases);
    *selection = (struct iw_selection){0};
}

/* Returns the first claim that the case or its factor values need and the device lacks; or NULL. */
static const char *selection_missing_claim(const struct iw_run_config *config, const struct iw_case *one) {
    for (size_t i = 0; i < one->claim_count; i++)
        if (!iw_claims_make(&config->claims, one->claims[i]))
            return one->claims[i];
    for (size_t i = 0; one->factors && i < one->factors->count; i++) {
        const char *claim = one->factors->list[i].claims[one->choice.levels[i]];

        if (claim && !iw_claims_make(&config->claims, claim))
            return claim;
    }
    return NULL;
}

/* Returns what the suite needs, and does not have, to run the case; NULL: nothing. */
static const char *selection_missing_access(const struct iw_run_config *config, const struct iw_case *one) {
    if (one->tier == IW_CASE_TIER_RELAY || config->relay)
        return one->tier == IW_CASE_TIER_RELAY && config->relay ? NULL
               : config->relay ? "is not for two devices with the relay between them"
                               : "needs two devices with the relay between them (--relay)";
    if (iw_case_claims(one, "sctp") && config->lacks_sctp)
        return "needs SCTP, which this build of warpcheck lacks";
    if (one->segments && config->network && iw_network_profile_changes_segments(config->network))
        return "needs TCP segments with the bounds that the case gives them; the network changes them";
    if (!config->target.host)
        return NULL;
    if (one->tier == IW_CASE_TIER_AGENT && !config->target.agent)
        return "needs an agent on the device (--agent)";
    if (one->tier == IW_CASE_TIER_RPING && !config->rping)
        return "needs rping at the device (--rping)";
    if (iw_case_claims(one, "sctp") && !config->target.sctp.host && !config->target.agent)
        return "needs the device's SCTP address (--sctp)";
    if (one->initiator && !config->target.starter &&
        !(config->target.agent && one->tier != IW_CASE_TIER_RPING))
        return "needs a command that makes the device connect (--initiator)";
    return NULL;
}

static const char *selection_excluded_danger(const struct iw_run_config *config, const struct iw_case *one) {
    for (size_t bit = 0; iw_case_dangers[bit]; bit++)
        if (config->selection.without_dangers & one->dangers & 1u << bit)
            return iw_case_dangers[bit];
    return NULL;
}

/* The embedded peer risks nothing. */
static bool selection_lacks_permission(const struct iw_run_config *config, const struct iw_case *one) {
    return config->target.host != NULL &&
           (one->dangers & ~config->selection.allowed_dangers & IW_CASE_DANGER_HOST) != 0;
}

bool iw_selection_can_run(const struct iw_run_config *config, const struct iw_case *one,
    enum iw_verdict *verdict, char reason[IW_SELECTION_REASON_OCTETS]) {
    const char *role = one->initiator ? "initiator" : "responder";
    const char *access = selection_missing_access(config, one);
    const char *missing = selection_missing_claim(config, one);
    const char *danger = selection_excluded_danger(config, one);
    bool lacks_role = !iw_claims_make(&config->claims, role);

    *verdict = lacks_role || missing ? IW_VERDICT_NOT_APPLICABLE : IW_VERDICT_NOT_TESTED;
    if (lacks_role)
        snprintf(reason, IW_SELECTION_REASON_OCTETS, "the device does not support the %s role", role);
    else if (missing)
        snprintf(reason, IW_SELECTION_REASON_OCTETS, "needs what the device does not claim: %s", missing);
    else if (access)
        snprintf(reason, IW_SELECTION_REASON_OCTETS, "%s", access);
    else if (danger)
        snprintf(reason, IW_SELECTION_REASON_OCTETS, "left out for its danger: %s", danger);
    else if (selection_lacks_permission(config, one))
        snprintf(reason, IW_SELECTION_REASON_OCTETS,
            "may crash or exhaust the device; --allow-danger host permits it");
    else
        return true;
    return false;
}

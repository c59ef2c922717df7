#include "iw_bundle_plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "iw_bundle.h"
#include "iw_inference.h"
#include "iw_json_member.h"
#include "iw_outcome_claim.h"
#include "iw_outcome_option.h"

enum { PLAN_SEEDS_MAX = 100000 }; /* limit of --random, as the options are untrusted */

__attribute__((format(printf, 2, 3))) static void plan_say(
    char text[IW_BUNDLE_PLAN_TEXT_OCTETS], const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, IW_BUNDLE_PLAN_TEXT_OCTETS, format, arguments);
    va_end(arguments);
}

static void plan_read_options(struct iw_bundle_plan *plan, const struct iw_outcome_run *run) {
    char error[256];

    if (!iw_outcome_read_options(run, &plan->options, error, sizeof error))
        plan_say(plan->fault, "its options are wrong: %s", error);
    iw_run_options_apply(&plan->options, &plan->run);
}

/* ---- the cases of the program ---- */

/* A release has one set of cases: others with its version come from --cases, or are forged. */
static void plan_compare_catalogue(
    struct iw_bundle_plan *plan, const struct iw_outcome_run *run, const char *cases) {
    const char *version = iw_json_member_text(run->header, "version");
    bool own = plan->options.cases != NULL;

    plan->known = strcmp(plan->builtin.digest, iw_json_member_text(run->header, "catalogue")) == 0;
    if (plan->known)
        return;
    plan_say(plan->unknown, "the cases are %s",
        own ? "not those of warpcheck: give --cases" : "those of another warpcheck: use that");
    if (!own && cases == NULL && strcmp(version, WARPCHECK_VERSION) == 0)
        plan_say(plan->fault, "its cases are not those of warpcheck %s", version);
}

static void plan_load_catalogue(
    struct iw_bundle_plan *plan, const struct iw_outcome_run *run, const char *cases) {
    char error[256];

    enum iw_status status = iw_catalogue_init(&plan->builtin, cases, error, sizeof error);

    if (status == IW_ERR_NOMEM || (status != IW_OK && cases == NULL))
        iw_bundle_note_no_memory();
    else if (status != IW_OK)
        plan_say(plan->fault, "cannot be compared with the cases: %.120s", error);
    else
        plan_compare_catalogue(plan, run, cases);
    plan->run.catalogue = &plan->builtin;
}

/* ---- what the device claims ---- */

/* With all claims in the profile, only `without` decides: it has every claim that the device does not make.
 */
static void plan_set_claims(struct iw_bundle_plan *plan, const struct iw_outcome_run *run) {
    const json_t *profile = json_object_get(run->header, "profile");

    plan->profile = iw_profile_default();
    plan->profile.crc_if_asked = true; /* the claim "no-crc" */
    plan->profile.ird = (uint16_t)iw_outcome_number(profile, "ird");
    plan->profile.ord = (uint16_t)iw_outcome_number(profile, "ord");
    plan->run.claims.profile = profile != NULL ? &plan->profile : NULL;
    plan->run.claims.without = plan->without;
    plan->run.claims.without_count = 0;
    for (size_t i = 0; iw_profile_claim(i) != NULL && i < IW_BUNDLE_PLAN_CLAIMS_MAX; i++)
        if (!iw_outcome_claims(run, iw_profile_claim(i)))
            plan->without[plan->run.claims.without_count++] = iw_profile_claim(i);
}

/* Whether the run probes its device. */
static bool plan_infers_profile(const struct iw_bundle_plan *plan, const struct iw_outcome_run *run) {
    return iw_run_options_infer(
        &plan->options, strcmp(iw_json_member_text(run->header, "peer"), IW_RESULTS_EMBEDDED) != 0);
}

/* Nothing contradicts a profile that the suite inferred: of it, only --without counts. */
static void plan_set_stated(struct iw_bundle_plan *plan, const struct iw_outcome_run *run) {
    const json_t *without = json_object_get(run->header, "without");

    plan->stated = plan->run.claims;
    if (!plan_infers_profile(plan, run))
        return;
    plan->stated = (struct iw_claims){.without = plan->denied};
    for (size_t i = 0; i < json_array_size(without) && i < IW_BUNDLE_PLAN_CLAIMS_MAX; i++)
        if (json_is_string(json_array_get(without, i)))
            plan->denied[plan->stated.without_count++] = json_string_value(json_array_get(without, i));
}

static bool plan_has_agent(const struct iw_outcome_run *run) {
    return iw_outcome_has_option(run, "--agent") || iw_json_member_text(run->header, "agent")[0] != '\0';
}

/* A probe cannot deny what each device must have. */
static void plan_check_inferred(
    struct iw_bundle_plan *plan, const struct iw_outcome_run *run, const json_t *stated) {
    struct iw_profile profile;

    if (!iw_profile_of_json(&profile, stated) || !iw_inference_is_possible(&profile, plan_has_agent(run)))
        plan_say(plan->fault, "its profile is not one that a run without --profile infers");
}

/* A built-in profile is known: claims that differ from it are forged. */
static void plan_check_profile(struct iw_bundle_plan *plan, const struct iw_outcome_run *run) {
    const char *name = plan->options.profile;
    const json_t *stated = json_object_get(run->header, "profile");
    struct iw_profile profile;
    char error[256];
    json_t *wanted;

    if (plan->selected && name == NULL && stated != NULL && plan_infers_profile(plan, run))
        plan_check_inferred(plan, run, stated);
    else if (plan->selected && (name != NULL) != (stated != NULL))
        plan_say(plan->fault, "has %s, but its options have %s", stated != NULL ? "a profile" : "no profile",
            name != NULL ? "--profile" : "no --profile");
    if (name == NULL || strpbrk(name, "/.") != NULL ||
        iw_profile_load(&profile, name, error, sizeof error) != IW_OK)
        return;
    wanted = iw_profile_json(&profile);
    if (!json_equal(wanted, stated))
        plan_say(plan->fault, "its claims are not those of the profile %.40s", name);
    json_decref(wanted);
}

/* ---- which cases were selected, and how the device was reached ---- */

/* The header has the shard even if it lacks the options. */
static void plan_set_shard(struct iw_bundle_plan *plan, const struct iw_outcome_run *run) {
    struct iw_run_selection *selection = &plan->run.selection;
    uint64_t shard = iw_outcome_number(run->header, "shard"),
             shards = iw_outcome_number(run->header, "shards");

    selection->shard = selection->shards = 0;
    if (shards > UINT32_MAX || shard > shards || (shard == 0 && shards > 0))
        plan_say(plan->fault, "has an impossible shard");
    else if (shards > 1) {
        selection->shard = (unsigned)shard;
        selection->shards = (unsigned)shards;
    }
}

/* The pointers only tell that there is an agent, a command or an address. */
static void plan_set_access(struct iw_bundle_plan *plan, const struct iw_outcome_run *run) {
    struct iw_dut_target *target = &plan->run.target;
    const char *peer = iw_json_member_text(run->header, "peer");

    target->host = strcmp(peer, IW_RESULTS_EMBEDDED) != 0 ? peer : NULL;
    target->sctp.host = iw_outcome_has_option(run, "--sctp") ? peer : NULL;
    if (plan_has_agent(run))
        target->agent = &plan->agent;
    if (iw_outcome_has_option(run, "--initiator"))
        target->starter = &plan->starter;
    plan->run.lacks_sctp = json_is_true(json_object_get(run->header, "lacks_sctp"));
    plan->run.strict = json_is_true(json_object_get(run->header, "strict"));
}

/* ---- the cases of the run ---- */

/* Generates the cases if the run did (--strength, --random, --combination). */
static void plan_generate(struct iw_bundle_plan *plan) {
    const char *one = plan->options.combination;
    const struct iw_sweep_config config = {.run = &plan->run,
        .strength = plan->options.strength,
        .seed = plan->options.seed,
        .seeds = plan->options.seeds};
    enum iw_status status;
    char error[256];

    if (config.seeds > PLAN_SEEDS_MAX) {
        plan->known = false;
        plan_say(plan->unknown, "there are too many random cases to be generated again");
        return;
    }
    if (one == NULL && config.strength == 0 && config.seeds == 0)
        return;
    status = one != NULL ? iw_sweep_init_one(&plan->sweep, &plan->builtin, one, error, sizeof error)
                         : iw_sweep_init(&plan->sweep, &config);
    if (status == IW_ERR_NOMEM)
        iw_bundle_note_no_memory();
    else if (status != IW_OK)
        plan_say(plan->fault, "--combination %.100s is not a combination", one);
    plan->run.catalogue = &plan->sweep.catalogue;
}

static void plan_list_cases(struct iw_bundle_plan *plan) {
    enum iw_status status = iw_selection_init(&plan->selection, &plan->run);

    if (status == IW_ERR_LIMIT)
        plan_say(plan->fault, "the pattern of its --only or --skip takes too long");
    else if (status != IW_OK)
        iw_bundle_note_no_memory();
    for (size_t i = 0; i < plan->selection.count; i++)
        json_object_set_new(plan->places, plan->selection.cases[i]->id, json_integer((json_int_t)i));
}

void iw_bundle_plan_init(struct iw_bundle_plan *plan, const struct iw_outcome_run *run, const char *cases) {
    *plan = (struct iw_bundle_plan){.options = iw_run_options_default(),
        .places = json_object(),
        .selected = iw_outcome_has_options(run)};
    plan_read_options(plan, run);
    plan_load_catalogue(plan, run, cases);
    plan_set_claims(plan, run);
    plan_set_stated(plan, run);
    plan_check_profile(plan, run);
    plan_set_shard(plan, run);
    plan_set_access(plan, run);
    if (plan->known)
        plan_generate(plan);
    if (plan->known)
        plan_list_cases(plan);
}

void iw_bundle_plan_dispose(struct iw_bundle_plan *plan) {
    iw_selection_dispose(&plan->selection);
    iw_run_options_dispose(&plan->options);
    iw_sweep_dispose(&plan->sweep);
    iw_catalogue_dispose(&plan->builtin);
    json_decref(plan->places);
    *plan = (struct iw_bundle_plan){0};
}

const struct iw_case *iw_bundle_plan_find(const struct iw_bundle_plan *plan, const char *id) {
    const json_t *place = json_object_get(plan->places, id);

    return place != NULL ? plan->selection.cases[json_integer_value(place)] : NULL;
}

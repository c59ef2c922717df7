#include "iw_results.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iw_build_id.h"
#include "iw_json.h"
#include "iw_nic.h"
#include "iw_plural.h"

static const char *const marks[] = {
    [IW_VERDICT_PASS] = "pass",
    [IW_VERDICT_FAIL] = "FAIL",
    [IW_VERDICT_WARNING] = "WARNING",
    [IW_VERDICT_NOTE] = "note",
    [IW_VERDICT_INCONCLUSIVE] = "INCONCL",
    [IW_VERDICT_NOT_APPLICABLE] = "n/a",
    [IW_VERDICT_NOT_TESTED] = "untested",
    [IW_VERDICT_ERROR] = "ERROR",
};

/* The order of verdicts in the summary. */
static const enum iw_verdict verdict_order[] = {IW_VERDICT_PASS, IW_VERDICT_FAIL, IW_VERDICT_WARNING,
    IW_VERDICT_NOTE, IW_VERDICT_INCONCLUSIVE, IW_VERDICT_NOT_TESTED, IW_VERDICT_NOT_APPLICABLE,
    IW_VERDICT_ERROR};

_Static_assert(sizeof verdict_order / sizeof *verdict_order == IW_VERDICT_COUNT, "a verdict is missing");

FILE *iw_results_open(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    FILE *in = NULL;

    if (file < 0)
        return NULL;
    errno = 0;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode))
        in = fdopen(file, "r");
    else if (S_ISDIR(status.st_mode))
        errno = EISDIR;
    if (in == NULL)
        close(file);
    return in;
}

static void results_print_line(FILE *out, const char *name, const char *text) {
    if (text[0])
        fprintf(out, "          %-9s %s\n", name, text);
}

/* Prints the device's first violation, unless the verdict's reason already names it. The reason may be only
 * that the connection ended; the violation then shows why. */
static void results_print_finding(FILE *out, const struct iw_trial_result *result) {
    const struct iw_finding *finding = &result->findings.kept[0];
    size_t length = result->findings.kept_count > 0 ? strlen(finding->requirement->id) : 0;

    if (length == 0 || strncmp(result->reason.message, finding->requirement->id, length) == 0)
        return;
    fprintf(out, "          violates  %s (%s %s, %s)", finding->requirement->id,
        finding->requirement->document, finding->requirement->section,
        iw_level_name(finding->requirement->level));
    if (finding->frame > 0)
        fprintf(out, " in frame %" PRIu64, finding->frame);
    fprintf(out, ": %s\n", finding->message);
}

static void results_print_detail(FILE *out, const struct iw_trial_result *result) {
    char words[IW_TRIAL_EVIDENCE_OCTETS];

    results_print_line(out, "expected", result->reason.expected);
    results_print_line(out, "actual", result->reason.actual);
    results_print_line(out, "because", result->reason.message);
    results_print_finding(out, result);
    results_print_line(out, "waiting", result->close.outstanding);
    if (result->reason.script[0] && result->reason.line > 0)
        fprintf(out, "          at        %s:%d\n", result->reason.script, result->reason.line);
    results_print_line(out, "step", result->reason.step);
    fputs("          requires ", out);
    for (size_t i = 0; i < result->one->requirement_count; i++)
        fprintf(out, " %s", result->one->requirements[i]->id);
    fprintf(out, " (%s)\n", iw_case_level(iw_case_severity(result->one)));
    results_print_line(out, "capture", result->capture);
    iw_trial_evidence_words(&result->evidence, words, sizeof words);
    results_print_line(out, "evidence", words);
}

static void results_print_mark(FILE *out, enum iw_verdict verdict, bool coloured) {
    static const char *const colours[] = {
        [IW_VERDICT_PASS] = "\033[32m",
        [IW_VERDICT_FAIL] = "\033[1;31m",
        [IW_VERDICT_WARNING] = "\033[33m",
        [IW_VERDICT_NOTE] = "\033[36m",
        [IW_VERDICT_INCONCLUSIVE] = "\033[35m",
        [IW_VERDICT_NOT_APPLICABLE] = "\033[2m",
        [IW_VERDICT_NOT_TESTED] = "\033[2m",
        [IW_VERDICT_ERROR] = "\033[1;35m",
    };

    fprintf(out, "%s%-8s%s  ", coloured ? colours[verdict] : "", marks[verdict], coloured ? "\033[0m" : "");
}

void iw_results_print(FILE *out, const struct iw_trial_result *result, bool coloured) {
    results_print_mark(out, result->verdict, coloured);
    fprintf(out, "%-22s  %-62s  ", result->one->id, result->one->title);
    if (result->end != IW_TRIAL_FINISHED || iw_verdict_is_left_out(result->verdict))
        fputs(result->reason.message, out);
    else
        fprintf(out, "%s%s", result->close.how,
            result->close.verdict == IW_CLOSE_WRONG       ? " (wrong)"
            : result->close.verdict == IW_CLOSE_TOLERATED ? " (tolerated)"
                                                          : "");
    if (result->repeat > 0)
        fprintf(out, "  #%u", result->repeat);
    fputc('\n', out);
    if (result->verdict != IW_VERDICT_PASS && !iw_verdict_is_left_out(result->verdict) &&
        result->end == IW_TRIAL_FINISHED)
        results_print_detail(out, result);
    fflush(out);
}

/* Prints the number of each verdict that occurs; with `all`, also 0 for others except
 * warning, note and not tested. */
static void results_print_verdicts(FILE *out, const unsigned *verdicts, bool all) {
    const char *between = "";

    for (size_t i = 0; i < IW_VERDICT_COUNT; i++) {
        enum iw_verdict verdict = verdict_order[i];
        bool rare =
            verdict == IW_VERDICT_WARNING || verdict == IW_VERDICT_NOTE || verdict == IW_VERDICT_NOT_TESTED;

        if (verdicts[verdict] == 0 && (rare || !all))
            continue;
        fprintf(out, "%s%u %s", between, verdicts[verdict], iw_verdict_name(verdict));
        between = ", ";
    }
}

void iw_results_print_summary(
    FILE *out, const struct iw_run_counts *counts, const struct iw_coverage *coverage) {
    char empty[IW_RUN_EMPTY_SHARD_OCTETS];

    fprintf(out, "\n%u case%s: ", counts->cases, iw_plural(counts->cases));
    results_print_verdicts(out, counts->verdicts, true);
    if (counts->contradictions > 0)
        fprintf(out, "; %u wrong claim%s", counts->contradictions, iw_plural(counts->contradictions));
    if (counts->crashes > 0)
        fprintf(out, "; %u crash%s between cases", counts->crashes, counts->crashes > 1 ? "es" : "");
    if (counts->flakes > 0)
        fprintf(out, "; %u flaky", counts->flakes);
    if (counts->wrong_closes > 0)
        fprintf(out, "; %u wrong close%s", counts->wrong_closes, iw_plural(counts->wrong_closes));
    if (counts->left > 0)
        fprintf(out, "; interrupted: %u not run", counts->left);
    if (counts->not_started > 0)
        fprintf(out, "; %u not begun within the budget", counts->not_started);
    if (iw_run_is_empty_shard(counts, empty))
        fprintf(out, "; %s", empty);
    fputc('\n', out);
    iw_coverage_print(out, coverage);
    fputc('\n', out);
}

static void results_set_count(json_t *object, const char *key, unsigned value) {
    json_object_set_new(object, key, json_integer(value));
}

/* Writes and releases the object; only releases it if `lines` is NULL. */
static void results_put_line(FILE *lines, json_t *object) {
    if (lines != NULL)
        iw_json_line(lines, object);
    else
        json_decref(object);
}

static void results_set_peer(json_t *object, const struct iw_run_config *config) {
    char peer[300];
    char nic[IW_NIC_OCTETS];
    bool bare = config->target.host && strchr(config->target.host, ':') != NULL;

    if (config->target.host && config->target.port == 0) /* each session of the agent has its own */
        snprintf(peer, sizeof peer, "%s", config->target.host);
    else if (config->target.host)
        snprintf(peer, sizeof peer, bare ? "[%s]:%u" : "%s:%u", config->target.host, config->target.port);
    else
        snprintf(peer, sizeof peer, IW_RESULTS_EMBEDDED);
    iw_json_set_text(object, "peer", peer);
    if (config->target.host) {
        iw_nic_towards(config->target.host, nic);
        iw_json_set_text(object, "nic", nic);
    }
    if (config->relay)
        iw_json_set_text(object, "relay", config->relay);
    if (config->target.defect)
        iw_json_set_text(object, iw_defect_kind(config->target.defect), config->target.defect->name);
    if (config->simulated)
        json_object_set_new(object, "simulated", json_true());
}

/* The seed is there only if it chooses the packets. */
static json_t *results_network_json(const struct iw_run_config *config) {
    const struct iw_network_profile *network = config->network;
    char words[IW_NETWORK_WORDS_OCTETS];
    json_t *object;

    iw_network_profile_words(network, words);
    object = json_pack(
        "{s:s, s:s, s:I}", "profile", network->name, "words", words, "wait_ms", (json_int_t)network->wait_ms);
    if (config->target.network && iw_network_is_seeded(config->target.network))
        json_object_set_new(object, "seed", json_integer(network->seed));
    return object;
}

json_t *iw_results_requirement_ids(const bool about[IW_REQUIREMENT_COUNT]) {
    json_t *ids = json_array();

    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        if (about[i])
            json_array_append_new(ids, json_string(iw_requirements[i].id));
    return ids;
}

/* What the user says of the device, and else what its agent says. */
static struct iw_origin results_origin(const struct iw_results_head *head) {
    const struct iw_dut_names *names = head->begin->names;
    struct iw_origin origin = head->origin;

    if (!origin.device && names->device[0])
        origin.device = names->device;
    if (!origin.firmware && names->firmware[0])
        origin.firmware = names->firmware;
    if (!origin.serial && names->serial[0])
        origin.serial = names->serial;
    return origin;
}

void iw_results_json_run(FILE *out, const struct iw_results_head *head) {
    const struct iw_run_config *config = head->config;
    const struct iw_origin origin = results_origin(head);
    json_t *object = iw_json_object("run", NULL, 0);
    char build[IW_BUILD_ID_OCTETS];

    iw_build_id(build);
    iw_json_set_text(object, "version", head->version);
    iw_json_set_text(object, "build", build);
    iw_origin_add(object, &origin);
    results_set_peer(object, config);
    iw_json_set_text(object, "agent", head->begin->names->agent);
    if (config->claims.profile)
        json_object_set_new(object, "profile", iw_profile_json(config->claims.profile));
    json_object_set_new(
        object, "without", iw_json_texts(config->claims.without, config->claims.without_count));
    if (config->network)
        json_object_set_new(object, "network", results_network_json(config));
    json_object_set_new(object, "strict", json_boolean(config->strict));
    if (config->lacks_sctp)
        json_object_set_new(object, "lacks_sctp", json_true());
    json_object_set_new(object, "accept_untested", json_boolean(config->accept_untested));
    json_object_set_new(object, "options", json_incref(head->options));
    results_set_count(object, "shard", config->selection.shards > 0 ? config->selection.shard : 1);
    results_set_count(object, "shards", config->selection.shards > 0 ? config->selection.shards : 1);
    if (!config->limits.endless)
        results_set_count(object, "repeats", config->limits.repeats > 0 ? config->limits.repeats : 1);
    results_set_count(object, "selected", head->begin->selected);
    results_set_count(object, "available", (unsigned)config->catalogue->count);
    if (head->begin->about != NULL)
        json_object_set_new(object, "requirements", iw_results_requirement_ids(head->begin->about));
    iw_json_set_text(object, "catalogue", config->catalogue->digest);
    iw_json_line(out, object);
}

void iw_results_put_claim(
    FILE *out, FILE *lines, const struct iw_case *one, const struct iw_contradiction *contradiction) {
    json_t *object = iw_json_object("claim", NULL, 0);

    fprintf(
        out, "CLAIM     %s: the device %s (in %s)\n", contradiction->claim, contradiction->message, one->id);
    fflush(out);
    iw_json_set_text(object, "claim", contradiction->claim);
    iw_json_set_text(object, "case", one->id);
    iw_json_set_text(object, "message", contradiction->message);
    results_put_line(lines, object);
}

void iw_results_put_crash(FILE *out, FILE *lines, const struct iw_case *one, const char *line) {
    json_t *object = iw_json_object("crash", NULL, 0);

    fprintf(out, "CRASH     of the device after %s: %s\n", one->id, line);
    fflush(out);
    iw_json_set_text(object, "case", one->id);
    iw_json_set_text(object, "message", line);
    results_put_line(lines, object);
}

void iw_results_put_flake(FILE *out, FILE *lines, const struct iw_case *one, const unsigned *verdicts) {
    json_t *object = iw_json_object("flake", NULL, 0);
    json_t *counts = json_object();

    fprintf(out, "flaky     %-22s  %-62s  ", one->id, one->title);
    results_print_verdicts(out, verdicts, false);
    fputc('\n', out);
    iw_json_set_text(object, "case", one->id);
    for (size_t i = 0; i < IW_VERDICT_COUNT; i++)
        if (verdicts[verdict_order[i]] > 0)
            results_set_count(counts, iw_verdict_key(verdict_order[i]), verdicts[verdict_order[i]]);
    json_object_set_new(object, "verdicts", counts);
    results_put_line(lines, object);
}

/* What --evidence-limit has left out, if anything. */
static void results_set_evidence(json_t *object, const struct iw_trial_evidence *evidence) {
    if (evidence->shortened + evidence->missing + evidence->left_out == 0)
        return;
    json_object_set_new(object, "left_out",
        json_pack("{s:I, s:I, s:I}", "frames_shortened", (json_int_t)evidence->shortened, "frames_missing",
            (json_int_t)evidence->missing, "log_lines", (json_int_t)evidence->left_out));
}

static json_t *results_case_object(const struct iw_trial_result *result) {
    json_t *object = iw_json_object("case", NULL, 0);

    iw_json_set_text(object, "case", result->one->id);
    iw_json_set_text(object, "title", result->one->title);
    if (result->repeat > 0)
        results_set_count(object, "repeat", result->repeat);
    json_object_set_new(object, "requirements", iw_case_requirement_ids(result->one));
    iw_json_set_text(object, "role", result->one->initiator ? "initiator" : "responder");
    iw_json_set_text(object, "verdict", iw_verdict_name(result->verdict));
    iw_json_set_text(object, "level", iw_case_level(result->severity));
    if (result->checks.verdict != IW_VERDICT_PASS) {
        iw_json_set_text(object, "checks", iw_verdict_name(result->checks.verdict));
        iw_json_set_text(object, "checks_message", result->checks.message);
    }
    if (result->end != IW_TRIAL_FINISHED)
        json_object_set_new(object, "unfinished", json_true());
    iw_json_set_text(object, "close", result->close.how);
    iw_json_set_text(object, "close_verdict", iw_close_verdict_name(result->close.verdict));
    iw_json_set_text(object, "terminate", result->close.terminate);
    iw_json_set_text(object, "outstanding", result->close.outstanding);
    iw_json_set_text(object, "crash", result->device.crash);
    iw_json_set_text(object, "unresponsive", result->device.unresponsive);
    iw_json_set_text(object, "message", result->reason.message);
    iw_json_set_text(object, "expected", result->reason.expected);
    iw_json_set_text(object, "actual", result->reason.actual);
    iw_json_set_text(object, "script", result->reason.script);
    if (result->reason.line > 0)
        results_set_count(object, "line", (unsigned)result->reason.line);
    iw_json_set_text(object, "step", result->reason.step);
    if (result->reason.reaction)
        iw_json_set_text(object, "reaction", "wrong");
    if (result->findings.follows > 0)
        json_object_set_new(object, "follows", json_integer((json_int_t)result->findings.follows));
    iw_json_set_text(object, "file", result->capture);
    results_set_evidence(object, &result->evidence);
    json_object_set_new(object, "duration_ms", json_integer((json_int_t)result->duration_ms));
    return object;
}

void iw_results_json(FILE *out, const struct iw_trial_result *result) {
    iw_json_line(out, results_case_object(result));
    for (unsigned i = 0; i < result->findings.kept_count; i++) {
        json_t *object = iw_json_object("finding", result->capture, result->findings.connections[i] - 1);

        iw_json_set_text(object, "case", result->one->id);
        if (result->repeat > 0)
            results_set_count(object, "repeat", result->repeat);
        iw_json_add_finding(object, &result->findings.kept[i]);
        iw_json_line(out, object);
    }
}

bool iw_results_json_violations(FILE *out, const struct iw_violations *violations) {
    const struct iw_requirement *order[IW_REQUIREMENT_COUNT];
    size_t count = iw_violations_order(violations, order);
    bool good = true;

    for (size_t i = 0; i < count; i++)
        good &= iw_json_line(out, iw_violations_json(violations, order[i]));
    return good;
}

bool iw_results_json_coverage(FILE *out, const struct iw_coverage *coverage) {
    bool good = true;

    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        if (iw_coverage_state(coverage, &iw_requirements[i]) != IW_COVERAGE_ABSENT)
            good &= iw_json_line(out, iw_coverage_requirement_json(coverage, &iw_requirements[i]));
    return iw_json_line(out, iw_coverage_json(coverage)) && good;
}

void iw_results_json_summary(FILE *out, const struct iw_run_counts *counts, enum iw_exit exit) {
    json_t *object = iw_json_object("summary", NULL, 0);
    char ended[IW_ORIGIN_TIME_OCTETS];

    results_set_count(object, "cases", counts->cases);
    for (size_t i = 0; i < IW_VERDICT_COUNT; i++)
        results_set_count(object, iw_verdict_key(verdict_order[i]), counts->verdicts[verdict_order[i]]);
    results_set_count(object, "wrong_closes", counts->wrong_closes);
    if (counts->contradictions > 0)
        results_set_count(object, "wrong_claims", counts->contradictions);
    if (counts->crashes > 0)
        results_set_count(object, "crashes", counts->crashes);
    if (counts->flakes > 0)
        results_set_count(object, "flakes", counts->flakes);
    if (counts->left > 0)
        results_set_count(object, "not_run", counts->left);
    if (counts->not_started > 0)
        results_set_count(object, "not_begun", counts->not_started);
    iw_origin_time(ended);
    iw_json_set_text(object, "ended", ended);
    json_object_set_new(object, "exit", json_integer(exit));
    iw_json_line(out, object);
}

/* Writes the id of the case with the reduced choice, such as "sweep-001.0010". */
static const char *results_minimal_id(const struct iw_minimal *minimal, char *text, size_t octets) {
    char digits[IW_CHOICE_TEXT_OCTETS];
    size_t length = strcspn(minimal->one.id, ".");

    iw_factors_format(minimal->one.factors, &minimal->one.choice, digits);
    snprintf(text, octets, "%.*s.%s", (int)length, minimal->one.id, digits);
    return text;
}

static const char *results_minimal_words(const struct iw_minimal *minimal, char *text, size_t octets) {
    iw_factors_words(
        iw_script_lua(minimal->one.script), minimal->one.factors, &minimal->one.choice, text, octets);
    if (text[0] == '\0')
        snprintf(
            text, octets, "%s", minimal->one.factors->seeded ? "all of its steps" : "whatever the settings");
    return text;
}

void iw_results_put_minimise(FILE *out, FILE *lines, const struct iw_minimise *minimise) {
    char id[96], words[512];

    if (minimise->count > 0)
        fprintf(out, "\nSmallest failing combinations:\n");
    for (size_t i = 0; i < minimise->count; i++) {
        const struct iw_minimal *minimal = &minimise->found[i];
        json_t *object = iw_json_object("minimal", NULL, 0);

        results_minimal_id(minimal, id, sizeof id);
        results_minimal_words(minimal, words, sizeof words);
        fprintf(out, "  %-24s %s (%u combination%s%s)\n", id, words, minimal->combinations,
            iw_plural(minimal->combinations), minimal->confirmed ? "" : "; it did not fail again");
        iw_json_set_text(object, "case", id);
        iw_json_set_text(object, "values", words);
        json_object_set_new(object, "combinations", json_integer(minimal->combinations));
        json_object_set_new(object, "again", json_boolean(minimal->confirmed));
        results_put_line(lines, object);
    }
    if (minimise->unexplained > 0)
        fprintf(out, "  and %u more\n", minimise->unexplained);
}

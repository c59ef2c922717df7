#include "iw_outcome.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iw_json_member.h"

uint64_t iw_outcome_number(const json_t *object, const char *key) {
    json_int_t number = json_integer_value(json_object_get(object, key));

    return number > 0 ? (uint64_t)number : 0;
}

void iw_outcome_clear(struct iw_outcome_run *run) {
    for (size_t i = 0; i < run->count; i++) {
        json_decref(run->cases[i].object);
        json_decref(run->cases[i].findings);
        free(run->cases[i].capture);
        free(run->cases[i].log);
    }
    free(run->cases);
    json_decref(run->header);
    json_decref(run->summary);
    json_decref(run->derived);
    json_decref(run->other_objects);
    json_decref(run->places);
    free(run->path);
    free(run->name);
    *run = (struct iw_outcome_run){0};
}

enum iw_exit iw_outcome_verdict_exit(enum iw_verdict verdict) {
    return verdict == IW_VERDICT_ERROR                                              ? IW_EXIT_INTERNAL
           : verdict == IW_VERDICT_FAIL                                             ? IW_EXIT_VIOLATIONS
           : verdict == IW_VERDICT_INCONCLUSIVE || verdict == IW_VERDICT_NOT_TESTED ? IW_EXIT_UNJUDGED
                                                                                    : IW_EXIT_CONFORMS;
}

bool iw_outcome_accepts_untested(const struct iw_outcome_run *run) {
    return json_is_true(json_object_get(run->header, "accept_untested"));
}

/* Results that do not state how many cases were selected count those they have. */
struct iw_run_counts iw_outcome_run_counts(const struct iw_outcome_run *run) {
    struct iw_run_counts counts = {.selected = (unsigned)iw_outcome_number(run->header, "selected"),
        .shard = (unsigned)iw_outcome_number(run->header, "shard"),
        .shards = (unsigned)iw_outcome_number(run->header, "shards"),
        .cases = (unsigned)run->count,
        .left = (unsigned)run->not_run,
        .not_started = (unsigned)iw_outcome_number(run->summary, "not_begun"),
        .contradictions = (unsigned)iw_outcome_object_count(run, "claim"),
        .crashes = (unsigned)iw_outcome_object_count(run, "crash"),
        .flakes = (unsigned)iw_outcome_object_count(run, "flake")};

    for (int i = 0; i < IW_VERDICT_COUNT; i++)
        counts.verdicts[i] = (unsigned)run->counts[i];
    if (counts.selected == 0)
        counts.selected = counts.cases + counts.left + counts.not_started;
    return counts;
}

bool iw_outcome_is_empty_shard(const struct iw_outcome_run *run, char text[IW_RUN_EMPTY_SHARD_OCTETS]) {
    struct iw_run_counts counts = iw_outcome_run_counts(run);

    text[0] = '\0';
    return run->summary != NULL && iw_run_is_empty_shard(&counts, text);
}

/* Joins the exit code of the summary: the environment may have failed after the results. */
enum iw_exit iw_outcome_exit(const struct iw_outcome_run *run) {
    struct iw_run_counts counts = iw_outcome_run_counts(run);
    uint64_t own = iw_outcome_number(run->summary, "exit");
    enum iw_exit exit;

    if (run->summary == NULL && run->count == 0)
        return IW_EXIT_UNJUDGED;
    exit = iw_run_exit(&counts, iw_outcome_accepts_untested(run));
    if (run->summary == NULL)
        exit = iw_exit_join(exit, IW_EXIT_UNJUDGED);
    return own <= IW_EXIT_INTERNAL ? iw_exit_join(exit, (enum iw_exit)own) : exit;
}

bool iw_outcome_reasons(
    const struct iw_outcome_run *run, enum iw_verdict verdict, struct iw_reasons *reasons) {
    for (size_t i = 0; i < run->count; i++) {
        const struct iw_outcome_case *one = &run->cases[i];

        if (one->verdict == verdict && !iw_reasons_add(reasons, verdict, one->message, one->id))
            return false;
    }
    return true;
}

uint64_t iw_outcome_object_count(const struct iw_outcome_run *run, const char *type) {
    uint64_t count = 0;

    for (size_t i = 0; i < json_array_size(run->other_objects); i++)
        count += strcmp(iw_json_member_text(json_array_get(run->other_objects, i), "type"), type) == 0;
    return count;
}

const struct iw_outcome_case *iw_outcome_find(
    const struct iw_outcome_run *run, const char *id, uint64_t repeat) {
    struct iw_outcome_case one = {.id = id, .repeat = repeat};
    char name[IW_OUTCOME_NAME_OCTETS];
    const json_t *place;

    iw_outcome_case_name(&one, name);
    place = json_object_get(run->places, name);
    return place != NULL ? &run->cases[json_integer_value(place)] : NULL;
}

void iw_outcome_clause(const struct iw_outcome_case *one, char clause[IW_OUTCOME_CLAUSE_OCTETS]) {
    snprintf(clause, IW_OUTCOME_CLAUSE_OCTETS, "no clause known");
    for (size_t i = one->requirement_count; i-- > 0;)
        if (one->known[i] != NULL)
            snprintf(
                clause, IW_OUTCOME_CLAUSE_OCTETS, "%s %s", one->known[i]->document, one->known[i]->section);
}

void iw_outcome_case_name(const struct iw_outcome_case *one, char name[IW_OUTCOME_NAME_OCTETS]) {
    if (one->repeat > 0)
        snprintf(name, IW_OUTCOME_NAME_OCTETS, "%.*s #%" PRIu64, IW_OUTCOME_ID_MAX, one->id, one->repeat);
    else
        snprintf(name, IW_OUTCOME_NAME_OCTETS, "%.*s", IW_OUTCOME_ID_MAX, one->id);
}

uint64_t iw_outcome_log_octets(const struct iw_outcome_case *one) {
    struct stat status;

    if (one->log == NULL || lstat(one->log, &status) != 0 || status.st_size < 0)
        return 0;
    return status.st_size < IW_OUTCOME_LOG_MAX ? (uint64_t)status.st_size : IW_OUTCOME_LOG_MAX;
}

/* O_NOFOLLOW: a link may lead out of the results folder. */
char *iw_outcome_log(const struct iw_outcome_case *one, bool *cut) {
    int file = one->log == NULL ? -1 : open(one->log, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *in = file < 0 ? NULL : fdopen(file, "r");
    char *text = in == NULL ? NULL : malloc(IW_OUTCOME_LOG_MAX + 1);
    int error = text != NULL ? 0 : one->log == NULL ? ENOENT : errno;
    size_t octets;

    *cut = false;
    if (text != NULL) {
        octets = fread(text, 1, IW_OUTCOME_LOG_MAX, in);
        text[octets] = '\0';
        *cut = octets == IW_OUTCOME_LOG_MAX && getc(in) != EOF;
    }
    if (in != NULL)
        fclose(in);
    else if (file >= 0)
        close(file);
    errno = error;
    return text;
}

/* Returns the number of selected cases of the shard; in results that do not state it, of the cases counted.
 */
static unsigned outcome_selected(const struct iw_outcome_run *run, const struct iw_coverage *coverage) {
    uint64_t selected = iw_outcome_number(run->header, "selected"),
             shards = iw_outcome_number(run->header, "shards"),
             shard = iw_outcome_number(run->header, "shard");

    if (selected == 0) {
        selected = run->not_run + iw_outcome_number(run->summary, "not_begun");
        for (size_t i = 0; i < IW_VERDICT_COUNT; i++)
            selected += coverage->cases[i];
    } else if (shard > 0 && shard <= shards) {
        selected = (selected + shards - shard) / shards; /* they get the selected cases in turn */
    }
    return selected < UINT_MAX ? (unsigned)selected : UINT_MAX;
}

static void outcome_take_header(const struct iw_outcome_run *run, struct iw_coverage *coverage) {
    const json_t *ids = json_object_get(run->header, "requirements");
    uint64_t available = iw_outcome_number(run->header, "available");

    coverage->selected_cases += outcome_selected(run, coverage);
    coverage->available_cases += available < UINT_MAX ? (unsigned)available : UINT_MAX;
    for (size_t i = 0; i < json_array_size(ids); i++) {
        const char *id = json_string_value(json_array_get(ids, i));
        const struct iw_requirement *requirement = id != NULL ? iw_requirement_find(id) : NULL;

        if (requirement != NULL)
            coverage->selected[requirement - iw_requirements] = true;
    }
}

void iw_outcome_coverage(const struct iw_outcome_run *run, struct iw_coverage *coverage) {
    for (size_t i = 0; i < run->count; i++) {
        iw_coverage_take(coverage, run->cases[i].object);
        for (size_t j = 0; j < json_array_size(run->cases[i].findings); j++)
            iw_coverage_take(coverage, json_array_get(run->cases[i].findings, j));
    }
    outcome_take_header(run, coverage);
}

bool iw_outcome_cut_short(const struct iw_outcome_run *run) {
    return run->summary == NULL || run->not_run > 0;
}

bool iw_outcome_ended_early(const struct iw_outcome_run *run, char text[IW_OUTCOME_ENDED_OCTETS]) {
    uint64_t not_begun = iw_outcome_number(run->summary, "not_begun");

    text[0] = '\0';
    if (run->summary == NULL)
        snprintf(text, IW_OUTCOME_ENDED_OCTETS, "the run was cut short: it has no summary");
    else if (run->not_run > 0)
        snprintf(text, IW_OUTCOME_ENDED_OCTETS, "the run was interrupted: %" PRIu64 " case%s not run",
            run->not_run, run->not_run == 1 ? " was" : "s were");
    else if (not_begun > 0)
        snprintf(text, IW_OUTCOME_ENDED_OCTETS, "%" PRIu64 " case%s not begun within the budget", not_begun,
            not_begun == 1 ? " was" : "s were");
    return text[0] != '\0';
}

bool iw_outcome_is_complete(const struct iw_outcome_run *run) {
    char text[IW_OUTCOME_ENDED_OCTETS];

    return run->counts[IW_VERDICT_NOT_TESTED] == 0 && !iw_outcome_ended_early(run, text) &&
           iw_outcome_number(run->header, "shards") <= 1 &&
           iw_outcome_number(run->header, "selected") >= iw_outcome_number(run->header, "available");
}

void iw_outcome_violations(const struct iw_outcome_run *run, struct iw_violations *violations) {
    for (size_t i = 0; i < run->count; i++) {
        const struct iw_outcome_case *one = &run->cases[i];

        iw_violations_take(violations, one->object);
        for (size_t j = 0; j < json_array_size(one->findings); j++)
            iw_violations_take(violations, json_array_get(one->findings, j));
    }
}

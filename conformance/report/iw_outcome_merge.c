#include "iw_outcome.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iw_json.h"
#include "iw_json_member.h"
#include "iw_results.h"
#include "iw_shard.h"
#include "iw_text.h"

struct merging {
    const char *path;
    const struct iw_outcome_run **shards; /* shard number N is at N - 1 */
    size_t count;
    char *folder; /* absolute path of the folder of `path`, with a trailing slash */
    FILE *out;
    FILE *diagnostics;
    uint64_t counts[IW_VERDICT_COUNT];
    uint64_t cases, wrong_closes, wrong_claims, crashes, flakes, not_begun;
    struct iw_violations violations;
    struct iw_coverage coverage;
};

/* Reports an error. Always returns false. */
__attribute__((format(printf, 3, 4))) static bool merge_refuse(
    const struct merging *merging, const char *path, const char *format, ...) {
    va_list arguments;

    fprintf(merging->diagnostics, "%s: ", path);
    va_start(arguments, format);
    vfprintf(merging->diagnostics, format, arguments);
    va_end(arguments);
    fputc('\n', merging->diagnostics);
    return false;
}

/* Returns whether two shards have the settings that the shards of one run share. Otherwise reports an error.
 */
static bool merge_is_of_one_run(
    const struct merging *merging, const struct iw_outcome_run *one, const struct iw_outcome_run *other) {
    static const char *const keys[] = {"catalogue", "shards", "selected", "available", "requirements",
        "repeats", "version", "peer", "agent", "defect", "profile", "network", "without", "strict",
        "lacks_sctp", "accept_untested", "device", "firmware", "serial", "lab"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *a = json_object_get(one->header, keys[i]), *b = json_object_get(other->header, keys[i]);

        if (a != b && (a == NULL || b == NULL || !json_equal(a, b)))
            return merge_refuse(merging, other->path,
                "\"%s\" differs from that of %s: shards of different runs", keys[i], one->path);
    }
    return true;
}

static bool merge_place_shard(struct merging *merging, const struct iw_outcome_run *shard) {
    uint64_t number = iw_outcome_number(shard->header, "shard");

    if (number == 0 || number > merging->count)
        return merge_refuse(merging, shard->path, "not the results of a shard");
    if (shard->summary == NULL || shard->not_run > 0)
        return merge_refuse(merging, shard->path, "the shard was cut short");
    if (merging->shards[number - 1] != NULL)
        return merge_refuse(
            merging, shard->path, "shard %" PRIu64 " of %zu is a duplicate", number, merging->count);
    merging->shards[number - 1] = shard;
    return true;
}

/* Returns whether each selected case is in exactly one shard. Otherwise reports an error. */
static bool merge_cases_fit(const struct merging *merging) {
    uint64_t selected = iw_outcome_number(merging->shards[0]->header, "selected"), found = 0;

    for (size_t i = 0; i < merging->count; i++)
        for (size_t j = 0; j < merging->shards[i]->count; j++) {
            const struct iw_outcome_case *one = &merging->shards[i]->cases[j];

            found += one->repeat <= 1;
            for (size_t k = 0; k < i; k++)
                if (iw_outcome_find(merging->shards[k], one->id, one->repeat) != NULL)
                    return merge_refuse(merging, merging->shards[i]->path, "case %s is also in %s", one->id,
                        merging->shards[k]->path);
        }
    return found == selected ||
           merge_refuse(merging, merging->shards[0]->path,
               "the shards have %" PRIu64 " cases, but %" PRIu64 " were selected", found, selected);
}

static bool merge_shards_fit(struct merging *merging, const struct iw_outcome_run *shards, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!merge_is_of_one_run(merging, &shards[0], &shards[i]) || !merge_place_shard(merging, &shards[i]))
            return false;
    for (size_t i = 0; i < merging->count; i++)
        if (merging->shards[i] == NULL)
            return merge_refuse(merging, merging->path, "shard %zu of %zu is missing", i + 1, merging->count);
    return merge_cases_fit(merging);
}

/* Sets "file" to the capture's path relative to the results folder, if the capture is in or below this. */
static void merge_set_file(const struct merging *merging, json_t *object, const char *capture) {
    char *whole = capture != NULL ? realpath(capture, NULL) : NULL;
    size_t octets = strlen(merging->folder);

    if (whole != NULL && strncmp(whole, merging->folder, octets) == 0)
        json_object_set_new(object, "file", json_string(whole + octets));
    free(whole);
}

static bool merge_put_case(struct merging *merging, const struct iw_outcome_case *one) {
    json_t *object = json_copy(one->object);
    bool good;

    merge_set_file(merging, object, one->capture);
    merging->counts[one->verdict]++;
    merging->cases++;
    merging->wrong_closes += strcmp(one->close_verdict, "wrong") == 0;
    iw_violations_take(&merging->violations, object);
    iw_coverage_take(&merging->coverage, object);
    good = iw_json_line(merging->out, object);
    for (size_t i = 0; i < json_array_size(one->findings); i++) {
        object = json_copy(json_array_get(one->findings, i));
        iw_violations_take(&merging->violations, object);
        iw_coverage_take(&merging->coverage, object);
        merge_set_file(merging, object, one->capture);
        good &= iw_json_line(merging->out, object);
    }
    return good;
}

/* Removes the number of the shard from the options; the others tell what the run selected. */
static void merge_set_options(json_t *header, const json_t *options) {
    json_t *words = json_array();

    for (size_t i = 0; i < json_array_size(options); i++) {
        const char *word = json_string_value(json_array_get(options, i));

        if (word != NULL && strcmp(word, "--shard") == 0)
            i++;
        else
            json_array_append(words, json_array_get(options, i));
    }
    json_object_set_new(header, "options", words);
}

/* Keeps the earliest start; the host and the build only if they are those of all shards. */
static void merge_join_origin(json_t *header, const json_t *other) {
    static const char *const places[] = {"host", "kernel", "nic", "build"};
    json_t *started = json_object_get(other, "started");

    if (json_is_string(started) &&
        strcmp(json_string_value(started), iw_json_member_text(header, "started")) < 0)
        json_object_set(header, "started", started);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strcmp(iw_json_member_text(header, places[i]), iw_json_member_text(other, places[i])) != 0)
            json_object_del(header, places[i]);
}

/* Writes the header without the members about its shard. */
static bool merge_put_header(const struct merging *merging) {
    json_t *header = json_copy(merging->shards[0]->header);

    json_object_del(header, "shard");
    json_object_del(header, "shards");
    if (json_is_array(json_object_get(header, "options")))
        merge_set_options(header, json_object_get(merging->shards[0]->header, "options"));
    for (size_t i = 1; i < merging->count; i++)
        merge_join_origin(header, merging->shards[i]->header);
    return iw_json_line(merging->out, header);
}

/* The exit code of the whole follows from its own counts: a shard in which nothing was tested does not decide
 * it. */
static enum iw_exit merge_exit_of(const struct merging *merging) {
    const json_t *header = merging->shards[0]->header;
    struct iw_run_counts counts = {.selected = (unsigned)iw_outcome_number(header, "selected"),
        .cases = (unsigned)merging->cases,
        .not_started = (unsigned)merging->not_begun,
        .contradictions = (unsigned)merging->wrong_claims,
        .crashes = (unsigned)merging->crashes,
        .flakes = (unsigned)merging->flakes};

    for (int i = 0; i < IW_VERDICT_COUNT; i++)
        counts.verdicts[i] = (unsigned)merging->counts[i];
    return iw_run_exit(&counts, iw_outcome_accepts_untested(merging->shards[0]));
}

/* Returns when the last shard ended. */
static const char *merge_ended(const struct merging *merging) {
    const char *last = "";

    for (size_t i = 0; i < merging->count; i++) {
        const char *ended = iw_json_member_text(merging->shards[i]->summary, "ended");

        last = strcmp(ended, last) > 0 ? ended : last;
    }
    return last;
}

static bool merge_put_summary(const struct merging *merging) {
    json_t *object = iw_json_object("summary", NULL, 0);

    json_object_set_new(object, "cases", json_integer((json_int_t)merging->cases));
    for (int i = 0; i < IW_VERDICT_COUNT; i++)
        json_object_set_new(
            object, iw_verdict_key((enum iw_verdict)i), json_integer((json_int_t)merging->counts[i]));
    json_object_set_new(object, "wrong_closes", json_integer((json_int_t)merging->wrong_closes));
    if (merging->wrong_claims > 0)
        json_object_set_new(object, "wrong_claims", json_integer((json_int_t)merging->wrong_claims));
    if (merging->crashes > 0)
        json_object_set_new(object, "crashes", json_integer((json_int_t)merging->crashes));
    if (merging->flakes > 0)
        json_object_set_new(object, "flakes", json_integer((json_int_t)merging->flakes));
    if (merging->not_begun > 0)
        json_object_set_new(object, "not_begun", json_integer((json_int_t)merging->not_begun));
    iw_json_set_text(object, "ended", merge_ended(merging));
    json_object_set_new(object, "exit", json_integer(merge_exit_of(merging)));
    return iw_json_line(merging->out, object);
}

static bool merge_put_all(struct merging *merging) {
    bool good = merge_put_header(merging), more = true;

    for (size_t place = 0; more; place++) {
        more = false;
        for (size_t i = 0; i < merging->count; i++)
            if (place < merging->shards[i]->count) {
                good &= merge_put_case(merging, &merging->shards[i]->cases[place]);
                more = true;
            }
    }
    for (size_t i = 0; i < merging->count; i++) {
        merging->crashes += iw_outcome_object_count(merging->shards[i], "crash");
        merging->flakes += iw_outcome_object_count(merging->shards[i], "flake");
        merging->wrong_claims += iw_outcome_object_count(merging->shards[i], "claim");
        merging->not_begun += iw_outcome_number(merging->shards[i]->summary, "not_begun");
        for (size_t j = 0; j < json_array_size(merging->shards[i]->other_objects); j++)
            good &=
                iw_json_line(merging->out, json_incref(json_array_get(merging->shards[i]->other_objects, j)));
    }
    good &= iw_results_json_violations(merging->out, &merging->violations);
    good &= iw_results_json_coverage(merging->out, &merging->coverage);
    return merge_put_summary(merging) && good;
}

/* Returns the absolute folder of `path`, with a trailing slash; NULL if it does not exist. */
static char *merge_folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
    char *whole = folder != NULL ? realpath(folder, NULL) : NULL;
    char *ended = whole != NULL ? iw_text_format("%s%s", whole, strcmp(whole, "/") != 0 ? "/" : "") : NULL;

    free(folder);
    free(whole);
    return ended;
}

static bool merge_write_file(struct merging *merging) {
    bool good;

    merging->folder = merge_folder_of(merging->path);
    merging->out = merging->folder != NULL ? fopen(merging->path, "wx") : NULL;
    if (merging->out == NULL)
        return merge_refuse(merging, merging->path, "%s", strerror(errno));
    good = merge_put_all(merging);
    if (fclose(merging->out) == 0 && good)
        return true;
    merge_refuse(merging, merging->path, "%s", strerror(errno));
    unlink(merging->path);
    return false;
}

enum iw_exit iw_outcome_merge(
    const char *path, const struct iw_outcome_run *shards, size_t count, FILE *diagnostics) {
    struct merging merging = {.path = path, .diagnostics = diagnostics};
    uint64_t wanted = iw_outcome_number(shards[0].header, "shards");
    enum iw_exit exit = IW_EXIT_ENVIRONMENT;

    if (wanted == 0 || wanted > IW_SHARD_MAX) {
        merge_refuse(&merging, shards[0].path, "not the results of a shard");
        return exit;
    }
    merging.count = (size_t)wanted;
    merging.shards = calloc(merging.count, sizeof *merging.shards);
    if (merging.shards == NULL)
        fputs("out of memory\n", diagnostics);
    else if (merge_shards_fit(&merging, shards, count) && merge_write_file(&merging))
        exit = merge_exit_of(&merging);
    free(merging.shards);
    free(merging.folder);
    return exit;
}

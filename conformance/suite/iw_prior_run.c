#include "iw_prior_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_json.h"
#include "iw_json_member.h"
#include "iw_line_reader.h"
#include "iw_repeat.h"
#include "iw_results.h"
#include "iw_text.h"

struct prior_reader {
    struct iw_prior_run *prior;
    struct iw_text kept;
    size_t kept_before_last; /* length of `kept` before the last case */
    size_t claims_before_last;
    unsigned crashes_before_last;
    bool keeps; /* the current case has finished: keep its lines */
    bool ended; /* a summary has been read */
    const char *wrong;
};

static void prior_run_add_case(struct prior_reader *reader, const json_t *object) {
    const json_t *number = json_object_get(object, "repeat");
    json_int_t repeat = number ? json_integer_value(number) : 1;
    struct iw_run_prior one = {
        .wrong_close = strcmp(iw_json_member_text(object, "close_verdict"), "wrong") == 0};
    struct iw_prior_run *prior = reader->prior;

    reader->keeps = !json_is_true(json_object_get(object, "unfinished"));
    if (!iw_json_member_text(object, "case")[0] ||
        !iw_verdict_find(iw_json_member_text(object, "verdict"), &one.verdict) || repeat < 1 ||
        repeat > UINT32_MAX) {
        reader->wrong = "a case without a name, a known verdict or a valid repeat";
        return;
    }
    if (!reader->keeps)
        return;
    one.repeat = (unsigned)repeat;
    if (!iw_array_grow(&prior->cases, prior->count, sizeof one) ||
        !iw_array_grow(&prior->ids, prior->count, sizeof *prior->ids) ||
        !(prior->ids[prior->count] = strdup(iw_json_member_text(object, "case")))) {
        reader->wrong = "out of memory";
        return;
    }
    prior->cases[prior->count++] = one;
    if (!iw_text_flush(&reader->kept))
        reader->wrong = "out of memory";
    reader->kept_before_last = reader->kept.length;
    reader->claims_before_last = json_array_size(prior->claims);
    reader->crashes_before_last = prior->crashes;
}

/* Handles an object; keeps its line unless the resumed run writes it again (for example the summary). */
static void prior_run_add_object(
    struct prior_reader *reader, json_t *object, const char *line, size_t length) {
    const char *type = iw_json_member_text(object, "type");
    bool is_run = strcmp(type, "run") == 0, is_case = strcmp(type, "case") == 0;
    bool is_crash = strcmp(type, "crash") == 0;
    bool is_claim = strcmp(type, "claim") == 0 && json_is_string(json_object_get(object, "claim"));

    if (is_run == (reader->prior->run != NULL)) {
        reader->wrong = is_run ? "a second run begins here" : "not the first line of the results of a run";
        return;
    }
    if (is_run)
        reader->prior->run = json_incref(object);
    if (is_case)
        prior_run_add_case(reader, object);
    if (is_claim && json_array_append(reader->prior->claims, json_object_get(object, "claim")) != 0)
        reader->wrong = "out of memory";
    reader->prior->crashes += is_crash;
    reader->ended = strcmp(type, "summary") == 0;
    if (!reader->wrong &&
        (is_run || (reader->keeps && (is_case || strcmp(type, "finding") == 0)) || is_claim || is_crash))
        fwrite(line, 1, length, reader->kept.out);
}

static void prior_run_parse_line(struct prior_reader *reader, const char *line, size_t length) {
    json_t *object;

    if (line[length - 1] != '\n') {
        reader->prior->torn = true;
        reader->ended = false;
        return;
    }
    object = iw_json_read(line, length, 0, NULL);
    if (json_is_object(object))
        prior_run_add_object(reader, object, line, length);
    else
        reader->wrong = "no JSON object";
    json_decref(object);
}

/* Removes the last case of a killed run, because some of its findings may be missing. */
static void prior_run_drop_last(struct prior_reader *reader) {
    struct iw_prior_run *prior = reader->prior;

    if (reader->ended || prior->count == 0)
        return;
    free(prior->ids[--prior->count]);
    prior->kept_octets = reader->kept_before_last;
    prior->crashes = reader->crashes_before_last;
    while (json_array_size(prior->claims) > reader->claims_before_last)
        json_array_remove(prior->claims, reader->claims_before_last);
}

static enum iw_status prior_run_read_lines(
    struct prior_reader *reader, FILE *in, const char *path, char *error, size_t error_octets) {
    struct iw_line_reader lines = {.in = in, .limit = IW_RESULTS_LINE_MAX};
    char reason[IW_LINE_READER_ERROR_OCTETS];
    enum iw_status status;

    while (!reader->wrong && iw_line_reader_next(&lines))
        prior_run_parse_line(reader, lines.text, lines.octets);
    status = reader->wrong ? IW_ERR_FORMAT : lines.error;
    iw_line_reader_error(&lines, reason);
    if (status == IW_OK && !reader->prior->run) {
        reader->wrong = "no run in this file";
        status = IW_ERR_FORMAT;
        lines.number = 1;
    }
    if (status == IW_ERR_FORMAT)
        snprintf(error, error_octets, "%s:%" PRIu64 ": %s", path, lines.number,
            reader->wrong ? reader->wrong : reason);
    else if (status != IW_OK)
        snprintf(error, error_octets, "%s: %s", path, reason);
    iw_line_reader_clear(&lines);
    return status;
}

enum iw_status iw_prior_run_read(
    struct iw_prior_run *prior, const char *path, char *error, size_t error_octets) {
    struct prior_reader reader = {.prior = prior};
    FILE *in = iw_results_open(path);
    enum iw_status status = IW_ERR_NOMEM;

    *prior = (struct iw_prior_run){.claims = json_array()};
    if (!in) {
        snprintf(error, error_octets, "%s: %s", path, errno != 0 ? strerror(errno) : "not a regular file");
        iw_prior_run_dispose(prior);
        return IW_ERR_IO;
    }
    snprintf(error, error_octets, "out of memory");
    if (iw_text_open(&reader.kept)) {
        status = prior_run_read_lines(&reader, in, path, error, error_octets);
        iw_text_flush(&reader.kept);
        prior->kept_octets = reader.kept.length;
        prior->kept = iw_text_close(&reader.kept);
        if (!prior->kept && status == IW_OK)
            status = IW_ERR_NOMEM;
        prior_run_drop_last(&reader);
    }
    fclose(in);
    if (status != IW_OK)
        iw_prior_run_dispose(prior);
    return status;
}

void iw_prior_run_dispose(struct iw_prior_run *prior) {
    for (size_t i = 0; i < prior->count; i++)
        free(prior->ids[i]);
    free(prior->ids);
    free(prior->cases);
    free(prior->kept);
    json_decref(prior->run);
    json_decref(prior->claims);
    *prior = (struct iw_prior_run){0};
}

void iw_prior_run_count(
    const struct iw_prior_run *prior, struct iw_violations *violations, struct iw_coverage *coverage) {
    const char *end = prior->kept + prior->kept_octets, *next;

    for (const char *line = prior->kept; line < end; line = next) {
        json_t *object;

        next = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
        object = iw_json_read(line, (size_t)(next - line), 0, NULL);
        iw_violations_take(violations, object);
        iw_coverage_take(coverage, object);
        json_decref(object);
    }
}

/* Finds a case by its id. Begins at *at, because results are usually in the order of the catalogue. */
static const struct iw_case *prior_run_case_of(
    const struct iw_catalogue *catalogue, const char *id, size_t *at) {
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct iw_case *one = &catalogue->cases[(*at + i) % catalogue->count];

        if (strcmp(one->id, id) == 0) {
            *at = (size_t)(one - catalogue->cases) + 1;
            return one;
        }
    }
    return NULL;
}

enum iw_status iw_prior_run_bind(
    struct iw_prior_run *prior, const struct iw_catalogue *catalogue, char *error, size_t error_octets) {
    struct iw_repeats repeats;
    enum iw_status status;
    size_t at = 0;

    if (strcmp(iw_json_member_text(prior->run, "catalogue"), catalogue->digest) != 0) {
        snprintf(error, error_octets, "the cases have changed since the run");
        return IW_ERR_FORMAT;
    }
    for (size_t i = 0; i < prior->count; i++) {
        prior->cases[i].one = prior_run_case_of(catalogue, prior->ids[i], &at);
        if (prior->cases[i].one)
            continue;
        snprintf(error, error_octets, "there is no case %.200s", prior->ids[i]);
        return IW_ERR_FORMAT;
    }
    status = iw_repeats_init(&repeats, catalogue, prior->cases, prior->count);
    if (status == IW_OK)
        iw_repeats_dispose(&repeats);
    else
        snprintf(error, error_octets, "%s",
            status == IW_ERR_FORMAT ? "a case is duplicate, or has an invalid repeat" : "out of memory");
    return status;
}

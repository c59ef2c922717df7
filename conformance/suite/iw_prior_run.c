#include "iw_prior_run.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_json.h"
#include "iw_repeat.h"
#include "iw_text.h"

struct reading {
    struct iw_prior_run *past;
    struct iw_text kept;
    size_t kept_before_last; /* length without the last case */
    size_t claims_before_last;
    bool keeps; /* keep the lines of the current case */
    bool ended; /* a summary has been read */
    const char *wrong;
};

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static bool make_room(struct iw_prior_run *past) {
    size_t capacity = past->capacity ? 2 * past->capacity : 256;
    struct iw_prior_run_case *cases;

    if (past->count < past->capacity)
        return true;
    cases = realloc(past->cases, capacity * sizeof *cases);
    if (!cases)
        return false;
    past->cases = cases;
    past->capacity = capacity;
    return true;
}

static void take_case(struct reading *reading, const json_t *object) {
    const json_t *number = json_object_get(object, "repeat");
    json_int_t repeat = number ? json_integer_value(number) : 1;
    struct iw_prior_run_case one = {.wrong_close = strcmp(text_of(object, "close_verdict"), "wrong") == 0};

    reading->keeps = !json_is_true(json_object_get(object, "unfinished"));
    if (!text_of(object, "case")[0] || !iw_verdict_find(text_of(object, "verdict"), &one.verdict) ||
        repeat < 1 || repeat > UINT32_MAX) {
        reading->wrong = "a case without its name, a verdict or the number of its repeat";
        return;
    }
    if (!reading->keeps)
        return;
    one.repeat = (unsigned)repeat;
    one.id = strdup(text_of(object, "case"));
    if (!one.id || !make_room(reading->past)) {
        free(one.id);
        reading->wrong = "out of memory";
        return;
    }
    reading->past->cases[reading->past->count++] = one;
    if (!iw_text_flush(&reading->kept))
        reading->wrong = "out of memory";
    reading->kept_before_last = reading->kept.length;
    reading->claims_before_last = json_array_size(reading->past->claims);
}

/* Drops what the resumed run writes again, such as the summary. */
static void take_object(struct reading *reading, json_t *object, const char *line, size_t length) {
    const char *type = text_of(object, "type");
    bool is_run = strcmp(type, "run") == 0, is_case = strcmp(type, "case") == 0;
    bool is_claim = strcmp(type, "claim") == 0 && json_is_string(json_object_get(object, "claim"));

    if (is_run == (reading->past->run != NULL)) {
        reading->wrong = is_run ? "a second run begins here" : "this is not how the results of a run begin";
        return;
    }
    if (is_run)
        reading->past->run = json_incref(object);
    if (is_case)
        take_case(reading, object);
    if (is_claim && json_array_append(reading->past->claims, json_object_get(object, "claim")) != 0)
        reading->wrong = "out of memory";
    reading->ended = strcmp(type, "summary") == 0;
    if (!reading->wrong &&
        (is_run || (reading->keeps && (is_case || strcmp(type, "finding") == 0)) || is_claim))
        fwrite(line, 1, length, reading->kept.out);
}

static void take_line(struct reading *reading, const char *line, size_t length) {
    json_t *object;

    if (line[length - 1] != '\n') {
        reading->past->torn = true;
        reading->ended = false;
        return;
    }
    object = iw_json_read(line, length, 0, NULL);
    if (json_is_object(object))
        take_object(reading, object, line, length);
    else
        reading->wrong = "no JSON object";
    json_decref(object);
}

/* Drops the last case of a killed run: some of its findings may be missing. */
static void doubt_last(struct reading *reading) {
    struct iw_prior_run *past = reading->past;

    if (reading->ended || past->count == 0)
        return;
    free(past->cases[--past->count].id);
    past->kept_octets = reading->kept_before_last;
    while (json_array_size(past->claims) > reading->claims_before_last)
        json_array_remove(past->claims, reading->claims_before_last);
}

static enum iw_status read_lines(
    struct reading *reading, FILE *in, const char *path, char *error, size_t error_octets) {
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    unsigned long number = 0;

    while (!reading->wrong && (length = getline(&line, &capacity, in)) > 0) {
        number++;
        take_line(reading, line, (size_t)length);
    }
    free(line);
    if (!reading->wrong && !feof(in)) { /* a read error, or out of memory */
        snprintf(error, error_octets, "%s: %s", path, strerror(errno));
        return IW_ERR_IO;
    }
    if (!reading->wrong && !reading->past->run)
        reading->wrong = "no run has begun here";
    if (!reading->wrong)
        return IW_OK;
    snprintf(error, error_octets, "%s:%lu: %s", path, number > 0 ? number : 1, reading->wrong);
    return IW_ERR_FORMAT;
}

static void take_kept(struct reading *reading, enum iw_status *status) {
    iw_text_flush(&reading->kept);
    reading->past->kept_octets = reading->kept.length;
    reading->past->kept = iw_text_close(&reading->kept);
    if (reading->past->kept == NULL && *status == IW_OK)
        *status = IW_ERR_NOMEM;
}

enum iw_status iw_prior_run_read(
    struct iw_prior_run *past, const char *path, char *error, size_t error_octets) {
    struct reading reading = {.past = past};
    FILE *in = fopen(path, "r");
    enum iw_status status = IW_ERR_NOMEM;

    *past = (struct iw_prior_run){.claims = json_array()};
    if (!in) {
        iw_prior_run_dispose(past);
        snprintf(error, error_octets, "%s: %s", path, strerror(errno));
        return IW_ERR_IO;
    }
    snprintf(error, error_octets, "out of memory");
    if (iw_text_open(&reading.kept)) {
        status = read_lines(&reading, in, path, error, error_octets);
        take_kept(&reading, &status);
        doubt_last(&reading);
    }
    fclose(in);
    if (status != IW_OK)
        iw_prior_run_dispose(past);
    return status;
}

void iw_prior_run_dispose(struct iw_prior_run *past) {
    for (size_t i = 0; i < past->count; i++)
        free(past->cases[i].id);
    free(past->cases);
    free(past->kept);
    json_decref(past->run);
    json_decref(past->claims);
    *past = (struct iw_prior_run){0};
}

void iw_prior_run_violations(const struct iw_prior_run *past, struct iw_violations *violations) {
    const char *line = past->kept, *end = past->kept + past->kept_octets;

    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((newline ? newline : end) - line);
        json_t *object = iw_json_read(line, length, 0, NULL);

        iw_violations_take(violations, object);
        json_decref(object);
        line += length + (newline != NULL);
    }
}

/* Cases are usually in the order of the catalogue. */
static const struct iw_case *find_case(const struct iw_catalogue *catalogue, const char *id, size_t *at) {
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct iw_case *one = &catalogue->cases[(*at + i) % catalogue->count];

        if (strcmp(one->id, id) == 0) {
            *at = (size_t)(one - catalogue->cases) + 1;
            return one;
        }
    }
    return NULL;
}

static enum iw_status check_twice(const struct iw_prior_run *past, const struct iw_catalogue *catalogue,
    struct iw_run_past **cases, char *error, size_t error_octets) {
    struct iw_repeats repeats;
    enum iw_status status = iw_repeats_init(&repeats, catalogue, *cases, past->count);

    if (status == IW_OK) {
        iw_repeats_dispose(&repeats);
        return IW_OK;
    }
    if (status == IW_ERR_FORMAT)
        snprintf(error, error_octets, "a case is there twice, or of a repeat that cannot be");
    free(*cases);
    *cases = NULL;
    return status;
}

enum iw_status iw_prior_run_bind(const struct iw_prior_run *past, const struct iw_catalogue *catalogue,
    struct iw_run_past **cases, char *error, size_t error_octets) {
    size_t at = 0;

    snprintf(error, error_octets, "out of memory");
    *cases = NULL;
    if (strcmp(text_of(past->run, "catalogue"), catalogue->digest) != 0) {
        snprintf(error, error_octets, "the cases are not those of the run any more");
        return IW_ERR_FORMAT;
    }
    *cases = calloc(past->count + 1, sizeof **cases);
    for (size_t i = 0; *cases && i < past->count; i++) {
        const struct iw_prior_run_case *one = &past->cases[i];

        (*cases)[i] = (struct iw_run_past){
            find_case(catalogue, one->id, &at), one->repeat, one->verdict, one->wrong_close};
        if ((*cases)[i].one)
            continue;
        snprintf(error, error_octets, "there is no case %.200s", one->id);
        free(*cases);
        *cases = NULL;
        return IW_ERR_FORMAT;
    }
    return *cases ? check_twice(past, catalogue, cases, error, error_octets) : IW_ERR_NOMEM;
}

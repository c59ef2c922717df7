#include "iw_outcome.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "iw_array.h"
#include "iw_json_member.h"
#include "iw_line_reader.h"
#include "iw_results.h"
#include "iw_show.h"
#include "iw_text.h"

/* Reads results.jsonl line by line. */

struct reading {
    struct iw_outcome_run *run;
    struct iw_line_reader lines;
    FILE *diagnostics;
    size_t values; /* JSON values read so far */
    char *folder;  /* folder of the file, with a trailing slash; "" if none */
};

__attribute__((format(printf, 2, 3))) static enum iw_status read_error(
    const struct reading *reading, const char *format, ...) {
    va_list arguments;
    char text[512];

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    iw_show_line(text, sizeof text, text);
    fprintf(reading->diagnostics, "%s:%" PRIu64 ": %s\n", reading->run->path, reading->lines.number, text);
    return IW_ERR_FORMAT;
}

static enum iw_status read_no_memory(const struct reading *reading) {
    fputs("out of memory\n", reading->diagnostics);
    return IW_ERR_NOMEM;
}

/* ---- paths of captures and logs ---- */

static bool read_leads_up(const char *path) {
    return path[0] == '/' || strncmp(path, "../", 3) == 0 || strstr(path, "/../") != NULL;
}

/* Finds the file of the name `capture` with ".pcapng" replaced by `suffix`: at this path below the results
 * folder, or else directly in it. Sets *found to its path, if it exists. Returns false if memory runs out. */
static bool read_find_evidence(
    const struct reading *reading, const char *capture, const char *suffix, char **found) {
    enum { ending = sizeof ".pcapng" - 1 };
    const char *slash = strrchr(capture, '/');
    const char *const names[] = {
        read_leads_up(capture) ? NULL : capture, slash != NULL ? slash + 1 : capture};

    if (strlen(capture) <= ending || strcmp(capture + strlen(capture) - ending, ".pcapng") != 0)
        return true;
    for (size_t i = 0; i < 2; i++) {
        struct stat status;
        char *path;

        if (names[i] == NULL)
            continue;
        path = iw_text_format("%s%.*s%s", reading->folder, (int)strlen(names[i]) - ending, names[i], suffix);
        if (path == NULL)
            return false;
        if (lstat(path, &status) == 0 && S_ISREG(status.st_mode)) {
            *found = path;
            return true;
        }
        free(path);
    }
    return true;
}

/* ---- lines of the file ---- */

static bool read_is_id(const char *text) {
    size_t count = strlen(text);

    for (size_t i = 0; i < count; i++)
        if ((unsigned char)text[i] <= ' ' || text[i] == 0x7f || text[i] == '"' || text[i] == '=' ||
            text[i] == '/')
            return false;
    return count > 0 && count <= IW_OUTCOME_ID_MAX && text[0] != '#';
}

static bool read_take_requirements(struct iw_outcome_case *one, const json_t *array) {
    if (!json_is_array(array) || json_array_size(array) > IW_OUTCOME_REQUIREMENTS_MAX)
        return false;
    for (size_t i = 0; i < json_array_size(array); i++) {
        one->requirements[i] = json_string_value(json_array_get(array, i));
        if (one->requirements[i] == NULL)
            return false;
        one->known[i] = iw_requirement_find(one->requirements[i]);
    }
    one->requirement_count = json_array_size(array);
    return true;
}

static enum iw_status read_case(struct reading *reading, json_t *object) {
    struct iw_outcome_run *run = reading->run;
    struct iw_outcome_case *one;
    const char *verdict = iw_json_member_text(object, "verdict"), *file = iw_json_member_text(object, "file");
    char name[IW_OUTCOME_NAME_OCTETS];

    if (!iw_array_grow(&run->cases, run->count, sizeof *one))
        return read_no_memory(reading);
    one = &run->cases[run->count];
    *one = (struct iw_outcome_case){.object = object,
        .id = iw_json_member_text(object, "case"),
        .title = iw_json_member_text(object, "title"),
        .message = iw_json_member_text(object, "message"),
        .expected = iw_json_member_text(object, "expected"),
        .actual = iw_json_member_text(object, "actual"),
        .script = iw_json_member_text(object, "script"),
        .outstanding = iw_json_member_text(object, "outstanding"),
        .step = iw_json_member_text(object, "step"),
        .close = iw_json_member_text(object, "close"),
        .close_verdict = iw_json_member_text(object, "close_verdict"),
        .repeat = iw_outcome_number(object, "repeat"),
        .line = iw_outcome_number(object, "line"),
        .duration_ms = iw_outcome_number(object, "duration_ms")};
    if (!read_is_id(one->id))
        return read_error(reading, "case \"%.100s\" is not a valid id", one->id);
    if (!iw_verdict_find(verdict, &one->verdict))
        return read_error(reading, "case %s: unknown verdict \"%.100s\"", one->id, verdict);
    if (!read_take_requirements(one, json_object_get(object, "requirements")))
        return read_error(reading, "case %s: requirements is not a list of at most %d ids", one->id,
            IW_OUTCOME_REQUIREMENTS_MAX);
    if (iw_outcome_find(run, one->id, one->repeat) != NULL)
        return read_error(reading, "case %s is a duplicate", one->id);
    one->findings = json_array();
    if (one->findings == NULL)
        return read_no_memory(reading);
    json_incref(object);
    run->counts[one->verdict]++;
    run->wrong_closes += strcmp(one->close_verdict, "wrong") == 0;
    run->count++; /* from here on, iw_outcome_clear frees the members of the case */
    iw_outcome_case_name(one, name);
    if (!read_find_evidence(reading, file, ".pcapng", &one->capture) ||
        !read_find_evidence(reading, file, ".log", &one->log) ||
        json_object_set_new(run->places, name, json_integer((json_int_t)run->count - 1)) != 0)
        return read_no_memory(reading);
    return IW_OK;
}

/* Adds the finding to the latest case, which must be its case. */
static enum iw_status read_finding(struct reading *reading, json_t *object) {
    const struct iw_outcome_run *run = reading->run;
    const char *id = iw_json_member_text(object, "case");

    if (run->count == 0 || strcmp(run->cases[run->count - 1].id, id) != 0)
        return read_error(reading, "a finding of case \"%.100s\" that does not follow the case", id);
    return json_array_append(run->cases[run->count - 1].findings, object) == 0 ? IW_OK
                                                                               : read_no_memory(reading);
}

static enum iw_status read_take_once(
    const struct reading *reading, json_t **to, json_t *object, const char *type) {
    if (*to != NULL)
        return read_error(reading, "a second \"%s\"", type);
    *to = json_incref(object);
    return IW_OK;
}

static enum iw_status read_object(struct reading *reading, json_t *object) {
    struct iw_outcome_run *run = reading->run;
    const char *type = iw_json_member_text(object, "type");

    if (type[0] == '\0')
        return read_error(reading, "not a JSON object with a type");
    if (strcmp(type, "case") == 0)
        return read_case(reading, object);
    if (strcmp(type, "finding") == 0 && json_object_get(object, "case") != NULL)
        return read_finding(reading, object);
    if (strcmp(type, "run") == 0)
        return read_take_once(reading, &run->header, object, type);
    if (strcmp(type, "summary") == 0)
        return read_take_once(reading, &run->summary, object, type);
    /* Only to be verified: the cases and their findings give the same. */
    if (strcmp(type, "violation") == 0 || strcmp(type, "requirement") == 0 || strcmp(type, "coverage") == 0)
        return json_array_append(run->derived, object) == 0 ? IW_OK : read_no_memory(reading);
    return json_array_append(run->other_objects, object) == 0 ? IW_OK : read_no_memory(reading);
}

/* Counts an object or a list as four values: even an empty one takes as much memory as several numbers. */
static size_t read_count_values(const json_t *value) {
    size_t count = json_is_object(value) || json_is_array(value) ? 4 : 1, i;
    const char *key;
    json_t *member;

    json_object_foreach((json_t *)value, key, member) {
        count += read_count_values(member);
    }
    json_array_foreach(value, i, member) {
        count += read_count_values(member);
    }
    return count;
}

/* Ignores an incomplete last line, which a killed run may leave. */
static enum iw_status read_line(struct reading *reading) {
    const char *line = reading->lines.text;
    size_t octets = reading->lines.octets;
    bool ended = line[octets - 1] == '\n';
    enum iw_status status;
    json_error_t error;
    json_t *object;

    object = json_loadb(line, octets, JSON_REJECT_DUPLICATES, &error);
    if (object == NULL && json_error_code(&error) == json_error_out_of_memory)
        return read_no_memory(reading);
    if (object == NULL)
        return ended ? read_error(reading, "not JSON: %s", error.text) : IW_OK;
    reading->values += read_count_values(object);
    status = reading->values > IW_OUTCOME_VALUES_MAX
                 ? read_error(reading, "too many values for the results of a run")
                 : read_object(reading, object);
    json_decref(object);
    return status;
}

static enum iw_status read_lines(struct reading *reading) {
    char reason[IW_LINE_READER_ERROR_OCTETS];
    enum iw_status status = IW_OK;

    while (status == IW_OK && iw_line_reader_next(&reading->lines))
        status = read_line(reading);
    if (status != IW_OK || reading->lines.error == IW_OK)
        return status;
    status = reading->lines.error;
    iw_line_reader_error(&reading->lines, reason);
    if (status == IW_ERR_NOMEM)
        return read_no_memory(reading);
    if (status == IW_ERR_FORMAT)
        return read_error(reading, "%s", reason);
    fprintf(reading->diagnostics, "%s: %s\n", reading->run->path, reason);
    return status;
}

/* ---- path, name and lines of the file ---- */

/* Returns the path in NAME=PATH or PATH; sets *name to the length of NAME. An existing path has no NAME. */
static const char *read_path(const char *operand, size_t *name) {
    const char *equals = strchr(operand, '=');
    struct stat status;

    *name = 0;
    if (equals == NULL || equals == operand || stat(operand, &status) == 0)
        return operand;
    *name = (size_t)(equals - operand);
    return equals + 1;
}

static char *read_file_of(const char *path) {
    struct stat status;

    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return strdup(path);
    return iw_text_format("%s%s" IW_RESULTS_FILE, path, path[strlen(path) - 1] != '/' ? "/" : "");
}

static char *outcome_read_own_name(const struct reading *reading) {
    const char *folder = reading->folder;
    size_t end = strlen(folder), begin;

    while (end > 0 && folder[end - 1] == '/')
        end--;
    for (begin = end; begin > 0 && folder[begin - 1] != '/';)
        begin--;
    return end > begin ? strndup(folder + begin, end - begin) : strdup(reading->run->path);
}

static enum iw_status read_file_text(struct reading *reading) {
    const struct iw_outcome_run *run = reading->run;
    enum iw_status status;

    reading->lines = (struct iw_line_reader){.in = iw_results_open(run->path), .limit = IW_RESULTS_LINE_MAX};
    if (reading->lines.in == NULL && errno == 0) {
        fprintf(reading->diagnostics, "%s: not a regular file\n", run->path);
        return IW_ERR_FORMAT;
    }
    if (reading->lines.in == NULL) {
        fprintf(reading->diagnostics, "%s: %s%s\n", run->path, strerror(errno),
            errno == ENOENT && strstr(run->path, IW_RESULTS_FILE) != NULL
                ? ": give the folder that 'run --out' named"
                : "");
        return IW_ERR_IO;
    }
    status = read_lines(reading);
    iw_line_reader_clear(&reading->lines);
    fclose(reading->lines.in);
    if (status == IW_OK && run->count == 0 && run->header == NULL &&
        (run->summary == NULL || json_object_get(run->summary, "streams") != NULL)) {
        fprintf(reading->diagnostics, "%s: not the results of a run%s\n", run->path,
            run->summary != NULL ? ", but of 'check'" : "");
        return IW_ERR_FORMAT;
    }
    return status;
}

char *iw_outcome_folder(const char *operand) {
    size_t name;
    char *path = read_file_of(read_path(operand, &name)), *slash = path != NULL ? strrchr(path, '/') : NULL;

    if (slash != NULL)
        slash[slash == path] = '\0';
    else if (path != NULL)
        strcpy(path, ".");
    return path;
}

enum iw_status iw_outcome_read(struct iw_outcome_run *run, const char *operand, FILE *diagnostics) {
    struct reading reading = {.run = run, .diagnostics = diagnostics};
    enum iw_status status;
    const char *path, *slash;
    size_t name;

    *run = (struct iw_outcome_run){0};
    path = read_path(operand, &name);
    run->path = read_file_of(path);
    run->derived = json_array();
    run->other_objects = json_array();
    run->places = json_object();
    if (run->path == NULL || run->derived == NULL || run->other_objects == NULL || run->places == NULL)
        return read_no_memory(&reading);
    slash = strrchr(run->path, '/');
    reading.folder = strndup(run->path, slash != NULL ? (size_t)(slash - run->path) + 1 : 0);
    if (reading.folder == NULL)
        return read_no_memory(&reading);
    status = read_file_text(&reading);
    run->not_run = iw_outcome_number(run->summary, "not_run");
    run->name = name > 0 ? strndup(operand, name) : outcome_read_own_name(&reading);
    free(reading.folder);
    return status == IW_OK && run->name == NULL ? read_no_memory(&reading) : status;
}

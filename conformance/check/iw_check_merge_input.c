#include "iw_check_merge_input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "iw_array.h"
#include "iw_json.h"
#include "iw_shard.h"
#include "iw_text.h"

/* Octets of a line. The longest one, "capture", names files of a command line, at most 6 MiB on Linux. */
enum { MERGE_LINE_MAX = 16 << 20 };

/* Sets input->error to the place and the reason. */
__attribute__((format(printf, 3, 0))) static void merge_input_set_error(
    struct iw_check_merge_input *input, bool of_line, const char *format, va_list arguments) {
    char reason[IW_CHECK_MERGE_WRONG_OCTETS], line[24] = "";

    vsnprintf(reason, sizeof reason, format, arguments);
    if (of_line)
        snprintf(line, sizeof line, ":%" PRIu64, input->lines.number);
    free(input->error);
    input->error = iw_text_format("%s%s: %s", input->path, line, reason);
}

/* Says what is wrong with the whole file. */
__attribute__((format(printf, 2, 3))) static bool merge_input_fail(
    struct iw_check_merge_input *input, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    merge_input_set_error(input, false, format, arguments);
    va_end(arguments);
    return false;
}

/* Says what is wrong with the current line. */
__attribute__((format(printf, 2, 3))) static bool merge_input_wrong(
    struct iw_check_merge_input *input, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    merge_input_set_error(input, true, format, arguments);
    va_end(arguments);
    return false;
}

bool iw_check_merge_input_open(struct iw_check_merge_input *input, const char *path) {
    struct stat status;
    bool found = stat(path, &status) == 0, folder = found && S_ISDIR(status.st_mode);

    *input = (struct iw_check_merge_input){.waivers = json_array(), .lines.limit = MERGE_LINE_MAX};
    input->path = iw_text_format("%s%s", path, folder ? "/results.jsonl" : "");
    if (input->path == NULL)
        return false;
    if (found && !folder && !S_ISREG(status.st_mode)) /* a pipe without a writer would block */
        return merge_input_fail(input, "not a regular file");
    input->lines.in = found ? fopen(input->path, "r") : NULL;
    return input->lines.in != NULL || merge_input_fail(input, "%s", strerror(errno));
}

void iw_check_merge_input_close(struct iw_check_merge_input *input) {
    for (size_t i = 0; i < input->capture_count; i++) {
        json_decref(input->captures[i].object);
        free(input->captures[i].ids[IW_CHECK_TCP]);
        free(input->captures[i].ids[IW_CHECK_SCTP]);
    }
    if (input->lines.in != NULL)
        fclose(input->lines.in);
    json_decref(input->head);
    json_decref(input->waivers);
    json_decref(input->object);
    iw_check_merge_tally_clear(&input->tally);
    iw_line_reader_clear(&input->lines);
    free(input->captures);
    free(input->error);
    free(input->path);
}

/* Reads the next line. Returns false with input->error: `end` at the end of the file. A line without newline
 * is not whole. */
static bool merge_input_line(struct iw_check_merge_input *input, const char *end) {
    char reason[IW_LINE_READER_ERROR_OCTETS];

    if (iw_line_reader_next(&input->lines) && input->lines.text[input->lines.octets - 1] == '\n')
        return true;
    if (input->lines.error == IW_OK)
        return merge_input_fail(input, "%s", end);
    iw_line_reader_error(&input->lines, reason);
    return merge_input_wrong(input, "%s", reason);
}

static bool merge_input_is(const struct iw_check_merge_input *input, const char *type) {
    static const char begin[] = "{\"type\":\"";
    const char *line = input->lines.text;
    size_t octets = strlen(type);

    return strncmp(line, begin, sizeof begin - 1) == 0 &&
           strncmp(line + sizeof begin - 1, type, octets) == 0 && line[sizeof begin - 1 + octets] == '"';
}

/* Whether the line is about a stream, and has an order. */
static bool merge_input_is_ordered(const struct iw_check_merge_input *input) {
    return merge_input_is(input, "finding") || merge_input_is(input, "upper_finding") ||
           merge_input_is(input, "stream");
}

/* Returns NULL with input->error if the line is not JSON. */
static json_t *merge_input_parse(struct iw_check_merge_input *input) {
    json_error_t error;
    json_t *object = iw_json_read(input->lines.text, input->lines.octets, JSON_REJECT_DUPLICATES, &error);

    if (object == NULL)
        merge_input_wrong(input, "not JSON: %s", error.text);
    return object;
}

/* Reads a member that is a number from `low` to `high`. */
static bool merge_input_number(struct iw_check_merge_input *input, const json_t *object, const char *key,
    json_int_t low, json_int_t high, json_int_t *number) {
    const json_t *value = json_object_get(object, key);

    *number = json_integer_value(value);
    return (json_is_integer(value) && *number >= low && *number <= high) ||
           merge_input_wrong(input,
               "\"%s\" is not a number from %" JSON_INTEGER_FORMAT " to %" JSON_INTEGER_FORMAT, key, low,
               high);
}

/* ---- the first reading ---- */

static bool merge_input_take_head(struct iw_check_merge_input *input) {
    json_int_t format, number, count;

    input->head = merge_input_parse(input);
    if (input->head == NULL ||
        !merge_input_number(
            input, input->head, "format", IW_CHECK_SHARD_FORMAT, IW_CHECK_SHARD_FORMAT, &format) ||
        !merge_input_number(input, input->head, "shards", 1, IW_SHARD_MAX, &count) ||
        !merge_input_number(input, input->head, "shard", 1, count, &number))
        return false;
    input->shard = (struct iw_check_shard){(unsigned)number, (unsigned)count};
    return true;
}

/* Returns the capture whose line "capture" is still to come. */
static struct iw_check_merge_capture *merge_input_open_capture(struct iw_check_merge_input *input) {
    size_t count = input->capture_count;

    if (count > 0 && input->captures[count - 1].object == NULL)
        return &input->captures[count - 1];
    if (!iw_array_grow(&input->captures, count, sizeof *input->captures)) {
        merge_input_wrong(input, "out of memory");
        return NULL;
    }
    input->captures[count] = (struct iw_check_merge_capture){.object = NULL};
    input->capture_count++;
    return &input->captures[count];
}

static bool merge_input_add_ids(struct iw_check_merge_input *input, struct iw_check_merge_capture *capture,
    enum iw_check_transport transport, const json_t *orders) {
    size_t *count = &capture->id_count[transport];

    for (size_t i = 0; i < json_array_size(orders); i++) {
        const json_t *value = json_array_get(orders, i);
        uint64_t order = (uint64_t)json_integer_value(value);

        if (!json_is_integer(value) || order > INT64_MAX ||
            (*count > 0 && order < capture->ids[transport][*count - 1]))
            return merge_input_wrong(input, "\"orders\" are not ascending numbers from 0");
        if (!iw_array_grow(&capture->ids[transport], *count, sizeof **capture->ids))
            return merge_input_wrong(input, "out of memory");
        capture->ids[transport][(*count)++] = order;
    }
    return json_is_array(orders) || merge_input_wrong(input, "\"orders\" is not a list");
}

static bool merge_input_take_ids(struct iw_check_merge_input *input) {
    struct iw_check_merge_capture *capture = merge_input_open_capture(input);
    json_t *object = capture != NULL ? merge_input_parse(input) : NULL;
    enum iw_check_transport transport;
    char wrong[IW_CHECK_MERGE_WRONG_OCTETS];
    bool good = object != NULL &&
                (iw_check_merge_tally_transport(object, &transport, wrong) ||
                    merge_input_wrong(input, "%s", wrong)) &&
                merge_input_add_ids(input, capture, transport, json_object_get(object, "orders"));

    json_decref(object);
    return good;
}

static bool merge_input_take_capture(struct iw_check_merge_input *input) {
    struct iw_check_merge_capture *capture = merge_input_open_capture(input);

    if (capture == NULL || (capture->object = merge_input_parse(input)) == NULL)
        return false;
    if (json_array_size(json_object_get(capture->object, "paths")) == 0)
        return merge_input_wrong(input, "\"paths\" is not a list of files");
    return iw_check_shard_read_capture(capture->object, &capture->counts, &capture->totals) ||
           merge_input_wrong(
               input, "the counts, \"contents\", \"links\" or \"totals\" are not those of a capture");
}

static bool merge_input_take_waiver(struct iw_check_merge_input *input) {
    json_t *object = merge_input_parse(input);
    json_int_t used;

    if (object != NULL && merge_input_number(input, object, "used", 0, INT64_MAX, &used))
        return json_array_append_new(input->waivers, object) == 0 ||
               merge_input_wrong(input, "out of memory");
    json_decref(object);
    return false;
}

/* Compares the line "summary" with the totals of the last capture. */
static bool merge_input_check_summary(struct iw_check_merge_input *input, const json_t *object) {
    const struct iw_totals *totals = &input->captures[input->capture_count - 1].totals;
    const json_t *findings = json_object_get(object, "findings");
    json_int_t number;

    for (int i = 0; i <= IW_SEVERITY_ERROR; i++) {
        const char *key = iw_severity_name((enum iw_severity)i);

        if (!merge_input_number(input, findings, key, 0, INT64_MAX, &number))
            return false;
        if ((uint64_t)number != totals->findings[i])
            return merge_input_wrong(input, "\"%s\" of \"findings\" differs from the line \"capture\"", key);
    }
    if (!merge_input_number(input, object, "streams", 0, INT64_MAX, &number))
        return false;
    return (uint64_t)number == totals->streams ||
           merge_input_wrong(input, "\"streams\" differs from the line \"capture\"");
}

static bool merge_input_take_summary(struct iw_check_merge_input *input) {
    json_t *object;

    if (input->capture_count == 0 || input->captures[input->capture_count - 1].object == NULL)
        return merge_input_wrong(input, "the line \"capture\" before it is missing");
    object = merge_input_parse(input);
    input->complete = object != NULL && merge_input_check_summary(input, object);
    json_decref(object);
    return input->complete;
}

static bool merge_input_take_line(struct iw_check_merge_input *input) {
    if (merge_input_is_ordered(input))
        return true;
    if (merge_input_is(input, "ids"))
        return merge_input_take_ids(input);
    if (merge_input_is(input, "capture"))
        return merge_input_take_capture(input);
    if (merge_input_is(input, "waiver"))
        return merge_input_take_waiver(input);
    if (merge_input_is(input, "summary"))
        return merge_input_take_summary(input);
    return merge_input_wrong(input, "not a line of the results of a shard");
}

bool iw_check_merge_input_read(struct iw_check_merge_input *input) {
    if (!merge_input_line(input, "not the results of a shard"))
        return false;
    if (!merge_input_is(input, "shard"))
        return merge_input_fail(input, "not the results of a shard");
    if (!merge_input_take_head(input))
        return false;
    while (!input->complete)
        if (!merge_input_line(input, "the shard was cut short") || !merge_input_take_line(input))
            return false;
    if (iw_line_reader_next(&input->lines) || input->lines.error != IW_OK)
        return merge_input_wrong(input, "a line after the summary");
    rewind(input->lines.in);
    input->lines.number = 0;
    return true;
}

/* ---- the second reading ---- */

bool iw_check_merge_input_begin(struct iw_check_merge_input *input, size_t capture) {
    input->capture = capture;
    input->tally.judges_upper =
        json_integer_value(json_object_get(input->head, "upper")) == IW_CHECK_UPPER_JUDGE;
    return iw_check_merge_tally_begin(&input->tally, input->captures[capture].id_count) ||
           merge_input_fail(input, "out of memory");
}

/* Replaces the id of the stream by its final one. */
static bool merge_input_take_ordered(struct iw_check_merge_input *input) {
    const struct iw_check_merge_capture *capture = &input->captures[input->capture];
    char wrong[IW_CHECK_MERGE_WRONG_OCTETS];
    enum iw_check_transport transport;
    uint64_t id;

    input->object = merge_input_parse(input);
    if (input->object == NULL)
        return false;
    if (!iw_check_merge_tally_line(&input->tally, input->object, &transport, &id, wrong))
        return merge_input_wrong(input, "%s", wrong);
    json_object_del(input->object, "order");
    return json_object_set_new(
               input->object, "stream", json_integer((json_int_t)capture->ids[transport][id])) == 0 ||
           merge_input_wrong(input, "out of memory");
}

static bool merge_input_end_capture(struct iw_check_merge_input *input) {
    const struct iw_check_merge_capture *capture = &input->captures[input->capture];
    char wrong[IW_CHECK_MERGE_WRONG_OCTETS];

    return iw_check_merge_tally_end(&input->tally, &capture->counts, &capture->totals,
               json_object_get(capture->object, "error") != NULL, wrong) ||
           merge_input_wrong(input, "%s", wrong);
}

bool iw_check_merge_input_next(struct iw_check_merge_input *input) {
    json_decref(input->object);
    input->object = NULL;
    while (merge_input_line(input, "changed while it was read")) {
        if (merge_input_is(input, "capture"))
            return merge_input_end_capture(input);
        if (merge_input_is_ordered(input))
            return merge_input_take_ordered(input);
    }
    return false;
}

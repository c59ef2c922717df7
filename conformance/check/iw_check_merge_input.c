#include "iw_check_merge_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "iw_array.h"
#include "iw_json.h"
#include "iw_text.h"

enum { SHARDS_MAX = 10000 };

static bool merge_input_fail(const char **reason, const char *why) {
    *reason = why;
    return false;
}

bool iw_check_merge_input_open(struct iw_check_merge_input *input, const char *path, const char **reason) {
    struct stat status;

    *input = (struct iw_check_merge_input){.waivers = json_array()};
    if (stat(path, &status) != 0)
        return merge_input_fail(reason, strerror(errno));
    if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode)) /* a pipe without a writer would block */
        return merge_input_fail(reason, "not a regular file");
    input->path = iw_text_format("%s%s", path, S_ISDIR(status.st_mode) ? "/results.jsonl" : "");
    input->in = input->path != NULL ? fopen(input->path, "r") : NULL;
    return input->in != NULL || merge_input_fail(reason, strerror(errno));
}

void iw_check_merge_input_close(struct iw_check_merge_input *input) {
    for (size_t i = 0; i < input->capture_count; i++) {
        json_decref(input->captures[i].object);
        free(input->captures[i].ids[IW_CHECK_TCP]);
        free(input->captures[i].ids[IW_CHECK_SCTP]);
    }
    if (input->in != NULL)
        fclose(input->in);
    json_decref(input->head);
    json_decref(input->waivers);
    json_decref(input->object);
    free(input->captures);
    free(input->line);
    free(input->path);
}

/* Reads a line into input->line. Returns false at the end of the file; a line without newline is not whole.
 */
static bool merge_input_line(struct iw_check_merge_input *input) {
    ssize_t octets = getline(&input->line, &input->capacity, input->in);

    input->line_number++;
    return octets > 0 && input->line[octets - 1] == '\n';
}

static bool merge_input_is(const struct iw_check_merge_input *input, const char *type) {
    static const char begin[] = "{\"type\":\"";
    size_t octets = strlen(type);

    return strncmp(input->line, begin, sizeof begin - 1) == 0 &&
           strncmp(input->line + sizeof begin - 1, type, octets) == 0 &&
           input->line[sizeof begin - 1 + octets] == '"';
}

/* Whether the line is about a stream, and has an order. */
static bool merge_input_is_ordered(const struct iw_check_merge_input *input) {
    return merge_input_is(input, "finding") || merge_input_is(input, "upper_finding") ||
           merge_input_is(input, "stream");
}

static json_t *merge_input_parse(const struct iw_check_merge_input *input) {
    return iw_json_read(input->line, strlen(input->line), 0, NULL);
}

/* ---- the first reading ---- */

static bool merge_input_take_head(struct iw_check_merge_input *input) {
    json_int_t number, count;

    input->head = merge_input_parse(input);
    number = json_integer_value(json_object_get(input->head, "shard"));
    count = json_integer_value(json_object_get(input->head, "shards"));
    if (json_integer_value(json_object_get(input->head, "format")) != IW_CHECK_SHARD_FORMAT || number < 1 ||
        number > count || count > SHARDS_MAX)
        return false;
    input->shard = (struct iw_check_shard){(unsigned)number, (unsigned)count};
    return true;
}

/* Returns the capture whose line "capture" is still to come. */
static struct iw_check_merge_capture *merge_input_open_capture(struct iw_check_merge_input *input) {
    size_t count = input->capture_count;

    if (count > 0 && input->captures[count - 1].object == NULL)
        return &input->captures[count - 1];
    if (!iw_array_grow(&input->captures, count, sizeof *input->captures))
        return NULL;
    input->captures[count] = (struct iw_check_merge_capture){.object = NULL};
    input->capture_count++;
    return &input->captures[count];
}

static bool merge_input_add_ids(
    struct iw_check_merge_capture *capture, enum iw_check_transport transport, const json_t *orders) {
    size_t *count = &capture->id_count[transport];

    for (size_t i = 0; i < json_array_size(orders); i++) {
        uint64_t order = (uint64_t)json_integer_value(json_array_get(orders, i));

        if (order > INT64_MAX || (*count > 0 && order < capture->ids[transport][*count - 1]) ||
            !iw_array_grow(&capture->ids[transport], *count, sizeof **capture->ids))
            return false;
        capture->ids[transport][(*count)++] = order;
    }
    return json_is_array(orders);
}

static bool merge_input_take_ids(struct iw_check_merge_input *input) {
    struct iw_check_merge_capture *capture = merge_input_open_capture(input);
    json_t *object = merge_input_parse(input);
    const char *transport = json_string_value(json_object_get(object, "transport"));
    bool good = capture != NULL && transport != NULL &&
                merge_input_add_ids(capture, strcmp(transport, "sctp") == 0 ? IW_CHECK_SCTP : IW_CHECK_TCP,
                    json_object_get(object, "orders"));

    json_decref(object);
    return good;
}

static bool merge_input_take_capture(struct iw_check_merge_input *input) {
    struct iw_check_merge_capture *capture = merge_input_open_capture(input);

    if (capture == NULL)
        return false;
    capture->object = merge_input_parse(input);
    return capture->object != NULL && json_array_size(json_object_get(capture->object, "paths")) > 0 &&
           iw_check_shard_read_capture(capture->object, &capture->counts, &capture->totals);
}

static bool merge_input_take_line(struct iw_check_merge_input *input) {
    if (merge_input_is_ordered(input))
        return true;
    if (merge_input_is(input, "ids"))
        return merge_input_take_ids(input);
    if (merge_input_is(input, "capture"))
        return merge_input_take_capture(input);
    if (merge_input_is(input, "waiver"))
        return json_array_append_new(input->waivers, merge_input_parse(input)) == 0;
    input->complete = merge_input_is(input, "summary");
    return input->complete;
}

bool iw_check_merge_input_read(struct iw_check_merge_input *input, const char **reason) {
    if (!merge_input_line(input) || !merge_input_is(input, "shard"))
        return merge_input_fail(reason, "not the results of a shard");
    if (!merge_input_take_head(input))
        return merge_input_fail(reason, "not the results of a shard that this version can merge");
    while (!input->complete && merge_input_line(input))
        if (!merge_input_take_line(input))
            return merge_input_fail(reason, "has a damaged line, or results of several shards");
    if (!input->complete)
        return merge_input_fail(reason, "the shard was cut short");
    if (merge_input_line(input))
        return merge_input_fail(reason, "has lines after its summary");
    rewind(input->in);
    input->line_number = 0;
    return true;
}

/* ---- the second reading ---- */

static bool merge_input_number(struct iw_check_merge_input *input) {
    const struct iw_check_merge_capture *capture = &input->captures[input->capture];
    const char *transport = json_string_value(json_object_get(input->object, "transport"));
    enum iw_check_transport at =
        transport != NULL && strcmp(transport, "sctp") == 0 ? IW_CHECK_SCTP : IW_CHECK_TCP;
    json_t *order = json_object_get(input->object, "order");
    uint64_t id = (uint64_t)json_integer_value(json_object_get(input->object, "stream"));

    if (!json_is_integer(order) || id >= capture->id_count[at])
        return false;
    input->order = (uint64_t)json_integer_value(order);
    json_object_del(input->object, "order");
    return json_object_set_new(input->object, "stream", json_integer((json_int_t)capture->ids[at][id])) == 0;
}

bool iw_check_merge_input_next(struct iw_check_merge_input *input, const char **reason) {
    json_decref(input->object);
    input->object = NULL;
    while (merge_input_line(input)) {
        if (merge_input_is(input, "capture"))
            return true;
        if (!merge_input_is_ordered(input))
            continue;
        input->object = merge_input_parse(input);
        if (input->object == NULL || !merge_input_number(input))
            return merge_input_fail(reason, "has a damaged line");
        return true;
    }
    return merge_input_fail(reason, "changed while it was read");
}

#include "iw_check_merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "iw_check_merge_input.h"
#include "iw_json.h"
#include "iw_text.h"
#include "iw_whole_file.h"

struct merge {
    struct iw_check_merge_input *inputs; /* shard N is at N - 1, once all were read */
    size_t count;
    FILE *diagnostics;
    struct iw_check_report report;
    size_t *heap; /* indexes of inputs, the one with the next order first */
    size_t heap_count;
    uint64_t *next; /* by input: order of what it has next */
};

static bool merge_check_refuse(const struct merge *merge, const char *path, const char *reason) {
    fprintf(merge->diagnostics, "%s: %s\n", path, reason);
    return false;
}

/* ---- a heap of inputs: orders are equal only within an input, so the order is that of one check ---- */

static bool merge_heap_less(const struct merge *merge, size_t a, size_t b) {
    return merge->next[a] != merge->next[b] ? merge->next[a] < merge->next[b] : a < b;
}

static void merge_heap_sink(struct merge *merge, size_t at) {
    for (size_t child; (child = 2 * at + 1) < merge->heap_count; at = child) {
        size_t moved = merge->heap[at];

        if (child + 1 < merge->heap_count &&
            merge_heap_less(merge, merge->heap[child + 1], merge->heap[child]))
            child++;
        if (!merge_heap_less(merge, merge->heap[child], moved))
            return;
        merge->heap[at] = merge->heap[child];
        merge->heap[child] = moved;
    }
}

static void merge_heap_make(struct merge *merge) {
    for (size_t i = merge->heap_count; i-- > 0;)
        merge_heap_sink(merge, i);
}

/* The first input has nothing more. */
static void merge_heap_drop(struct merge *merge) {
    merge->heap[0] = merge->heap[--merge->heap_count];
    merge_heap_sink(merge, 0);
}

/* ---- do the shards fit together? ---- */

static bool merge_head_fits(const struct merge *merge, const struct iw_check_merge_input *input) {
    static const char *const keys[] = {"version", "shards", "extensions", "stricter", "memory", "upper"};
    const struct iw_check_merge_input *first = &merge->inputs[0];
    char reason[IW_CHECK_TITLE_OCTETS];

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!json_equal(json_object_get(first->head, keys[i]), json_object_get(input->head, keys[i]))) {
            snprintf(reason, sizeof reason, "\"%s\" differs from that of %s: shards of different checks",
                keys[i], first->path);
            return merge_check_refuse(merge, input->path, reason);
        }
    return true;
}

static bool merge_captures_fit(const struct merge *merge, const struct iw_check_merge_input *input) {
    static const char *const keys[] = {"paths", "frames", "links", "error"};
    const struct iw_check_merge_input *first = &merge->inputs[0];
    bool same = first->capture_count == input->capture_count;

    for (size_t i = 0; same && i < input->capture_count; i++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            json_t *one = json_object_get(first->captures[i].object, keys[k]);
            json_t *other = json_object_get(input->captures[i].object, keys[k]);

            same &= one == other || json_equal(one, other);
        }
    return same || merge_check_refuse(merge, input->path, "is of other captures than the first shard");
}

/* The lines of the waivers may differ only in the number of findings. */
static bool merge_waivers_fit(const struct merge *merge, const struct iw_check_merge_input *input) {
    const json_t *first = merge->inputs[0].waivers;
    bool same = json_array_size(first) == json_array_size(input->waivers);

    for (size_t i = 0; same && i < json_array_size(first); i++) {
        json_t *one = json_copy(json_array_get(first, i)),
               *other = json_copy(json_array_get(input->waivers, i));

        json_object_del(one, "used");
        json_object_del(other, "used");
        same = json_equal(one, other);
        json_decref(one);
        json_decref(other);
    }
    return same ||
           merge_check_refuse(merge, input->path, "was checked with other waivers than the first shard");
}

static int merge_compare_numbers(const void *a, const void *b) {
    const struct iw_check_merge_input *one = a, *other = b;

    return (one->shard.number > other->shard.number) - (one->shard.number < other->shard.number);
}

/* Sorts the shards by number, and finds missing and repeated ones. */
static bool merge_all_there(struct merge *merge) {
    char reason[64];

    qsort(merge->inputs, merge->count, sizeof *merge->inputs, merge_compare_numbers);
    for (size_t i = 0; i + 1 < merge->count; i++)
        if (merge->inputs[i].shard.number == merge->inputs[i + 1].shard.number)
            return merge_check_refuse(merge, merge->inputs[i + 1].path, "the shard is a duplicate");
    for (unsigned i = 0; i < merge->inputs[0].shard.count; i++)
        if (i >= merge->count || merge->inputs[i].shard.number != i + 1) {
            snprintf(reason, sizeof reason, "shard %u of %u is missing", i + 1, merge->inputs[0].shard.count);
            return merge_check_refuse(merge, merge->inputs[0].path, reason);
        }
    return true;
}

/* Prints why reading the input failed. */
static bool merge_input_refuse(const struct merge *merge, const struct iw_check_merge_input *input) {
    fprintf(merge->diagnostics, "%s\n", input->error != NULL ? input->error : "out of memory");
    return false;
}

static bool merge_read(struct merge *merge, char *const *paths) {
    for (size_t i = 0; i < merge->count; i++)
        if (!iw_check_merge_input_open(&merge->inputs[i], paths[i]) ||
            !iw_check_merge_input_read(&merge->inputs[i]))
            return merge_input_refuse(merge, &merge->inputs[i]);
    for (size_t i = 0; i < merge->count; i++)
        if (!merge_head_fits(merge, &merge->inputs[i]) || !merge_captures_fit(merge, &merge->inputs[i]) ||
            !merge_waivers_fit(merge, &merge->inputs[i]))
            return false;
    return merge_all_there(merge);
}

/* ---- final ids of the streams ---- */

/* Replaces the order of each id by the id that it has in a check of the whole capture. */
static void merge_number(struct merge *merge, size_t capture, enum iw_check_transport transport, size_t *at) {
    uint64_t id = 0;

    merge->heap_count = 0;
    for (size_t i = 0; i < merge->count; i++) {
        const struct iw_check_merge_capture *one = &merge->inputs[i].captures[capture];

        at[i] = 0;
        if (one->id_count[transport] > 0) {
            merge->next[i] = one->ids[transport][0];
            merge->heap[merge->heap_count++] = i;
        }
    }
    for (merge_heap_make(merge); merge->heap_count > 0;) {
        size_t i = merge->heap[0];
        struct iw_check_merge_capture *one = &merge->inputs[i].captures[capture];

        one->ids[transport][at[i]++] = id++;
        if (at[i] == one->id_count[transport]) {
            merge_heap_drop(merge);
        } else {
            merge->next[i] = one->ids[transport][at[i]];
            merge_heap_sink(merge, 0);
        }
    }
}

/* ---- lines ---- */

/* Reads the next line of an input. *more: whether there is one. */
static bool merge_advance(struct merge *merge, size_t i, bool *more) {
    struct iw_check_merge_input *input = &merge->inputs[i];

    if (!iw_check_merge_input_next(input))
        return merge_input_refuse(merge, input);
    merge->next[i] = input->tally.order;
    *more = input->object != NULL;
    return true;
}

static bool merge_put_lines(struct merge *merge, size_t capture) {
    bool more = false;

    merge->heap_count = 0;
    for (size_t i = 0; i < merge->count; i++) {
        if (!iw_check_merge_input_begin(&merge->inputs[i], capture))
            return merge_input_refuse(merge, &merge->inputs[i]);
        if (!merge_advance(merge, i, &more))
            return false;
        if (more)
            merge->heap[merge->heap_count++] = i;
    }
    for (merge_heap_make(merge); merge->heap_count > 0;) {
        size_t i = merge->heap[0];

        if (!iw_json_line(merge->report.out, json_incref(merge->inputs[i].object)))
            return merge_check_refuse(merge, merge->inputs[i].path, "cannot be written");
        if (!merge_advance(merge, i, &more))
            return false;
        if (more)
            merge_heap_sink(merge, 0);
        else
            merge_heap_drop(merge);
    }
    return true;
}

/* Shard 1 has counted what belongs to no connection; the counts of connections are added. */
static void merge_join_counts(const struct merge *merge, size_t capture, struct iw_check_counts *counts) {
    *counts = merge->inputs[0].captures[capture].counts;
    for (size_t i = 1; i < merge->count; i++) {
        const struct iw_check_counts *one = &merge->inputs[i].captures[capture].counts;

        counts->streams += one->streams;
        counts->tcp_flows += one->tcp_flows;
        counts->cut_flows += one->cut_flows;
        counts->tags += one->tags;
        counts->dropped += one->dropped;
        /* Every shard reads all port mappings, and uses its own. */
        counts->mappings = one->mappings < counts->mappings ? one->mappings : counts->mappings;
    }
}

static void merge_join_totals(struct merge *merge, size_t capture) {
    struct iw_totals *totals = &merge->report.totals;
    bool unread = totals->unread;

    *totals = (struct iw_totals){.unread = unread,
        .stricter = (uint8_t)json_integer_value(json_object_get(merge->inputs[0].head, "stricter"))};
    for (size_t i = 0; i < merge->count; i++)
        iw_totals_join(totals, &merge->inputs[i].captures[capture].totals);
}

/* Ends the report on a capture as iw_check_report_files does. */
static enum iw_exit merge_conclude(struct merge *merge, size_t capture) {
    struct iw_check_report *report = &merge->report;
    const json_t *object = merge->inputs[0].captures[capture].object,
                 *paths = json_object_get(object, "paths");
    const char *error = json_string_value(json_object_get(object, "error"));
    size_t count = json_array_size(paths);
    const char *ends[2] = {
        json_string_value(json_array_get(paths, 0)), json_string_value(json_array_get(paths, count - 1))};
    struct iw_check_chain chain = {.paths = ends, .count = 1}; /* this report does not name the files */
    char title[IW_CHECK_TITLE_OCTETS];
    struct iw_check_counts counts;
    enum iw_exit exit;

    merge_join_counts(merge, capture, &counts);
    merge_join_totals(merge, capture);
    report->file = iw_check_report_title(ends[0], ends[1], count, title);
    report->files += count;
    iw_text_open(&report->troubles);
    if (error != NULL)
        iw_check_report_trouble(report, error);
    exit = iw_check_report_conclude(report, &chain, &counts, error != NULL ? IW_ERR_FORMAT : IW_OK);
    report->file = NULL;
    return exit;
}

static void merge_put_waivers(struct merge *merge) {
    for (size_t i = 0; i < json_array_size(merge->inputs[0].waivers); i++) {
        json_t *object = json_array_get(merge->inputs[0].waivers, i);
        json_int_t used = 0;

        for (size_t k = 0; k < merge->count; k++)
            used += json_integer_value(json_object_get(json_array_get(merge->inputs[k].waivers, i), "used"));
        json_object_set_new(object, "used", json_integer(used));
        iw_json_line(merge->report.out, json_incref(object));
    }
}

static bool merge_put_all(struct merge *merge, size_t *at, enum iw_exit *exit) {
    *exit = IW_EXIT_CONFORMS;
    for (size_t i = 0; i < merge->inputs[0].capture_count; i++) {
        merge_number(merge, i, IW_CHECK_TCP, at);
        merge_number(merge, i, IW_CHECK_SCTP, at);
        if (!merge_put_lines(merge, i))
            return false;
        *exit = iw_exit_join(*exit, merge_conclude(merge, i));
    }
    merge_put_waivers(merge);
    *exit = iw_check_report_end(&merge->report, *exit);
    return true;
}

static enum iw_exit merge_write(struct merge *merge, const char *out) {
    size_t *at = calloc(merge->count, sizeof *at);
    struct iw_whole_file file;
    int error = at != NULL ? iw_whole_file_open(&file, out) : ENOMEM;
    enum iw_exit exit = IW_EXIT_ENVIRONMENT;
    bool good = false;

    if (error == 0) {
        merge->report.out = file.out;
        merge->report.form = &iw_check_report_jsonl;
        good = merge_put_all(merge, at, &exit);
        error = iw_whole_file_close(&file, good);
    }
    free(at);
    if (error != 0)
        good = merge_check_refuse(merge, out, strerror(error));
    return good ? exit : IW_EXIT_ENVIRONMENT;
}

enum iw_exit iw_check_merge(const char *out, char *const *paths, size_t count, FILE *diagnostics) {
    struct merge merge = {.inputs = calloc(count, sizeof *merge.inputs),
        .count = count,
        .diagnostics = diagnostics,
        .heap = calloc(count, sizeof *merge.heap),
        .next = calloc(count, sizeof *merge.next)};
    enum iw_exit exit = IW_EXIT_ENVIRONMENT;

    if (merge.inputs == NULL || merge.heap == NULL || merge.next == NULL)
        fputs("out of memory\n", diagnostics);
    else if (merge_read(&merge, paths))
        exit = merge_write(&merge, out);
    for (size_t i = 0; merge.inputs != NULL && i < count; i++)
        iw_check_merge_input_close(&merge.inputs[i]);
    free(merge.inputs);
    free(merge.heap);
    free(merge.next);
    return exit;
}

bool iw_check_merge_takes(const char *path) {
    /* What can be the first line. */
    static const char *const begins[] = {"{\"type\":\"shard\"", "{\"type\":\"finding\"",
        "{\"type\":\"upper_finding\"", "{\"type\":\"stream\"", "{\"type\":\"summary\""};
    struct iw_check_merge_input input;
    char head[32] = "";
    bool takes = false;

    if (iw_check_merge_input_open(&input, path))
        head[fread(head, 1, sizeof head - 1, input.lines.in)] = '\0';
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        takes |= strncmp(head, begins[i], strlen(begins[i])) == 0;
    iw_check_merge_input_close(&input);
    return takes;
}

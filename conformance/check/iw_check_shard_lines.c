#include "iw_check_shard_lines.h"

#include <string.h>

#include "iw_json.h"

enum { IDS_PER_LINE = 1000 };

static json_t *shard_number(uint64_t number) {
    return json_integer((json_int_t)number);
}

static void shard_set(json_t *object, const char *key, uint64_t number) {
    json_object_set_new(object, key, shard_number(number));
}

void iw_check_shard_put_head(const struct iw_check_report *report) {
    json_t *object = iw_json_object("shard", NULL, 0);

    if (report->result.file_count > 0) {
        json_decref(object);
        return;
    }
    shard_set(object, "format", IW_CHECK_SHARD_FORMAT);
    iw_json_set_text(object, "version", WARPCHECK_VERSION);
    shard_set(object, "shard", report->shard.number);
    shard_set(object, "shards", report->shard.count);
    shard_set(object, "extensions", report->extensions);
    shard_set(object, "stricter", report->stricter);
    shard_set(object, "memory", report->memory);
    shard_set(object, "upper", report->upper);
    iw_json_line(report->out, object);
}

static void shard_put_ids(
    const struct iw_check_report *report, const char *transport, const uint64_t *ids, size_t count) {
    for (size_t begin = 0; begin < count; begin += IDS_PER_LINE) {
        json_t *object = iw_json_object("ids", NULL, 0), *orders = json_array();

        for (size_t i = begin; i < count && i < begin + IDS_PER_LINE; i++)
            json_array_append_new(orders, shard_number(ids[i]));
        iw_json_set_text(object, "transport", transport);
        json_object_set_new(object, "orders", orders);
        iw_json_line(report->out, object);
    }
}

/* ---- the line "capture" ---- */

/* Numbers of struct iw_check_counts, and of struct iw_totals. */
static const struct row {
    const char *key;
    size_t at;
} count_rows[] =
    {
#define ROW(member)                                                                                          \
    { #member, offsetof(struct iw_check_counts, member) }
        ROW(frames), ROW(streams), ROW(tcp_flows), ROW(cut_flows), ROW(fragments), ROW(differing), ROW(cut),
        ROW(malformed), ROW(tags), ROW(dropped), ROW(mappings)
#undef ROW
},
  total_rows[] = {
#define ROW(member)                                                                                          \
    { #member, offsetof(struct iw_totals, member) }
      ROW(streams), ROW(fpdus), ROW(unstarted), ROW(waived)
#undef ROW
};

static void shard_set_rows(json_t *object, const struct row *rows, size_t count, const void *from) {
    for (size_t i = 0; i < count; i++) {
        uint64_t number;

        memcpy(&number, (const char *)from + rows[i].at, sizeof number);
        shard_set(object, rows[i].key, number);
    }
}

static bool shard_read_number(const json_t *value, uint64_t *number) {
    *number = (uint64_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool shard_read_rows(const json_t *object, const struct row *rows, size_t count, void *to) {
    bool good = true;

    for (size_t i = 0; i < count; i++) {
        uint64_t number;

        good &= shard_read_number(json_object_get(object, rows[i].key), &number);
        memcpy((char *)to + rows[i].at, &number, sizeof number);
    }
    return good;
}

static void shard_set_numbers(json_t *object, const char *key, const uint64_t *numbers, size_t count) {
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, shard_number(numbers[i]));
    json_object_set_new(object, key, array);
}

static bool shard_read_numbers(const json_t *object, const char *key, uint64_t *numbers, size_t count) {
    const json_t *array = json_object_get(object, key);
    bool good = json_array_size(array) == count;

    for (size_t i = 0; i < count; i++)
        good &= shard_read_number(json_array_get(array, i), &numbers[i]);
    return good;
}

static void shard_set_totals(json_t *object, const struct iw_totals *totals) {
    json_t *all = json_object();

    shard_set_rows(all, total_rows, sizeof total_rows / sizeof *total_rows, totals);
    shard_set_numbers(all, "findings", totals->findings, sizeof totals->findings / sizeof *totals->findings);
    shard_set_numbers(all, "unjudged", totals->unjudged, sizeof totals->unjudged / sizeof *totals->unjudged);
    json_object_set_new(object, "totals", all);
}

static bool shard_read_totals(const json_t *object, struct iw_totals *totals) {
    const json_t *all = json_object_get(object, "totals");

    return shard_read_rows(all, total_rows, sizeof total_rows / sizeof *total_rows, totals) &&
           shard_read_numbers(
               all, "findings", totals->findings, sizeof totals->findings / sizeof *totals->findings) &&
           shard_read_numbers(
               all, "unjudged", totals->unjudged, sizeof totals->unjudged / sizeof *totals->unjudged);
}

static void shard_set_contents(json_t *object, const struct iw_check_contents *contents) {
    json_t *array = json_array();

    for (unsigned i = 0; i < contents->count; i++) {
        json_t *row = json_array();

        json_array_append_new(row, json_string(iw_content_key(contents->rows[i].content)));
        json_array_append_new(row, json_integer(contents->rows[i].number));
        json_array_append_new(row, shard_number(contents->rows[i].frames));
        json_array_append_new(array, row);
    }
    json_object_set_new(object, "contents", array);
    shard_set(object, "contents_more", contents->more);
    shard_set_numbers(object, "contents_frames", contents->frames, IW_CONTENT_COUNT);
}

static bool shard_read_content(const json_t *row, struct iw_check_content *content) {
    const char *key = json_string_value(json_array_get(row, 0));
    uint64_t number;
    int i = IW_CONTENT_COUNT - 1;

    if (key == NULL || !shard_read_number(json_array_get(row, 1), &number) || number > UINT16_MAX ||
        !shard_read_number(json_array_get(row, 2), &content->frames))
        return false;
    while (i > 0 && strcmp(iw_content_key((enum iw_content)i), key) != 0)
        i--;
    content->content = (enum iw_content)i;
    content->number = (uint16_t)number;
    return i > 0;
}

static bool shard_read_contents(const json_t *object, struct iw_check_contents *contents) {
    const json_t *array = json_object_get(object, "contents");
    bool good = json_array_size(array) <= IW_CHECK_CONTENTS;

    for (size_t i = 0; good && i < json_array_size(array); i++)
        good = shard_read_content(json_array_get(array, i), &contents->rows[contents->count++]);
    return good && shard_read_number(json_object_get(object, "contents_more"), &contents->more) &&
           shard_read_numbers(object, "contents_frames", contents->frames, IW_CONTENT_COUNT);
}

static void shard_set_links(json_t *object, const struct iw_capture_unread *links) {
    json_t *array = json_array();

    for (size_t i = 0; i < links->count; i++) {
        json_t *row = json_array();

        json_array_append_new(row, json_integer(links->types[i].link_type));
        json_array_append_new(row, shard_number(links->types[i].packets));
        json_array_append_new(array, row);
    }
    json_object_set_new(object, "links", array);
}

static bool shard_read_links(const json_t *object, struct iw_capture_unread *links) {
    const json_t *array = json_object_get(object, "links");
    bool good = json_array_size(array) <= IW_CAPTURE_UNREAD_MAX;

    for (size_t i = 0; good && i < json_array_size(array); i++) {
        uint64_t type = 0, packets = 0;

        good = shard_read_number(json_array_get(json_array_get(array, i), 0), &type) && type <= UINT16_MAX &&
               shard_read_number(json_array_get(json_array_get(array, i), 1), &packets);
        iw_capture_unread_count(links, (uint16_t)type, packets);
    }
    return good;
}

void iw_check_shard_put_capture(const struct iw_check_report *report, const struct iw_check_counts *counts) {
    const struct iw_check_chain *chain = &report->store.chain;
    const struct iw_check_order *order = report->order;
    json_t *object;

    shard_put_ids(report, "tcp", order->ids[IW_CHECK_TCP], order->id_count[IW_CHECK_TCP]);
    shard_put_ids(report, "sctp", order->ids[IW_CHECK_SCTP], order->id_count[IW_CHECK_SCTP]);
    object = iw_json_object("capture", NULL, 0);
    json_object_set_new(object, "paths", iw_json_texts(chain->paths, chain->count));
    shard_set_rows(object, count_rows, sizeof count_rows / sizeof *count_rows, counts);
    shard_set_contents(object, &counts->contents);
    shard_set_links(object, &counts->links);
    iw_json_set_text(object, "error", report->error);
    shard_set_totals(object, &report->totals);
    iw_json_line(report->out, object);
}

bool iw_check_shard_read_capture(
    const json_t *object, struct iw_check_counts *counts, struct iw_totals *totals) {
    *counts = (struct iw_check_counts){0};
    *totals = (struct iw_totals){0};
    return shard_read_rows(object, count_rows, sizeof count_rows / sizeof *count_rows, counts) &&
           shard_read_contents(object, &counts->contents) && shard_read_links(object, &counts->links) &&
           shard_read_totals(object, totals);
}

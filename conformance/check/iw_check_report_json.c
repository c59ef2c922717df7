#include "iw_check_report.h"
#include "iw_check_shard_lines.h"
#include "iw_json.h"

/* For programs: one JSON object per line: finding, stream, waiver or summary. */

/* json_object_set_new ignores a NULL value: the object then lacks the member. */

static json_t *report_json_waiver_object(const struct iw_waiver *waiver) {
    json_t *object;

    if (waiver == NULL)
        return NULL;
    object = json_object();
    json_object_set_new(object, "line", json_integer(waiver->line));
    iw_json_set_text(object, "requirement", waiver->pattern);
    iw_json_set_text(object, "clause", waiver->clause);
    iw_json_set_text(object, "reason", waiver->reason);
    iw_json_set_text(object, "owner", waiver->owner);
    iw_json_set_text(object, "issue", waiver->issue);
    iw_json_set_text(object, "until", waiver->until);
    return object;
}

/* Returns the files of the context frames; NULL if all are in the file of the finding. */
static json_t *report_json_context_files(const struct iw_check_finding *placed) {
    json_t *files = json_array();
    bool other = false;

    for (unsigned i = 0; i < placed->finding.context_count; i++) {
        json_array_append_new(files, json_string(placed->context_file[i]));
        other |= placed->context_file[i] != placed->file;
    }
    if (other)
        return files;
    json_decref(files);
    return NULL;
}

/* Adds where the line belongs in the report of the whole capture: `report --merge` removes it again. */
static void report_json_add_order(const struct iw_check_report *report, json_t *object, uint64_t order) {
    if (report->order != NULL)
        json_object_set_new(object, "order", json_integer((json_int_t)order));
}

static void report_json_begin_lines(struct iw_check_report *report) {
    iw_json_watch_memory();
    if (report->order != NULL)
        iw_check_shard_put_head(report);
}

static void json_put_findings(
    struct iw_check_report *report, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    for (size_t i = 0; i < event->finding_count; i++) {
        const struct iw_check_breach *breach = iw_check_breach_of(stream, &event->findings[i]);
        struct iw_check_finding placed = {.finding = event->findings[i]};
        char address[IW_SHOW_ADDRESS_OCTETS];
        json_t *object;

        iw_check_finding_place(&report->store.chain, &placed);
        object = iw_json_object("finding", placed.file, stream->id);
        iw_json_set_text(object, "transport", stream->session ? "sctp" : "tcp");
        iw_json_add_finding(object, &placed.finding);
        iw_show_address(&stream->address[placed.finding.side], address);
        iw_json_set_text(object, "address", address);
        json_object_set_new(object, "context_files", report_json_context_files(&placed));
        json_object_set_new(
            object, "waived", breach != NULL ? report_json_waiver_object(breach->waiver) : NULL);
        report_json_add_order(report, object, stream->order);
        iw_json_line(report->out, object);
    }
}

static void report_json_add_unanswered(json_t *object, const struct iw_check_connection *connection) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        bool known = connection->role[side] != IW_ROLE_UNKNOWN;
        const char *name = known               ? iw_role_name(connection->role[side])
                           : side == IW_SIDE_A ? "side_a"
                                               : "side_b";

        iw_json_add_unanswered(
            object, name, &connection->unanswered[side], connection->unanswered_file[side], connection->file);
    }
}

static void report_json_put_stream(
    struct iw_check_report *report, const struct iw_check_connection *connection) {
    const char *const addresses[2] = {connection->address[IW_SIDE_A], connection->address[IW_SIDE_B]};
    json_t *object = iw_json_object("stream", connection->file, connection->number);

    if (connection->last_file != connection->file)
        iw_json_set_text(object, "last_file", connection->last_file);
    iw_json_set_text(object, "transport", connection->sctp ? "sctp" : "tcp");
    if (connection->mapped) {
        json_t *ports = json_object();

        iw_json_set_text(ports, "advertised", connection->advertised);
        iw_json_set_text(ports, "connecting", connection->connecting);
        json_object_set_new(object, "port_mapping", ports);
    }
    iw_json_add_stream(
        object, &connection->terms, &connection->counts, addresses, connection->tcp, &connection->totals);
    report_json_add_unanswered(object, connection);
    if (connection->sctp)
        iw_json_add_session(object, &connection->session, connection->lost_chunks);
    report_json_add_order(report, object, connection->order);
    iw_json_line(report->out, object);
    if (connection->story != NULL)
        fputs(connection->story, report->out);
}

static void json_put_waivers(struct iw_check_report *report) {
    for (size_t i = 0; report->waivers != NULL && i < report->waivers->count; i++) {
        json_t *object = iw_json_object("waiver", NULL, 0);

        json_object_update_new(object, report_json_waiver_object(&report->waivers->list[i]));
        json_object_set_new(object, "used", json_integer((json_int_t)report->waivers->list[i].used));
        iw_json_line(report->out, object);
    }
}

/* Returns counts of what was not read in all files, such as {"fragments": 2}; NULL if everything was read. */
static json_t *report_json_unread_object(const struct iw_check_result *result) {
    size_t files = result->unread_count;
    json_t *object = files > 0 ? json_object() : NULL;
    struct iw_check_unread rows[IW_CHECK_UNREAD];
    uint64_t counts[IW_CHECK_UNREAD] = {0};

    if (files > 0)
        json_object_set_new(object, "files", json_integer((json_int_t)files));
    for (size_t i = 0; i < result->file_count; i++) {
        iw_check_unread(&result->files[i].counts, rows);
        for (size_t k = 0; k < IW_CHECK_UNREAD; k++)
            counts[k] += rows[k].count;
    }
    for (size_t k = 0; k < IW_CHECK_UNREAD; k++) {
        if (counts[k] > 0 && object == NULL)
            object = json_object();
        if (counts[k] > 0)
            json_object_set_new(object, rows[k].key, json_integer((json_int_t)counts[k]));
    }
    return object;
}

/* Returns the contents of files without iWARP, [{"content": "roce_v2", "frames": 18, ...}]; NULL if none. */
static json_t *report_json_contents_array(const struct iw_check_result *result) {
    struct iw_check_contents all = {.count = 0};
    json_t *array;

    for (size_t i = 0; i < result->file_count; i++)
        if (result->files[i].counts.streams == 0)
            iw_check_contents_join(&all, &result->files[i].counts.contents);
    iw_check_contents_sort(&all);
    array = all.count > 0 ? json_array() : NULL;
    for (unsigned i = 0; i < all.count; i++) {
        json_t *object = json_object();
        char text[128];

        iw_check_content_text(&all.rows[i], text, sizeof text);
        iw_json_set_text(object, "content", iw_content_key(all.rows[i].content));
        json_object_set_new(object, "number", json_integer(all.rows[i].number));
        json_object_set_new(object, "frames", json_integer((json_int_t)all.rows[i].frames));
        iw_json_set_text(object, "text", text);
        json_array_append_new(array, object);
    }
    return array;
}

/* Returns the errors of the files: ["none.pcap: No such file or directory"]; NULL for no errors. */
static json_t *report_json_errors_array(const struct iw_check_result *result) {
    json_t *array = result->unread_count + result->without_iwarp_count > 0 ? json_array() : NULL;

    for (size_t i = 0; array != NULL && i < result->file_count; i++)
        if (result->files[i].error != NULL)
            json_array_append_new(array, json_string(result->files[i].error));
    return array;
}

static void report_json_end_lines(struct iw_check_report *report, const struct iw_check_counts *counts) {
    if (report->order != NULL)
        iw_check_shard_put_capture(report, counts);
}

static void json_put_summary(struct iw_check_report *report, enum iw_exit exit) {
    json_t *object = iw_json_object("summary", NULL, 0);

    json_put_waivers(report);
    json_object_set_new(object, "files", json_integer((json_int_t)report->files));
    json_object_set_new(object, "streams", json_integer((json_int_t)report->totals.streams));
    json_object_set_new(object, "fpdus", json_integer((json_int_t)report->totals.fpdus));
    json_object_set_new(object, "not_read", report_json_unread_object(&report->result));
    json_object_set_new(object, "not_iwarp", report_json_contents_array(&report->result));
    json_object_set_new(object, "errors", report_json_errors_array(&report->result));
    iw_json_add_totals(object, &report->totals);
    if (iw_json_memory_failed())
        exit = IW_EXIT_ENVIRONMENT;
    json_object_set_new(object, "exit", json_integer(exit));
    iw_json_line(report->out, object);
    report->result.incomplete |= iw_json_memory_failed();
}

const struct iw_check_report_form iw_check_report_jsonl = {
    .file_begin = report_json_begin_lines,
    .event = json_put_findings,
    .findings_only = true,
    .connection = report_json_put_stream,
    .file_end = report_json_end_lines,
    .end = json_put_summary,
};

#include "iw_check_report.h"
#include "iw_check_shard_lines.h"
#include "iw_json.h"
#include "iw_show.h"
#include "iw_side_name.h"
#include "iw_tcp_address_text.h"

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
        char address[IW_TCP_ADDRESS_TEXT_OCTETS];
        json_t *object;

        iw_check_finding_place(&report->store.chain, &placed);
        object = iw_json_object("finding", placed.file, stream->id);
        iw_json_set_text(object, "transport", stream->session ? "sctp" : "tcp");
        iw_json_add_finding(object, &placed.finding);
        iw_tcp_address_text(&stream->address[placed.finding.side], address);
        iw_json_set_text(object, "address", address);
        if (report->peer != NULL)
            iw_json_set_text(object, "peer", report->peer(report->relay, stream, placed.finding.side));
        json_object_set_new(object, "context_files", report_json_context_files(&placed));
        json_object_set_new(
            object, "waived", breach != NULL ? report_json_waiver_object(breach->waiver) : NULL);
        report_json_add_order(report, object, stream->order);
        iw_json_line(report->out, object);
    }
}

static void report_json_add_unanswered(json_t *object, const struct iw_check_connection *connection) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        const char *name = iw_side_key(connection->role[side], side);

        iw_json_add_unanswered(
            object, name, &connection->unanswered[side], connection->unanswered_file[side], connection->file);
    }
}

/* ---- the protocol above ---- */

static void report_json_put_upper_finding(const struct iw_check_report *report,
    const struct iw_check_connection *connection, const struct iw_check_upper_finding *placed) {
    const struct iw_upper_finding *finding = &placed->finding;
    json_t *object = iw_json_object("upper_finding", placed->file, connection->number);
    char time[IW_SHOW_TIME_OCTETS];

    iw_show_time(finding->time_ns, time);
    iw_json_set_text(object, "transport", connection->sctp ? "sctp" : "tcp");
    json_object_set_new(object, "frame", json_integer((json_int_t)finding->frame));
    iw_json_set_text(object, "time", time);
    iw_json_set_text(object, "side", iw_role_name(connection->role[finding->side]));
    iw_json_set_text(object, "address", connection->address[finding->side]);
    iw_json_set_text(object, "protocol", iw_upper_protocol_key(connection->upper->protocol));
    iw_json_set_text(object, "rule", finding->rule->id);
    iw_json_set_text(object, "document", finding->rule->document);
    iw_json_set_text(object, "section", finding->rule->section);
    iw_json_set_text(object, "level", iw_level_name(finding->rule->level));
    iw_json_set_text(object, "severity", iw_severity_name(iw_upper_rule_severity(finding->rule)));
    iw_json_set_text(object, "message", finding->message);
    iw_json_set_text(object, "expected", finding->expected);
    iw_json_set_text(object, "actual", finding->actual);
    if (finding->about_frame != 0) {
        json_object_set_new(object, "about_frame", json_integer((json_int_t)finding->about_frame));
        if (placed->about_file != placed->file)
            iw_json_set_text(object, "about_file", placed->about_file);
    }
    json_object_set_new(
        object, "waived", report_json_waiver_object(iw_check_upper_waiver(connection->upper, finding)));
    report_json_add_order(report, object, connection->order);
    iw_json_line(report->out, object);
}

static json_t *report_json_upper_side(const struct iw_check_upper *upper, enum iw_side side) {
    json_t *object = json_object();

    json_object_set_new(object, "messages", json_integer((json_int_t)upper->counts.messages[side]));
    json_object_set_new(object, "calls", json_integer((json_int_t)upper->counts.calls[side]));
    json_object_set_new(object, "replies", json_integer((json_int_t)upper->counts.replies[side]));
    json_object_set_new(object, "buffers", json_integer((json_int_t)upper->counts.buffers[side]));
    if (upper->credits[side].known)
        json_object_set_new(object, "credits", json_integer(upper->credits[side].granted));
    return object;
}

static json_t *report_json_upper_calls(const struct iw_check_connection *connection) {
    const struct iw_check_upper *upper = connection->upper;
    json_t *array = json_array();

    for (size_t i = 0; i < upper->call_count && i < IW_CHECK_UPPER_CALLS; i++) {
        const struct iw_check_upper_call *call = &upper->calls[i];
        json_t *object = json_object();
        char time[IW_SHOW_TIME_OCTETS];

        iw_show_time(call->call.time_ns, time);
        iw_json_set_text(object, "call", call->name);
        iw_json_set_text(object, "side", iw_role_name(connection->role[call->call.caller]));
        json_object_set_new(object, "frame", json_integer((json_int_t)call->call.frame));
        if (call->file != connection->file)
            iw_json_set_text(object, "file", call->file);
        iw_json_set_text(object, "time", time);
        json_array_append_new(array, object);
    }
    return array;
}

/* Returns the protocol above the connection, as a member of its stream; NULL if it was not read. */
static json_t *report_json_upper_object(const struct iw_check_connection *connection) {
    const struct iw_check_upper *upper = connection->upper;
    json_t *object, *findings;

    if (upper == NULL)
        return NULL;
    object = json_object();
    findings = json_object();
    iw_json_set_text(object, "protocol", iw_upper_protocol_key(upper->protocol));
    json_object_set_new(object, "complete", json_boolean(upper->complete));
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        const char *name = iw_side_key(connection->role[side], side);

        json_object_set_new(object, name, report_json_upper_side(upper, side));
    }
    json_object_set_new(object, "unanswered", json_integer((json_int_t)upper->call_count));
    if (upper->call_count > 0)
        json_object_set_new(object, "first", report_json_upper_calls(connection));
    for (int i = IW_SEVERITY_ERROR; i >= 0; i--)
        json_object_set_new(
            findings, iw_severity_name((enum iw_severity)i), json_integer((json_int_t)upper->counted[i]));
    json_object_set_new(object, "findings", findings);
    if (upper->waived > 0)
        json_object_set_new(object, "waived", json_integer((json_int_t)upper->waived));
    return object;
}

static void report_json_put_stream(
    struct iw_check_report *report, const struct iw_check_connection *connection) {
    const char *const addresses[2] = {connection->address[IW_SIDE_A], connection->address[IW_SIDE_B]};
    json_t *object = iw_json_object("stream", connection->file, connection->number);

    for (size_t i = 0; connection->upper != NULL && i < connection->upper->finding_count; i++)
        report_json_put_upper_finding(report, connection, &connection->upper->findings[i]);

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
    json_object_set_new(object, "upper", report_json_upper_object(connection));
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

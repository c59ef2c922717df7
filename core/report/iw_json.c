#include "iw_json.h"

#include <stdlib.h>

#include "iw_describe.h"
#include "iw_show.h"
#include "iw_side_name.h"

static json_t *json_uint_value(uint64_t value) {
    return json_integer((json_int_t)value);
}

static void json_set_time(json_t *object, uint64_t time_ns) {
    char text[IW_SHOW_TIME_OCTETS];

    iw_show_time(time_ns, text);
    json_object_set_new(object, "time", json_string(text));
}

static json_t *json_context_array(const struct iw_finding *finding) {
    json_t *array = json_array();

    for (unsigned i = 0; i < finding->context_count; i++)
        json_array_append_new(array, json_uint_value(finding->context[i]));
    return array;
}

void iw_json_set_text(json_t *object, const char *key, const char *text) {
    if (text && text[0])
        json_object_set_new(object, key, json_string(text));
}

json_t *iw_json_texts(const char *const *texts, size_t count) {
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_string(texts[i]));
    return array;
}

json_t *iw_json_object(const char *type, const char *file, uint64_t stream) {
    json_t *object = json_object();

    iw_json_set_text(object, "type", type);
    if (file) {
        iw_json_set_text(object, "file", file);
        json_object_set_new(object, "stream", json_uint_value(stream));
    }
    return object;
}

void iw_json_add_finding(json_t *object, const struct iw_finding *finding) {
    const struct iw_requirement *requirement = finding->requirement;

    json_object_set_new(object, "number", json_uint_value(finding->number));
    if (finding->cause != 0)
        json_object_set_new(object, "cause", json_uint_value(finding->cause));
    json_object_set_new(object, "frame", json_uint_value(finding->frame));
    json_set_time(object, finding->time_ns);
    iw_json_set_text(object, "side", iw_role_name(finding->role));
    iw_json_set_text(object, "requirement", requirement->id);
    iw_json_set_text(object, "document", requirement->document);
    iw_json_set_text(object, "section", requirement->section);
    iw_json_set_text(object, "level", iw_level_name(requirement->level));
    iw_json_set_text(object, "severity", iw_severity_name(iw_requirement_severity(requirement)));
    iw_json_set_text(object, "message", finding->message);
    iw_json_set_text(object, "expected", finding->expected);
    iw_json_set_text(object, "actual", finding->actual);
    if (finding->field)
        json_object_set_new(object, "field", json_sprintf("iwarp.%s", finding->field->filter));
    json_object_set_new(object, "offset", json_uint_value(finding->offset));
    json_object_set_new(object, "octets", json_uint_value(finding->octets));
    json_object_set_new(object, "context", json_context_array(finding));
}

json_t *iw_json_startup(const struct iw_mpa_terms *terms, enum iw_side side) {
    const struct iw_startup *frame = &terms->frame[side];
    const struct iw_mpa_enhanced *enhanced = &frame->enhanced_data;
    json_t *object;

    if (!terms->seen[side])
        return json_null();
    object = json_pack("{s:i, s:b, s:b, s:b, s:b, s:i}", "rev", frame->header.rev, "m", frame->header.m, "c",
        frame->header.c, "r", frame->header.r, "s", frame->header.s, "pd_length", frame->header.pd_length);
    if (frame->enhanced)
        json_object_set_new(object, "enhanced",
            json_pack("{s:b, s:i, s:i, s:b, s:b, s:b}", "peer_to_peer", enhanced->a, "ird", enhanced->ird,
                "ord", enhanced->ord, "rtr_send", enhanced->b, "rtr_write", enhanced->c, "rtr_read",
                enhanced->d));
    json_object_set_new(object, "markers_sent", json_boolean(terms->markers[side]));
    return object;
}

static json_t *json_tcp_object(const struct iw_tcp_counters *tcp) {
    json_t *object = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "octets", (json_int_t)tcp->octets, "lost",
        (json_int_t)tcp->lost, "limited", (json_int_t)tcp->limited, "cut", (json_int_t)tcp->cut,
        "retransmitted", (json_int_t)tcp->retransmitted, "out_of_order", (json_int_t)tcp->out_of_order);

    if (tcp->discarded > 0)
        json_object_set_new(object, "discarded", json_uint_value(tcp->discarded));
    return object;
}

static json_t *json_side_object(const struct iw_mpa_terms *terms, const struct iw_monitor_counts *counts,
    enum iw_side side, const char *address, const struct iw_tcp_counters *tcp) {
    json_t *object = json_object();

    iw_json_set_text(object, "address", address);
    json_object_set_new(object, "startup", iw_json_startup(terms, side));
    json_object_set_new(object, "fpdus", json_uint_value(counts->fpdus[side]));
    json_object_set_new(object, "messages", json_uint_value(counts->messages[side]));
    json_object_set_new(object, "payload_octets", json_uint_value(counts->payload_octets[side]));
    json_object_set_new(object, "tcp", json_tcp_object(tcp));
    return object;
}

static json_t *json_findings_object(const uint64_t findings[IW_SEVERITY_ERROR + 1]) {
    json_t *object = json_object();

    for (int i = IW_SEVERITY_ERROR; i >= 0; i--)
        json_object_set_new(object, iw_severity_name((enum iw_severity)i), json_uint_value(findings[i]));
    return object;
}

/* Contains only the nonzero counts. */
json_t *iw_json_unjudged(const uint64_t unjudged[IW_UNJUDGED_COUNT]) {
    json_t *object = json_object();

    for (int i = 0; i < IW_UNJUDGED_COUNT; i++)
        if (unjudged[i] > 0)
            json_object_set_new(object, iw_unjudged_key((enum iw_unjudged)i), json_uint_value(unjudged[i]));
    return object;
}

void iw_json_add_totals(json_t *object, const struct iw_totals *totals) {
    json_object_set_new(object, "unjudged", iw_json_unjudged(totals->unjudged));
    json_object_set_new(object, "findings", json_findings_object(totals->findings));
    if (totals->waived > 0)
        json_object_set_new(object, "waived", json_uint_value(totals->waived));
    if (totals->unstarted > 0)
        json_object_set_new(object, "unfinished_startups", json_uint_value(totals->unstarted));
    iw_json_set_text(object, "verdict", iw_totals_verdict(totals));
}

void iw_json_add_stream(json_t *object, const struct iw_mpa_terms *terms,
    const struct iw_monitor_counts *counts, const char *const addresses[2],
    const struct iw_tcp_counters tcp[2], const struct iw_totals *totals) {
    /* Without a startup frame the roles are unknown: side A comes first, as side_a. */
    enum iw_side side = terms->initiator_known ? terms->initiator : IW_SIDE_A;

    for (int i = 0; i < 2; i++, side = iw_side_other(side))
        json_object_set_new(object, iw_side_key(iw_role_of(terms, side), side),
            json_side_object(terms, counts, side, addresses[side], &tcp[side]));
    iw_json_set_text(object, "crc",
        terms->crc == IW_CRC_ON    ? "on"
        : terms->crc == IW_CRC_OFF ? "off"
                                   : "unknown");
    json_object_set_new(object, "rejected", json_boolean(terms->rejected));
    iw_json_add_totals(object, totals);
}

static json_t *json_request_object(const struct iw_request_name *request, const char *file) {
    json_t *object = json_object();

    iw_json_set_text(object, "opcode", iw_opcodes[request->opcode].title);
    json_object_set_new(object, "msn", json_uint_value(request->msn));
    iw_json_set_text(object, "file", file);
    json_object_set_new(object, "frame", json_uint_value(request->frame));
    json_set_time(object, request->time_ns);
    if (request->answered > 0) {
        json_object_set_new(object, "answered_octets", json_uint_value(request->answered));
        json_object_set_new(object, "read_octets", json_uint_value(request->read_octets));
    }
    if (request->perhaps)
        json_object_set_new(object, "perhaps_answered", json_true());
    return object;
}

void iw_json_add_unanswered(json_t *object, const char *side, const struct iw_unanswered *unanswered,
    const char *const files[IW_UNANSWERED_NAMED], const char *file) {
    json_t *outstanding = unanswered->count > 0 ? json_object() : NULL;
    json_t *requests = outstanding != NULL ? json_array() : NULL;

    if (outstanding == NULL)
        return;
    iw_json_set_text(outstanding, "at", iw_unanswered_end_key(unanswered->end));
    json_object_set_new(outstanding, "requests", json_uint_value(unanswered->count));
    json_object_set_new(outstanding, "perhaps_answered", json_uint_value(unanswered->perhaps));
    if (unanswered->in_part > 0)
        json_object_set_new(outstanding, "answered_in_part", json_uint_value(unanswered->in_part));
    for (unsigned i = 0; i < unanswered->named_count; i++)
        json_array_append_new(
            requests, json_request_object(&unanswered->named[i], files[i] == file ? NULL : files[i]));
    json_object_set_new(outstanding, "first", requests);
    json_object_set_new(json_object_get(object, side), "outstanding", outstanding);
}

void iw_json_add_session(json_t *object, const struct iw_session *session, uint64_t lost_chunks) {
    json_object_set_new(object, "ddp_stream", json_uint_value(session->stream));
    json_object_set_new(object, "session", json_uint_value(session->number));
    iw_json_set_text(object, "state", iw_session_state_name(session->state));
    json_object_set_new(object, "lost_chunks", json_uint_value(lost_chunks));
}

bool iw_json_line(FILE *out, json_t *object) {
    char *line = object ? json_dumps(object, JSON_COMPACT) : NULL;
    bool written = line && fputs(line, out) >= 0 && fputc('\n', out) != EOF;

    free(line);
    json_decref(object);
    return written;
}

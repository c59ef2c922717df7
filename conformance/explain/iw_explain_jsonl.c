#include <jansson.h>

#include "iw_explain.h"
#include "iw_json.h"
#include "iw_show.h"
#include "iw_side_name.h"

/* The story of a connection as one JSON object a line. */

static const char *jsonl_side(const struct iw_explained *explained, enum iw_side side) {
    return iw_side_key(iw_role_of(explained->facts.terms, side), side);
}

static void jsonl_set(json_t *object, const char *key, uint64_t value) {
    json_object_set_new(object, key, json_integer((json_int_t)value));
}

/* What the memory is for, if it is known. */
static void jsonl_set_purpose(
    json_t *object, const struct iw_explained *explained, const struct iw_named_buffer *buffer) {
    char purpose[IW_EXPLAIN_PURPOSE_OCTETS];

    if (explained != NULL)
        iw_json_set_text(object, "purpose", iw_explain_purpose(explained, buffer, purpose));
}

/* `explained` is NULL for a cause without a connection. */
static json_t *jsonl_cause(const struct iw_explained *explained, const struct iw_diagnosed *diagnosed) {
    const struct iw_cause *cause = diagnosed->cause;
    json_t *frames = json_array(),
           *object = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "cause", cause->id, "group",
               iw_cause_group_name(cause->group), "confidence", iw_confidence_name(diagnosed->confidence),
               "title", cause->title, "why", cause->why, "next", iw_diagnosed_next(diagnosed));

    iw_json_set_text(object, "detail", diagnosed->detail);
    iw_json_set_text(object, "clause", cause->clause);
    if (explained != NULL && diagnosed->has_side)
        iw_json_set_text(object, "side", jsonl_side(explained, diagnosed->side));
    if (diagnosed->buffer.known)
        jsonl_set(object, "stag", diagnosed->buffer.stag);
    jsonl_set_purpose(object, explained, &diagnosed->buffer);
    for (unsigned i = 0; i < diagnosed->frame_count; i++)
        json_array_append_new(frames, json_integer((json_int_t)diagnosed->frames[i]));
    json_object_set_new(object, "frames", frames);
    return object;
}

static json_t *jsonl_causes(
    const struct iw_explained *explained, const struct iw_diagnosed *causes, unsigned count) {
    json_t *array = json_array();

    for (unsigned i = 0; i < count; i++)
        json_array_append_new(array, jsonl_cause(explained, &causes[i]));
    return array;
}

static json_t *jsonl_terminate(const struct iw_explained *explained, enum iw_side side) {
    const struct iw_history_terminate *terminate =
        &iw_history_trouble(explained->facts.history, side)->terminate;
    char error[IW_ERROR_TEXT_OCTETS];
    json_t *object;

    iw_error_text(terminate->error, error);
    object = json_pack("{s:s, s:I, s:s}", "error", error, "frame", (json_int_t)terminate->mark.frame, "truth",
        iw_explain_truth_key(explained->diagnosis.truth[side]));
    iw_json_set_text(object, "name",
        iw_error_name(explained->stream->session != NULL ? IW_LLP_SCTP : IW_LLP_MPA, terminate->error));
    if (terminate->has_message)
        jsonl_set(object, "message_frame", terminate->message.mark.frame);
    return object;
}

/* `kind`: the member that names what was answered, and its value. */
static json_t *jsonl_latency(const char *kind, const char *name, const struct iw_latency *latency) {
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", kind, name, "answered",
        (json_int_t)latency->count, "p50_ns", (json_int_t)iw_latency_at(latency, 50), "p99_ns",
        (json_int_t)iw_latency_at(latency, 99), "max_ns", (json_int_t)latency->most_ns, "mean_ns",
        (json_int_t)(latency->sum_ns / latency->count), "slowest_request_frame",
        (json_int_t)latency->most_request_frame, "slowest_response_frame",
        (json_int_t)latency->most_response_frame);
}

static json_t *jsonl_latencies(const struct iw_history_requester *own) {
    json_t *array = json_array();

    for (unsigned i = 0; i < own->latency_count; i++) {
        const struct iw_latency *latency = &own->latency[i].latency;
        json_t *object;

        if (latency->count == 0)
            continue;
        object = jsonl_latency("opcode", iw_opcodes[own->latency[i].opcode].name, latency);
        jsonl_set(object, "first_octet_ns", latency->first_octet_sum_ns / latency->count);
        json_array_append_new(array, object);
    }
    return array;
}

/* What the side sent, by opcode. */
static json_t *jsonl_operations(const struct iw_history_side *own) {
    json_t *array = json_array();

    for (unsigned i = 0; i < own->traffic_count; i++) {
        const struct iw_history_traffic *row = &own->traffic[i];

        json_array_append_new(
            array, json_pack("{s:s, s:I, s:I, s:I}", "opcode",
                       row->opcode < IW_RDMAP_OP_COUNT ? iw_opcodes[row->opcode].name : "unknown", "messages",
                       (json_int_t)row->messages, "segments", (json_int_t)row->segments, "octets",
                       (json_int_t)row->octets));
    }
    return array;
}

/* ---- the protocol above ---- */

static json_t *jsonl_call_latencies(const struct iw_explain_calls *calls, enum iw_side caller) {
    json_t *array = json_array();

    for (unsigned i = 0; i < calls->count; i++)
        if (calls->rows[i].caller == caller && calls->rows[i].latency.count > 0)
            json_array_append_new(
                array, jsonl_latency("call", iw_explain_call_name(&calls->rows[i]), &calls->rows[i].latency));
    return array;
}

/* The oldest calls of the side without a reply. */
static json_t *jsonl_unanswered(const struct iw_explained *explained, enum iw_side caller, uint64_t *all) {
    enum { NAMED = 16 };
    size_t count;
    const struct iw_upper_call *calls = iw_upper_calls(explained->upper, &count);
    char name[IW_UPPER_TEXT_OCTETS];
    json_t *array = json_array(), *object;

    *all = 0;
    for (size_t i = 0; i < count; i++) {
        if (calls[i].caller != caller || ++*all > NAMED)
            continue;
        object = json_pack("{s:I, s:I}", "frame", (json_int_t)calls[i].frame, "waited_ns",
            (json_int_t)iw_explained_age(explained, calls[i].time_ns));
        iw_json_set_text(object, "call", iw_upper_call_name(explained->upper, &calls[i], name));
        if (iw_upper_call_waits_for_event(&calls[i]))
            json_object_set_new(object, "waits_for_event", json_true());
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *jsonl_credits(struct iw_upper_credits credits) {
    json_t *object =
        json_pack("{s:I, s:I}", "granted", (json_int_t)credits.granted, "open", (json_int_t)credits.open);

    if (credits.exhausted_frame != 0)
        jsonl_set(object, "exhausted_frame", credits.exhausted_frame);
    return object;
}

/* What the side did as a caller; NULL if the protocol is not known. */
static json_t *jsonl_upper(const struct iw_explained *explained, enum iw_side side) {
    const struct iw_upper_counts *counts = iw_upper_counts(explained->upper);
    struct iw_upper_credits credits = iw_upper_credits(explained->upper, side);
    uint64_t unanswered = 0;
    json_t *object, *first;

    if (explained->protocol == NULL)
        return NULL;
    object = json_pack("{s:I, s:I, s:o}", "calls", (json_int_t)counts->calls[side], "replies",
        (json_int_t)counts->replies[side], "latency", jsonl_call_latencies(explained->calls, side));
    if (iw_upper_calls_complete(explained->upper)) {
        first = jsonl_unanswered(explained, side, &unanswered);
        jsonl_set(object, "unanswered", unanswered);
        json_object_set_new(object, "first", first);
    }
    if (credits.known)
        json_object_set_new(object, "credits", jsonl_credits(credits));
    return object;
}

/* ---- what hangs ---- */

static json_t *jsonl_outstanding(const struct iw_explained *explained, enum iw_side side) {
    const struct iw_unanswered *unanswered = &explained->facts.unanswered[side];
    json_t *array = json_array();

    for (unsigned i = 0; i < unanswered->named_count; i++) {
        const struct iw_request_name *request = &unanswered->named[i];
        const struct iw_named_buffer buffer = iw_explain_requested(explained, side, request);
        json_t *object = json_pack("{s:s, s:I, s:I}", "opcode", iw_opcodes[request->opcode].name, "msn",
            (json_int_t)request->msn, "frame", (json_int_t)request->frame);

        jsonl_set(object, "waited_ns", iw_explained_age(explained, request->time_ns));
        if (request->answered > 0) {
            jsonl_set(object, "answered_octets", request->answered);
            jsonl_set(object, "read_octets", request->read_octets);
        }
        jsonl_set_purpose(object, explained, &buffer);
        if (request->perhaps)
            json_object_set_new(object, "perhaps_answered", json_true());
        json_array_append_new(array, object);
    }
    return array;
}

/* A Write without its last segment. */
static json_t *jsonl_unfinished(
    const struct iw_explained *explained, enum iw_side side, const struct iw_history_message *message) {
    const struct iw_named_buffer buffer = {true, iw_side_other(side), message->stag, message->to};
    json_t *object =
        json_pack("{s:I, s:I}", "frame", (json_int_t)message->mark.frame, "stag", (json_int_t)message->stag);

    jsonl_set_purpose(object, explained, &buffer);
    return object;
}

static json_t *jsonl_party(const struct iw_explained *explained, enum iw_side side) {
    const struct iw_history_side *own = &explained->facts.history->side[side];
    const struct iw_history_requester *requester = &iw_history_requests(explained->facts.history)->side[side];
    const struct iw_unanswered *unanswered = &explained->facts.unanswered[side];
    const struct iw_tcp_life *life = explained->facts.life;
    const struct iw_history_message *unfinished = iw_explain_unfinished_write(explained, side);
    json_t *object = json_pack("{s:s, s:I, s:I, s:I}", "address", explained->address[side], "fpdus",
        (json_int_t)own->fpdus, "small_fpdus", (json_int_t)own->small, "fpdus_within_packet",
        (json_int_t)own->within_packet);

    json_object_set_new(object, "startup", iw_json_startup(explained->facts.terms, side));
    json_object_set_new(object, "operations", jsonl_operations(own));
    if (iw_history_trouble(explained->facts.history, side)->terminate.mark.frame != 0)
        json_object_set_new(object, "terminate", jsonl_terminate(explained, side));
    if (unanswered->count > 0) {
        jsonl_set(object, "outstanding", unanswered->count);
        json_object_set_new(object, "oldest", jsonl_outstanding(explained, side));
    }
    if (unfinished != NULL)
        json_object_set_new(object, "unfinished_write", jsonl_unfinished(explained, side, unfinished));
    if (life != NULL) {
        jsonl_set(object, "segments", life->side[side].segments);
        jsonl_set(object, "retransmitted_segments", iw_tcp_life_trouble(life, side)->retransmissions);
    }
    jsonl_set(object, "most_outstanding", requester->most_waiting);
    json_object_set_new(object, "latency", jsonl_latencies(requester));
    json_object_set_new(object, "upper", jsonl_upper(explained, side));
    return object;
}

/* NULL without a wait. */
static json_t *jsonl_wait(struct iw_explain_wait wait) {
    json_t *object;

    if (wait.ns == 0)
        return NULL;
    object = json_pack("{s:I, s:I}", "ns", (json_int_t)wait.ns, "begin_frame", (json_int_t)wait.begin_frame);
    if (wait.end_frame != 0)
        jsonl_set(object, "end_frame", wait.end_frame);
    jsonl_set(object, "outstanding", wait.outstanding);
    if (wait.to_end)
        json_object_set_new(object, "to_end", json_true());
    return object;
}

/* ---- the connection ---- */

static void jsonl_set_time(json_t *object, const char *key, uint64_t time_ns) {
    char time[IW_SHOW_TIME_OCTETS];

    iw_show_time(time_ns, time);
    iw_json_set_text(object, key, time);
}

static json_t *jsonl_findings(const struct iw_explained *explained) {
    const struct iw_history *history = explained->facts.history;
    json_t *array = json_array();

    for (uint32_t i = 0; i < history->finding_count; i++) {
        const struct iw_history_finding *finding = &history->findings[i];

        json_array_append_new(array, json_pack("{s:I, s:s, s:s, s:s}", "frame", (json_int_t)finding->frame,
                                         "side", jsonl_side(explained, finding->side), "requirement",
                                         finding->requirement->id, "message", finding->message));
    }
    return array;
}

static void jsonl_set_without_cause(json_t *object, const struct iw_explained *explained) {
    char next[IW_DIAGNOSIS_NEXT];

    if (explained->diagnosis.count > 0)
        return;
    iw_json_set_text(
        object, "next", iw_diagnosis_next_without_cause(&explained->facts, &explained->diagnosis, next));
    if (iw_explained_violates(explained))
        json_object_set_new(object, "seen", jsonl_findings(explained));
}

/* How many findings `check --upper` has. */
static void jsonl_set_upper_findings(json_t *object, const struct iw_upper *upper) {
    const struct iw_upper_counts *counts;

    if (upper == NULL)
        return;
    counts = iw_upper_counts(upper);
    json_object_set_new(object, "upper_findings",
        json_pack("{s:I, s:I, s:I}", "error", (json_int_t)counts->findings[IW_SEVERITY_ERROR], "warning",
            (json_int_t)counts->findings[IW_SEVERITY_WARNING], "note",
            (json_int_t)counts->findings[IW_SEVERITY_NOTE]));
}

void iw_explain_jsonl_story(FILE *out, const struct iw_explained *explained) {
    const struct iw_diagnosis *diagnosis = &explained->diagnosis;
    const struct iw_check_stream *stream = explained->stream;
    json_t *object = iw_json_object("explanation", explained->file, stream->id);

    json_object_set_new(object, "outcome", json_string(iw_conclusion_key(explained->conclusion)));
    jsonl_set(object, "first_frame", stream->first_frame);
    jsonl_set_time(object, "begin", stream->first_time_ns);
    jsonl_set(object, "last_frame", stream->last_frame);
    if (stream->last_time_ns < stream->first_time_ns)
        json_object_set_new(object, "clock_stepped_back", json_true());
    else
        jsonl_set_time(object, "end", stream->last_time_ns);
    iw_json_set_text(object, "protocol", explained->protocol);
    jsonl_set_upper_findings(object, explained->upper);
    json_object_set_new(object, "ended", json_string(iw_explain_ending_key(diagnosis->ending)));
    if (diagnosis->ending != IW_ENDING_OPEN) {
        json_object_set_new(object, "ended_by", json_string(jsonl_side(explained, diagnosis->ender)));
        jsonl_set(object, "end_frame", diagnosis->end.frame);
    }
    json_object_set_new(object, "causes", jsonl_causes(explained, diagnosis->causes, diagnosis->count));
    jsonl_set_without_cause(object, explained);
    json_object_set_new(object, "notes", jsonl_causes(explained, diagnosis->notes, diagnosis->note_count));
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        json_object_set_new(object, jsonl_side(explained, side), jsonl_party(explained, side));
    json_object_set_new(object, "unjudged", iw_json_unjudged(explained->facts.counts->unjudged));
    json_object_set_new(object, "longest_wait", jsonl_wait(iw_explained_wait(explained)));
    iw_json_line(out, object);
}

void iw_explain_jsonl_capture(FILE *out, const struct iw_explain_captured *captured) {
    json_t *object = json_pack("{s:s, s:s, s:s}", "type", "capture", "file",
        iw_explain_captured_file(captured), "outcome", iw_conclusion_key(IW_CONCLUSION_FAILED));

    json_object_set_new(object, "causes", jsonl_causes(NULL, &captured->diagnosed, 1));
    iw_json_line(out, object);
}

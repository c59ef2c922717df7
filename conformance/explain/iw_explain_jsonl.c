#include <jansson.h>

#include "iw_explain.h"
#include "iw_json.h"

/* The story of a connection as one JSON object a line. */

static const char *jsonl_side(const struct iw_explained *explained, enum iw_side side) {
    switch (iw_role_of(explained->evidence.terms, side)) {
    case IW_ROLE_INITIATOR:
        return "initiator";
    case IW_ROLE_RESPONDER:
        return "responder";
    case IW_ROLE_UNKNOWN:
        break;
    }
    return side == IW_SIDE_A ? "side_a" : "side_b";
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

/* `explained` is NULL for a cause of the capture as a whole. */
static json_t *jsonl_cause(const struct iw_explained *explained, const struct iw_diagnosed *diagnosed) {
    const struct iw_cause *cause = diagnosed->cause;
    json_t *frames = json_array(),
           *object = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "cause", cause->id, "group",
               iw_cause_group_name(cause->group), "confidence", iw_confidence_name(diagnosed->confidence),
               "title", cause->title, "why", cause->why, "next", iw_diagnosed_next(diagnosed));

    iw_json_set_text(object, "detail", diagnosed->detail);
    iw_json_set_text(object, "clause", cause->clause);
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
        &iw_history_trouble(explained->evidence.history, side)->terminate;
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

static json_t *jsonl_latencies(const struct iw_history_side *own) {
    json_t *array = json_array();

    for (unsigned i = 0; i < own->latency_count; i++) {
        const struct iw_latency *latency = &own->latency[i].latency;

        if (latency->count > 0)
            json_array_append_new(
                array, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "opcode",
                           iw_opcodes[own->latency[i].opcode].name, "answered", (json_int_t)latency->count,
                           "p50_ns", (json_int_t)iw_latency_at(latency, 50), "p99_ns",
                           (json_int_t)iw_latency_at(latency, 99), "max_ns", (json_int_t)latency->most_ns,
                           "first_octet_ns", (json_int_t)(latency->first_octet_sum_ns / latency->count),
                           "slowest_request_frame", (json_int_t)latency->most_request_frame,
                           "slowest_response_frame", (json_int_t)latency->most_response_frame));
    }
    return array;
}

static json_t *jsonl_outstanding(const struct iw_explained *explained, enum iw_side side) {
    const struct iw_unanswered *unanswered = &explained->evidence.unanswered[side];
    json_t *array = json_array();

    for (unsigned i = 0; i < unanswered->named_count; i++) {
        const struct iw_request_name *request = &unanswered->named[i];
        const struct iw_named_buffer buffer = iw_explain_requested(explained, side, request);
        json_t *object = json_pack("{s:s, s:I, s:I}", "opcode", iw_opcodes[request->opcode].name, "msn",
            (json_int_t)request->msn, "frame", (json_int_t)request->frame);

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
    const struct iw_history_side *own = &explained->evidence.history->side[side];
    const struct iw_unanswered *unanswered = &explained->evidence.unanswered[side];
    const struct iw_tcp_life *life = explained->evidence.life;
    const struct iw_history_message *unfinished = iw_explain_unfinished_write(explained, side);
    json_t *object = json_pack("{s:s, s:I, s:I, s:I}", "address", explained->address[side], "fpdus",
        (json_int_t)own->fpdus, "small_fpdus", (json_int_t)own->small, "fpdus_within_packet",
        (json_int_t)own->within_packet);

    if (iw_history_trouble(explained->evidence.history, side)->terminate.mark.frame != 0)
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
    jsonl_set(object, "most_outstanding", own->most_waiting);
    json_object_set_new(object, "latency", jsonl_latencies(own));
    return object;
}

void iw_explain_jsonl_story(FILE *out, const struct iw_explained *explained) {
    const struct iw_diagnosis *diagnosis = &explained->diagnosis;
    const struct iw_history *history = explained->evidence.history;
    const struct iw_check_stream *stream = explained->stream;
    json_t *object = iw_json_object("explanation", explained->file, stream->id);

    json_object_set_new(object, "outcome", json_string(iw_explained_outcome(explained)));
    jsonl_set(object, "first_frame", stream->first_frame);
    jsonl_set(object, "last_frame", stream->last_frame);
    iw_json_set_text(object, "protocol", explained->protocol);
    json_object_set_new(object, "ended", json_string(iw_explain_ending_key(diagnosis->ending)));
    if (diagnosis->ending != IW_ENDING_OPEN) {
        json_object_set_new(object, "ended_by", json_string(jsonl_side(explained, diagnosis->ender)));
        jsonl_set(object, "end_frame", diagnosis->end.frame);
    }
    json_object_set_new(object, "causes", jsonl_causes(explained, diagnosis->causes, diagnosis->count));
    json_object_set_new(object, "notes", jsonl_causes(explained, diagnosis->notes, diagnosis->note_count));
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        json_object_set_new(object, jsonl_side(explained, side), jsonl_party(explained, side));
    if (history->stall_ns > 0)
        json_object_set_new(object, "longest_wait",
            json_pack("{s:I, s:I, s:I, s:I}", "ns", (json_int_t)history->stall_ns, "begin_frame",
                (json_int_t)history->stall_begin_frame, "end_frame", (json_int_t)history->stall_end_frame,
                "outstanding", (json_int_t)history->stall_waiting));
    iw_json_line(out, object);
}

void iw_explain_jsonl_capture(FILE *out, const char *file, const struct iw_cause *cause, const char *detail) {
    struct iw_diagnosed diagnosed = {.cause = cause, .confidence = IW_CONFIDENCE_CERTAIN};
    json_t *object = json_pack("{s:s, s:s, s:s}", "type", "capture", "file", file, "outcome", "cause");

    snprintf(diagnosed.detail, sizeof diagnosed.detail, "%s", detail);
    json_object_set_new(object, "causes", jsonl_causes(NULL, &diagnosed, 1));
    iw_json_line(out, object);
}

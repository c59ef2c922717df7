#include <inttypes.h>

#include "iw_explain_text.h"
#include "iw_plural.h"
#include "iw_private_format.h"
#include "iw_show.h"

/* The story of a connection for people: the worst first, each fact in one line. */

static void text_put_ends(FILE *out, const struct iw_explained *explained) {
    const struct iw_check_stream *stream = explained->stream;
    char first[IW_EXPLAIN_FRAME_OCTETS], last[IW_EXPLAIN_FRAME_OCTETS];

    iw_show_name(out, iw_explain_title(explained->file));
    fprintf(out, "\n  stream %" PRIu64 ": %s (%s) and %s (%s), %s to %s, ", stream->id,
        explained->address[IW_SIDE_A], iw_explain_side(explained, IW_SIDE_A), explained->address[IW_SIDE_B],
        iw_explain_side(explained, IW_SIDE_B), iw_explain_frame(explained->chain, stream->first_frame, first),
        iw_explain_frame(explained->chain, stream->last_frame, last));
    if (stream->last_time_ns < stream->first_time_ns)
        fputs("duration not known: the clock of the capture stepped back\n", out);
    else
        fprintf(out, "%.3f s\n", (double)(stream->last_time_ns - stream->first_time_ns) / 1e9);
}

/* ---- what it was ---- */

/* The port of the responder, who knows the protocol by it; 0: unknown. */
static uint16_t text_port(const struct iw_explained *explained) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        if (iw_role_of(explained->facts.terms, side) == IW_ROLE_RESPONDER)
            return explained->stream->address[side].port;
    return 0;
}

/* The private data of a startup frame by its fields, or as octets if its format is unknown. */
static void text_put_private_data(FILE *out, const struct iw_explained *explained, enum iw_side side) {
    const struct iw_history_side *own = &explained->facts.history->side[side];
    const struct iw_startup *frame = &explained->facts.terms->frame[side];
    const struct iw_private_carrier carrier = {
        .protocol = explained->upper != NULL ? iw_upper_protocol(explained->upper) : IW_ULP_UNKNOWN,
        .port = text_port(explained),
        .request = frame->key == IW_STARTUP_REQUEST,
        .rejected = frame->header.r};
    size_t octets = own->private_kept;
    bool cut = octets < own->private_octets && octets < IW_HISTORY_PRIVATE;
    const struct iw_private_format *format =
        cut ? NULL : iw_private_format_find(&carrier, own->private_data, octets);

    if (format == NULL) {
        fputs("      private data: ", out);
        for (size_t i = 0; i < octets; i++)
            fprintf(out, "%02x", own->private_data[i]);
        fputs(octets < own->private_octets ? "...\n" : "\n", out);
        return;
    }
    fprintf(out, "      private data of %s:", format->title);
    for (unsigned i = 0; i < format->part_count; i++) {
        uint32_t value = iw_private_value(format, &format->part[i], own->private_data);
        char text[IW_PRIVATE_MEANING_OCTETS], number[IW_PRIVATE_TEXT_OCTETS];
        const char *meaning = iw_private_meaning(format->part[i].field, value, text);

        fprintf(out, "%s %s %s", i > 0 ? "," : "", iw_private_field_name(format->part[i].field),
            iw_private_text(format->part[i].field, value, number));
        fprintf(out, *meaning != '\0' ? " (%s)" : "%s", meaning);
    }
    fputc('\n', out);
}

static void text_put_startup(FILE *out, const struct iw_explained *explained, enum iw_side side) {
    const struct iw_mpa_terms *terms = explained->facts.terms;
    const struct iw_startup *frame = &terms->frame[side];

    if (!terms->seen[side]) {
        fprintf(out, "    %s: no startup frame captured\n", iw_explain_side(explained, side));
        return;
    }
    fprintf(out, "    %s: %s", iw_explain_side(explained, side),
        frame->key == IW_STARTUP_REQUEST ? "Request" : "Reply");
    if (explained->stream->session == NULL)
        fprintf(out, ", Rev %u, M=%u C=%u R=%u", frame->header.rev, frame->header.m, frame->header.c,
            frame->header.r);
    if (frame->enhanced)
        fprintf(out, ", %s, IRD %u, ORD %u", frame->enhanced_data.a ? "peer-to-peer" : "client-server",
            frame->enhanced_data.ird, frame->enhanced_data.ord);
    if (explained->facts.history->side[side].private_octets > 0)
        fprintf(out, ", %u octets of private data", explained->facts.history->side[side].private_octets);
    fputc('\n', out);
    if (explained->facts.history->side[side].private_octets > 0)
        text_put_private_data(out, explained, side);
}

/* Whether the capture has octets of the side, but none could be read. */
static bool text_is_unread(const struct iw_explained *explained, enum iw_side side) {
    const struct iw_facts *facts = &explained->facts;

    return facts->life != NULL && facts->life->side[side].last_octets_frame != 0 && !facts->terms->seen[side];
}

static void text_put_traffic(FILE *out, const struct iw_explained *explained, enum iw_side side) {
    const struct iw_history_side *own = &explained->facts.history->side[side];

    fprintf(out, "    %s sent", iw_explain_side(explained, side));
    for (unsigned i = 0; i < own->traffic_count; i++) {
        const struct iw_history_traffic *row = &own->traffic[i];

        fputs(i > 0 ? ", " : " ", out);
        if (row->messages > 0)
            fprintf(out, "%" PRIu64 " x ", row->messages);
        fputs(row->opcode < IW_RDMAP_OP_COUNT ? iw_opcodes[row->opcode].title : "unknown opcode", out);
        if (row->messages == 0)
            fputs(" without its last segment", out);
        if (row->octets > 0)
            fprintf(out, " (%" PRIu64 " octet%s)", row->octets, iw_plural(row->octets));
    }
    if (own->fpdus == 0)
        fputs(text_is_unread(explained, side) ? " no message that could be read" : " no message", out);
    fputc('\n', out);
}

/* What a message breaks of the protocol above is no cause, but may be a reason. */
static void text_put_upper_findings(FILE *out, const struct iw_explained *explained) {
    const uint64_t *findings;

    if (explained->upper == NULL)
        return;
    findings = iw_upper_counts(explained->upper)->findings;
    if (findings[IW_SEVERITY_ERROR] + findings[IW_SEVERITY_WARNING] > 0)
        fprintf(out,
            "      'warpcheck check --upper warn' finds violations of its rules: %" PRIu64
            " error%s, %" PRIu64 " warning%s\n",
            findings[IW_SEVERITY_ERROR], iw_plural(findings[IW_SEVERITY_ERROR]),
            findings[IW_SEVERITY_WARNING], iw_plural(findings[IW_SEVERITY_WARNING]));
}

static void text_put_what(FILE *out, const struct iw_explained *explained) {
    const struct iw_mpa_terms *terms = explained->facts.terms;
    enum iw_side first = terms->initiator_known ? terms->initiator : IW_SIDE_A;

    fprintf(out, "    protocol: %s\n", explained->protocol != NULL ? explained->protocol : "not known");
    text_put_upper_findings(out, explained);
    text_put_startup(out, explained, first);
    text_put_startup(out, explained, iw_side_other(first));
    text_put_traffic(out, explained, first);
    text_put_traffic(out, explained, iw_side_other(first));
}

/* ---- how it ended ---- */

/* The Terminate includes a header of a message that the history does not have. */
static void text_put_uncaptured(FILE *out, const struct iw_history_terminate *terminate) {
    if (terminate->header_tagged)
        fprintf(out, "      about STag 0x%08" PRIx32 " at Tagged Offset 0x%" PRIx64 ";",
            terminate->header_stag, terminate->header_to);
    else
        fprintf(out, "      about MSN %" PRIu32 " of queue %" PRIu32 ";", terminate->header_msn,
            terminate->header_qn);
    fputs(" its message is not in the capture, or no longer kept\n", out);
}

static void text_put_terminate(FILE *out, const struct iw_explained *explained, enum iw_side side) {
    const struct iw_history_terminate *terminate =
        &iw_history_trouble(explained->facts.history, side)->terminate;
    enum iw_llp llp = explained->stream->session != NULL ? IW_LLP_SCTP : IW_LLP_MPA;
    const char *name = iw_error_name(llp, terminate->error);
    char error[IW_ERROR_TEXT_OCTETS], frame[IW_EXPLAIN_FRAME_OCTETS];
    static const char *const truths[] = {
        [IW_TRUTH_UNDECIDED] = "the capture cannot show whether that is true",
        [IW_TRUTH_CONFIRMED] = "the capture confirms it",
        [IW_TRUTH_REFUTED] = "the capture contradicts it"};

    if (terminate->mark.frame == 0)
        return;
    iw_error_text(terminate->error, error);
    fprintf(out, "    Terminate of %s in %s: %s, %s; %s\n", iw_explain_side(explained, side),
        iw_explain_frame(explained->chain, terminate->mark.frame, frame), error,
        name != NULL ? name : "not defined", truths[explained->diagnosis.truth[side]]);
    if (terminate->has_message)
        fprintf(out, "      about the %s of %s in %s\n",
            terminate->message.known_opcode ? iw_opcodes[terminate->message.opcode].title : "message",
            iw_explain_side(explained, iw_side_other(side)),
            iw_explain_frame(explained->chain, terminate->message.mark.frame, frame));
    else if (terminate->has_header)
        text_put_uncaptured(out, terminate);
}

/* The side that closed may have waited for responses itself: it gave them up, which explains that they are
 * outstanding although nothing failed. */
static void text_put_given_up(FILE *out, const struct iw_explained *explained) {
    const struct iw_diagnosis *diagnosis = &explained->diagnosis;
    const struct iw_unanswered *own = &explained->facts.unanswered[diagnosis->ender];

    if (diagnosis->count == 0 && own->count > own->perhaps &&
        (diagnosis->ending == IW_ENDING_GRACEFUL || diagnosis->ending == IW_ENDING_RESET))
        fprintf(out, ", while %" PRIu64 " request%s of its own had no whole response",
            own->count - own->perhaps, iw_plural(own->count - own->perhaps));
}

static void text_put_end(FILE *out, const struct iw_explained *explained) {
    const struct iw_diagnosis *diagnosis = &explained->diagnosis;
    enum iw_side first = iw_history_first_terminate(explained->facts.history);
    char frame[IW_EXPLAIN_FRAME_OCTETS];

    fprintf(out, "    ended: %s", iw_ending_text(&explained->facts, diagnosis->ending));
    if (diagnosis->ending != IW_ENDING_OPEN)
        fprintf(out, " of %s in %s", iw_explain_side(explained, diagnosis->ender),
            iw_explain_frame(explained->chain, diagnosis->end.frame, frame));
    text_put_given_up(out, explained);
    fputc('\n', out);
    text_put_terminate(out, explained, first);
    text_put_terminate(out, explained, iw_side_other(first));
}

/* ---- why ---- */

static void text_put_evidence(
    FILE *out, const struct iw_check_chain *chain, const struct iw_diagnosed *cause) {
    char frame[IW_EXPLAIN_FRAME_OCTETS];

    for (unsigned i = 0; i < cause->frame_count; i++)
        fprintf(
            out, "%s%s", i > 0 ? ", " : "      evidence: ", iw_explain_frame(chain, cause->frames[i], frame));
    if (cause->frame_count > 0)
        fputc('\n', out);
}

/* `explained` is NULL for a cause without a connection. */
static void text_put_cause(FILE *out, const char *kind, const struct iw_check_chain *chain,
    const struct iw_explained *explained, const struct iw_diagnosed *cause) {
    char purpose[IW_EXPLAIN_PURPOSE_OCTETS];

    fprintf(out, "    %s: %s (%s) [%s]\n      %s\n", kind, cause->cause->title,
        iw_confidence_name(cause->confidence), cause->cause->id, cause->detail);
    text_put_evidence(out, chain, cause);
    if (explained != NULL && iw_explain_purpose(explained, &cause->buffer, purpose) != NULL)
        fprintf(out, "      STag 0x%08" PRIx32 ": advertised %s\n", cause->buffer.stag, purpose);
    fprintf(out, "      next: %s%s%s%s\n", iw_diagnosed_next(cause),
        cause->cause->clause[0] != '\0' ? " (" : "", cause->cause->clause,
        cause->cause->clause[0] != '\0' ? ")" : "");
}

static void text_put_findings(FILE *out, const struct iw_explained *explained) {
    const struct iw_history *history = explained->facts.history;
    char frame[IW_EXPLAIN_FRAME_OCTETS];

    for (uint32_t i = 0; i < history->finding_count; i++)
        fprintf(out, "      seen in %s: %s (%s); sent by %s\n",
            iw_explain_frame(explained->chain, history->findings[i].frame, frame),
            history->findings[i].message, history->findings[i].requirement->id,
            iw_explain_side(explained, history->findings[i].side));
}

static void text_put_no_finding(FILE *out, const struct iw_explained *explained) {
    const struct iw_diagnosis *diagnosis = &explained->diagnosis;
    char frame[IW_EXPLAIN_FRAME_OCTETS];

    if (diagnosis->ending == IW_ENDING_OPEN)
        fputs("      'warpcheck check' finds no violation\n", out);
    else
        fprintf(out, "      'warpcheck check' finds no violation before the %s (%s)\n",
            iw_ending_name(&explained->facts, diagnosis->ending),
            iw_explain_frame(explained->chain, diagnosis->end.frame, frame));
}

static void text_put_why(FILE *out, const struct iw_explained *explained) {
    const struct iw_diagnosis *diagnosis = &explained->diagnosis;
    char next[IW_DIAGNOSIS_NEXT];

    for (unsigned i = 0; i < diagnosis->count; i++)
        text_put_cause(out, "cause", explained->chain, explained, &diagnosis->causes[i]);
    if (diagnosis->count == 0) {
        fprintf(out, "    cause: %s\n", iw_conclusion_text(explained->conclusion));
        if (iw_explained_violates(explained))
            text_put_findings(out, explained);
        else if (diagnosis->failed)
            text_put_no_finding(out, explained);
        if (iw_diagnosis_next_without_cause(&explained->facts, diagnosis, next) != NULL)
            fprintf(out, "      next: %s\n", next);
    }
    for (unsigned i = 0; i < diagnosis->note_count; i++)
        text_put_cause(out, "note", explained->chain, explained, &diagnosis->notes[i]);
}

/* ---- what hangs ---- */

/* Why it is uncertain whether the request is outstanding, and the end of its line. */
static const char *text_doubt(const struct iw_request_name *request) {
    if (!request->perhaps)
        return "\n";
    return request->answered > 0 && request->answered == request->read_octets
               ? ": perhaps of an earlier request\n"
               : ", perhaps answered\n";
}

static void text_put_waiting(FILE *out, const struct iw_explained *explained, enum iw_side side) {
    const struct iw_unanswered *unanswered = &explained->facts.unanswered[side];
    char frame[IW_EXPLAIN_FRAME_OCTETS], purpose[IW_EXPLAIN_PURPOSE_OCTETS], time[IW_EXPLAIN_TIME_OCTETS];

    if (unanswered->count == 0)
        return;
    fprintf(out, "    outstanding: %" PRIu64 " request%s of %s\n", unanswered->count,
        iw_plural(unanswered->count), iw_explain_side(explained, side));
    for (unsigned i = 0; i < unanswered->named_count; i++) {
        const struct iw_request_name *request = &unanswered->named[i];
        const struct iw_named_buffer buffer = iw_explain_requested(explained, side, request);

        fprintf(out, "      %s, MSN %" PRIu32 ", %s", iw_opcodes[request->opcode].title, request->msn,
            iw_explain_frame(explained->chain, request->frame, frame));
        fprintf(out, ", for %s", iw_explain_time(iw_explained_age(explained, request->time_ns), time));
        if (request->answered > 0)
            fprintf(out, ", %" PRIu64 " of %" PRIu32 " octets came", request->answered, request->read_octets);
        if (iw_explain_purpose(explained, &buffer, purpose) != NULL)
            fprintf(out, ", %s", purpose);
        fputs(text_doubt(request), out);
    }
    if (unanswered->count > unanswered->named_count)
        fprintf(out, "      and %" PRIu64 " more\n", unanswered->count - unanswered->named_count);
    if (explained->diagnosis.count == 0 && explained->diagnosis.ending == IW_ENDING_OPEN)
        fprintf(out,
            "      next: see whether the response comes in a longer capture; the device of %s sends it "
            "without its program\n",
            iw_explain_side(explained, iw_side_other(side)));
}

/* A Write that the connection, or its capture, ended in the middle. */
static void text_put_unfinished(FILE *out, const struct iw_explained *explained, enum iw_side side) {
    const struct iw_history_message *message = iw_explain_unfinished_write(explained, side);
    char frame[IW_EXPLAIN_FRAME_OCTETS], purpose[IW_EXPLAIN_PURPOSE_OCTETS];
    struct iw_named_buffer buffer;

    if (message == NULL)
        return;
    buffer = (struct iw_named_buffer){true, iw_side_other(side), message->stag, message->to};
    fprintf(out,
        "    incomplete: RDMA Write of %s, STag 0x%08" PRIx32
        ", without its last segment; written up to Tagged Offset 0x%" PRIx64 " in %s",
        iw_explain_side(explained, side), message->stag, message->to + message->length,
        iw_explain_frame(explained->chain, message->mark.frame, frame));
    if (iw_explain_purpose(explained, &buffer, purpose) != NULL)
        fprintf(out, ", %s", purpose);
    fprintf(out, "\n      next: %sthe device of %s sends the segments of a Write without its program\n",
        explained->diagnosis.ending == IW_ENDING_OPEN ? "see whether the rest comes in a longer capture; "
                                                      : "",
        iw_explain_side(explained, side));
}

void iw_explain_text_story(FILE *out, const struct iw_explained *explained) {
    text_put_ends(out, explained);
    iw_explain_text_body(out, explained);
}

void iw_explain_text_body(FILE *out, const struct iw_explained *explained) {
    text_put_why(out, explained);
    text_put_end(out, explained);
    text_put_waiting(out, explained, IW_SIDE_A);
    text_put_waiting(out, explained, IW_SIDE_B);
    text_put_unfinished(out, explained, IW_SIDE_A);
    text_put_unfinished(out, explained, IW_SIDE_B);
    iw_explain_text_calls(out, explained);
    text_put_what(out, explained);
    iw_explain_text_time(out, explained);
}

void iw_explain_text_capture_body(FILE *out, const struct iw_explain_captured *captured) {
    text_put_cause(out, "cause", captured->chain, NULL, &captured->diagnosed);
}

void iw_explain_text_capture(FILE *out, const struct iw_explain_captured *captured) {
    iw_show_name(out, iw_explain_title(iw_explain_captured_file(captured)));
    fputc('\n', out);
    iw_explain_text_capture_body(out, captured);
}

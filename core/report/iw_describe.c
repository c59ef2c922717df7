#include "iw_describe.h"

#include <inttypes.h>
#include <string.h>

#include "iw_name.h"
#include "iw_plural.h"
#include "iw_show.h"
#include "iw_side_name.h"
#include "iw_walk.h"

enum {
    DESCRIBE_PAYLOAD_SHOWN = 16, /* octets */
    DESCRIBE_MARKERS_SHOWN = 4,  /* most wrong Markers shown in one line */
};

static const char *describe_startup_title(const struct iw_startup *startup) {
    switch (startup->key) {
    case IW_STARTUP_REQUEST:
        return "MPA Request";
    case IW_STARTUP_REPLY:
        return "MPA Reply";
    case IW_STARTUP_UNKNOWN:
        break;
    }
    return "Octets in place of a startup frame";
}

static const char *describe_fpdu_title(const struct iw_monitor_event *event) {
    if (!event->segment)
        return event->llp->session ? "DDP Segment Chunk with a truncated DDP header"
                                   : "FPDU with a truncated DDP header";
    if (!event->segment->op)
        return event->llp->session ? "DDP Segment Chunk with an unknown opcode"
                                   : "FPDU with an unknown opcode";
    return event->segment->op->title;
}

static const char *describe_session_title(const struct iw_session_event *session) {
    const char *name = NULL;

    if (session->whole_header)
        name = iw_value_name(IW_KIND_FUNCTION, session->control.header.function);
    return name ? name : iw_layouts[iw_layout_sctp_control].title;
}

const char *iw_describe_title(const struct iw_monitor_event *event) {
    switch (event->llp->kind) {
    case IW_LLP_STARTUP:
        return describe_startup_title(event->llp->startup);
    case IW_LLP_SEGMENT:
        return describe_fpdu_title(event);
    case IW_LLP_LOSS:
        return "Loss";
    case IW_LLP_CONTROL:
        return describe_session_title(event->llp->session);
    case IW_LLP_CLOSE:
        break;
    }
    return event->llp->session ? "End of the session" : "Close";
}

static bool describe_field_is_reserved(const struct iw_field *field) {
    static const char *const reserved[] = {"res", "rsv", "rsvd", "reserved", "rsvdulp_rest"};

    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(field->name, reserved[i]) == 0)
            return true;
    return false;
}

/* Whether the line shows the value in another form: as RDMAP fields, or as the status of the CRC. */
static bool describe_field_is_elsewhere(enum iw_field_id id) {
    return id == iw_field_ddp_tagged_rsvdulp || id == iw_field_ddp_untagged_rsvdulp ||
           id == iw_field_mpa_crc_crc;
}

struct line {
    FILE *out;
    const struct iw_monitor_event *event;
    enum iw_walk_place place;
};

static bool describe_is_usual(const struct line *line, enum iw_field_id id, const uint8_t *header) {
    const struct iw_field *field = &iw_fields[id];
    const struct iw_segment *segment = line->event->segment;
    uint64_t value;

    if (field->bits > 64)
        return field->kind == IW_KIND_KEY && line->event->llp->startup->key != IW_STARTUP_UNKNOWN;
    value = iw_field_get(field, header);
    if (describe_field_is_elsewhere(id) || (describe_field_is_reserved(field) && value == 0))
        return true;
    if (strcmp(field->name, "dv") == 0 || strcmp(field->name, "rv") == 0)
        return value == 1;
    if (line->place == IW_WALK_QUOTED)
        return false;
    if (id == iw_field_ddp_untagged_rsvdulp_rest)
        return segment->op && segment->op->invalidate != IW_INVALIDATE_ZERO;
    if (strcmp(field->name, "t") == 0)
        return segment->op && segment->op->tagged == (value != 0);
    return field->kind == IW_KIND_OPCODE && segment->op && value == segment->op->value;
}

/* Whether the field has a name only for MPA: over SCTP, no LLP errors are defined. */
static bool describe_is_unnamed(const struct iw_monitor_event *event, const struct iw_field *field) {
    return event->llp->session && event->terminate && event->terminate->control.layer == 2 &&
           (field->kind == IW_KIND_ETYPE || field->kind == IW_KIND_CODE);
}

static void describe_field(
    void *user, const struct iw_field *field, const uint8_t *header, enum iw_walk_place place) {
    struct line *line = user;

    if (place == IW_WALK_QUOTED && line->place != IW_WALK_QUOTED)
        fputs(" about:", line->out);
    line->place = place;
    if (place == IW_WALK_MARKER || describe_is_usual(line, (enum iw_field_id)(field - iw_fields), header))
        return;
    fprintf(line->out, " %s=", field->layout == iw_layout_rdmap_invalidate ? "invalidate_stag" : field->name);
    if (describe_is_unnamed(line->event, field))
        iw_show_field(line->out, field, header);
    else
        iw_show_field_named(line->out, field, header);
}

static void describe_octets(
    FILE *out, const char *what, const uint8_t *octets, size_t captured, size_t count) {
    if (count == 0)
        return;
    fprintf(out, ", %zu octet%s of %s", count, iw_plural(count), what);
    if (captured > 0) {
        fputc(' ', out);
        iw_show_octets(out, octets, captured, DESCRIBE_PAYLOAD_SHOWN);
    }
    if (captured < count)
        fprintf(out, " (%zu captured)", captured);
}

static void describe_startup(FILE *out, const struct iw_llp_event *llp) {
    const struct iw_startup *startup = llp->startup;
    const char *dialect = iw_startup_dialect(startup->header.rev);
    size_t enhanced = startup->enhanced ? iw_mpa_enhanced_octets : 0;
    size_t sent = startup->header.pd_length > enhanced ? startup->header.pd_length - enhanced : 0;

    describe_octets(out, "private data", startup->private_data, startup->private_octets, sent);
    if (dialect != NULL)
        fprintf(out, ", dialect %s", dialect);
}

static void describe_crc(FILE *out, const struct iw_fpdu *fpdu) {
    switch (fpdu->crc) {
    case IW_CRC_GOOD:
        break;
    case IW_CRC_BAD:
        fprintf(out, ", CRC bad: 0x%08" PRIx32 " instead of 0x%08" PRIx32, fpdu->crc_received,
            fpdu->crc_computed);
        break;
    case IW_CRC_UNCHECKED:
        fprintf(out, ", CRC not in use");
        break;
    case IW_CRC_UNPROVEN:
        fprintf(out, ", CRC not known to be in use: 0x%08" PRIx32 ", computed 0x%08" PRIx32,
            fpdu->crc_received, fpdu->crc_computed);
        break;
    case IW_CRC_NOT_CAPTURED:
        fprintf(out, ", CRC not checked: octets not captured");
        break;
    }
}

static void describe_markers(FILE *out, const struct iw_fpdu *fpdu) {
    unsigned shown = 0;

    if (fpdu->marker_count > 0)
        fprintf(out, ", %" PRIu32 " marker%s", fpdu->marker_count, iw_plural(fpdu->marker_count));
    for (uint32_t i = 0; i < fpdu->marker_count && shown < DESCRIBE_MARKERS_SHOWN; i++) {
        const struct iw_marker *marker = &fpdu->markers[i];

        if (marker->fpduptr == marker->expected && marker->reserved == 0)
            continue;
        fprintf(out, ", marker %" PRIu32 " has reserved=0x%04x fpduptr=%u instead of %u", i + 1,
            marker->reserved, marker->fpduptr, marker->expected);
        shown++;
    }
}

static void describe_message(FILE *out, const struct iw_monitor_event *event) {
    const struct iw_segment *segment = event->segment;
    const struct iw_segment_fact *fact = event->fact;
    bool terminate = segment->op && segment->op->payload == IW_PAYLOAD_HEADERS;
    bool later =
        !segment->tagged && segment->mo > 0; /* a later segment: its octets are payload, not headers */

    if (!terminate || later)
        describe_octets(out, "payload", segment->payload, segment->payload_captured, segment->payload_octets);
    if (segment->header_missing)
        fprintf(out, ", RDMAP header incomplete");
    if (!fact || fact->first)
        return;
    /* After a loss, message_frame may be unknown: it is then the frame of this segment. */
    if (fact->message_frame != event->llp->frame)
        fprintf(out, ", continues the message of frame %" PRIu64, fact->message_frame);
    fprintf(out, ", %" PRIu64 " octet%s so far", fact->message_octets, iw_plural(fact->message_octets));
}

static void describe_pairing(FILE *out, const struct iw_monitor_event *event) {
    if (event->request)
        fprintf(out, ", request %" PRIu64 ", %" PRIu32 " outstanding", event->request->number,
            event->requests_waiting);
    if (event->response && event->response->operation) {
        const struct iw_operation *operation = event->response->operation;
        bool framed = operation->request_frame > 0; /* false without frame numbers */

        fprintf(out, ", answers %s %" PRIu64 "%s, %" PRIu32 " outstanding", framed ? "frame" : "request",
            framed ? operation->request_frame : operation->number,
            event->response->complete ? "" : " in part", event->requests_waiting);
    } else if (event->response && event->response->known)
        fprintf(out, ", answers no outstanding request");
}

static void describe_loss(FILE *out, const struct iw_llp_event *llp) {
    uint64_t known = llp->loss.missing + llp->loss.given_up;
    uint64_t given_up = llp->loss.limited + llp->loss.given_up;
    uint64_t skipped = llp->octets > known ? llp->octets - known : 0;

    fprintf(out, " of %" PRIu64 " octet%s: %" PRIu64 " %s, ", llp->octets, iw_plural(llp->octets),
        llp->loss.missing - llp->loss.limited, llp->loss.cut ? "cut by the capture" : "not captured");
    if (given_up > 0)
        fprintf(out, "%" PRIu64 " given up at a limit or because memory ran out, ", given_up);
    fprintf(out, "%" PRIu64 " skipped%s", skipped,
        llp->loss.streaming    ? ", sent in streaming mode"
        : llp->loss.unsearched ? ", not searched for FPDUs"
        : llp->loss.open       ? ", no FPDU found after it"
                               : "");
    if (llp->loss.startup_seen > 0)
        fprintf(out, "; %" PRIu32 " octet%s of a startup frame begin%s it", llp->loss.startup_seen,
            iw_plural(llp->loss.startup_seen), llp->loss.startup_seen == 1 ? "s" : "");
}

static void describe_order(FILE *out, const struct iw_session_event *session) {
    switch (session->order) {
    case IW_SESSION_MISSING:
        fprintf(out, ", DDP-SSNs left out from %u on", session->ssn_expected);
        break;
    case IW_SESSION_LOST:
        if (session->missing > 0)
            fprintf(out, ", %" PRIu32 " DDP-SSN%s missing before it", session->missing,
                iw_plural(session->missing));
        break;
    case IW_SESSION_AGAIN:
        fprintf(out, ", DDP-SSN %u expected", session->ssn_expected);
        break;
    case IW_SESSION_IN_ORDER:
    case IW_SESSION_UNKNOWN:
        break;
    }
}

static void describe_chunk(FILE *out, const struct iw_session_event *session) {
    const struct iw_sctp_message *message = session->message;

    fprintf(out, ", DDP Stream %u, session %" PRIu32 " %s", session->session->stream,
        session->session->number, iw_session_state_name(session->session->state));
    describe_order(out, session);
    if (message->captured < message->length)
        fprintf(out, ", %" PRIu32 " of %" PRIu32 " octets captured", message->captured, message->length);
}

static void describe_control(FILE *out, const struct iw_session_event *session) {
    uint32_t before = iw_sctp_control_octets + (session->control.enhanced ? iw_mpa_enhanced_octets : 0u);

    if (session->whole_header && session->message->length > before)
        describe_octets(out, "private data", session->control.private_data, session->control.private_octets,
            session->message->length - before);
    describe_chunk(out, session);
}

static const char *describe_requester(const struct iw_monitor_event *event, enum iw_side requester) {
    enum iw_role role = event->role;

    if (role != IW_ROLE_UNKNOWN && requester != event->llp->side)
        role = role == IW_ROLE_INITIATOR ? IW_ROLE_RESPONDER : IW_ROLE_INITIATOR;
    return iw_side_name(role, requester);
}

static void describe_unanswered(FILE *out, const struct iw_monitor_event *event, enum iw_side requester) {
    const struct iw_unanswered *unanswered = event->unanswered[requester];
    const struct iw_request_name *first;
    char part[IW_DESCRIBE_PART_OCTETS];

    if (unanswered == NULL)
        return;
    first = &unanswered->named[0];
    fprintf(out, ", %" PRIu64 " request%s of %s without %s", unanswered->count, iw_plural(unanswered->count),
        describe_requester(event, requester), iw_describe_unanswered_lack(unanswered));
    if (unanswered->perhaps > 0)
        fprintf(out, " (%" PRIu64 " perhaps answered)", unanswered->perhaps);
    if (unanswered->named_count > 0)
        fprintf(
            out, ", the first in frame %" PRIu64 "%s", first->frame, iw_describe_request_part(first, part));
}

static void describe_end(FILE *out, const struct iw_session_event *session) {
    static const char *const causes[] = {[IW_SESSION_END_INPUT] = "the end of the capture",
        [IW_SESSION_END_NEXT] = "the next session",
        [IW_SESSION_END_ASSOCIATION] = "the shutdown of the association",
        [IW_SESSION_END_ABORT] = "the abort of the association"};

    fprintf(out, " %" PRIu32 " on DDP Stream %u by %s", session->session->number, session->session->stream,
        causes[session->end]);
}

static void describe_close(FILE *out, const struct iw_llp_event *llp) {
    static const char *const causes[] = {[IW_LLP_CLOSE_GRACEFUL] = "FIN",
        [IW_LLP_CLOSE_ABORTIVE] = "RST",
        [IW_LLP_CLOSE_INPUT] = "end of the capture"};
    char unfinished[IW_UNFINISHED_TEXT_OCTETS];

    fprintf(out, " by %s", causes[llp->close]);
    if (llp->pending.octets > 0) {
        iw_unfinished_text(llp, unfinished);
        fprintf(out, " with %s", unfinished);
    }
}

static void describe_fpdu(FILE *out, const struct iw_monitor_event *event) {
    const struct iw_fpdu *fpdu = event->llp->fpdu;

    if (event->segment)
        describe_message(out, event);
    describe_pairing(out, event);
    if (event->llp->session) {
        describe_chunk(out, event->llp->session);
        return;
    }
    if (fpdu->pad_octets > 0)
        fprintf(out, ", pad %u", fpdu->pad_octets);
    describe_markers(out, fpdu);
    describe_crc(out, fpdu);
    if (event->judged != IW_FPDU_JUDGED)
        fprintf(out, ", not judged: %s", iw_fpdu_not_judged(event->judged));
    if (fpdu->image_captured < fpdu->image_octets)
        fprintf(
            out, ", %" PRIu32 " of %" PRIu32 " octets captured", fpdu->image_captured, fpdu->image_octets);
}

void iw_describe_event(FILE *out, const struct iw_monitor_event *event) {
    struct line line = {out, event, IW_WALK_OWN};

    fputs(iw_describe_title(event), out);
    iw_walk_event(event, describe_field, &line);
    switch (event->llp->kind) {
    case IW_LLP_STARTUP:
        describe_startup(out, event->llp);
        break;
    case IW_LLP_SEGMENT:
        describe_fpdu(out, event);
        break;
    case IW_LLP_LOSS:
        describe_loss(out, event->llp);
        break;
    case IW_LLP_CLOSE:
        if (event->llp->session)
            describe_end(out, event->llp->session);
        else
            describe_close(out, event->llp);
        describe_unanswered(out, event, IW_SIDE_A);
        describe_unanswered(out, event, IW_SIDE_B);
        break;
    case IW_LLP_CONTROL:
        describe_control(out, event->llp->session);
        break;
    }
}

void iw_describe_finding(FILE *out, const struct iw_finding *finding, const char *address) {
    const struct iw_requirement *requirement = finding->requirement;
    bool named = finding->role != IW_ROLE_UNKNOWN || address == NULL;

    fprintf(out, "%s %s (%s %s, %s) %s: %s", iw_severity_name(iw_requirement_severity(requirement)),
        requirement->id, requirement->document, requirement->section, iw_level_name(requirement->level),
        named ? iw_role_name(finding->role) : address, finding->message);
}

void iw_describe_cause(FILE *out, const struct iw_finding *finding) {
    if (finding->cause != 0)
        fprintf(out, "; follows from finding %" PRIu64 " in frame %" PRIu64, finding->cause,
            finding->cause_frame);
}

static const struct {
    const char *key, *tcp, *sctp;
} describe_ends[] = {
    [IW_UNANSWERED_INPUT] = {"capture", "at the end of the capture", "at the end of the capture"},
    [IW_UNANSWERED_CLOSED] = {"close", "when the connection was closed", "when the session ended"},
    [IW_UNANSWERED_RESET] = {"reset", "when the connection was reset", "when the association was aborted"},
    [IW_UNANSWERED_TERMINATE] = {"terminate", "after a Terminate", "after a Terminate"},
};

const char *iw_describe_unanswered_end(enum iw_unanswered_end end, bool sctp) {
    return sctp ? describe_ends[end].sctp : describe_ends[end].tcp;
}

const char *iw_describe_unanswered_lack(const struct iw_unanswered *unanswered) {
    return unanswered->in_part > 0 ? "a complete response" : "a response";
}

const char *iw_describe_request_part(
    const struct iw_request_name *request, char text[IW_DESCRIBE_PART_OCTETS]) {
    text[0] = '\0';
    if (request->answered > 0)
        snprintf(text, IW_DESCRIBE_PART_OCTETS, ", answered in part: %" PRIu64 " of %" PRIu32 " octet%s",
            request->answered, request->read_octets, iw_plural(request->read_octets));
    return text;
}

const char *iw_unanswered_end_key(enum iw_unanswered_end end) {
    return describe_ends[end].key;
}

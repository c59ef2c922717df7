#include "iw_judge.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum iw_sight iw_judge_sight(const struct iw_received *received, uint64_t end) {
    if (!received->known)
        return IW_SIGHT_UNKNOWN;
    return received->up_to >= end ? IW_SIGHT_RECEIVED : IW_SIGHT_MISSING;
}

struct iw_received iw_judge_first_received(const struct iw_judge *judge) {
    const struct iw_llp_event *llp = judge->event.llp;
    const struct iw_startup_facts *startup = iw_mpa_startup(&judge->mpa, llp->side);
    struct iw_received received = startup->received_next;

    if (!startup->continued ||
        (llp->offset != received.offset && (llp->first_frame != received.frame || received.frame == 0)))
        return (struct iw_received){0};
    return received;
}

/* The largest TCP payload of a segment of the sender, by the MSS option in the other side's SYN. Without the
 * option, 536: the default over IPv4 (RFC 9293 3.7.1), lower than over IPv6. 0 without that SYN. */
static uint32_t judge_segment_max(const struct iw_judge *judge) {
    enum { DEFAULT_MSS = 536 };
    uint32_t mss = judge->peer->mss;

    return mss == 0 && iw_mpa_from_start(&judge->mpa, judge->peer->side) ? DEFAULT_MSS : mss;
}

bool iw_judge_joined(const struct iw_judge *judge) {
    const struct iw_llp_event *event = judge->event.llp;
    const struct iw_mpa *mpa = &judge->mpa;
    enum iw_side side = event->side;
    uint64_t octets = iw_mpa_reached(mpa, side) - mpa->acked_from[side];

    return octets > judge_segment_max(judge) && mpa->acked_from[side] < event->offset;
}

uint64_t iw_judge_received_at_most(const struct iw_judge *judge) {
    enum iw_side side = judge->event.llp->side;

    if (!judge->mpa.acked_known[side] || iw_judge_joined(judge))
        return UINT64_MAX;
    return judge->mpa.acked[side];
}

enum iw_field_id iw_judge_opcode_field(const struct iw_segment *segment) {
    return segment->five_bit ? iw_field_rdmap_control5_opcode : iw_field_rdmap_control_opcode;
}

/* For a field of a header that DDP has split: the offset at which the header would begin in the event if no
 * part of it were in other segments; -1 if another segment has the field. */
static int64_t judge_continued_offset(const struct iw_segment *segment, const struct iw_field *field) {
    uint32_t at = field->bit / 8u;

    if (at < segment->mo || at - segment->mo >= segment->payload_octets)
        return -1;
    return (int64_t)iw_mpa_fpdu_octets + segment->ddp_octets - segment->mo;
}

/* Offset of the field's header in the octets of the judged event; -1 if the event does not have that header.
 * The enhanced data follow the other fields of a startup frame or control chunk (RFC 6581 6, 7). */
static int64_t judge_image_offset(const struct iw_monitor_event *event, const struct iw_field *field) {
    const struct iw_segment *segment = event->segment;
    uint32_t ddp = iw_mpa_fpdu_octets;

    if (event->llp->kind != IW_LLP_SEGMENT)
        return field->layout != iw_layout_mpa_enhanced ? 0
               : event->llp->kind == IW_LLP_CONTROL    ? iw_sctp_control_octets
                                                       : iw_mpa_startup_octets;
    if (field->layout == iw_layout_mpa_fpdu || field->layout == iw_layout_sctp_segment)
        return 0;
    if (field->layout == iw_layout_mpa_crc)
        return event->llp->image_octets - iw_mpa_crc_octets;
    if (field->layout == iw_layout_ddp_tagged || field->layout == iw_layout_ddp_untagged)
        return ddp;
    if (field->layout == iw_layout_rdmap_control || field->layout == iw_layout_rdmap_control5)
        return ddp + 1;
    if (field->layout == iw_layout_rdmap_invalidate)
        return ddp + 2;
    if (field->layout == iw_layout_terminate && segment->header_octets == 0)
        return judge_continued_offset(segment, field);
    if (segment != NULL && segment->op != NULL && segment->op->header == field->layout)
        return segment->header_octets == 0 ? judge_continued_offset(segment, field)
                                           : ddp + segment->ddp_octets;
    return -1;
}

static void judge_finding_place(const struct iw_monitor_event *event, struct iw_finding *finding) {
    const struct iw_llp_event *llp = event->llp;
    const struct iw_field *field = finding->field;
    int64_t header = llp->image == NULL ? -1 : judge_image_offset(event, field);
    uint64_t at = (uint64_t)header + field->bit / 8u;

    if (header < 0 || at >= llp->image_captured)
        return;
    finding->offset = iw_llp_offset(llp, (uint32_t)at);
    finding->octets = (field->bit % 8u + field->bits + 7u) / 8u;
}

/* Returns a new finding about the event. Without space or memory, the finding is never delivered. */
static struct iw_finding *judge_next_finding(struct iw_judge *judge) {
    static _Thread_local struct iw_finding undelivered;

    if (judge->findings == NULL)
        judge->findings = malloc(IW_JUDGE_FINDING_MAX * sizeof *judge->findings);
    judge->findings_lost |= judge->findings == NULL;
    if (judge->findings != NULL && judge->finding_count < IW_JUDGE_FINDING_MAX)
        return &judge->findings[judge->finding_count++];
    judge->counts.unjudged[IW_UNJUDGED_LIMIT]++;
    return &undelivered;
}

/* The role of the side over SCTP, if neither an Initiate nor its answer was captured: initiator if the side
 * sent the INIT, responder if it sent the INIT ACK. UNKNOWN if INIT, INIT ACK or DATA chunks are missing. */
static enum iw_role judge_association_role(const struct iw_session_event *session, enum iw_side side) {
    const struct iw_sctp_state *state = session->association;
    bool answers = state->setup[side].ack;

    if (!session->session->from_start || state->lost[IW_SIDE_A] > 0 || state->lost[IW_SIDE_B] > 0 ||
        state->setup[IW_SIDE_A].frame == 0 || state->setup[IW_SIDE_B].frame == 0 ||
        answers == state->setup[iw_side_other(side)].ack)
        return IW_ROLE_UNKNOWN;
    return answers ? IW_ROLE_RESPONDER : IW_ROLE_INITIATOR;
}

static enum iw_role judge_offender_role(const struct iw_judge *judge, enum iw_side side) {
    enum iw_role role = iw_role_of(&judge->mpa.terms, side);

    return role == IW_ROLE_UNKNOWN && judge->event.llp->session != NULL
               ? judge_association_role(judge->event.llp->session, side)
               : role;
}

static struct iw_finding *judge_finding_begin(
    struct iw_judge *judge, enum iw_requirement_id id, enum iw_field_id field) {
    const struct iw_monitor_event *event = &judge->event;
    struct iw_finding *finding = judge_next_finding(judge);

    assert(id < IW_REQUIREMENT_COUNT && field <= IW_FIELD_COUNT);
    memset(finding, 0, sizeof *finding);
    finding->requirement = &iw_requirements[id];
    finding->number = ++judge->reported;
    finding->side = event->llp->side;
    finding->role = judge_offender_role(judge, event->llp->side);
    finding->frame = event->llp->frame;
    finding->time_ns = event->llp->time_ns;
    finding->offset = event->llp->offset;
    finding->octets = (uint32_t)event->llp->octets;
    if (field != IW_FIELD_COUNT) {
        finding->field = &iw_fields[field];
        judge_finding_place(event, finding);
    }
    return finding;
}

struct iw_finding *iw_judge_report(struct iw_judge *judge, enum iw_requirement_id id, enum iw_field_id field,
    const char *subject, const char *expected, const char *actual, ...) {
    struct iw_finding *finding = judge_finding_begin(judge, id, field);
    va_list arguments;

    va_start(arguments, actual);
    vsnprintf(finding->actual, sizeof finding->actual, actual, arguments);
    va_end(arguments);
    snprintf(finding->expected, sizeof finding->expected, "%s", expected);
    snprintf(finding->message, sizeof finding->message, "%s is %s, expected %s", subject, finding->actual,
        expected);
    return finding;
}

void iw_judge_charge(struct iw_judge *judge, struct iw_finding *finding, enum iw_side side) {
    finding->side = side;
    finding->role = judge_offender_role(judge, side);
}

struct iw_finding *iw_judge_report_key(struct iw_judge *judge, enum iw_requirement_id id,
    enum iw_field_id field, const char *subject, const char *expected, const uint8_t actual[16]) {
    char text[4 * 16 + 1]; /* an octet takes up to four characters */
    size_t at = 0;

    for (size_t i = 0; i < 16; i++) {
        bool plain = actual[i] >= ' ' && actual[i] <= '~' && actual[i] != '"' && actual[i] != '\\';

        at += (size_t)snprintf(text + at, sizeof text - at, plain ? "%c" : "\\x%02x", actual[i]);
    }
    return iw_judge_report(judge, id, field, subject, expected, "\"%s\"", text);
}

/* `bound` is the relation to the expected value: "", "at most " or "at least ". */
static struct iw_finding *judge_report_number(struct iw_judge *judge, enum iw_requirement_id id,
    enum iw_field_id field, const char *subject, const char *bound, uint64_t expected, uint64_t actual) {
    bool hex = field != IW_FIELD_COUNT && iw_fields[field].kind == IW_KIND_HEX;
    int digits = hex ? (iw_fields[field].bits + 3) / 4 : 1;
    char text[40];

    snprintf(text, sizeof text, hex ? "%s0x%0*" PRIx64 : "%s%0*" PRIu64, bound, digits, expected);
    return iw_judge_report(
        judge, id, field, subject, text, hex ? "0x%0*" PRIx64 : "%0*" PRIu64, digits, actual);
}

struct iw_finding *iw_judge_report_value(struct iw_judge *judge, enum iw_requirement_id id,
    enum iw_field_id field, const char *subject, uint64_t expected, uint64_t actual) {
    return judge_report_number(judge, id, field, subject, "", expected, actual);
}

struct iw_finding *iw_judge_report_at_most(struct iw_judge *judge, enum iw_requirement_id id,
    enum iw_field_id field, const char *subject, uint64_t limit, uint64_t actual) {
    return judge_report_number(judge, id, field, subject, "at most ", limit, actual);
}

struct iw_finding *iw_judge_report_at_least(struct iw_judge *judge, enum iw_requirement_id id,
    enum iw_field_id field, const char *subject, uint64_t limit, uint64_t actual) {
    return judge_report_number(judge, id, field, subject, "at least ", limit, actual);
}

void iw_judge_context(struct iw_finding *finding, uint64_t frame) {
    for (unsigned i = 0; i < finding->context_count; i++)
        if (finding->context[i] == frame)
            return;
    if (frame != 0 && frame != finding->frame && finding->context_count < IW_FINDING_CONTEXT_MAX)
        finding->context[finding->context_count++] = frame;
}

void iw_judge_because_of(struct iw_finding *finding, const struct iw_finding_ref *ref) {
    if (ref->number == 0)
        return;
    finding->cause = ref->number;
    finding->cause_frame = ref->frame;
    iw_judge_context(finding, ref->frame);
}

struct iw_party_trouble *iw_judge_trouble(struct iw_judge *judge, struct iw_party *party) {
    static _Thread_local struct iw_party_trouble lost;

    if (party->trouble == NULL)
        party->trouble = calloc(1, sizeof *party->trouble);
    if (party->trouble != NULL)
        return party->trouble;
    judge->counts.unjudged[IW_UNJUDGED_LIMIT]++;
    memset(&lost, 0, sizeof lost);
    return &lost;
}

struct iw_finding_ref iw_judge_finding_ref(const struct iw_finding *finding) {
    return (struct iw_finding_ref){finding->number, finding->frame};
}

void iw_judge_note_fault(
    struct iw_fault *fault, const struct iw_finding *finding, uint32_t qn, uint64_t message) {
    *fault = (struct iw_fault){.finding = iw_judge_finding_ref(finding),
        .message_frame = message,
        .qn = qn,
        .warning = iw_requirement_severity(finding->requirement) == IW_SEVERITY_WARNING};
}

void iw_judge_attach(struct iw_judge *judge, size_t root, size_t first) {
    for (size_t i = first; root < first && i < judge->finding_count; i++) {
        const struct iw_finding *cause = &judge->findings[root];
        const struct iw_finding_ref ref = iw_judge_finding_ref(cause);
        struct iw_finding *finding = &judge->findings[i];
        bool heavier =
            iw_requirement_severity(finding->requirement) > iw_requirement_severity(cause->requirement);

        if (finding->cause == 0 && !heavier)
            iw_judge_because_of(finding, &ref);
    }
}

void iw_judge_attach_to(struct iw_judge *judge, enum iw_requirement_id root, size_t first) {
    for (size_t i = 0; i < first; i++)
        if (judge->findings[i].requirement == &iw_requirements[root])
            iw_judge_attach(judge, i, first);
}

bool iw_judge_all_seen(const struct iw_judge *judge) {
    const struct iw_party *peer = judge->peer;

    return judge->mpa.terms.seen[peer->side] && iw_mpa_reads(&judge->mpa, peer->side) && !peer->lost &&
           !peer->hidden && !iw_judge_answers_missing(judge) && !iw_mpa_within_fpdu(&judge->mpa, peer->side);
}

bool iw_judge_control_wrong(const struct iw_judge *judge, const struct iw_segment *segment) {
    bool invalidates = segment->op == NULL || segment->op->invalidate != IW_INVALIDATE_ZERO;

    return segment->rv != iw_judge_rv(judge, segment) || segment->rsv != 0 ||
           (!segment->tagged && !invalidates && segment->invalidate_stag != 0);
}

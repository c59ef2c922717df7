#include "iw_walk.h"

struct walk {
    iw_walk_visit *visit;
    void *user;
    enum iw_walk_place place;
};

static void visit_layout(const struct walk *walk, enum iw_layout_id id, const uint8_t *header) {
    const struct iw_layout *layout = &iw_layouts[id];

    for (uint16_t i = 0; i < layout->field_count; i++)
        walk->visit(walk->user, &iw_fields[layout->first_field + i], header, walk->place);
}

static void visit_startup(const struct walk *walk, const struct iw_mpa_event *mpa) {
    visit_layout(walk, iw_layout_mpa_startup, mpa->startup_octets);
    if (mpa->startup->enhanced)
        visit_layout(walk, iw_layout_mpa_enhanced, mpa->startup_octets + iw_mpa_startup_octets);
    if (mpa->startup->erdma)
        visit_layout(walk, iw_layout_mpa_erdma, mpa->startup_octets + iw_mpa_startup_octets);
}

static void visit_markers(const struct walk *walk, const struct iw_fpdu *fpdu) {
    struct walk markers = *walk;

    markers.place = IW_WALK_MARKER;
    for (uint32_t i = 0; i < fpdu->marker_count; i++) {
        struct iw_mpa_marker marker = {
            .reserved = fpdu->markers[i].reserved, .fpduptr = fpdu->markers[i].fpduptr};
        uint8_t octets[iw_mpa_marker_octets];

        iw_mpa_marker_encode(&marker, octets);
        visit_layout(&markers, iw_layout_mpa_marker, octets);
    }
}

/* The DDP header at `octets`, with what RDMAP has put into its RsvdULP octets. */
static void visit_ddp(const struct walk *walk, const struct iw_segment *segment, const uint8_t *octets) {
    struct iw_segment_part parts[IW_SEGMENT_PARTS_MAX];
    unsigned count = iw_segment_parts(segment, parts);

    for (unsigned i = 0; i < count; i++)
        visit_layout(walk, parts[i].layout, octets + parts[i].at);
}

static void visit_terminate(const struct walk *walk, const struct iw_terminate_message *message) {
    struct walk quoted = *walk;
    uint8_t length[iw_terminate_length_octets];

    if (message->has_length) {
        iw_terminate_length_encode(&(struct iw_terminate_length){.length = message->segment_length}, length);
        visit_layout(walk, iw_layout_terminate_length, length);
    }
    quoted.place = IW_WALK_QUOTED;
    if (message->has_ddp)
        visit_ddp(&quoted, &message->terminated, message->terminated_octets);
    if (message->has_rdmap)
        visit_layout(&quoted, iw_layout_read_request, message->rdmap_octets);
}

static void visit_segment(const struct walk *walk, const struct iw_monitor_event *event) {
    const struct iw_segment *segment = event->segment;

    visit_ddp(walk, segment, iw_fpdu_ulpdu(event->mpa->fpdu));
    if (segment->op && segment->header_octets > 0)
        visit_layout(walk, segment->op->header, segment->header);
    if (event->terminate)
        visit_terminate(walk, event->terminate);
}

/* Both kinds of chunk begin with the DDP-SSN (RFC 5043 5.2.1). */
static void visit_ssn(const struct walk *walk, const struct iw_sctp_message *message) {
    if (message->captured >= iw_sctp_segment_octets)
        visit_layout(walk, iw_layout_sctp_segment, message->octets);
}

static void visit_session(const struct walk *walk, const struct iw_session_event *session) {
    const uint8_t *octets = session->message->octets;

    if (!session->whole_header) {
        visit_ssn(walk, session->message);
        return;
    }
    visit_layout(walk, iw_layout_sctp_control, octets);
    if (session->control.enhanced)
        visit_layout(walk, iw_layout_mpa_enhanced, octets + iw_sctp_control_octets);
}

static void visit_chunk(const struct walk *walk, const struct iw_monitor_event *event) {
    visit_ssn(walk, event->session->message);
    if (event->segment)
        visit_segment(walk, event);
}

static void visit_fpdu(const struct walk *walk, const struct iw_monitor_event *event) {
    const struct iw_fpdu *fpdu = event->mpa->fpdu;

    if (fpdu->image_captured >= iw_mpa_fpdu_octets)
        visit_layout(walk, iw_layout_mpa_fpdu, fpdu->image);
    visit_markers(walk, fpdu);
    if (event->segment)
        visit_segment(walk, event);
    if (fpdu->image_captured == fpdu->image_octets && fpdu->image_octets >= iw_mpa_crc_octets)
        visit_layout(walk, iw_layout_mpa_crc, fpdu->image + fpdu->image_octets - iw_mpa_crc_octets);
}

void iw_walk_event(const struct iw_monitor_event *event, iw_walk_visit *visit, void *user) {
    struct walk walk = {visit, user, IW_WALK_OWN};

    switch (event->mpa->kind) {
    case IW_MPA_STARTUP:
        visit_startup(&walk, event->mpa);
        break;
    case IW_MPA_FPDU:
        if (event->session)
            visit_chunk(&walk, event);
        else
            visit_fpdu(&walk, event);
        break;
    case IW_MPA_SESSION:
        visit_session(&walk, event->session);
        break;
    default:
        break;
    }
}

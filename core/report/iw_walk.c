#include "iw_walk.h"

struct walk {
    iw_walk_visit *visit;
    void *user;
    enum iw_walk_place place;
};

static void walk_layout(const struct walk *walk, enum iw_layout_id id, const uint8_t *header) {
    const struct iw_layout *layout = &iw_layouts[id];

    for (uint16_t i = 0; i < layout->field_count; i++)
        walk->visit(walk->user, &iw_fields[layout->first_field + i], header, walk->place);
}

static void walk_startup(const struct walk *walk, const struct iw_llp_event *llp) {
    walk_layout(walk, iw_layout_mpa_startup, llp->image);
    if (llp->startup->enhanced)
        walk_layout(walk, iw_layout_mpa_enhanced, llp->image + iw_mpa_startup_octets);
    if (llp->startup->erdma)
        walk_layout(walk, iw_layout_mpa_erdma, llp->image + iw_mpa_startup_octets);
}

static void walk_markers(const struct walk *walk, const struct iw_fpdu *fpdu) {
    struct walk markers = *walk;

    markers.place = IW_WALK_MARKER;
    for (uint32_t i = 0; i < fpdu->marker_count; i++) {
        struct iw_mpa_marker marker = {
            .reserved = fpdu->markers[i].reserved, .fpduptr = fpdu->markers[i].fpduptr};
        uint8_t octets[iw_mpa_marker_octets];

        iw_mpa_marker_encode(&marker, octets);
        walk_layout(&markers, iw_layout_mpa_marker, octets);
    }
}

/* Visits the fields of the DDP header at `octets`, and the RDMAP fields in its RsvdULP octets. */
static void walk_ddp(const struct walk *walk, const struct iw_segment *segment, const uint8_t *octets) {
    struct iw_segment_part parts[IW_SEGMENT_PARTS_MAX];
    unsigned count = iw_segment_parts(segment, parts);

    for (unsigned i = 0; i < count; i++)
        walk_layout(walk, parts[i].layout, octets + parts[i].at);
}

static void walk_terminate(const struct walk *walk, const struct iw_terminate_message *message) {
    struct walk quoted = *walk;
    uint8_t length[iw_terminate_length_octets];

    if (message->has_length) {
        iw_terminate_length_encode(&(struct iw_terminate_length){.length = message->segment_length}, length);
        walk_layout(walk, iw_layout_terminate_length, length);
    }
    quoted.place = IW_WALK_QUOTED;
    if (message->has_ddp)
        walk_ddp(&quoted, &message->terminated, message->terminated_octets);
    if (message->has_rdmap)
        walk_layout(&quoted, iw_layout_read_request, message->rdmap_octets);
}

static void walk_segment(const struct walk *walk, const struct iw_monitor_event *event) {
    const struct iw_segment *segment = event->segment;

    walk_ddp(walk, segment, iw_llp_segment(event->llp));
    if (segment->op && segment->header_octets > 0)
        walk_layout(walk, segment->op->header, segment->header);
    if (event->terminate)
        walk_terminate(walk, event->terminate);
}

/* DDP Segment Chunks and control chunks begin with the DDP-SSN (RFC 5043 5.2.1). */
static void walk_ssn(const struct walk *walk, const struct iw_sctp_message *message) {
    if (message->captured >= iw_sctp_segment_octets)
        walk_layout(walk, iw_layout_sctp_segment, message->octets);
}

static void walk_session(const struct walk *walk, const struct iw_session_event *session) {
    const uint8_t *octets = session->message->octets;

    if (!session->whole_header) {
        walk_ssn(walk, session->message);
        return;
    }
    walk_layout(walk, iw_layout_sctp_control, octets);
    if (session->control.enhanced)
        walk_layout(walk, iw_layout_mpa_enhanced, octets + iw_sctp_control_octets);
}

static void walk_fpdu(const struct walk *walk, const struct iw_monitor_event *event) {
    const struct iw_fpdu *fpdu = event->llp->fpdu;

    if (fpdu->image_captured >= iw_mpa_fpdu_octets)
        walk_layout(walk, iw_layout_mpa_fpdu, fpdu->image);
    walk_markers(walk, fpdu);
    if (event->segment)
        walk_segment(walk, event);
    if (fpdu->image_captured == fpdu->image_octets && fpdu->image_octets >= iw_mpa_crc_octets)
        walk_layout(walk, iw_layout_mpa_crc, fpdu->image + fpdu->image_octets - iw_mpa_crc_octets);
}

void iw_walk_event(const struct iw_monitor_event *event, iw_walk_visit *visit, void *user) {
    struct walk walk = {visit, user, IW_WALK_OWN};

    switch (event->llp->kind) {
    case IW_LLP_STARTUP:
        walk_startup(&walk, event->llp);
        break;
    case IW_LLP_SEGMENT:
        if (event->llp->session == NULL) {
            walk_fpdu(&walk, event);
            break;
        }
        walk_ssn(&walk, event->llp->session->message);
        if (event->segment)
            walk_segment(&walk, event);
        break;
    case IW_LLP_CONTROL:
        walk_session(&walk, event->llp->session);
        break;
    case IW_LLP_LOSS:
    case IW_LLP_CLOSE:
        break;
    }
}

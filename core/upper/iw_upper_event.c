#include <stdlib.h>
#include <string.h>

#include "iw_upper_state.h"

/* Takes the events of a connection: identifies its protocol, and gives it messages and accesses. */

enum { SENDS_MAX = 64 }; /* Sends examined to identify the protocol */

/* ---- startup ---- */

static void upper_identified(struct iw_upper *upper, enum iw_ulp_protocol protocol) {
    if (upper->protocol != IW_ULP_UNKNOWN || protocol == IW_ULP_UNKNOWN)
        return;
    upper->protocol = protocol;
    if (protocol == IW_ULP_ISER)
        iw_upper_identified_iser(upper);
    upper->lost |= iw_upper_iser_forget_hello(upper) || upper->unknown_sends > 0;
    if (protocol == IW_ULP_SMB_DIRECT)
        iw_upper_identified_smbd(upper);
    else if (protocol == IW_ULP_RPC)
        iw_upper_rpc_private_judge(upper);
}

static void upper_take_startup(struct iw_upper *upper, const struct iw_llp_event *llp) {
    const struct iw_startup *startup = llp->startup;
    struct iw_upper_private *data = &upper->private_data[llp->side];
    size_t kept;

    if (startup == NULL || startup->key == IW_STARTUP_UNKNOWN || data->seen ||
        llp->image_captured < iw_mpa_startup_octets || llp->image_captured < llp->image_octets)
        return;
    upper->initiator_known = true;
    data->request = startup->key == IW_STARTUP_REQUEST;
    upper->initiator = data->request ? llp->side : iw_side_other(llp->side);
    data->seen = true;
    data->frame = llp->frame;
    data->time_ns = llp->time_ns;
    data->octets = startup->private_data != NULL ? startup->private_octets : 0;
    kept = iw_upper_private_kept(data);
    data->data = kept > 0 ? malloc(kept) : NULL;
    if (data->data != NULL) {
        memcpy(data->data, startup->private_data, kept);
    } else if (kept > 0) {
        data->octets = kept = 0;
        iw_upper_set_no_memory(upper);
    }
    iw_upper_rpc_private_decode(data);
    upper_identified(
        upper, iw_ulp_by_private_data(data->data, kept, data->request, 0 /* the port is unknown */));
    upper->tentative = upper->protocol == IW_ULP_NVME;
    if (upper->protocol == IW_ULP_RPC)
        iw_upper_rpc_private_judge(upper);
}

/* ---- Sends ---- */

/* The private data of NVMe have few fixed values. Its first message is a command, so another one shows that
 * the private data are those of another protocol. */
static void upper_confirm_protocol(struct iw_upper *upper, const struct iw_upper_send *send) {
    if (!upper->tentative || upper->lost || upper->forgotten)
        return;
    upper->tentative = false;
    if (send->side != upper->initiator || !iw_upper_nvme_is_command(send))
        upper->protocol = IW_ULP_UNKNOWN;
}

/* Identifies the protocol. Returns true if the message is kept until a later one shows the protocol, or is
 * taken already. */
static bool upper_identify(struct iw_upper *upper, const struct iw_upper_send *send) {
    const struct iw_ulp_message message = {send->data, (size_t)send->captured, (size_t)send->octets};

    upper_confirm_protocol(upper, send);
    if (upper->protocol != IW_ULP_UNKNOWN || upper->unknown_sends >= SENDS_MAX)
        return false;
    if (iw_upper_iser_note_hello(upper, send)) {
        if (iw_upper_iser_is_exchange(upper))
            upper_identified(upper, IW_ULP_ISER);
        return true;
    }
    upper_identified(upper, iw_ulp_by_send(&message));
    upper->unknown_sends += upper->protocol == IW_ULP_UNKNOWN;
    return false;
}

static void upper_take_message(struct iw_upper *upper, const struct iw_upper_send *send) {
    if (upper_identify(upper, send))
        return;
    if (upper->protocol != IW_ULP_UNKNOWN)
        upper->counts.messages[send->side]++;
    switch (upper->protocol) {
    case IW_ULP_RPC:
        iw_upper_send_rpc(upper, send);
        break;
    case IW_ULP_ISER:
        iw_upper_send_iser(upper, send);
        break;
    case IW_ULP_NVME:
        iw_upper_send_nvme(upper, send);
        break;
    case IW_ULP_SMB_DIRECT:
        iw_upper_send_smbd(upper, send);
        break;
    case IW_ULP_RPING:
        iw_upper_send_rping(upper, send);
        break;
    case IW_ULP_UNKNOWN:
        iw_upper_rping_note(upper, send);
        break;
    case IW_ULP_COUNT:
        break;
    }
}

/* The first message of the initiator may be empty: the RTR (RFC 6581 9.2). No other protocol than iSER
 * demands that a Send has octets. */
static bool upper_is_empty(const struct iw_upper *upper, const struct iw_upper_send *send) {
    bool rtr = !upper->initiator_known || (send->side == upper->initiator && !upper->sent[send->side]);

    return send->octets == 0 && (rtr || upper->protocol != IW_ULP_ISER);
}

/* In a capture that begins late, what a side sent before its first message that can be read may have had the
 * replies to calls of the other side. */
static void upper_forget_early_calls(struct iw_upper *upper, enum iw_side side) {
    if (!upper->sent[side] && upper->sent[iw_side_other(side)] && !iw_upper_startup_is_seen(upper))
        upper->call_count = 0;
}

static void upper_take_send(struct iw_upper *upper, const struct iw_upper_send *send) {
    upper_forget_early_calls(upper, send->side);
    if (!upper_is_empty(upper, send))
        upper_take_message(upper, send);
    upper->sent[send->side] = true;
    if (send->invalidates)
        iw_upper_invalidate(upper, iw_side_other(send->side), send->stag);
}

/* Adds a segment to the open message. Returns whether the message is complete, and begins with `part->head`.
 */
static bool upper_part_add(struct iw_upper_part *part, const struct iw_segment *segment) {
    uint32_t space, octets = segment->payload_captured;

    if (segment->mo == 0) {
        part->open = true;
        part->broken = false;
        part->msn = segment->msn;
        part->octets = part->kept = 0;
        if (part->head == NULL)
            part->head = malloc(IW_UPPER_HEAD_OCTETS);
    }
    part->broken |= !part->open || part->msn != segment->msn || part->octets != segment->mo ||
                    part->head == NULL || segment->payload_captured < segment->payload_octets;
    part->open = !segment->last;
    if (part->broken)
        return false;
    space = IW_UPPER_HEAD_OCTETS - part->kept;
    octets = octets < space ? octets : space;
    if (octets > 0)
        memcpy(part->head + part->kept, segment->payload, octets);
    part->kept += octets;
    part->octets += segment->payload_octets;
    return segment->last;
}

static void upper_take_send_segment(
    struct iw_upper *upper, const struct iw_monitor_event *event, uint64_t received) {
    const struct iw_segment *segment = event->segment;
    const struct iw_llp_event *llp = event->llp;
    struct iw_upper_part *part = &upper->part[llp->side];
    struct iw_upper_send send = {.side = llp->side,
        .invalidates = segment->op->invalidate == IW_INVALIDATE_STAG,
        .stag = segment->invalidate_stag,
        .frame = llp->frame,
        .time_ns = llp->time_ns,
        .end = llp->offset + llp->octets,
        .received = received,
        .data = segment->payload,
        .captured = segment->payload_captured,
        .octets = segment->payload_octets};

    if (segment->mo == 0 && segment->last) {
        part->open = false;
        if (segment->payload_captured < segment->payload_octets)
            upper->lost = true; /* the missing part may advertise memory */
    } else if (upper_part_add(part, segment)) {
        send.data = part->head;
        send.captured = part->kept;
        send.octets = part->octets;
    } else {
        if (part->broken)
            iw_upper_set_lost(upper);
        upper->no_memory |= segment->mo == 0 && part->head == NULL;
        return;
    }
    upper_take_send(upper, &send);
}

/* ---- Writes and Reads ---- */

static void upper_take_use(struct iw_upper *upper, const struct iw_upper_use *use) {
    if (use->octets == 0 || upper->tentative)
        return;
    if (upper->protocol == IW_ULP_UNKNOWN)
        iw_upper_rping_recognise(upper, use);
    if (upper->protocol == IW_ULP_ISER && upper->initiator_known && upper->side == upper->initiator)
        iw_upper_use_iser(upper, use);
    else if (upper->protocol != IW_ULP_UNKNOWN)
        iw_upper_use(upper, use);
}

static void upper_take_tagged(
    struct iw_upper *upper, const struct iw_monitor_event *event, uint64_t received) {
    const struct iw_segment *segment = event->segment;
    struct iw_upper_use use = {.received = received};

    if (segment->opcode == IW_RDMAP_OP_RDMA_WRITE) {
        use.stag = segment->stag;
        use.to = segment->to;
        use.octets = segment->payload_octets;
        use.access = IW_UPPER_ACCESS_WRITE;
        use.data = segment->payload;
        use.captured = segment->payload_captured;
        upper_take_use(upper, &use);
    } else if (segment->opcode == IW_RDMAP_OP_READ_REQUEST) {
        struct iw_read_request read;

        iw_read_request_decode(segment->header, &read);
        use.stag = read.source_stag;
        use.to = read.source_to;
        use.octets = read.size;
        use.access = IW_UPPER_ACCESS_READ;
        use.read = ++upper->reads[upper->side].requests;
        upper_take_use(upper, &use);
    } else if (segment->opcode == IW_RDMAP_OP_READ_RESPONSE) {
        iw_upper_read_response(upper, segment, event->llp->offset + event->llp->octets);
    }
}

/* ---- events ---- */

/* Whether the segment is what its header says. */
static bool upper_accepts(const struct iw_monitor_event *event) {
    const struct iw_segment *segment = event->segment;

    return segment != NULL && event->judged == IW_FPDU_JUDGED && !event->llp->damaged &&
           !event->llp->unproven && segment->op != NULL && !segment->header_missing &&
           iw_segment_opcode_fits(segment) && (segment->tagged || event->fact == NULL || event->fact->msn_ok);
}

static void upper_take_segment(
    struct iw_upper *upper, const struct iw_monitor_event *event, uint64_t received) {
    if (!upper_accepts(event))
        iw_upper_set_lost(upper);
    else if (iw_segment_is_send(event->segment))
        upper_take_send_segment(upper, event, received);
    else
        upper_take_tagged(upper, event, received);
}

void iw_upper_event(struct iw_upper *upper, const struct iw_monitor_event *event, uint64_t received) {
    const struct iw_llp_event *llp = event->llp;
    bool graceful = llp->kind == IW_LLP_CLOSE && llp->close == IW_LLP_CLOSE_GRACEFUL;

    upper->side = llp->side;
    upper->frame = llp->frame;
    upper->time_ns = llp->time_ns;
    if (llp->kind == IW_LLP_STARTUP)
        upper_take_startup(upper, llp);
    else if (llp->kind == IW_LLP_SEGMENT)
        upper_take_segment(upper, event, received);
    else if (llp->kind == IW_LLP_LOSS)
        iw_upper_set_lost(upper);
    if (llp->kind != IW_LLP_STARTUP && llp->kind != IW_LLP_SEGMENT && !graceful)
        return;
    /* After a FIN, which counts as an octet, everything was seen. */
    upper->reached[llp->side] = graceful ? UINT64_MAX - 1 : llp->offset + llp->octets;
    iw_upper_confirm(upper, llp->side, upper->reached[llp->side]);
}

void iw_upper_finish(struct iw_upper *upper) {
    upper->pending_count = 0; /* the capture does not show whether the other side refutes them */
}

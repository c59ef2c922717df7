#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "iw_diagnosis_terminate.h"
#include "iw_plural.h"

/* Causes that a Terminate reports. A Terminate is a statement of its sender: only the captured octets confirm
 * or refute it. */

const char *iw_diagnosis_terminate_title(const struct iw_history_message *message) {
    return message->known_opcode ? iw_opcodes[message->opcode].title : "message";
}

const char *iw_diagnosis_terminate_about(const struct iw_terminate_case *at) {
    uint8_t opcode = at->terminate->header_opcode;

    if (at->message != NULL)
        return iw_diagnosis_terminate_title(at->message);
    return at->terminate->has_header && opcode < IW_RDMAP_OP_COUNT ? iw_opcodes[opcode].title : "message";
}

const char *iw_diagnosis_terminate_sender(const struct iw_terminate_case *at) {
    return iw_facts_side_name(at->facts, at->side);
}

const char *iw_diagnosis_terminate_other(const struct iw_terminate_case *at) {
    return iw_facts_side_name(at->facts, iw_side_other(at->side));
}

uint64_t iw_diagnosis_terminate_frame_number(const struct iw_terminate_case *at, uint64_t frame) {
    return iw_facts_frame_number(at->facts, frame);
}

void iw_diagnosis_terminate_frames(const struct iw_terminate_case *at, struct iw_diagnosed *cause) {
    if (at->message != NULL)
        iw_diagnosis_frame(cause, at->message->mark.frame);
    iw_diagnosis_frame(cause, at->terminate->mark.frame);
}

void iw_diagnosis_terminate_finish(
    const struct iw_terminate_case *at, struct iw_diagnosed *cause, const char *words, enum iw_side side) {
    iw_diagnosis_terminate_frames(at, cause);
    iw_diagnosis_next(at->facts, cause, words, side);
}

void iw_diagnosis_terminate_decide(const struct iw_terminate_case *at, enum iw_truth truth) {
    at->diagnosis->truth[at->side] = truth;
}

const struct iw_history_finding *iw_diagnosis_terminate_finding(
    const struct iw_terminate_case *at, const char *document, const char *section) {
    const struct iw_history *history = at->facts->history;

    for (uint32_t i = 0; at->message != NULL && i < history->finding_count; i++) {
        const struct iw_history_finding *finding = &history->findings[i];

        if (finding->side == at->message->side && finding->frame == at->message->mark.frame &&
            (document == NULL || strcmp(finding->requirement->document, document) == 0) &&
            (section == NULL || strcmp(finding->requirement->section, section) == 0))
            return finding;
    }
    return NULL;
}

const char *iw_diagnosis_terminate_article(const char *title) {
    return strchr("AIR", title[0]) != NULL ? "an" : "a"; /* "an RDMA Write" */
}

/* ---- the LLP ---- */

static void terminate_crc(const struct iw_terminate_case *at) {
    enum iw_side other = iw_side_other(at->side);
    const struct iw_history_crc *crc = iw_facts_crc(at->facts, other);
    uint64_t good = at->facts->history->side[other].crc_good;
    uint64_t differing = at->facts->counts->unjudged[IW_UNJUDGED_DIFFERING];

    /* A receiver takes Markers that it does not expect for octets of the FPDU, which the CRC would cover. */
    if (crc->bad > 0 || iw_history_trouble(at->facts->history, other)->markers_unexpected_frame != 0) {
        iw_diagnosis_terminate_decide(at, IW_TRUTH_CONFIRMED);
        return; /* iw_diagnose_crc names the cause */
    }
    if (differing > 0) { /* of two copies with different octets, one has a wrong CRC */
        iw_diagnosis_terminate_frames(
            at, iw_diagnosis_add_of(at->diagnosis, iw_side_other(at->side), IW_CAUSE_ID_CRC_DAMAGE,
                    IW_CONFIDENCE_POSSIBLE,
                    "%s reports a wrong CRC. In this connection %" PRIu64
                    " octet%s came twice with different content, and which copy it took is not known.",
                    iw_diagnosis_terminate_sender(at), differing, iw_plural(differing)));
        return;
    }
    if (good == 0 || iw_facts_is_partial(at->facts))
        return;
    iw_diagnosis_terminate_decide(at, IW_TRUTH_REFUTED);
    iw_diagnosis_terminate_finish(at,
        iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_CRC_RECEIVER, IW_CONFIDENCE_LIKELY,
            "%s reports a wrong CRC. In the capture %" PRIu64 " CRC%s of %s %s right, and none is wrong.",
            iw_diagnosis_terminate_sender(at), good, iw_plural(good), iw_diagnosis_terminate_other(at),
            good == 1 ? "is" : "are"),
        IW_CAUSE_TERMINATING, at->side);
}

static void terminate_marker(const struct iw_terminate_case *at) {
    if (iw_history_trouble(at->facts->history, iw_side_other(at->side))->markers_unexpected_frame != 0)
        iw_diagnosis_terminate_decide(at, IW_TRUTH_CONFIRMED);
}

static void terminate_local(const struct iw_terminate_case *at) {
    const struct iw_history_finding *finding = iw_diagnosis_violation_before(at);
    struct iw_diagnosed *cause =
        finding == NULL
            ? iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_LOCAL_ERROR, IW_CONFIDENCE_LIKELY,
                  "%s says that it has an error of its own.", iw_diagnosis_terminate_sender(at))
            : iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_LOCAL_ERROR, IW_CONFIDENCE_POSSIBLE,
                  "%s says that it has an error of its own, directly after a violation of %s, which may "
                  "be the reason: %s (%s).",
                  iw_diagnosis_terminate_sender(at), iw_diagnosis_terminate_other(at), finding->message,
                  finding->requirement->id);

    if (finding != NULL)
        iw_diagnosis_frame(cause, finding->frame);
    iw_diagnosis_terminate_finish(at, cause, IW_CAUSE_TERMINATING, at->side);
    if (finding != NULL && cause != NULL)
        snprintf(cause->next, sizeof cause->next,
            "Look at the violation of %s first: 'warpcheck check' shows its octets. Then look at the log "
            "of the host of %s.",
            iw_diagnosis_terminate_other(at), iw_diagnosis_terminate_sender(at));
}

/* Terminates about memory. */
static void terminate_memory(const struct iw_terminate_case *at) {
    switch (at->terminate->error) {
    case IW_ERROR_RDMAP_INVALID_STAG:
    case IW_ERROR_RDMAP_STAG_NOT_ASSOCIATED:
    case IW_ERROR_DDP_INVALID_STAG:
    case IW_ERROR_DDP_STAG_NOT_ASSOCIATED:
        iw_diagnosis_memory_stag(at);
        break;
    case IW_ERROR_RDMAP_ACCESS_RIGHTS:
        iw_diagnosis_memory_rights(at);
        break;
    case IW_ERROR_RDMAP_BASE_BOUNDS:
    case IW_ERROR_DDP_BASE_BOUNDS:
    case IW_ERROR_RDMAP_TO_WRAP:
    case IW_ERROR_DDP_TO_WRAP:
        iw_diagnosis_memory_bounds(at);
        break;
    default:
        break;
    }
}

static void terminate_by_error(const struct iw_terminate_case *at) {
    switch (at->terminate->error) {
    case IW_ERROR_RDMAP_CANNOT_INVALIDATE:
    case IW_ERROR_RDMAP_OPERATION_CANNOT_INVALIDATE:
        iw_diagnosis_memory_invalidate(at);
        break;
    case IW_ERROR_DDP_MSN_NO_BUFFER:
        iw_diagnosis_queue_no_buffer(at);
        break;
    case IW_ERROR_DDP_MSN_RANGE:
        iw_diagnosis_queue_msn(at);
        break;
    case IW_ERROR_DDP_TOO_LONG:
        iw_diagnosis_queue_too_long(at);
        break;
    case IW_ERROR_MPA_CRC:
        terminate_crc(at);
        break;
    case IW_ERROR_MPA_MARKER:
        terminate_marker(at);
        break;
    case IW_ERROR_MPA_INSUFFICIENT_IRD:
    case IW_ERROR_MPA_NO_RTR:
        iw_diagnosis_startup_terminate(at);
        break;
    case IW_ERROR_RDMAP_LOCAL_CATASTROPHIC:
    case IW_ERROR_DDP_LOCAL_CATASTROPHIC:
    case IW_ERROR_MPA_LOCAL_CATASTROPHIC:
        terminate_local(at);
        break;
    default:
        if (!iw_diagnosis_memory_is_about_nothing(at))
            terminate_memory(at);
        break;
    }
}

void iw_diagnose_terminate(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_history_terminate *terminate = &iw_history_trouble(facts->history, side)->terminate;
    const struct iw_terminate_case at = {facts, diagnosis, side, terminate,
        terminate->has_message ? &terminate->message : NULL, diagnosis->count};

    if (terminate->mark.frame == 0)
        return;
    if (iw_diagnosis_violation_is_untrue(&at)) {
        iw_diagnosis_terminate_decide(&at, IW_TRUTH_REFUTED);
        return;
    }
    terminate_by_error(&at);
    iw_diagnosis_violation_terminate(&at);
    if (terminate->error == IW_ERROR_RDMAP_CATASTROPHIC_STREAM && diagnosis->count == at.causes_before)
        iw_diagnosis_ird_catastrophic(&at);
}

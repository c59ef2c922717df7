#include <inttypes.h>
#include <stdio.h>

#include "iw_diagnosis_part.h"
#include "iw_private_format.h"
#include "iw_upper.h"

/* IRD and ORD in the private data of SMB Direct's startup frames, in the wrong byte order. Only the side that
 * reads them can go wrong by them. */

/* Two words of small numbers, in little-endian order. The protocol or its port tells that they are such;
 * eight octets may be anything. */
struct smb_depths {
    uint32_t ird, ord;           /* as their sender means them */
    uint32_t read_ird, read_ord; /* in network byte order */
};

static bool smb_is_swapped(const struct iw_facts *facts, enum iw_side side, struct smb_depths *depths) {
    enum { DEPTH_MAX = 1024 };
    const struct iw_history_side *own = &facts->history->side[side];
    const uint8_t *data = own->private_data;
    const struct iw_private_carrier carrier = {
        .protocol = facts->upper != NULL ? iw_upper_protocol(facts->upper) : IW_ULP_UNKNOWN,
        .port = facts->port[iw_side_other(facts->terms->initiator)],
        .request = facts->terms->initiator == side,
        .rejected = facts->terms->rejected};
    const struct iw_private_format *format = own->private_kept < own->private_octets
                                                 ? NULL
                                                 : iw_private_format_find(&carrier, data, own->private_kept);

    if (format == NULL || !format->little_endian || format->part[0].field != IW_PRIVATE_SMBD_IRD)
        return false;
    *depths = (struct smb_depths){.ird = iw_private_get(format, IW_PRIVATE_SMBD_IRD, data),
        .ord = iw_private_get(format, IW_PRIVATE_SMBD_ORD, data),
        .read_ird = iw_private_get(&iw_private_smbd, IW_PRIVATE_SMBD_IRD, data),
        .read_ord = iw_private_get(&iw_private_smbd, IW_PRIVATE_SMBD_ORD, data)};
    return depths->ird > 0 && depths->ord > 0 && depths->ird <= DEPTH_MAX && depths->ord <= DEPTH_MAX;
}

/* `cause`: whether they explain what happened; otherwise they are a note. `more`: a sentence with a space
 * before it, or "". */
static void smb_tell(const struct iw_facts *facts, enum iw_side side, const struct smb_depths *depths,
    bool cause, const char *more, struct iw_diagnosis *diagnosis) {
    struct iw_diagnosed *diagnosed = (cause ? iw_diagnosis_add_of : iw_diagnosis_note_of)(diagnosis, side,
        IW_CAUSE_ID_SMB_BYTE_ORDER, IW_CONFIDENCE_LIKELY,
        "The private data of %s are IRD %" PRIu32 " and ORD %" PRIu32
        " in little-endian order; in network byte order they are %" PRIu32 " and %" PRIu32 ".%s",
        iw_facts_side_name(facts, side), depths->ird, depths->ord, depths->read_ird, depths->read_ord, more);

    iw_diagnosis_frame(diagnosed, facts->history->side[side].startup.frame);
    iw_diagnosis_next(facts, diagnosed, IW_CAUSE_SENDING, side);
}

/* Whether the startup may have failed because the other side read them: the responder reads those of the
 * Request before its Reply, the initiator those of an accepting Reply before its first message. */
static bool smb_stops_startup(const struct iw_facts *facts, enum iw_side side) {
    const struct iw_mpa_terms *terms = facts->terms;
    bool accepted = terms->settled && !terms->rejected;

    return facts->history->message_count == 0 && accepted == (side != terms->initiator);
}

void iw_diagnosis_smb_startup(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    struct smb_depths depths;

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        if (smb_stops_startup(facts, side) && smb_is_swapped(facts, side, &depths))
            smb_tell(facts, side, &depths, true, "", diagnosis);
}

/* How many requests of the other side were outstanding with the one that the side rejected, if that may have
 * been one too many: 1/2/02, or 0/2/07 of stacks without that code. 0: no such Terminate. */
static uint32_t smb_rejected_depth(const struct iw_facts *facts, enum iw_side side) {
    const struct iw_history_terminate *terminate = &iw_history_trouble(facts->history, side)->terminate;

    return terminate->mark.frame != 0 && terminate->has_message && !terminate->message.tagged &&
                   terminate->message.qn == IW_QN_REQUEST &&
                   (terminate->error == IW_ERROR_DDP_MSN_NO_BUFFER ||
                       terminate->error == IW_ERROR_RDMAP_CATASTROPHIC_STREAM)
               ? terminate->message.waiting
               : 0;
}

void iw_diagnose_smb(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    bool works = facts->history->side[IW_SIDE_A].fpdus > 0 && facts->history->side[IW_SIDE_B].fpdus > 0;
    struct smb_depths depths;
    uint32_t waiting;
    char more[112];

    if (!diagnosis->failed || iw_diagnosis_has(diagnosis, IW_CAUSE_ID_SMB_BYTE_ORDER))
        return;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        if (!smb_is_swapped(facts, side, &depths))
            continue;
        waiting = smb_rejected_depth(facts, side);
        snprintf(more, sizeof more, " With the rejected request %s has %" PRIu32 " outstanding.",
            iw_facts_side_name(facts, iw_side_other(side)), waiting);
        if (waiting > depths.ird)
            smb_tell(facts, side, &depths, true, more, diagnosis);
        else
            smb_tell(
                facts, side, &depths, false, works ? " The connection worked with them." : "", diagnosis);
    }
}

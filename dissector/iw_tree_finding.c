#include "iw_tree.h"

#include <inttypes.h>

#include "iw_tap.h"

/* Adds the message of the finding. Highlights the octets at fault if this frame holds all of them. */
static proto_item *finding_add_message(struct iw_pdu *pdu, const struct iw_stored_finding *finding) {
    int at = 0;
    bool here;

    if (pdu->segment == NULL) { /* SCTP: offsets count from the chunk's user data */
        here = finding->octets > 0 && finding->offset + finding->octets <= pdu->item->captured;
        at = here ? (int)finding->offset : 0;
    } else {
        here = iw_pdu_place(pdu, finding->offset, finding->octets, &at);
    }

    return proto_tree_add_string(pdu->tree, hf_iwarp[IW_HF_FINDING], pdu->payload, at,
        here ? (int)finding->octets : 0, finding->message);
}

/* Adds the cause of the finding, in the words of `check --decode`. */
static void finding_add_cause(
    struct iw_pdu *pdu, proto_item *item, proto_tree *tree, const struct iw_stored_finding *finding) {
    if (finding->cause == 0)
        return;
    iw_pdu_number64(tree, IW_HF_FINDING_CAUSE, finding->cause);
    iw_pdu_frame(pdu, tree, IW_HF_FINDING_CAUSE_IN, finding->cause_frame);
    proto_item_append_text(
        item, "; follows from finding %" PRIu64 " in frame %" PRIu32, finding->cause, finding->cause_frame);
}

void iw_tree_replay(packet_info *pinfo, proto_tree *tree, enum iw_hf hf) {
    uint32_t stream = iw_tap_stream(pinfo);

    if (stream == IW_TAP_NO_STREAM)
        return;
    iw_pdu_text(tree, hf,
        wmem_strdup_printf(pinfo->pool,
            "warpcheck script FILE --stream %u >initiator.lua && "
            "warpcheck script FILE --stream %u --side responder >responder.lua && "
            "warpcheck synth initiator.lua --peer-script responder.lua -o small.pcapng",
            stream, stream));
}

static proto_item *finding_add(struct iw_pdu *pdu, const struct iw_stored_finding *finding) {
    const struct iw_requirement *requirement = finding->requirement;
    proto_item *item = finding_add_message(pdu, finding);
    proto_tree *tree = proto_item_add_subtree(item, ett_iwarp[IW_ETT_FINDING]);

    proto_item_set_generated(item);
    iw_pdu_number64(tree, IW_HF_FINDING_NUMBER, finding->number);
    iw_pdu_text(tree, IW_HF_FINDING_REQUIREMENT, requirement->id);
    iw_pdu_text(tree, IW_HF_FINDING_LEVEL, iw_severity_name(iw_requirement_severity(requirement)));
    if (finding->expected[0] != '\0')
        iw_pdu_text(tree, IW_HF_FINDING_EXPECTED, finding->expected);
    if (finding->actual[0] != '\0')
        iw_pdu_text(tree, IW_HF_FINDING_ACTUAL, finding->actual);
    finding_add_cause(pdu, item, tree, finding);
    for (unsigned i = 0; i < finding->context_count; i++)
        iw_pdu_number(tree, IW_HF_FINDING_CONTEXT, finding->context[i]);
    if (pdu->segment != NULL)
        iw_tree_replay(pdu->pinfo, tree, IW_HF_FINDING_REPLAY);
    return item;
}

bool iw_tree_finding_about(const struct iw_item *item, enum iw_field_id field) {
    for (size_t i = 0; i < item->more->finding_count; i++)
        if (item->more->findings[i].field == &iw_fields[field])
            return true;
    return false;
}

/* Marks a wrong CRC that no finding reports: no rule is violated, or the finding is hidden. */
static void finding_mark_crc(struct iw_pdu *pdu) {
    proto_item *crc = pdu->shown[iw_field_mpa_crc_crc];

    if (pdu->item->kind == IW_LLP_SEGMENT && pdu->item->crc == IW_CRC_BAD &&
        !iw_tree_finding_about(pdu->item, iw_field_mpa_crc_crc))
        expert_add_info(pdu->pinfo, crc != NULL ? crc : proto_tree_get_parent(pdu->tree), &ei_iwarp_crc);
}

void iw_tree_findings(struct iw_pdu *pdu) {
    finding_mark_crc(pdu);
    for (size_t i = 0; i < pdu->item->more->finding_count; i++) {
        const struct iw_stored_finding *finding = &pdu->item->more->findings[i];
        const struct iw_requirement *requirement = finding->requirement;
        proto_item *item = finding_add(pdu, finding);

        if (finding->field != NULL && pdu->shown[finding->field - iw_fields] != NULL)
            item = pdu->shown[finding->field - iw_fields];
        else if (finding->pad && pdu->pad != NULL)
            item = pdu->pad;
        expert_add_info_format(pdu->pinfo, item, iw_hf_expert(requirement), "%s (%s, %s %s)",
            finding->message, requirement->id, requirement->document, requirement->section);
    }
}

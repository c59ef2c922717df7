#include "iw_tree_finding.h"

#include <inttypes.h>

#include "iw_hf.h"

static void finding_add_text(proto_tree *tree, int hf, const char *text) {
    if (text[0] != '\0')
        proto_item_set_generated(proto_tree_add_string(tree, hf, NULL, 0, 0, text));
}

/* Highlights the octets at fault, if this frame holds all of them. */
static proto_item *finding_add_message(struct iw_pdu *pdu, const struct iw_stored_finding *finding) {
    int at = 0;
    bool here;

    if (pdu->segment == NULL) { /* SCTP: offsets count from the chunk's user data */
        here = finding->octets > 0 && finding->offset + finding->octets <= pdu->item->captured;
        at = here ? (int)finding->offset : 0;
    } else {
        here = iw_pdu_place(pdu, finding->offset, finding->octets, &at);
    }

    return proto_tree_add_string(pdu->tree, iw_hf_derived(IW_HF_FINDING), pdu->payload, at,
        here ? (int)finding->octets : 0, finding->message);
}

/* In the words of `check --decode`. */
static void finding_add_cause(
    struct iw_pdu *pdu, proto_item *item, proto_tree *tree, const struct iw_stored_finding *finding) {
    if (finding->cause == 0)
        return;
    iw_pdu_number64(tree, IW_HF_FINDING_CAUSE, finding->cause);
    iw_pdu_frame(pdu, tree, IW_HF_FINDING_CAUSE_IN, finding->cause_frame);
    proto_item_append_text(
        item, "; follows from finding %" PRIu64 " in frame %" PRIu32, finding->cause, finding->cause_frame);
}

static proto_item *finding_add(struct iw_pdu *pdu, const struct iw_stored_finding *finding) {
    const struct iw_requirement *requirement = finding->requirement;
    proto_item *item = finding_add_message(pdu, finding);
    proto_tree *tree = proto_item_add_subtree(item, iw_hf_ett(IW_ETT_FINDING));

    proto_item_set_generated(item);
    iw_pdu_number64(tree, IW_HF_FINDING_NUMBER, finding->number);
    finding_add_text(tree, iw_hf_derived(IW_HF_FINDING_REQUIREMENT), requirement->id);
    finding_add_text(
        tree, iw_hf_derived(IW_HF_FINDING_LEVEL), iw_severity_name(iw_requirement_severity(requirement)));
    finding_add_text(tree, iw_hf_own(IW_HF_FINDING_EXPECTED), finding->expected);
    finding_add_text(tree, iw_hf_own(IW_HF_FINDING_ACTUAL), finding->actual);
    finding_add_cause(pdu, item, tree, finding);
    for (unsigned i = 0; i < finding->context_count; i++)
        proto_item_set_generated(
            proto_tree_add_uint(tree, iw_hf_own(IW_HF_FINDING_CONTEXT), NULL, 0, 0, finding->context[i]));
    return item;
}

bool iw_tree_finding_about(const struct iw_item *item, enum iw_field_id field) {
    for (size_t i = 0; i < item->more->finding_count; i++)
        if (item->more->findings[i].field == &iw_fields[field])
            return true;
    return false;
}

/* Marks a wrong CRC even if no rule is violated or findings are switched off. */
static void mark_crc(struct iw_pdu *pdu) {
    proto_item *crc = pdu->shown[iw_field_mpa_crc_crc];

    if (pdu->item->kind == IW_LLP_SEGMENT && pdu->item->crc == IW_CRC_BAD &&
        !iw_tree_finding_about(pdu->item, iw_field_mpa_crc_crc))
        expert_add_info(pdu->pinfo, crc != NULL ? crc : proto_tree_get_parent(pdu->tree), iw_hf_expert_crc());
}

void iw_tree_findings(struct iw_pdu *pdu) {
    mark_crc(pdu);
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

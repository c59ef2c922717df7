#include "iw_tree.h"

static void tree_segment_add_ddp(struct iw_pdu *pdu) {
    static const char *const titles[2][2] = {{"untagged", "untagged, last"}, {"tagged", "tagged, last"}};
    const struct iw_segment *ddp = &pdu->ddp;
    proto_tree *tree =
        iw_pdu_protocol(pdu, proto_iwarp_ddp, pdu->ddp_at, ddp->ddp_octets, titles[ddp->tagged][ddp->last]);

    iw_pdu_layout(pdu, tree, ddp->tagged ? iw_layout_ddp_tagged : iw_layout_ddp_untagged, pdu->image,
        (int)pdu->ddp_at, true);
    iw_pdu_number(tree, IW_HF_PAYLOAD_OCTETS, ddp->payload_octets);
    iw_tree_message(pdu, tree);
}

static unsigned tree_segment_after_ddp(const struct iw_pdu *pdu) {
    return pdu->ddp_at + pdu->ddp.ddp_octets;
}

/* Adds the fields of RDMAP that are in the DDP header. */
static void tree_segment_add_control(struct iw_pdu *pdu, proto_tree *tree) {
    struct iw_segment_part parts[IW_SEGMENT_PARTS_MAX];
    unsigned count = iw_segment_parts(&pdu->ddp, parts);

    for (unsigned i = 1; i < count; i++)
        iw_pdu_layout(pdu, tree, parts[i].layout, pdu->image, (int)pdu->ddp_at + parts[i].at, true);
}

static enum iw_hf tree_segment_payload_field(const struct iw_segment *ddp) {
    if (ddp->header_missing)
        return IW_HF_UNREAD;
    return ddp->op != NULL && ddp->op->payload == IW_PAYLOAD_HASH ? IW_HF_VERIFY_HASH : IW_HF_PAYLOAD;
}

/* Adds the payload. The payload of a Terminate, the included headers, is shown field by field. */
static void tree_segment_add_payload(struct iw_pdu *pdu, proto_tree *tree) {
    const struct iw_segment *ddp = &pdu->ddp;
    enum iw_hf hf = tree_segment_payload_field(ddp);

    if (!iw_tree_terminate_included(pdu, tree, tree_segment_after_ddp(pdu)))
        iw_pdu_octets(pdu, hf == IW_HF_PAYLOAD ? pdu->tree : tree, hf_iwarp[hf],
            tree_segment_after_ddp(pdu) + ddp->header_octets, ddp->payload_octets);
}

static void tree_segment_add_rdmap(struct iw_pdu *pdu) {
    const struct iw_segment *ddp = &pdu->ddp;
    unsigned control = pdu->ddp_at + iw_fields[iw_field_ddp_tagged_rsvdulp].bit / 8;
    bool header = ddp->header_octets > 0;
    unsigned end = header ? tree_segment_after_ddp(pdu) + ddp->header_octets : control + 1;
    const char *title = ddp->op != NULL ? ddp->op->title : "unknown opcode";
    proto_tree *tree = iw_pdu_protocol(pdu, proto_iwarp_rdmap, control, end - control, title);

    tree_segment_add_control(pdu, tree);
    if (header)
        iw_pdu_layout(pdu, tree, ddp->op->header, pdu->image, (int)tree_segment_after_ddp(pdu), true);
    if (header && ddp->opcode == IW_RDMAP_OP_TERMINATE)
        iw_tree_terminate_names(pdu, tree);
    iw_tree_stags(pdu);
    iw_tree_operation(pdu, tree);
    iw_pdu_frame(pdu, tree, IW_HF_TERMINATE_CAUSE, pdu->item->more->cause_frame);
    iw_pdu_frame(pdu, tree, IW_HF_TERMINATED_IN, pdu->item->more->terminate_frame);
    tree_segment_add_payload(pdu, tree);
}

void iw_tree_segment(struct iw_pdu *pdu) {
    tree_segment_add_ddp(pdu);
    tree_segment_add_rdmap(pdu);
}

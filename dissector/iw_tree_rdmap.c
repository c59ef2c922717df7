#include "iw_tree_rdmap.h"

#include "iw_hf.h"
#include "iw_opcode.h"
#include "iw_tree_terminate.h"

static const char *title_of(const struct iw_segment *ddp) {
    return ddp->op != NULL ? ddp->op->title : "unknown opcode";
}

/* First octet behind the DDP header, in the image. */
static int behind_ddp(const struct iw_pdu *pdu) {
    return (int)pdu->ddp_at + pdu->ddp.ddp_octets;
}

/* What RDMAP has put into the DDP header. */
static void add_control(struct iw_pdu *pdu, proto_tree *tree) {
    struct iw_segment_part parts[IW_SEGMENT_PARTS_MAX];
    unsigned count = iw_segment_parts(&pdu->ddp, parts);

    for (unsigned i = 1; i < count; i++)
        iw_pdu_layout(pdu, tree, parts[i].layout, pdu->image, (int)pdu->ddp_at + parts[i].at, true);
}

static void add_links(const struct iw_pdu *pdu, proto_tree *tree) {
    const struct iw_stored_operation *operation = pdu->item->message->operation;
    bool answer = iw_opcode_answered(pdu->ddp.opcode) != IW_RDMAP_OP_NONE;
    nstime_t time;

    if (operation == NULL)
        return;
    if (!answer) {
        if (operation->response_frame != 0)
            proto_item_set_generated(proto_tree_add_uint(
                tree, iw_hf_own(IW_HF_RESPONSE_IN), pdu->image, 0, 0, operation->response_frame));
        return;
    }
    time.secs = (time_t)(operation->response_time_ns / 1000000000u);
    time.nsecs = (int)(operation->response_time_ns % 1000000000u);
    proto_item_set_generated(
        proto_tree_add_uint(tree, iw_hf_own(IW_HF_REQUEST_IN), pdu->image, 0, 0, operation->request_frame));
    proto_item_set_generated(
        proto_tree_add_time(tree, iw_hf_own(IW_HF_RESPONSE_TIME), pdu->image, 0, 0, &time));
}

/* The headers that a Terminate includes are its payload in the model, and a tree here. */
static void add_payload(struct iw_pdu *pdu, proto_tree *tree) {
    const struct iw_segment *ddp = &pdu->ddp;
    unsigned at = (unsigned)behind_ddp(pdu) + ddp->header_octets;

    if (!iw_tree_terminate_included(pdu, tree, (unsigned)behind_ddp(pdu)))
        iw_pdu_octets(pdu, ddp->header_missing ? tree : pdu->tree,
            iw_hf_own(ddp->header_missing ? IW_HF_UNREAD : IW_HF_PAYLOAD), at, ddp->payload_octets);
}

void iw_tree_rdmap(struct iw_pdu *pdu) {
    const struct iw_segment *ddp = &pdu->ddp;
    int control = (int)pdu->ddp_at + iw_fields[iw_field_ddp_tagged_rsvdulp].bit / 8;
    bool header = ddp->header_octets > 0;
    proto_item *item = proto_tree_add_item(pdu->tree, proto_iwarp_rdmap, pdu->image,
        header ? behind_ddp(pdu) : control, header ? ddp->header_octets : 1, ENC_NA);
    proto_tree *tree = proto_item_add_subtree(item, iw_hf_ett(IW_ETT_HEADER));

    proto_item_append_text(item, ", %s", title_of(ddp));
    add_control(pdu, tree);
    if (header)
        iw_pdu_layout(pdu, tree, ddp->op->header, pdu->image, behind_ddp(pdu), true);
    if (header && ddp->opcode == IW_RDMAP_OP_TERMINATE)
        iw_tree_terminate_names(pdu);
    add_links(pdu, tree);
    add_payload(pdu, tree);
}

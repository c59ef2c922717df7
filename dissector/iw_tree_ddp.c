#include "iw_tree_ddp.h"

#include "iw_hf.h"

void iw_tree_ddp(struct iw_pdu *pdu) {
    const struct iw_segment *ddp = &pdu->ddp;
    const struct iw_stored_message *message = pdu->item->message;
    int at = (int)pdu->ddp_at;
    proto_item *item =
        proto_tree_add_item(pdu->tree, proto_iwarp_ddp, pdu->image, at, ddp->ddp_octets, ENC_NA);
    proto_tree *tree = proto_item_add_subtree(item, iw_hf_ett(IW_ETT_HEADER));

    proto_item_append_text(item, ", %s", ddp->tagged ? "tagged" : "untagged");
    if (ddp->last)
        proto_item_append_text(item, ", last");
    iw_pdu_layout(
        pdu, tree, ddp->tagged ? iw_layout_ddp_tagged : iw_layout_ddp_untagged, pdu->image, at, true);
    proto_item_set_generated(proto_tree_add_uint(tree, iw_hf_derived(IW_HF_PAYLOAD_OCTETS), pdu->image,
        at + ddp->ddp_octets + ddp->header_octets, 0, ddp->payload_octets));
    if (message->first_frame != 0 && message->first_frame != pdu->pinfo->num)
        proto_item_set_generated(proto_tree_add_uint(
            tree, iw_hf_own(IW_HF_MESSAGE_BEGINS), pdu->image, 0, 0, message->first_frame));
}

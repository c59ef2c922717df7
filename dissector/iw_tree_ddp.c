#include "iw_tree_ddp.h"

#include "iw_hf.h"
#include "iw_tree_message.h"

static const char *ddp_title(const struct iw_segment *ddp) {
    static const char *const titles[2][2] = {{"untagged", "untagged, last"}, {"tagged", "tagged, last"}};

    return titles[ddp->tagged][ddp->last];
}

void iw_tree_ddp(struct iw_pdu *pdu) {
    const struct iw_segment *ddp = &pdu->ddp;
    proto_tree *tree = iw_pdu_protocol(pdu, proto_iwarp_ddp, pdu->ddp_at, ddp->ddp_octets, ddp_title(ddp));

    iw_pdu_layout(pdu, tree, ddp->tagged ? iw_layout_ddp_tagged : iw_layout_ddp_untagged, pdu->image,
        (int)pdu->ddp_at, true);
    proto_item_set_generated(
        proto_tree_add_uint(tree, iw_hf_derived(IW_HF_PAYLOAD_OCTETS), NULL, 0, 0, ddp->payload_octets));
    iw_tree_message(pdu, tree);
}

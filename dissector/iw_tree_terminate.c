#include "iw_tree.h"

#include "iw_preference.h"
#include "iw_sctp_stream.h"
#include "iw_terminate.h"

static const char *tree_terminate_or_unknown(const char *name) {
    return name != NULL ? name : "unknown";
}

static enum iw_llp terminate_llp(const struct iw_pdu *pdu) {
    return pdu->item->flow == &iw_sctp_flow ? IW_LLP_SCTP : IW_LLP_MPA;
}

static const char *code_name(enum iw_llp llp, const struct iw_terminate *control) {
    return tree_terminate_or_unknown(iw_error_name(llp, iw_terminate_error(control)));
}

static const char *etype_name(enum iw_llp llp, const struct iw_terminate *control) {
    return tree_terminate_or_unknown(iw_error_etype_name(llp, control->layer, control->etype));
}

const char *iw_tree_terminate_text(const struct iw_pdu *pdu) {
    enum iw_llp llp = terminate_llp(pdu);
    struct iw_terminate control;

    iw_terminate_decode(pdu->ddp.header, &control);
    return wmem_strdup_printf(pdu->pinfo->pool, "%s, %s, %s",
        tree_terminate_or_unknown(iw_error_layer_name(control.layer)), etype_name(llp, &control),
        code_name(llp, &control));
}

void iw_tree_terminate_names(struct iw_pdu *pdu, proto_tree *tree) {
    enum iw_llp llp = terminate_llp(pdu);
    struct iw_terminate control;

    iw_terminate_decode(pdu->ddp.header, &control);
    proto_item_append_text(pdu->shown[iw_field_terminate_etype], " (%s)", etype_name(llp, &control));
    proto_item_append_text(pdu->shown[iw_field_terminate_code], " (%s)", code_name(llp, &control));
    proto_item_set_hidden(iw_pdu_text(tree, IW_HF_TERMINATE_ETYPE_NAME, etype_name(llp, &control)));
    proto_item_set_hidden(iw_pdu_text(tree, IW_HF_TERMINATE_CODE_NAME, code_name(llp, &control)));
}

static proto_tree *tree_terminate_add_subtree(
    const struct iw_pdu *pdu, proto_tree *tree, unsigned at, unsigned octets, const char *title) {
    int first;
    tvbuff_t *source = iw_pdu_source(pdu, at, octets, &first);

    return proto_tree_add_subtree(tree, source, first, (int)octets, ett_iwarp[IW_ETT_INCLUDED], NULL, title);
}

static void tree_terminate_add_included_ddp(
    struct iw_pdu *pdu, proto_tree *tree, unsigned at, const struct iw_segment *terminated) {
    proto_tree *included = tree_terminate_add_subtree(
        pdu, tree, at, terminated->ddp_octets, "DDP header of the segment at fault");
    struct iw_segment_part parts[IW_SEGMENT_PARTS_MAX];
    unsigned count = iw_segment_parts(terminated, parts);

    for (unsigned i = 0; i < count; i++)
        iw_pdu_layout(pdu, included, parts[i].layout, pdu->image, (int)(at + parts[i].at), false);
}

bool iw_tree_terminate_included(struct iw_pdu *pdu, proto_tree *tree, unsigned at) {
    const struct iw_segment *ddp = &pdu->ddp;
    unsigned length = (unsigned)ddp->header_octets + ddp->payload_octets;
    unsigned next = at + iw_terminate_octets;
    struct iw_terminate_message message;

    if (!iw_segment_terminate(ddp, iw_preferences->extensions, &message))
        return false;
    if (message.has_length) {
        iw_pdu_layout(pdu, tree, iw_layout_terminate_length, pdu->image, (int)next, true);
        next += iw_terminate_length_octets;
    }
    if (message.has_ddp) {
        tree_terminate_add_included_ddp(pdu, tree, next, &message.terminated);
        next += message.terminated.ddp_octets;
    }
    if (message.has_rdmap) {
        proto_tree *included = tree_terminate_add_subtree(
            pdu, tree, next, iw_read_request_octets, "RDMA Read Request header of the segment at fault");

        iw_pdu_layout(pdu, included, iw_layout_read_request, pdu->image, (int)next, false);
        next += iw_read_request_octets;
    }
    iw_pdu_octets(pdu, tree, hf_iwarp[IW_HF_UNREAD], next, at + length - next);
    return true;
}

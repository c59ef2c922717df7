#include "iw_tree.h"

#include "iw_private_format.h"
#include "iw_ulp.h"

static const enum iw_hf fields[IW_PRIVATE_FIELD_COUNT] = {
#define IW_PRIVATE_FIELD(symbol, name, filter, bits, base, help) [IW_PRIVATE_##symbol] = IW_HF_PD_##symbol,
#include "iw_private_field.def"
};

static const struct iw_private_format *private_data_format(
    const struct iw_pdu *pdu, const uint8_t *data, unsigned octets) {
    const struct iw_stored_flow *flow = pdu->item->flow;
    const struct iw_ulp *ulp = flow->ulp;
    struct iw_private_carrier carrier = {.port = iw_ulp_port(flow),
        .request = pdu->startup.key == IW_STARTUP_REQUEST,
        .rejected = pdu->startup.header.r};

    if (ulp != NULL && ulp->known_since <= pdu->item->frame)
        carrier.protocol = ulp->protocol;
    return iw_private_format_find(&carrier, data, octets);
}

static void private_data_add_fields(
    struct iw_pdu *pdu, proto_tree *tree, unsigned at, const struct iw_private_format *format) {
    for (unsigned i = 0; i < format->part_count; i++) {
        const struct iw_private_part *part = &format->part[i];
        char text[IW_PRIVATE_MEANING_OCTETS];
        const char *meaning;
        uint32_t value = 0;
        proto_item *item = proto_tree_add_item_ret_uint(tree, hf_iwarp[fields[part->field]], pdu->image,
            (int)(at + part->at), part->octets, format->little_endian ? ENC_LITTLE_ENDIAN : ENC_BIG_ENDIAN,
            &value);

        meaning = iw_private_meaning(part->field, value, text);
        if (*meaning != '\0')
            proto_item_append_text(item, " (%s)", meaning);
    }
}

void iw_private_data_show(struct iw_pdu *pdu, proto_tree *tree, unsigned at, unsigned octets) {
    const struct iw_private_format *format;

    iw_pdu_octets(pdu, tree, hf_iwarp[IW_HF_PRIVATE_DATA], at, octets);
    if (at + octets > pdu->item->captured)
        return;
    format = private_data_format(pdu, tvb_get_ptr(pdu->image, (int)at, (int)octets), octets);
    if (format == NULL)
        return;
    tree = proto_tree_add_subtree_format(tree, pdu->image, (int)at, (int)octets, ett_iwarp[IW_ETT_HEADER],
        NULL, "Private data of %s", format->title);
    private_data_add_fields(pdu, tree, at, format);
}

#include "iw_tree.h"

#include "iw_ulp.h"

/* A field in the private data of a ULP. */
struct field {
    enum iw_hf hf;
    uint8_t at;
    uint8_t octets;
};

enum { FIELDS_MAX = 6 };

struct format {
    const char *title;
    unsigned encoding;
    uint8_t octets;                  /* minimum length */
    struct field fields[FIELDS_MAX]; /* ends with a field of 0 octets */
};

/* RFC 8797 4.1 */
static const struct format rpc = {"RPC-over-RDMA", ENC_BIG_ENDIAN, 8,
    {{IW_HF_PD_RPC_FORMAT, 0, 4}, {IW_HF_PD_RPC_VERSION, 4, 1}, {IW_HF_PD_RPC_FLAGS, 5, 1},
        {IW_HF_PD_RPC_SEND, 6, 1}, {IW_HF_PD_RPC_RECEIVE, 7, 1}}};

/* NVM Express RDMA Transport Specification: request, accept, reject. */
static const struct format nvme_request = {"NVMe over RDMA, connection request", ENC_LITTLE_ENDIAN, 10,
    {{IW_HF_PD_NVME_RECFMT, 0, 2}, {IW_HF_PD_NVME_QID, 2, 2}, {IW_HF_PD_NVME_HRQSIZE, 4, 2},
        {IW_HF_PD_NVME_HSQSIZE, 6, 2}, {IW_HF_PD_NVME_CNTLID, 8, 2}}};
static const struct format nvme_accept = {"NVMe over RDMA, connection accepted", ENC_LITTLE_ENDIAN, 4,
    {{IW_HF_PD_NVME_RECFMT, 0, 2}, {IW_HF_PD_NVME_CRQSIZE, 2, 2}}};
static const struct format nvme_reject = {"NVMe over RDMA, connection rejected", ENC_LITTLE_ENDIAN, 4,
    {{IW_HF_PD_NVME_RECFMT, 0, 2}, {IW_HF_PD_NVME_STATUS, 2, 2}}};

static const struct format iser = {"iSER", ENC_BIG_ENDIAN, 4, {{IW_HF_PD_ISER_FLAGS, 0, 1}}};

/* Some implementations of SMB Direct write IRD and ORD in host byte order. */
static const struct format smbd_big = {
    "SMB Direct", ENC_BIG_ENDIAN, 8, {{IW_HF_PD_SMBD_IRD, 0, 4}, {IW_HF_PD_SMBD_ORD, 4, 4}}};
static const struct format smbd_little = {"SMB Direct, least significant octet first", ENC_LITTLE_ENDIAN, 8,
    {{IW_HF_PD_SMBD_IRD, 0, 4}, {IW_HF_PD_SMBD_ORD, 4, 4}}};

static const struct format *data_nvme_format(const struct iw_startup *startup) {
    if (startup->key == IW_STARTUP_REQUEST)
        return &nvme_request;
    return startup->header.r ? &nvme_reject : &nvme_accept;
}

/* The port and the size identify private data of iSER and SMB Direct; for iSER, also zero bits. */
static const struct format *data_format_by_port(uint16_t port, const uint8_t *data, unsigned octets) {
    if (octets == 4 && (port == IW_ULP_PORT_ISER || port == IW_ULP_PORT_ISER_SYSTEM) &&
        (data[0] & 0x3F) == 0 && data[1] == 0 && data[2] == 0 && data[3] == 0)
        return &iser;
    if (octets == 8 && (port == IW_ULP_PORT_SMB_DIRECT || port == IW_ULP_PORT_SMB))
        return (data[0] | data[1] | data[4] | data[5]) == 0 ? &smbd_big : &smbd_little;
    return NULL;
}

static const struct format *private_data_format(
    const struct iw_pdu *pdu, const uint8_t *data, unsigned octets) {
    const struct iw_stored_flow *flow = pdu->item->flow;
    const struct iw_ulp *ulp = flow->ulp;
    uint16_t port = iw_ulp_port(flow);
    enum iw_ulp_protocol protocol =
        iw_ulp_by_private_data(data, octets, pdu->startup.key == IW_STARTUP_REQUEST, port);

    if (protocol == IW_ULP_UNKNOWN && ulp != NULL && ulp->protocol == IW_ULP_NVME &&
        ulp->known_since <= pdu->item->frame)
        protocol = IW_ULP_NVME;
    if (protocol == IW_ULP_RPC)
        return &rpc;
    return protocol == IW_ULP_NVME ? data_nvme_format(&pdu->startup)
                                   : data_format_by_port(port, data, octets);
}

static void private_data_explain(proto_item *item, enum iw_hf hf, uint32_t value) {
    if (hf == IW_HF_PD_RPC_SEND || hf == IW_HF_PD_RPC_RECEIVE)
        proto_item_append_text(item, " (%" PRIu32 " octets)", 1024 * (value + 1));
    if (hf == IW_HF_PD_RPC_FLAGS && (value & 1))
        proto_item_append_text(item, " (Remote Invalidation)");
    if (hf == IW_HF_PD_NVME_QID)
        proto_item_append_text(item, value == 0 ? " (Admin Queue)" : " (I/O Queue)");
    if (hf == IW_HF_PD_ISER_FLAGS && (value & 0x80))
        proto_item_append_text(item, " (no zero-based addresses)");
    if (hf == IW_HF_PD_ISER_FLAGS && (value & 0x40))
        proto_item_append_text(item, " (no Send with Invalidate)");
}

static void private_data_add_fields(
    struct iw_pdu *pdu, proto_tree *tree, unsigned at, const struct format *format) {
    for (const struct field *field = format->fields; field->octets > 0; field++) {
        uint32_t value = 0;
        proto_item *item = proto_tree_add_item_ret_uint(tree, hf_iwarp[field->hf], pdu->image,
            (int)(at + field->at), field->octets, format->encoding, &value);

        private_data_explain(item, field->hf, value);
    }
}

void iw_private_data_show(struct iw_pdu *pdu, proto_tree *tree, unsigned at, unsigned octets) {
    const struct format *format;

    iw_pdu_octets(pdu, tree, hf_iwarp[IW_HF_PRIVATE_DATA], at, octets);
    if (at + octets > pdu->item->captured)
        return;
    format = private_data_format(pdu, tvb_get_ptr(pdu->image, (int)at, (int)octets), octets);
    if (format == NULL || octets < format->octets)
        return;
    tree = proto_tree_add_subtree_format(tree, pdu->image, (int)at, (int)octets, ett_iwarp[IW_ETT_HEADER],
        NULL, "Private data of %s", format->title);
    private_data_add_fields(pdu, tree, at, format);
}

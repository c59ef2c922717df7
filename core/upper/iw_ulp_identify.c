#include "iw_ulp_identify.h"

#include <string.h>

#include "iw_iser.h"
#include "iw_nvme.h"
#include "iw_private_format.h"
#include "iw_rpcrdma.h"
#include "iw_smbd.h"
#include "iw_upper_words.h"

/* ---- RPC-over-RDMA ---- */

static bool identify_is_rpc(const struct iw_ulp_message *message, struct iw_rpcrdma *header) {
    return iw_rpcrdma_is_message(message->data, message->captured, message->octets, header);
}

bool iw_ulp_is_reduced_reply(const struct iw_ulp_message *message) {
    struct iw_rpcrdma header;

    return identify_is_rpc(message, &header) && header.proc == IW_RPCRDMA_MSG &&
           header.count[IW_RPCRDMA_READ] == 0 && header.write_chunks > 0 && header.rpc_type == 1;
}

/* Accepts no RDMA_DONE and RDMA_ERROR: they have too few octets to identify the protocol. */
static bool identify_is_rpc_beyond_doubt(const struct iw_ulp_message *message) {
    struct iw_rpcrdma header;

    return identify_is_rpc(message, &header) && header.proc != IW_RPCRDMA_DONE &&
           header.proc != IW_RPCRDMA_ERROR;
}

/* ---- SMB Direct ---- */

static bool identify_is_smbd_negotiate(const struct iw_ulp_message *message) {
    return iw_smbd_is_negotiate(message->data, message->captured, message->octets);
}

static bool identify_is_smbd_data(const struct iw_ulp_message *message) {
    return iw_smbd_is_data(message->data, message->captured, message->octets);
}

/* Returns whether the message is a negotiation, or has an SMB2 header (plain, encrypted or compressed)
 * directly after the SMB Direct header ([MS-SMB2] 2.2.1). */
static bool identify_is_smbd_beyond_doubt(const struct iw_ulp_message *message) {
    const uint8_t *data = message->data;

    if (identify_is_smbd_negotiate(message))
        return true;
    return identify_is_smbd_data(message) && message->captured >= IW_SMBD_DATA_AT + 4 &&
           data[IW_SMBD_DATA_AT] >= 0xFC && memcmp(data + IW_SMBD_DATA_AT + 1, "SMB", 3) == 0;
}

/* ---- iSER ---- */

/* No R2T: iSER uses RDMA Reads instead. */
static bool identify_is_iscsi_opcode(uint8_t opcode) {
    return opcode <= IW_ISCSI_LOGOUT_REQUEST || opcode == IW_ISCSI_SNACK ||
           (opcode >= IW_ISCSI_NOP_IN && opcode <= IW_ISCSI_LOGOUT_RESPONSE) || opcode == IW_ISCSI_ASYNC ||
           opcode == IW_ISCSI_REJECT;
}

static bool identify_is_iser(const struct iw_ulp_message *message) {
    const uint8_t *data = message->data;
    uint64_t length;

    if (message->captured < IW_ISER_HEADER_OCTETS + IW_ISCSI_HEADER_OCTETS ||
        (data[0] & ~(IW_ISER_WSV | IW_ISER_RSV)) != IW_ISER_CONTROL << 4 || !iw_upper_are_zero(data + 1, 3))
        return false;
    if ((!(data[0] & IW_ISER_WSV) && !iw_upper_are_zero(data + 4, 12)) ||
        (!(data[0] & IW_ISER_RSV) && !iw_upper_are_zero(data + 16, 12)))
        return false;
    data += IW_ISER_HEADER_OCTETS;
    length =
        IW_ISER_HEADER_OCTETS + IW_ISCSI_HEADER_OCTETS + 4u * data[4] + (iw_upper_big32(data + 4) & 0xFFFFFF);
    return identify_is_iscsi_opcode(data[0] & 0x3F) && message->octets >= length &&
           message->octets < length + 4;
}

/* ---- NVMe ---- */

static bool identify_is_nvme(const struct iw_ulp_message *message) {
    return message->octets == IW_NVME_COMPLETION_OCTETS || message->octets >= IW_NVME_COMMAND_OCTETS;
}

/* Returns whether the message is Connect, the first command of every queue. */
static bool identify_is_nvme_connect(const struct iw_ulp_message *message) {
    const uint8_t *data = message->data;

    return message->captured >= IW_NVME_COMMAND_OCTETS && data[0] == IW_NVME_FABRICS &&
           data[1] == IW_NVME_SGLS && data[4] == IW_NVME_CONNECT && iw_upper_are_zero(data + 5, 19) &&
           iw_upper_little16(data + 40) == 0 && iw_upper_are_zero(data + 52, 12);
}

/* ---- identification by private data and Sends ---- */

/* Expects RECFMT 0, queue sizes other than 0 (two in a Request, one in a Reply), reserved octets 0. */
static bool identify_is_nvme_private(const uint8_t *data, bool request) {
    if (iw_upper_little16(data) != 0)
        return false;
    if (request)
        return iw_upper_little16(data + 4) > 0 && iw_upper_little16(data + 6) > 0 &&
               iw_upper_are_zero(data + 10, 22);
    return iw_upper_little16(data + 2) > 0 && iw_upper_are_zero(data + 4, 28);
}

enum iw_ulp_protocol iw_ulp_by_private_data(const uint8_t *data, size_t octets, bool request, uint16_t port) {
    if (octets >= iw_private_rpc.octets &&
        iw_private_get(&iw_private_rpc, IW_PRIVATE_RPC_FORMAT, data) == IW_PRIVATE_RPC_IDENTIFIER &&
        iw_private_get(&iw_private_rpc, IW_PRIVATE_RPC_VERSION, data) == 1)
        return IW_ULP_RPC;
    if (octets >= IW_NVME_PRIVATE_OCTETS &&
        (request || port == IW_ULP_PORT_NVME || port == IW_ULP_PORT_NVME_DISCOVERY) &&
        identify_is_nvme_private(data, request))
        return IW_ULP_NVME;
    return IW_ULP_UNKNOWN;
}

enum iw_ulp_protocol iw_ulp_by_send(const struct iw_ulp_message *message) {
    if (identify_is_rpc_beyond_doubt(message))
        return IW_ULP_RPC;
    if (identify_is_smbd_beyond_doubt(message))
        return IW_ULP_SMB_DIRECT;
    if (identify_is_iser(message))
        return IW_ULP_ISER;
    if (identify_is_nvme_connect(message))
        return IW_ULP_NVME;
    return IW_ULP_UNKNOWN;
}

bool iw_ulp_is_message(enum iw_ulp_protocol protocol, const struct iw_ulp_message *message) {
    struct iw_rpcrdma header;

    switch (protocol) {
    case IW_ULP_RPC:
        return identify_is_rpc(message, &header);
    case IW_ULP_SMB_DIRECT:
        return identify_is_smbd_negotiate(message) || identify_is_smbd_data(message);
    case IW_ULP_ISER:
        return identify_is_iser(message);
    case IW_ULP_NVME:
        return identify_is_nvme(message);
    case IW_ULP_UNKNOWN:
    case IW_ULP_RPING:
    case IW_ULP_COUNT:
        break;
    }
    return false;
}

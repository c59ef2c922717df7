#include "iw_ulp_identify.h"

#include <string.h>

#include "iw_private_format.h"
#include "iw_rpcrdma.h"
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

enum { SMBD_REQUEST = 20, SMBD_RESPONSE = 32, SMBD_EMPTY = 20, SMBD_DATA = 24, SMBD_VERSION = 0x0100 };

/* Negotiate Request and Negotiate Response, [MS-SMBD] 2.2.1 and 2.2.2. */
static bool identify_is_smbd_negotiate(const struct iw_ulp_message *message) {
    const uint8_t *data = message->data;

    if (message->captured != message->octets || message->octets < SMBD_REQUEST ||
        iw_upper_little16(data) != SMBD_VERSION || iw_upper_little16(data + 2) != SMBD_VERSION)
        return false;
    if (message->octets == SMBD_REQUEST)
        return iw_upper_little16(data + 4) == 0 && iw_upper_little16(data + 6) > 0 &&
               iw_upper_little32(data + 12) >= 128;
    return message->octets == SMBD_RESPONSE && iw_upper_little16(data + 4) == SMBD_VERSION &&
           iw_upper_little16(data + 6) == 0;
}

/* [MS-SMBD] 2.2.3. A message without data ends before the padding. */
static bool identify_is_smbd_data(const struct iw_ulp_message *message) {
    const uint8_t *data = message->data;

    if (message->captured < SMBD_EMPTY || iw_upper_little16(data + 4) > 1 || iw_upper_little16(data + 6) != 0)
        return false;
    if (message->octets == SMBD_EMPTY)
        return iw_upper_are_zero(data + 8, 12);
    return message->captured >= SMBD_DATA && iw_upper_little32(data + 12) == SMBD_DATA &&
           iw_upper_little32(data + 16) > 0 && iw_upper_little32(data + 16) <= message->octets - SMBD_DATA;
}

/* Returns whether the message is a negotiation, or has an SMB2 header (plain, encrypted or compressed)
 * directly after the SMB Direct header ([MS-SMB2] 2.2.1). */
static bool identify_is_smbd_beyond_doubt(const struct iw_ulp_message *message) {
    const uint8_t *data = message->data;

    if (identify_is_smbd_negotiate(message))
        return true;
    return identify_is_smbd_data(message) && message->captured >= SMBD_DATA + 4 && data[SMBD_DATA] >= 0xFC &&
           memcmp(data + SMBD_DATA + 1, "SMB", 3) == 0;
}

/* ---- iSER ---- */

enum {
    ISER_HEADER = 28, /* flags, Write STag and Base Offset, Read STag and Base Offset (RFC 7145 9.2) */
    ISER_CONTROL = 0x10,
    ISER_WRITE_VALID = 0x08,
    ISER_READ_VALID = 0x04,
    ISCSI_HEADER = 48,
};

/* RFC 7143 11.2.1.2. No R2T: iSER uses RDMA Reads instead. */
static bool identify_is_iscsi_opcode(uint8_t opcode) {
    return opcode <= 0x06 || opcode == 0x10 || (opcode >= 0x20 && opcode <= 0x27) || opcode == 0x32 ||
           opcode == 0x3F;
}

static bool identify_is_iser(const struct iw_ulp_message *message) {
    const uint8_t *data = message->data;
    uint64_t length;

    if (message->captured < ISER_HEADER + ISCSI_HEADER || (data[0] & 0xF3) != ISER_CONTROL ||
        !iw_upper_are_zero(data + 1, 3))
        return false;
    if ((!(data[0] & ISER_WRITE_VALID) && !iw_upper_are_zero(data + 4, 12)) ||
        (!(data[0] & ISER_READ_VALID) && !iw_upper_are_zero(data + 16, 12)))
        return false;
    data += ISER_HEADER;
    length = ISER_HEADER + ISCSI_HEADER + 4u * data[4] + (iw_upper_big32(data + 4) & 0xFFFFFF);
    return identify_is_iscsi_opcode(data[0] & 0x3F) && message->octets >= length &&
           message->octets < length + 4;
}

/* ---- NVMe ---- */

enum {
    NVME_COMMAND = 64,
    NVME_COMPLETION = 16,
    NVME_FABRICS = 0x7F, /* opcode of a Fabrics command */
    NVME_CONNECT = 0x01, /* FCTYPE */
    NVME_PSDT = 0x40,    /* SGLs describe the data: always, over a fabric */
};

static bool identify_is_nvme(const struct iw_ulp_message *message) {
    return message->octets == NVME_COMPLETION || message->octets >= NVME_COMMAND;
}

/* Returns whether the message is Connect, the first command of every queue. */
static bool identify_is_nvme_connect(const struct iw_ulp_message *message) {
    const uint8_t *data = message->data;

    return message->captured >= NVME_COMMAND && data[0] == NVME_FABRICS && data[1] == NVME_PSDT &&
           data[4] == NVME_CONNECT && iw_upper_are_zero(data + 5, 19) && iw_upper_little16(data + 40) == 0 &&
           iw_upper_are_zero(data + 52, 12);
}

/* ---- identification by private data and Sends ---- */

enum { NVME_PRIVATE = 32 };

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
    if (octets >= NVME_PRIVATE &&
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

#include "iw_private_format.h"

#include <inttypes.h>
#include <stdio.h>

enum { BASE_DEC, BASE_HEX, SMBD_DEPTH_MAX = 0x3FFF };

static const struct {
    const char *name;
    uint8_t bits, base;
} fields[IW_PRIVATE_FIELD_COUNT] = {
#define IW_PRIVATE_FIELD(symbol, name, filter, bits, base, help)                                             \
    [IW_PRIVATE_##symbol] = {name, bits, BASE_##base},
#include "iw_private_field.def"
};

const struct iw_private_format iw_private_rpc = {"RPC-over-RDMA", false, 8, 5,
    {{IW_PRIVATE_RPC_FORMAT, 0, 4}, {IW_PRIVATE_RPC_VERSION, 4, 1}, {IW_PRIVATE_RPC_FLAGS, 5, 1},
        {IW_PRIVATE_RPC_SEND, 6, 1}, {IW_PRIVATE_RPC_RECEIVE, 7, 1}}};

/* NVM Express RDMA Transport Specification: request, accept, reject. */
static const struct iw_private_format nvme_request = {"NVMe over RDMA, connection request", true, 10, 5,
    {{IW_PRIVATE_NVME_RECFMT, 0, 2}, {IW_PRIVATE_NVME_QID, 2, 2}, {IW_PRIVATE_NVME_HRQSIZE, 4, 2},
        {IW_PRIVATE_NVME_HSQSIZE, 6, 2}, {IW_PRIVATE_NVME_CNTLID, 8, 2}}};
static const struct iw_private_format nvme_accept = {"NVMe over RDMA, connection accepted", true, 4, 2,
    {{IW_PRIVATE_NVME_RECFMT, 0, 2}, {IW_PRIVATE_NVME_CRQSIZE, 2, 2}}};
static const struct iw_private_format nvme_reject = {"NVMe over RDMA, connection rejected", true, 4, 2,
    {{IW_PRIVATE_NVME_RECFMT, 0, 2}, {IW_PRIVATE_NVME_STATUS, 2, 2}}};

static const struct iw_private_format iser = {"iSER", false, 4, 1, {{IW_PRIVATE_ISER_FLAGS, 0, 1}}};

const struct iw_private_format iw_private_smbd = {
    "SMB Direct", false, 8, 2, {{IW_PRIVATE_SMBD_IRD, 0, 4}, {IW_PRIVATE_SMBD_ORD, 4, 4}}};
static const struct iw_private_format smbd_little = {"SMB Direct, least significant octet first", true, 8, 2,
    {{IW_PRIVATE_SMBD_IRD, 0, 4}, {IW_PRIVATE_SMBD_ORD, 4, 4}}};

static bool format_smbd_fits(const struct iw_private_format *format, const uint8_t *data) {
    return iw_private_get(format, IW_PRIVATE_SMBD_IRD, data) <= SMBD_DEPTH_MAX &&
           iw_private_get(format, IW_PRIVATE_SMBD_ORD, data) <= SMBD_DEPTH_MAX;
}

const struct iw_private_format *iw_private_smbd_find(const uint8_t *data, size_t octets) {
    if (octets != iw_private_smbd.octets)
        return NULL;
    return !format_smbd_fits(&iw_private_smbd, data) && format_smbd_fits(&smbd_little, data)
               ? &smbd_little
               : &iw_private_smbd;
}

static const struct iw_private_format *format_of_nvme(
    const struct iw_private_carrier *carrier, size_t octets) {
    const struct iw_private_format *format = &nvme_accept;

    if (carrier->request)
        format = &nvme_request;
    else if (carrier->rejected)
        format = &nvme_reject;
    return octets >= format->octets ? format : NULL;
}

/* Protocol or port, and the size identify private data of iSER and SMB Direct; for iSER, also zero bits. */
static const struct iw_private_format *format_by_size(
    const struct iw_private_carrier *carrier, const uint8_t *data, size_t octets) {
    if (octets == iser.octets &&
        (carrier->protocol == IW_ULP_ISER || carrier->port == IW_ULP_PORT_ISER ||
            carrier->port == IW_ULP_PORT_ISER_SYSTEM) &&
        (data[0] & 0x3F) == 0 && data[1] == 0 && data[2] == 0 && data[3] == 0)
        return &iser;
    if ((carrier->protocol == IW_ULP_SMB_DIRECT || carrier->port == IW_ULP_PORT_SMB_DIRECT ||
            carrier->port == IW_ULP_PORT_SMB))
        return iw_private_smbd_find(data, octets);
    return NULL;
}

const struct iw_private_format *iw_private_format_find(
    const struct iw_private_carrier *carrier, const uint8_t *data, size_t octets) {
    switch (iw_ulp_by_private_data(data, octets, carrier->request, carrier->port)) {
    case IW_ULP_RPC:
        return &iw_private_rpc;
    case IW_ULP_NVME:
        return format_of_nvme(carrier, octets);
    default:
        return carrier->protocol == IW_ULP_NVME ? format_of_nvme(carrier, octets)
                                                : format_by_size(carrier, data, octets);
    }
}

uint32_t iw_private_value(
    const struct iw_private_format *format, const struct iw_private_part *part, const uint8_t *data) {
    uint32_t value = 0;

    for (unsigned i = 0; i < part->octets; i++)
        value = value << 8 | data[part->at + (format->little_endian ? part->octets - 1u - i : i)];
    return value;
}

uint32_t iw_private_get(
    const struct iw_private_format *format, enum iw_private_field field, const uint8_t *data) {
    unsigned at = 0;

    while (format->part[at].field != field)
        at++;
    return iw_private_value(format, &format->part[at], data);
}

/* Units of 1 KiB, less 1 (RFC 8797 4.1). */
uint32_t iw_private_rpc_octets(uint32_t size) {
    return 1024 * (size + 1);
}

const char *iw_private_field_name(enum iw_private_field field) {
    return fields[field].name;
}

const char *iw_private_text(enum iw_private_field field, uint32_t value, char text[IW_PRIVATE_TEXT_OCTETS]) {
    if (fields[field].base == BASE_HEX)
        snprintf(text, IW_PRIVATE_TEXT_OCTETS, "0x%0*" PRIx32, fields[field].bits / 4, value);
    else
        snprintf(text, IW_PRIVATE_TEXT_OCTETS, "%" PRIu32, value);
    return text;
}

const char *iw_private_meaning(
    enum iw_private_field field, uint32_t value, char text[IW_PRIVATE_MEANING_OCTETS]) {
    switch (field) {
    case IW_PRIVATE_RPC_SEND:
    case IW_PRIVATE_RPC_RECEIVE:
        snprintf(text, IW_PRIVATE_MEANING_OCTETS, "%" PRIu32 " octets", iw_private_rpc_octets(value));
        return text;
    case IW_PRIVATE_RPC_FLAGS:
        return value & IW_PRIVATE_RPC_INVALIDATION ? "Remote Invalidation" : "";
    case IW_PRIVATE_NVME_QID:
        return value == 0 ? "Admin Queue" : "I/O Queue";
    case IW_PRIVATE_ISER_FLAGS:
        snprintf(text, IW_PRIVATE_MEANING_OCTETS, "%s%s%s", value & 0x80 ? "no zero-based addresses" : "",
            (value & 0xC0) == 0xC0 ? ", " : "", value & 0x40 ? "no Send with Invalidate" : "");
        return text;
    default:
        return "";
    }
}

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Identifies the protocol above RDMAP. MPA, DDP and RDMAP have no field for it; the private data of startup
 * frames and the contents of Sends show it. */

enum iw_ulp_protocol {
    IW_ULP_UNKNOWN,
    IW_ULP_RPC,        /* RPC-over-RDMA version 1 (RFC 8166) */
    IW_ULP_SMB_DIRECT, /* [MS-SMBD] */
    IW_ULP_ISER,       /* RFC 7145 */
    IW_ULP_NVME,       /* NVMe over RDMA (NVM Express RDMA Transport Specification) */
    IW_ULP_RPING,      /* the program rping of rdma-core; iw_upper identifies it by its Reads and Writes */
    IW_ULP_COUNT,
};

/* Registered ports of the protocols (RFC 7143, NVM Express, [MS-SMBD]). */
enum {
    IW_ULP_PORT_ISER = 3260,
    IW_ULP_PORT_ISER_SYSTEM = 860,
    IW_ULP_PORT_NVME = 4420,
    IW_ULP_PORT_NVME_DISCOVERY = 8009,
    IW_ULP_PORT_SMB_DIRECT = 5445,
    IW_ULP_PORT_SMB = 445,
};

/* Returns the protocol that has this private data after the enhanced data, or UNKNOWN. Recognises an NVMe
 * Reply only if `port`, the responder's port, is a port of NVMe. */
enum iw_ulp_protocol iw_ulp_by_private_data(const uint8_t *data, size_t octets, bool request, uint16_t port);

/* The message of a Send: `octets` octets long; the first `captured` octets are at `data`. */
struct iw_ulp_message {
    const uint8_t *data;
    size_t captured;
    size_t octets;
};

/* Returns the protocol of a Send, or UNKNOWN if there is any doubt. */
enum iw_ulp_protocol iw_ulp_by_send(const struct iw_ulp_message *message);

/* Returns true if the Send may be a message of the protocol: only then it goes to its dissector. */
bool iw_ulp_is_message(enum iw_ulp_protocol protocol, const struct iw_ulp_message *message);

/* Returns true if the Send is an RPC reply whose chunks the responder sent as Writes (RFC 8166 4.3). */
bool iw_ulp_is_reduced_reply(const struct iw_ulp_message *message);

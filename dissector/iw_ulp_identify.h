#ifndef IW_ULP_IDENTIFY_H
#define IW_ULP_IDENTIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which protocol is above RDMAP. Nothing in MPA, DDP or RDMAP says so: the private data of the startup frames
 * may, and what is sent does. Octets and sizes only, no Wireshark. */

enum iw_ulp_protocol {
    IW_ULP_UNKNOWN,
    IW_ULP_RPC,        /* RPC-over-RDMA version 1 (RFC 8166) */
    IW_ULP_SMB_DIRECT, /* [MS-SMBD] */
    IW_ULP_ISER,       /* RFC 7145 */
    IW_ULP_NVME,       /* NVMe over RDMA (NVM Express RDMA Transport Specification) */
    IW_ULP_COUNT,
};

/* Ports that the protocols are registered with (RFC 7143, NVM Express, [MS-SMBD]). */
enum {
    IW_ULP_PORT_ISER = 3260,
    IW_ULP_PORT_ISER_SYSTEM = 860,
    IW_ULP_PORT_NVME = 4420,
    IW_ULP_PORT_NVME_DISCOVERY = 8009,
    IW_ULP_PORT_SMB_DIRECT = 5445,
    IW_ULP_PORT_SMB = 445,
};

/* What the private data behind the enhanced data, `octets` of them, are of. `port` is that of the responder:
 * it decides where octets alone do not. */
enum iw_ulp_protocol iw_ulp_by_private_data(const uint8_t *data, size_t octets, bool request, uint16_t port);

/* A message of a Send: `octets` on the wire, of which the first `captured` are at `data`. */
struct iw_ulp_message {
    const uint8_t *data;
    size_t captured;
    size_t octets;
};

/* What a Send of a connection with an unknown protocol is of. UNKNOWN unless that is beyond doubt. */
enum iw_ulp_protocol iw_ulp_by_send(const struct iw_ulp_message *message);

/* True if the Send can be one of the protocol that the connection has. What cannot is kept from it. */
bool iw_ulp_is_message(enum iw_ulp_protocol protocol, const struct iw_ulp_message *message);

/* True if the Send is an RPC reply from which the responder has taken chunks, to write them (RFC 8166 4.3).
 */
bool iw_ulp_is_reduced_reply(const struct iw_ulp_message *message);

#endif

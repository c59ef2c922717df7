#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Messages of the iWARP Port Mapper: two hosts agree on TCP ports for a connection, different from the
 * ports that the application uses. See iw_port_mapper.def. */

enum {
    IW_PORT_MAPPER_OCTETS = 48,         /* length of a message other than a Request */
    IW_PORT_MAPPER_REQUEST_OCTETS = 64, /* length of a Request */
    IW_PORT_MAPPER_ADDRESS_OCTETS = 16,
};

enum iw_port_mapper_type {
    IW_PORT_MAPPER_REQUEST,
    IW_PORT_MAPPER_ACCEPT,
    IW_PORT_MAPPER_ACK,
    IW_PORT_MAPPER_REJECT,
};

struct iw_port_mapper {
#define IW_PORT_MAPPER_FIELD(field, type, label, filter, bit, bits, ft, display, strings) type field;
#define IW_PORT_MAPPER_ADDRESS(field, label, filter, octet) uint8_t field[IW_PORT_MAPPER_ADDRESS_OCTETS];
#include "iw_port_mapper.def"
    bool mapped_cp_known; /* false: the mapped address and port of the connecting peer are 0 */
};

/* Decodes a message. Returns false if it is shorter than IW_PORT_MAPPER_OCTETS, or not IPv4 or IPv6. */
bool iw_port_mapper_decode(const uint8_t *octets, size_t count, struct iw_port_mapper *message);

/* Returns "Request", "Accept", "Acknowledgement" or "Reject"; otherwise "unknown". */
const char *iw_port_mapper_type_name(uint8_t type);

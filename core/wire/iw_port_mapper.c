#include "iw_port_mapper.h"

#include <string.h>

#include "iw_bits.h"
#include "iw_placement.h"

IW_COLD bool iw_port_mapper_decode(const uint8_t *octets, size_t count, struct iw_port_mapper *message) {
    uint8_t all[IW_PORT_MAPPER_REQUEST_OCTETS] = {0};
    uint8_t version;

    if (count < IW_PORT_MAPPER_OCTETS)
        return false;
    memcpy(all, octets, count < sizeof all ? count : sizeof all);
#define IW_PORT_MAPPER_FIELD(field, type, label, filter, bit, bits, ft, display, strings)                    \
    message->field = (type)iw_bits_get(all, bit, bits);
#define IW_PORT_MAPPER_ADDRESS(field, label, filter, octet)                                                  \
    memcpy(message->field, all + (octet), IW_PORT_MAPPER_ADDRESS_OCTETS);
#include "iw_port_mapper.def"
    message->mapped_cp_known = message->type == IW_PORT_MAPPER_REQUEST && count >= sizeof all;
    if (!message->mapped_cp_known) {
        message->mapped_cp_port = 0;
        memset(message->mapped_cp_address, 0, sizeof message->mapped_cp_address);
    }
    version = message->ip_version;
    return version == 4 || version == 6;
}

const char *iw_port_mapper_type_name(uint8_t type) {
    static const char *const names[] = {"Request", "Accept", "Acknowledgement", "Reject"};

    return type < sizeof names / sizeof *names ? names[type] : "unknown";
}

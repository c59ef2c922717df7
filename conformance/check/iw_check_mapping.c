#include "iw_check_mapping.h"

#include <stdlib.h>
#include <string.h>

#include "iw_placement.h"
#include "iw_port_mapper.h"

static struct iw_tcp_address mapping_address(
    const struct iw_port_mapper *message, const uint8_t *octets, uint16_t port) {
    struct iw_tcp_address address = {.port = port, .version = message->ip_version};

    memcpy(address.octets, octets, message->ip_version == 4 ? 4 : sizeof address.octets);
    return address;
}

static size_t mappings_kept(const struct iw_check_mappings *mappings) {
    return mappings->count < IW_CHECK_MAPPINGS ? mappings->count : IW_CHECK_MAPPINGS;
}

/* Returns a mapping by its age: 1 is the latest, mappings_kept() the oldest. */
static struct iw_check_mapping *mapping_back(const struct iw_check_mappings *mappings, size_t back) {
    return &mappings->list[(mappings->count - back) % IW_CHECK_MAPPINGS];
}

/* Returns the latest mapping with this handle of this peer, or NULL. Each peer chooses its own handles. */
static struct iw_check_mapping *mapping_of(
    const struct iw_check_mappings *mappings, uint64_t handle, const struct iw_tcp_address *connecting) {
    for (size_t i = 1; i <= mappings_kept(mappings); i++) {
        struct iw_check_mapping *mapping = mapping_back(mappings, i);

        if (mapping->handle == handle && iw_tcp_address_equal(&mapping->connecting, connecting))
            return mapping;
    }
    return NULL;
}

IW_COLD static bool mappings_add_request(
    struct iw_check_mappings *mappings, const struct iw_port_mapper *message) {
    const struct iw_check_mapping *before;
    struct iw_check_mapping *oldest,
        asked = {.handle = message->handle,
            .connecting = mapping_address(message, message->cp_address, message->cp_port),
            .accepting = mapping_address(message, message->ap_address, message->ap_port),
            .mapped = {mapping_address(message, message->mapped_cp_address, message->mapped_cp_port)}};

    before = mapping_of(mappings, asked.handle, &asked.connecting);
    if (before != NULL && iw_tcp_address_equal(&before->accepting, &asked.accepting) &&
        iw_tcp_address_equal(&before->mapped[0], &asked.mapped[0]))
        return true; /* a retransmission */
    if (mappings->list == NULL)
        mappings->list = calloc(IW_CHECK_MAPPINGS, sizeof *mappings->list);
    if (mappings->list == NULL)
        return false;
    oldest = &mappings->list[mappings->count % IW_CHECK_MAPPINGS];
    if (mappings->count++ >= IW_CHECK_MAPPINGS && !oldest->used && !oldest->rejected)
        mappings->forgotten++;
    *oldest = asked;
    return true;
}

IW_COLD static void mappings_note_answer(
    struct iw_check_mappings *mappings, const struct iw_port_mapper *message) {
    const struct iw_tcp_address connecting = mapping_address(message, message->cp_address, message->cp_port);
    struct iw_check_mapping *mapping = mapping_of(mappings, message->handle, &connecting);

    if (mapping == NULL)
        return;
    mapping->rejected = message->type == IW_PORT_MAPPER_REJECT;
    if (mapping->rejected)
        return;
    mapping->mapped[1] = mapping_address(message, message->ap_address, message->ap_port);
    mapping->accepted = true;
}

bool iw_check_mappings_take(struct iw_check_mappings *mappings, const struct iw_tcp_segment *packet) {
    struct iw_port_mapper message;

    if (!iw_port_mapper_decode(packet->payload, packet->captured, &message))
        return true;
    if (message.type == IW_PORT_MAPPER_REQUEST && message.mapped_cp_known)
        return mappings_add_request(mappings, &message);
    if (message.type == IW_PORT_MAPPER_ACCEPT || message.type == IW_PORT_MAPPER_REJECT)
        mappings_note_answer(mappings, &message);
    return true;
}

/* Without a captured Accept, any port of the accepting peer matches, as its mapped port is unknown. The
 * mapped port of the connecting peer suffices: it belongs to one connection. */
static bool mapping_is_between(const struct iw_check_mapping *mapping,
    const struct iw_tcp_address *connecting, const struct iw_tcp_address *accepting) {
    struct iw_tcp_address asked = mapping->accepting;

    asked.port = accepting->port;
    return !mapping->rejected && iw_tcp_address_equal(&mapping->mapped[0], connecting) &&
           iw_tcp_address_equal(mapping->accepted ? &mapping->mapped[1] : &asked, accepting);
}

struct iw_check_mapped iw_check_mappings_find(
    struct iw_check_mappings *mappings, const struct iw_tcp_address ends[2]) {
    for (size_t i = 1; i <= mappings_kept(mappings); i++) {
        struct iw_check_mapping *mapping = mapping_back(mappings, i);

        if (mapping_is_between(mapping, &ends[0], &ends[1]) ||
            mapping_is_between(mapping, &ends[1], &ends[0])) {
            mapping->used = true;
            return (struct iw_check_mapped){true, mapping->connecting, mapping->accepting};
        }
    }
    return (struct iw_check_mapped){0};
}

void iw_check_mappings_clear(struct iw_check_mappings *mappings) {
    free(mappings->list);
    *mappings = (struct iw_check_mappings){0};
}

#include "iw_agent_state.h"

#include <string.h>

#include "iw_agent_region.h"

/* The number of the stream that may use the region: 0 (all streams), that of a connection, or a number that
 * no stream of the session has. */
static uint64_t agent_memory_stream_of(
    struct iw_agent *agent, struct iw_agent_request *request, enum iw_agent_stream stream) {
    const struct iw_endpoint *endpoint =
        stream == IW_AGENT_STREAM_CONNECTION ? iw_agent_endpoint(agent, request) : NULL;

    if (stream == IW_AGENT_STREAM_OTHER)
        return iw_memory_number(iw_reference_memory(agent->reference));
    return endpoint ? iw_endpoint_number(endpoint) : 0;
}

/* The reference lets its peers invalidate every region, so it ignores that right. The connections of the
 * session have the protection domain 0. */
void iw_agent_register(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_memory *memory = iw_reference_memory(agent->reference);
    struct iw_agent_registration asked = iw_agent_registration_read(request, iw_memory_octets(memory));
    struct iw_registration registration = {
        .size = asked.size,
        .base = asked.to,
        .stag = asked.stag,
        .rights = asked.rights & ~(1u << IW_AGENT_RIGHT_INVALIDATE),
        .hash = asked.hash,
        .persistent = asked.persistent,
        .stream = agent_memory_stream_of(agent, request, asked.stream),
        .domain = asked.other_domain ? UINT32_MAX : 0,
    };
    enum iw_refusal refusal;
    struct iw_region *region = request->code ? NULL : iw_memory_offer(memory, &registration, &refusal);

    if (region) {
        iw_region_fill(region, asked.fill, asked.fill_octets);
        iw_agent_registration_answer(request, region->stag, region->base, region->size);
    } else if (!request->code) {
        iw_agent_refuse(request, "memory", NULL, "%s", iw_refusal_text(refusal));
    }
}

static struct iw_region *agent_memory_region_of(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_region *region =
        iw_memory_find(iw_reference_memory(agent->reference), iw_agent_stag(request, "stag"));

    iw_agent_check_region(request, "stag", region);
    return request->code ? NULL : region;
}

void iw_agent_deregister(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_region *region = agent_memory_region_of(agent, request);

    if (region)
        iw_memory_deregister(iw_reference_memory(agent->reference), region);
}

void iw_agent_invalidate(struct iw_agent *agent, struct iw_agent_request *request) {
    const struct iw_region *region = agent_memory_region_of(agent, request);

    if (region)
        iw_memory_invalidate(iw_reference_memory(agent->reference), region->stag);
}

void iw_agent_read(struct iw_agent *agent, struct iw_agent_request *request) {
    static uint8_t octets[IW_AGENT_DATA_MAX];
    const struct iw_region *region = agent_memory_region_of(agent, request);
    uint64_t offset;
    size_t size;

    if (!region)
        return;
    offset = iw_agent_part(request, region->size, region->backing->medium != IW_MEDIUM_NONE, &size);
    if (request->code)
        return;
    if (!iw_agent_flag(request, "medium", false))
        memcpy(octets, region->octets + offset, size);
    else if (!iw_backing_read(region->backing, iw_region_at(region) + offset, octets, size))
        iw_agent_refuse(request, "memory", "medium", "cannot be read");
    json_object_set_new(request->answer, "data", iw_agent_octets_json(octets, size));
}

void iw_agent_write(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_region *region = agent_memory_region_of(agent, request);

    if (region)
        iw_agent_write_region(request, region->octets, region->size);
}

void iw_agent_hash(struct iw_agent *agent, struct iw_agent_request *request) {
    const struct iw_region *region = agent_memory_region_of(agent, request);
    uint8_t value[IW_HASH_OCTETS_MAX];
    struct iw_agent_hashing asked;

    if (!region)
        return;
    asked = iw_agent_hashing_read(request, region->size);
    if (request->code)
        return;
    if (iw_backing_hash(region->backing, asked.hash, iw_region_at(region) + asked.offset, asked.size, value))
        json_object_set_new(request->answer, "hash", iw_agent_octets_json(value, iw_hash_octets(asked.hash)));
    else
        iw_agent_refuse(request, "memory", "hash", "cannot be computed");
}

#include "iw_agent_state.h"

#include <string.h>

/* The number of the stream that may use the region: 0 (all streams), that of a connection, or a number that
 * no stream of the session has. */
static uint64_t agent_memory_stream_of(struct iw_agent *agent, struct iw_agent_request *request) {
    static const char *const streams[] = {"all", "other", "connection", NULL};
    unsigned which = iw_agent_choice(request, "stream", streams, iw_agent_has(request, "connection") ? 2 : 0);

    const struct iw_endpoint *endpoint = which == 2 ? iw_agent_endpoint(agent, request) : NULL;

    if (which == 1)
        return iw_memory_number(iw_reference_memory(agent->reference));
    return endpoint ? iw_endpoint_number(endpoint) : 0;
}

/* The protection domain: 0, which the session's connections may use, or one that they may not use. */
static uint32_t agent_memory_domain_of(struct iw_agent_request *request) {
    static const char *const domains[] = {"own", "other", NULL};

    return iw_agent_choice(request, "domain", domains, 0) == 1 ? UINT32_MAX : 0;
}

/* The reference lets its peers invalidate every region, so it ignores that right. */
static unsigned agent_memory_rights_of(struct iw_agent_request *request) {
    return iw_agent_set(request, "rights", iw_agent_rights, IW_RIGHT_READ | IW_RIGHT_WRITE) &
           ~(1u << IW_AGENT_RIGHT_INVALIDATE);
}

static void agent_memory_register_region(struct iw_agent *agent, struct iw_agent_request *request,
    const struct iw_registration *registration, const uint8_t *octets, size_t count) {
    struct iw_memory *memory = iw_reference_memory(agent->reference);
    enum iw_refusal refusal;
    struct iw_region *region;

    if (iw_memory_octets(memory) + registration->size > IW_AGENT_REGIONS_MAX) {
        iw_agent_refuse(request, "memory", "size", "plus the earlier regions exceeds %d octets",
            (int)IW_AGENT_REGIONS_MAX);
        return;
    }
    region = iw_memory_offer(memory, registration, &refusal);
    if (!region) {
        iw_agent_refuse(request, "memory", NULL, "%s", iw_refusal_text(refusal));
        return;
    }
    iw_region_fill(region, octets, count);
    json_object_set_new(request->answer, "stag", json_integer(region->stag));
    json_object_set_new(request->answer, "to", iw_agent_wide_json(region->base));
    json_object_set_new(request->answer, "size", json_integer((json_int_t)region->size));
}

void iw_agent_register(struct iw_agent *agent, struct iw_agent_request *request) {
    size_t count;
    struct iw_registration registration = {
        .size = iw_agent_integer(request, "size", 1, IW_AGENT_REGION_MAX, 4096),
        .base = iw_agent_wide(request, "to", 0x10000),
        .stag = (uint32_t)iw_agent_integer(request, "stag", 1, UINT32_MAX, 0),
        .rights = agent_memory_rights_of(request),
        .hash = (enum iw_hash)(iw_agent_choice(request, "hash", iw_hash_names, (unsigned)-1) + 1),
        .persistent = iw_agent_flag(request, "persistent", false),
        .stream = agent_memory_stream_of(agent, request),
        .domain = agent_memory_domain_of(request),
    };
    const uint8_t *octets = iw_agent_octets(request, "fill", IW_AGENT_DATA_MAX, &count);

    if (!request->code)
        agent_memory_register_region(agent, request, &registration, octets, count);
}

static struct iw_region *agent_memory_region_of(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_region *region;

    iw_agent_need(request, "stag");
    region = iw_memory_find(
        iw_reference_memory(agent->reference), (uint32_t)iw_agent_integer(request, "stag", 0, UINT32_MAX, 0));
    if (!region)
        iw_agent_refuse(request, "region", "stag", "does not name a region");
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

/* The offset in the region; `octets` octets must follow it. */
static uint64_t agent_memory_offset_of(
    struct iw_agent_request *request, const struct iw_region *region, uint64_t octets) {
    uint64_t offset = iw_agent_integer(request, "offset", 0, region->size, 0);

    if (octets > region->size - offset)
        iw_agent_refuse(request, "argument", "offset", "and the octets from there exceed the region");
    return offset;
}

void iw_agent_read(struct iw_agent *agent, struct iw_agent_request *request) {
    static uint8_t octets[IW_AGENT_DATA_MAX];
    const struct iw_region *region = agent_memory_region_of(agent, request);
    uint64_t size, offset;
    bool medium;

    if (!region)
        return;
    iw_agent_need(request, "size");
    size = iw_agent_integer(request, "size", 0, IW_AGENT_DATA_MAX, 0);
    offset = agent_memory_offset_of(request, region, size);
    medium = iw_agent_flag(request, "medium", false);
    if (medium && region->backing->medium == IW_MEDIUM_NONE)
        iw_agent_refuse(request, "argument", "medium", "does not exist for volatile memory");
    if (request->code)
        return;
    if (!medium)
        memcpy(octets, region->octets + offset, size);
    else if (!iw_backing_read(region->backing, iw_region_at(region) + offset, octets, size))
        iw_agent_refuse(request, "memory", "medium", "cannot be read");
    json_object_set_new(request->answer, "data", iw_agent_octets_json(octets, size));
}

void iw_agent_write(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_region *region = agent_memory_region_of(agent, request);
    const uint8_t *octets;
    uint64_t offset;
    size_t count;

    if (!region)
        return;
    iw_agent_need(request, "data");
    octets = iw_agent_octets(request, "data", IW_AGENT_DATA_MAX, &count);
    offset = agent_memory_offset_of(request, region, count);
    if (!request->code)
        memcpy(region->octets + offset, octets, count);
}

void iw_agent_hash(struct iw_agent *agent, struct iw_agent_request *request) {
    const struct iw_region *region = agent_memory_region_of(agent, request);
    uint8_t value[IW_HASH_OCTETS_MAX];
    enum iw_hash hash;
    uint64_t size, offset;

    if (!region)
        return;
    size = iw_agent_integer(request, "size", 0, region->size, region->size);
    offset = agent_memory_offset_of(request, region, size);
    hash = (enum iw_hash)(iw_agent_choice(request, "hash", iw_hash_names, IW_HASH_SHA256 - 1) + 1);
    if (request->code)
        return;
    if (!iw_backing_hash(region->backing, hash, iw_region_at(region) + offset, size, value))
        iw_agent_refuse(request, "memory", "hash", "cannot be computed");
    json_object_set_new(request->answer, "hash", iw_agent_octets_json(value, iw_hash_octets(hash)));
}

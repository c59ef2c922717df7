#include "iw_agent_region.h"

#include <string.h>

#include "iw_agent_operation.h"

struct iw_agent_registration iw_agent_registration_read(
    struct iw_agent_request *request, uint64_t registered) {
    static const char *const streams[] = {"all", "other", "connection", NULL};
    static const char *const domains[] = {"own", "other", NULL};
    enum { READ_AND_WRITE = 1 << IW_AGENT_RIGHT_READ | 1 << IW_AGENT_RIGHT_WRITE };
    struct iw_agent_registration registration = {
        .size = iw_agent_integer(request, "size", 1, IW_AGENT_REGION_MAX, 4096),
        .to = iw_agent_wide(request, "to", 0x10000),
        .stag = (uint32_t)iw_agent_integer(request, "stag", 1, UINT32_MAX, 0),
        .rights = iw_agent_set(request, "rights", iw_agent_rights, READ_AND_WRITE),
        .hash = (enum iw_hash)(iw_agent_choice(request, "hash", iw_hash_names, (unsigned)-1) + 1),
        .persistent = iw_agent_flag(request, "persistent", false),
        .other_domain = iw_agent_choice(request, "domain", domains, 0) == 1,
        .stream = iw_agent_choice(request, "stream", streams,
            iw_agent_has(request, "connection") ? IW_AGENT_STREAM_CONNECTION : IW_AGENT_STREAM_ALL),
    };

    registration.fill = iw_agent_octets(request, "fill", IW_AGENT_DATA_MAX, &registration.fill_octets);
    if (registered + registration.size > IW_AGENT_REGIONS_MAX)
        iw_agent_refuse(request, "memory", "size", "plus the earlier regions exceeds %d octets",
            (int)IW_AGENT_REGIONS_MAX);
    return registration;
}

void iw_agent_registration_answer(struct iw_agent_request *request, uint32_t stag, uint64_t to, size_t size) {
    json_object_set_new(request->answer, "stag", json_integer(stag));
    json_object_set_new(request->answer, "to", iw_agent_wide_json(to));
    json_object_set_new(request->answer, "size", json_integer((json_int_t)size));
}

uint32_t iw_agent_stag(struct iw_agent_request *request, const char *field) {
    return (uint32_t)iw_agent_integer(request, field, 0, UINT32_MAX, 0);
}

void iw_agent_check_region(struct iw_agent_request *request, const char *field, const void *region) {
    iw_agent_need(request, field);
    if (!region)
        iw_agent_refuse(request, "region", field, "does not name a region");
}

uint64_t iw_agent_offset(struct iw_agent_request *request, size_t size, uint64_t octets) {
    uint64_t offset = iw_agent_integer(request, "offset", 0, size, 0);

    if (octets > size - offset)
        iw_agent_refuse(request, "argument", "offset", "and the octets from there exceed the region");
    return offset;
}

uint64_t iw_agent_part(struct iw_agent_request *request, size_t size, bool has_medium, size_t *octets) {
    iw_agent_need(request, "size");
    *octets = iw_agent_integer(request, "size", 0, IW_AGENT_DATA_MAX, 0);
    if (iw_agent_flag(request, "medium", false) && !has_medium)
        iw_agent_refuse(request, "argument", "medium", "does not exist for volatile memory");
    return iw_agent_offset(request, size, *octets);
}

void iw_agent_write_region(struct iw_agent_request *request, uint8_t *region, size_t size) {
    size_t octets;
    const uint8_t *data = iw_agent_octets(request, "data", IW_AGENT_DATA_MAX, &octets);
    uint64_t offset;

    iw_agent_need(request, "data");
    offset = iw_agent_offset(request, size, octets);
    if (!request->code && octets > 0)
        memcpy(region + offset, data, octets);
}

struct iw_agent_hashing iw_agent_hashing_read(struct iw_agent_request *request, size_t size) {
    uint64_t octets = iw_agent_integer(request, "size", 0, size, size);

    return (struct iw_agent_hashing){.offset = iw_agent_offset(request, size, octets),
        .size = octets,
        .hash = (enum iw_hash)(iw_agent_choice(request, "hash", iw_hash_names, IW_HASH_SHA256 - 1) + 1)};
}

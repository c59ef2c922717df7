#include "iw_memory.h"

#include <stdlib.h>
#include <string.h>

/* The STags chosen here go up by one index each; the low octet is the key that the consumer may choose. */
enum { FIRST_STAG = 0x100, STAG_STEP = 0x100 };

struct iw_memory {
    struct iw_region **regions;
    size_t count;
    size_t capacity;
    uint32_t next_stag;
};

struct iw_memory *iw_memory_new(void) {
    struct iw_memory *memory = calloc(1, sizeof *memory);

    if (memory != NULL)
        memory->next_stag = FIRST_STAG;
    return memory;
}

static void region_free(struct iw_region *region) {
    free(region->octets);
    free(region);
}

void iw_memory_free(struct iw_memory *memory) {
    if (memory == NULL)
        return;
    for (size_t i = 0; i < memory->count; i++)
        region_free(memory->regions[i]);
    free(memory->regions);
    free(memory);
}

static uint32_t choose_stag(struct iw_memory *memory) {
    uint32_t stag = memory->next_stag;

    while (stag == 0 || iw_memory_find(memory, stag) != NULL)
        stag += STAG_STEP;
    memory->next_stag = stag + STAG_STEP;
    return stag;
}

static bool make_room(struct iw_memory *memory) {
    size_t capacity = memory->capacity == 0 ? 8 : 2 * memory->capacity;
    struct iw_region **larger;

    if (memory->count < memory->capacity)
        return true;
    larger = realloc(memory->regions, capacity * sizeof *larger);
    if (larger == NULL)
        return false;
    memory->regions = larger;
    memory->capacity = capacity;
    return true;
}

struct iw_region *iw_memory_register(
    struct iw_memory *memory, uint32_t stag, uint64_t base, uint64_t size, unsigned rights) {
    struct iw_region *region;
    uint8_t *octets;

    if (size > SIZE_MAX - 1 || (size > 0 && base > UINT64_MAX - (size - 1)) || !make_room(memory))
        return NULL;
    if (stag != 0 && iw_memory_find(memory, stag) != NULL)
        return NULL;
    region = malloc(sizeof *region);
    octets = calloc(size > 0 ? (size_t)size : 1, 1);
    if (region == NULL || octets == NULL) {
        free(region);
        free(octets);
        return NULL;
    }
    *region = (struct iw_region){.stag = stag != 0 ? stag : choose_stag(memory),
        .base = base,
        .size = size,
        .rights = rights,
        .valid = true,
        .octets = octets};
    memory->regions[memory->count++] = region;
    return region;
}

void iw_memory_deregister(struct iw_memory *memory, struct iw_region *region) {
    for (size_t i = 0; i < memory->count; i++) {
        if (memory->regions[i] != region)
            continue;
        memory->count--;
        memmove(memory->regions + i, memory->regions + i + 1, (memory->count - i) * sizeof *memory->regions);
        region_free(region);
        return;
    }
}

struct iw_region *iw_memory_find(const struct iw_memory *memory, uint32_t stag) {
    for (size_t i = 0; i < memory->count; i++)
        if (memory->regions[i]->stag == stag)
            return memory->regions[i];
    return NULL;
}

struct iw_region *iw_memory_at(const struct iw_memory *memory, size_t index) {
    return index < memory->count ? memory->regions[index] : NULL;
}

/* The code that each check gives, by layer. */
struct codes {
    int stag;
    int stream;
    int rights;
    int wrap;
    int bounds;
};

/* DDP has no code for a missing right; it is DDP that finds it, by the STag. */
static const struct codes tagged_codes = {IW_ERROR_DDP_INVALID_STAG, IW_ERROR_DDP_STAG_NOT_ASSOCIATED,
    IW_ERROR_DDP_INVALID_STAG, IW_ERROR_DDP_TO_WRAP, IW_ERROR_DDP_BASE_BOUNDS};
static const struct codes source_codes = {IW_ERROR_RDMAP_INVALID_STAG, IW_ERROR_RDMAP_STAG_NOT_ASSOCIATED,
    IW_ERROR_RDMAP_ACCESS_RIGHTS, IW_ERROR_RDMAP_TO_WRAP, IW_ERROR_RDMAP_BASE_BOUNDS};

static bool inside(const struct iw_region *region, uint64_t to, uint64_t length) {
    uint64_t at = to - region->base;

    return to >= region->base && at <= region->size && length <= region->size - at;
}

static bool reaches(const struct iw_region *region, const void *stream) {
    return region->stream == NULL || region->stream == stream;
}

static int check(const struct iw_memory *memory, const struct iw_access *access, const struct codes *codes) {
    unsigned checks = ~access->skip;
    const struct iw_region *region;

    if (access->length == 0)
        return IW_NO_ERROR;
    region = memory == NULL ? NULL : iw_memory_find(memory, access->stag);
    if ((checks & IW_MEMORY_STAG) && (region == NULL || !region->valid))
        return codes->stag;
    if ((checks & IW_MEMORY_STREAM) && region != NULL && !reaches(region, access->stream))
        return codes->stream;
    if ((checks & IW_MEMORY_RIGHTS) && region != NULL && (access->rights & ~region->rights) != 0)
        return codes->rights;
    /* The last octet may be the one at 2^64 - 1. */
    if ((checks & IW_MEMORY_WRAP) && access->to > UINT64_MAX - (access->length - 1))
        return codes->wrap;
    if ((checks & IW_MEMORY_BOUNDS) && region != NULL && !inside(region, access->to, access->length))
        return codes->bounds;
    return IW_NO_ERROR;
}

int iw_memory_check_tagged(const struct iw_memory *memory, const struct iw_access *access) {
    return check(memory, access, &tagged_codes);
}

int iw_memory_check_source(const struct iw_memory *memory, const struct iw_access *access) {
    return check(memory, access, &source_codes);
}

int iw_memory_check_invalidate(const struct iw_memory *memory, uint32_t stag, const void *stream) {
    const struct iw_region *region = memory == NULL ? NULL : iw_memory_find(memory, stag);

    if (region == NULL || !region->valid || !reaches(region, stream))
        return IW_ERROR_RDMAP_CANNOT_INVALIDATE;
    return IW_NO_ERROR;
}

void iw_memory_place(
    struct iw_memory *memory, uint32_t stag, uint64_t to, const uint8_t *octets, size_t length) {
    struct iw_region *region = memory == NULL ? NULL : iw_memory_find(memory, stag);

    if (region == NULL || length == 0)
        return;
    if (to < region->base) {
        uint64_t before = region->base - to;

        if (before >= length)
            return;
        octets += before;
        length -= (size_t)before;
        to = region->base;
    }
    if (to - region->base >= region->size)
        return;
    if (length > region->size - (to - region->base))
        length = (size_t)(region->size - (to - region->base));
    memcpy(region->octets + (to - region->base), octets, length);
}

const uint8_t *iw_memory_fetch(const struct iw_memory *memory, uint32_t stag, uint64_t to, size_t length) {
    const struct iw_region *region = memory == NULL ? NULL : iw_memory_find(memory, stag);

    if (region == NULL || !inside(region, to, length))
        return NULL;
    return region->octets + (to - region->base);
}

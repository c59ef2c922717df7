#include "iw_memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iw_array.h"
#include "iw_random.h"

struct iw_memory {
    struct iw_region **regions; /* sorted by STag */
    size_t count;
    size_t capacity;
    uint64_t chance;       /* state of the random generator for STags */
    unsigned simple_stags; /* how many STags were chosen that are easy to read */
    LIST_HEAD(iw_memory_streams, iw_memory_stream) streams;
    uint64_t last_stream; /* the stream number assigned last */
};

/* Without iw_memory_scatter, every run has the same STags: the first few are easy to read, later ones look
 * random. From more easy ones a peer could guess the next one (RFC 5040 8.1.1). */
enum { SIMPLE_STAGS_MAX = 4, SIMPLE_STAG_STEP = 0x100 };

const char *const iw_right_names[] = {"read", "write", "atomic", "persist", "expose", "verify", NULL};

bool iw_rights_read(const char *text, unsigned *rights) {
    static const char letters[] = IW_RIGHT_LETTERS;

    *rights = 0;
    for (; *text != '\0'; text++) {
        const char *letter = strchr(letters, *text);

        if (letter == NULL)
            return false;
        *rights |= 1u << (letter - letters);
    }
    return true;
}

struct iw_memory *iw_memory_new(void) {
    return calloc(1, sizeof(struct iw_memory));
}

void iw_memory_scatter(struct iw_memory *memory) {
    if (getentropy(&memory->chance, sizeof memory->chance) != 0)
        memory->chance = (uintptr_t)memory;
    memory->simple_stags = SIMPLE_STAGS_MAX;
}

static void memory_free_region(struct iw_region *region) {
    iw_backing_release(region->backing);
    free(region);
}

void iw_memory_free(struct iw_memory *memory) {
    if (memory == NULL)
        return;
    while (!LIST_EMPTY(&memory->streams))
        iw_memory_leave(LIST_FIRST(&memory->streams));
    for (size_t i = 0; i < memory->count; i++)
        memory_free_region(memory->regions[i]);
    free(memory->regions);
    free(memory);
}

static uint32_t memory_choose_stag(struct iw_memory *memory) {
    uint32_t stag;

    while (memory->simple_stags < SIMPLE_STAGS_MAX) {
        stag = ++memory->simple_stags * SIMPLE_STAG_STEP;
        if (iw_memory_find(memory, stag) == NULL)
            return stag;
    }
    do {
        stag = (uint32_t)(iw_random_next(&memory->chance) >> 32);
    } while (stag == 0 || iw_memory_find(memory, stag) != NULL);
    return stag;
}

const char *iw_refusal_text(enum iw_refusal refusal) {
    static const char *const texts[] = {
        [IW_REFUSAL_NONE] = "it can be registered",
        [IW_REFUSAL_NO_MEMORY] = "out of memory",
        [IW_REFUSAL_TOO_MANY] = "the limit of 10000 regions is reached",
        [IW_REFUSAL_STAG_TAKEN] = "the STag is in use",
        [IW_REFUSAL_TO_WRAP] = "it goes beyond TO 2^64",
        [IW_REFUSAL_OUTSIDE] = "it is not inside the region that it is registered over",
        [IW_REFUSAL_FILE] = "the file cannot be used",
        [IW_REFUSAL_VOLATILE] = "volatile memory cannot be flushed to persistence",
        [IW_REFUSAL_ATOMIC_SIZE] = "atomic operations need 64 bits",
        [IW_REFUSAL_ATOMIC_ALIGNMENT] = "atomic operations need memory that is 64-bit aligned",
        [IW_REFUSAL_NO_HASH] = "Verify needs a hash algorithm",
    };

    return texts[refusal];
}

static enum iw_refusal memory_refuse_numbers(
    const struct iw_memory *memory, const struct iw_registration *registration) {
    const struct iw_region *over = registration->over;
    uint64_t size = registration->size;

    if (memory->count >= IW_MEMORY_REGIONS_MAX)
        return IW_REFUSAL_TOO_MANY;
    if (registration->stag != 0 && iw_memory_find(memory, registration->stag) != NULL)
        return IW_REFUSAL_STAG_TAKEN;
    if (size > 0 && registration->base > UINT64_MAX - (size - 1))
        return IW_REFUSAL_TO_WRAP;
    if (over != NULL && (registration->at > over->size || size > over->size - registration->at))
        return IW_REFUSAL_OUTSIDE;
    if ((registration->rights & IW_RIGHT_VERIFY) && registration->hash == IW_HASH_NONE)
        return IW_REFUSAL_NO_HASH;
    if ((registration->rights & IW_RIGHT_ATOMIC) && size < sizeof(uint64_t))
        return IW_REFUSAL_ATOMIC_SIZE;
    return IW_REFUSAL_NONE;
}

/* Makes or shares the backing of a region, and sets `at` to the region's offset in it. Sets `refusal` if that
 * fails, or if the backing does not support the rights. */
static struct iw_backing *memory_find_backing(
    const struct iw_registration *registration, uint64_t *at, enum iw_refusal *refusal) {
    const struct iw_region *over = registration->over;
    struct iw_backing *backing;

    *at = over == NULL ? 0 : iw_region_at(over) + registration->at;
    if (over != NULL)
        backing = iw_backing_take(over->backing);
    else if (registration->file != NULL)
        backing = iw_backing_open(registration->file, registration->size);
    else
        backing = iw_backing_new(registration->size, registration->persistent);
    if (backing == NULL)
        *refusal = registration->file != NULL ? IW_REFUSAL_FILE : IW_REFUSAL_NO_MEMORY;
    else if ((registration->rights & IW_RIGHT_PERSIST) && backing->medium == IW_MEDIUM_NONE)
        *refusal = IW_REFUSAL_VOLATILE;
    else if ((registration->rights & IW_RIGHT_ATOMIC) &&
             (uintptr_t)(backing->octets + *at) % sizeof(uint64_t) != 0)
        *refusal = IW_REFUSAL_ATOMIC_ALIGNMENT;
    return backing;
}

/* The index of the region with that STag, or where it would be inserted. */
static size_t memory_index(const struct iw_memory *memory, uint32_t stag) {
    size_t low = 0, high = memory->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (memory->regions[middle]->stag < stag)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct iw_region *iw_memory_offer(
    struct iw_memory *memory, const struct iw_registration *registration, enum iw_refusal *refusal) {
    struct iw_region *region = NULL;
    uint64_t at;

    *refusal = memory_refuse_numbers(memory, registration);
    if (*refusal != IW_REFUSAL_NONE)
        return NULL;
    struct iw_backing *backing = memory_find_backing(registration, &at, refusal);
    if (*refusal == IW_REFUSAL_NONE) {
        region = malloc(sizeof *region);
        if (region == NULL || !iw_array_grow(&memory->regions, memory->count, sizeof region))
            *refusal = IW_REFUSAL_NO_MEMORY;
    }
    if (*refusal != IW_REFUSAL_NONE) {
        iw_backing_release(backing);
        free(region);
        return NULL;
    }
    *region =
        (struct iw_region){.stag = registration->stag != 0 ? registration->stag : memory_choose_stag(memory),
            .base = registration->base,
            .size = registration->size,
            .rights = registration->rights,
            .hash = registration->hash,
            .valid = true,
            .stream = registration->stream,
            .domain = registration->domain,
            .octets = backing->octets + at,
            .backing = backing};
    size_t place = memory_index(memory, region->stag);
    memmove(memory->regions + place + 1, memory->regions + place, (memory->count++ - place) * sizeof region);
    memory->regions[place] = region;
    return region;
}

struct iw_region *iw_memory_register(
    struct iw_memory *memory, uint32_t stag, uint64_t base, uint64_t size, unsigned rights) {
    struct iw_registration registration = {.stag = stag, .base = base, .size = size, .rights = rights};
    enum iw_refusal refusal;

    return iw_memory_offer(memory, &registration, &refusal);
}

void iw_memory_deregister(struct iw_memory *memory, struct iw_region *region) {
    size_t place = memory_index(memory, region->stag);
    struct iw_region **at = memory->regions + place;

    memory->count--;
    memmove(at, at + 1, (memory->count - place) * sizeof *at);
    memory_free_region(region);
}

struct iw_region *iw_memory_find(const struct iw_memory *memory, uint32_t stag) {
    struct iw_region *region = iw_memory_at(memory, memory_index(memory, stag));

    return region != NULL && region->stag == stag ? region : NULL;
}

struct iw_region *iw_memory_at(const struct iw_memory *memory, size_t index) {
    return index < memory->count ? memory->regions[index] : NULL;
}

uint64_t iw_memory_octets(const struct iw_memory *memory) {
    uint64_t octets = 0;

    for (size_t i = 0; i < memory->count; i++)
        octets += memory->regions[i]->backing->size / memory->regions[i]->backing->references;
    return octets;
}

/* Each copy doubles the filled part, so that few copies are needed. */
void iw_region_fill(struct iw_region *region, const uint8_t *octets, size_t count) {
    uint64_t filled = count < region->size ? count : region->size;

    if (count == 0)
        return;
    memcpy(region->octets, octets, filled);
    while (filled < region->size) {
        uint64_t piece = filled < region->size - filled ? filled : region->size - filled;

        memcpy(region->octets + filled, region->octets, piece);
        filled += piece;
    }
    if (region->backing->medium != IW_MEDIUM_NONE)
        iw_backing_persist(region->backing, iw_region_at(region), region->size);
}

uint64_t iw_memory_number(struct iw_memory *memory) {
    return ++memory->last_stream;
}

void iw_memory_join(struct iw_memory *memory, struct iw_memory_stream *stream, uint32_t domain) {
    *stream = (struct iw_memory_stream){.joined = true, .domain = domain};
    LIST_INSERT_HEAD(&memory->streams, stream, others);
}

void iw_memory_leave(struct iw_memory_stream *stream) {
    if (stream->joined)
        LIST_REMOVE(stream, others);
    stream->joined = false;
}

/* The error code for each failed check. */
struct codes {
    int stag;
    int stream;
    int rights;
    int wrap;
    int bounds;
};

/* DDP has no code for a missing right, so it reports Invalid STag. */
static const struct codes tagged_codes = {IW_ERROR_DDP_INVALID_STAG, IW_ERROR_DDP_STAG_NOT_ASSOCIATED,
    IW_ERROR_DDP_INVALID_STAG, IW_ERROR_DDP_TO_WRAP, IW_ERROR_DDP_BASE_BOUNDS};
static const struct codes request_codes = {IW_ERROR_RDMAP_INVALID_STAG, IW_ERROR_RDMAP_STAG_NOT_ASSOCIATED,
    IW_ERROR_RDMAP_ACCESS_RIGHTS, IW_ERROR_RDMAP_TO_WRAP, IW_ERROR_RDMAP_BASE_BOUNDS};

static bool memory_region_contains(const struct iw_region *region, uint64_t to, uint64_t length) {
    uint64_t at = to - region->base;

    return to >= region->base && at <= region->size && length <= region->size - at;
}

static bool memory_region_reachable(const struct iw_region *region, const struct iw_access *access) {
    return (region->stream == 0 || region->stream == access->stream) &&
           (region->domain == 0 || region->domain == access->domain);
}

static int memory_check(
    const struct iw_memory *memory, const struct iw_access *access, const struct codes *codes) {
    unsigned checks = ~access->skip;

    const struct iw_region *region = memory == NULL ? NULL : iw_memory_find(memory, access->stag);
    if ((checks & IW_MEMORY_STAG) && (region == NULL || !region->valid))
        return codes->stag;
    if ((checks & IW_MEMORY_STREAM) && region != NULL && !memory_region_reachable(region, access))
        return codes->stream;
    if ((checks & IW_MEMORY_RIGHTS) && region != NULL && (access->rights & ~region->rights) != 0)
        return codes->rights;
    /* the last octet may have TO 2^64 - 1 */
    if ((checks & IW_MEMORY_WRAP) && access->length > 0 && access->to > UINT64_MAX - (access->length - 1))
        return codes->wrap;
    if ((checks & IW_MEMORY_BOUNDS) && region != NULL &&
        !memory_region_contains(region, access->to, access->length))
        return codes->bounds;
    return IW_NO_ERROR;
}

int iw_memory_check_tagged(const struct iw_memory *memory, const struct iw_access *access) {
    return access->length == 0 ? IW_NO_ERROR : memory_check(memory, access, &tagged_codes);
}

int iw_memory_check_source(const struct iw_memory *memory, const struct iw_access *access) {
    return access->length == 0 ? IW_NO_ERROR : memory_check(memory, access, &request_codes);
}

int iw_memory_check_target(const struct iw_memory *memory, const struct iw_access *access) {
    return memory_check(memory, access, &request_codes);
}

static bool memory_region_is_shared(const struct iw_memory *memory, const struct iw_region *region) {
    const struct iw_memory_stream *stream = LIST_FIRST(&memory->streams);
    unsigned count = 0;

    if (region->stream != 0)
        return false;
    for (; stream != NULL && count < 2; stream = LIST_NEXT(stream, others))
        if (region->domain == 0 || region->domain == stream->domain)
            count++;
    return count > 1;
}

int iw_memory_check_invalidate(const struct iw_memory *memory, const struct iw_access *access) {
    const struct iw_region *region = memory == NULL ? NULL : iw_memory_find(memory, access->stag);

    if (region == NULL || !region->valid || !memory_region_reachable(region, access))
        return IW_ERROR_RDMAP_CANNOT_INVALIDATE;
    if (!(access->skip & IW_MEMORY_SHARED) && memory_region_is_shared(memory, region))
        return IW_ERROR_RDMAP_CANNOT_INVALIDATE;
    return IW_NO_ERROR;
}

void iw_memory_invalidate(struct iw_memory *memory, uint32_t stag) {
    struct iw_region *region = memory == NULL ? NULL : iw_memory_find(memory, stag);

    if (region != NULL)
        region->valid = false;
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

uint8_t *iw_memory_fetch(const struct iw_memory *memory, uint32_t stag, uint64_t to, size_t length) {
    const struct iw_region *region = memory == NULL ? NULL : iw_memory_find(memory, stag);

    if (region == NULL || !memory_region_contains(region, to, length))
        return NULL;
    return region->octets + (to - region->base);
}

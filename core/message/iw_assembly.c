#include "iw_assembly.h"

#include <stdlib.h>
#include <string.h>

void iw_assembly_init(struct iw_assembly *assembly, size_t limit) {
    *assembly = (struct iw_assembly){.limit = limit};
}

void iw_assembly_dispose(struct iw_assembly *assembly) {
    free(assembly->octets);
    iw_extent_clear(&assembly->extent);
    memset(assembly, 0, sizeof *assembly);
}

static bool make_room(struct iw_assembly *assembly, size_t need) {
    size_t capacity = need < 2 * assembly->capacity ? 2 * assembly->capacity : need;
    uint8_t *larger;

    if (need <= assembly->capacity)
        return true;
    larger = realloc(assembly->octets, capacity);
    if (larger == NULL)
        return false;
    assembly->octets = larger;
    assembly->capacity = capacity;
    return true;
}

static void begin(struct iw_assembly *assembly, const struct iw_segment *segment) {
    assembly->open = true;
    assembly->broken = false;
    assembly->msn = segment->msn;
    assembly->header_octets = segment->mo == 0 ? segment->header_octets : 0;
    iw_extent_clear(&assembly->extent);
}

/* Puts the payload at its place. False if it has none. */
static bool place(struct iw_assembly *assembly, const struct iw_segment *segment) {
    size_t header = segment->mo == 0 ? 0 : assembly->header_octets;
    size_t from = segment->mo - header, to = from + segment->payload_octets;

    if (segment->mo < header || segment->payload_captured < segment->payload_octets || to > assembly->limit ||
        !make_room(assembly, to))
        return false;
    if (segment->payload_octets == 0)
        return true;
    memcpy(assembly->octets + from, segment->payload, segment->payload_octets);
    return iw_extent_add(&assembly->extent, from, to) != IW_EXTENT_OVER && !assembly->extent.full;
}

static bool whole(const struct iw_assembly *assembly, size_t length) {
    const struct iw_extent *extent = &assembly->extent;

    if (length == 0)
        return extent->count == 0;
    return extent->count == 1 && extent->first.from == 0 && extent->first.to == length;
}

enum iw_assembled iw_assembly_segment(
    struct iw_assembly *assembly, const struct iw_segment *segment, const uint8_t **octets, size_t *length) {
    size_t end;

    if (!assembly->open || segment->msn != assembly->msn || segment->mo == 0) {
        bool earlier = assembly->open && segment->msn == assembly->msn && assembly->extent.count > 0 &&
                       assembly->extent.first.from > 0; /* the others have come before the first one */

        if (!earlier)
            begin(assembly, segment);
    }
    if (segment->mo == 0 && segment->last && segment->payload_captured == segment->payload_octets) {
        assembly->open = false;
        *octets = segment->payload;
        *length = segment->payload_octets;
        return IW_ASSEMBLED_WHOLE;
    }
    assembly->broken = assembly->broken || !place(assembly, segment);
    assembly->open = !segment->last;
    if (assembly->broken)
        return IW_ASSEMBLED_BROKEN;
    if (!segment->last)
        return IW_ASSEMBLED_PART;
    end = segment->mo - (segment->mo == 0 ? 0u : assembly->header_octets) + segment->payload_octets;
    if (!whole(assembly, end))
        return IW_ASSEMBLED_BROKEN;
    *octets = assembly->octets;
    *length = end;
    return IW_ASSEMBLED_WHOLE;
}

#include "iw_assembly.h"

#include <stdlib.h>
#include <string.h>

#include "iw_array.h"

void iw_assembly_init(struct iw_assembly *assembly, size_t limit) {
    *assembly = (struct iw_assembly){.limit = limit};
}

void iw_assembly_dispose(struct iw_assembly *assembly) {
    free(assembly->octets);
    iw_extent_clear(&assembly->extent);
    memset(assembly, 0, sizeof *assembly);
}

static void assembly_begin(struct iw_assembly *assembly, const struct iw_segment *segment) {
    assembly->open = true;
    assembly->broken = false;
    assembly->msn = segment->msn;
    assembly->header_octets = segment->mo == 0 ? segment->header_octets : 0;
    iw_extent_clear(&assembly->extent);
}

/* Copies the payload to its MO. Returns false if the message cannot become complete. */
static bool assembly_place(struct iw_assembly *assembly, const struct iw_segment *segment) {
    size_t header = segment->mo == 0 ? 0 : assembly->header_octets;
    size_t from = segment->mo - header, to = from + segment->payload_octets;

    if (segment->mo < header || segment->payload_captured < segment->payload_octets || to > assembly->limit ||
        !iw_array_reserve(&assembly->octets, &assembly->capacity, to, 1))
        return false;
    if (segment->payload_octets == 0)
        return true;
    memcpy(assembly->octets + from, segment->payload, segment->payload_octets);
    return iw_extent_add(&assembly->extent, from, to) != IW_SEGMENT_OVERLAPS && !assembly->extent.full;
}

static bool assembly_is_complete(const struct iw_assembly *assembly, size_t length) {
    const struct iw_extent *extent = &assembly->extent;

    if (length == 0)
        return extent->count == 0;
    return extent->count == 1 && extent->first.from == 0 && extent->first.to == length;
}

enum iw_assembled iw_assembly_segment(
    struct iw_assembly *assembly, const struct iw_segment *segment, const uint8_t **octets, size_t *length) {
    size_t end;

    if (!assembly->open || segment->msn != assembly->msn || segment->mo == 0) {
        bool begun = assembly->open && segment->msn == assembly->msn && assembly->extent.count > 0 &&
                     assembly->extent.first.from > 0; /* by a segment with a higher MO */

        if (!begun)
            assembly_begin(assembly, segment);
    }
    if (segment->mo == 0 && segment->last && segment->payload_captured == segment->payload_octets) {
        assembly->open = false;
        *octets = segment->payload;
        *length = segment->payload_octets;
        return IW_ASSEMBLY_WHOLE;
    }
    assembly->broken = assembly->broken || !assembly_place(assembly, segment);
    assembly->open = !segment->last;
    if (assembly->broken)
        return IW_ASSEMBLY_BROKEN;
    if (!segment->last)
        return IW_ASSEMBLY_PART;
    end = segment->mo - (segment->mo == 0 ? 0u : assembly->header_octets) + segment->payload_octets;
    if (!assembly_is_complete(assembly, end))
        return IW_ASSEMBLY_BROKEN;
    *octets = assembly->octets;
    *length = end;
    return IW_ASSEMBLY_WHOLE;
}

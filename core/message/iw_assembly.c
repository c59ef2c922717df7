#include "iw_assembly.h"

#include <stdlib.h>
#include <string.h>

void iw_assembly_init(struct iw_assembly *assembly, size_t limit) {
    *assembly = (struct iw_assembly){.limit = limit};
}

void iw_assembly_dispose(struct iw_assembly *assembly) {
    free(assembly->octets);
    memset(assembly, 0, sizeof *assembly);
}

static bool append(struct iw_assembly *assembly, const uint8_t *octets, size_t count) {
    size_t need = assembly->length + count;

    if (need > assembly->limit)
        return false;
    if (need > assembly->capacity) {
        size_t capacity = need < 2 * assembly->capacity ? 2 * assembly->capacity : need;
        uint8_t *larger = realloc(assembly->octets, capacity);

        if (larger == NULL)
            return false;
        assembly->octets = larger;
        assembly->capacity = capacity;
    }
    if (count > 0)
        memcpy(assembly->octets + assembly->length, octets, count);
    assembly->length = need;
    return true;
}

static bool fits(const struct iw_assembly *assembly, const struct iw_segment *segment) {
    return assembly->open && segment->msn == assembly->msn && segment->mo == assembly->mo;
}

enum iw_assembled iw_assembly_segment(
    struct iw_assembly *assembly, const struct iw_segment *segment, const uint8_t **octets, size_t *length) {
    if (segment->mo == 0) {
        assembly->open = true;
        assembly->length = 0;
        assembly->mo = 0;
        assembly->msn = segment->msn;
        if (segment->last && segment->payload_captured == segment->payload_octets) {
            assembly->open = false;
            *octets = segment->payload;
            *length = segment->payload_octets;
            return IW_ASSEMBLED_WHOLE;
        }
    }
    if (!fits(assembly, segment) || segment->payload_captured < segment->payload_octets ||
        !append(assembly, segment->payload, segment->payload_octets)) {
        assembly->open = false;
        return IW_ASSEMBLED_BROKEN;
    }
    assembly->mo += segment->length - segment->ddp_octets;
    if (!segment->last)
        return IW_ASSEMBLED_PART;
    assembly->open = false;
    *octets = assembly->octets;
    *length = assembly->length;
    return IW_ASSEMBLED_WHOLE;
}

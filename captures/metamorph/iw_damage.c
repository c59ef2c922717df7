#include "iw_damage.h"

#include <string.h>

enum { PROTOCOL_TCP = 6, CHECKSUM_AT = 16 };

uint32_t iw_damage_sum(uint32_t sum, const uint8_t *octets, size_t count) {
    for (size_t i = 0; i < count; i++)
        sum += i % 2 == 0 ? (uint32_t)octets[i] << 8 : octets[i];
    while (sum >> 16 != 0)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return sum;
}

static uint32_t pseudo_sum(const struct iw_tcp_segment *segment, size_t octets) {
    size_t address = segment->source.version == 6 ? 16 : 4;
    uint32_t sum = iw_damage_sum(PROTOCOL_TCP + (uint32_t)octets, segment->source.octets, address);

    return iw_damage_sum(sum, segment->destination.octets, address);
}

uint16_t iw_damage_of(const struct iw_tcp_segment *segment) {
    if (segment->tcp == NULL)
        return 0;
    size_t octets = (size_t)(segment->tcp[12] >> 4) * 4 + segment->length;
    uint32_t field = (uint32_t)segment->tcp[CHECKSUM_AT] << 8 | segment->tcp[CHECKSUM_AT + 1];
    uint32_t sum = iw_damage_sum(pseudo_sum(segment, octets), segment->tcp, octets);

    if (sum == 0xFFFF || field == 0 || field == pseudo_sum(segment, octets) ||
        field == pseudo_sum(segment, 0))
        return 0;
    return (uint16_t)sum;
}

/* At most two packets of a conversation are damaged: if more were delivered intact, the capture was edited.
 * Segments longer than SINGLE may be coalesced ones. */
enum { DAMAGED_MAX = 2, SINGLE = 1460 };

void iw_damage_settle(struct iw_trace *trace, bool read, bool cut) {
    unsigned damaged = 0;

    for (size_t i = 0; i < trace->count; i++) {
        struct iw_trace_packet *packet = &trace->packets[i];

        if (packet->damage == 0)
            continue;
        if (!cut && packet->segment.captured == packet->segment.length && packet->segment.length <= SINGLE &&
            damaged < DAMAGED_MAX) {
            packet->foreign = true;
            damaged++;
        } else if (read) {
            packet->damage = 0;
        } else {
            iw_trace_remove(trace, i--);
        }
    }
}

#include "iw_damage.h"

#include <string.h>

enum { TCP_OCTETS = 20, PROTOCOL_TCP = 6, CHECKSUM_AT = 16, FIRST_MAX = 536 };

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

/* What a capture has shown of a side so far. */
struct shown {
    unsigned intact, damaged;
    uint32_t longest, start;
    bool syn;
};

static bool is_proven(const struct shown *shown, const struct iw_tcp_segment *segment) {
    bool first = shown->syn && segment->seq == shown->start && segment->length <= FIRST_MAX;

    return shown->intact > 0 && shown->damaged <= shown->intact &&
           (segment->length <= shown->longest || first);
}

static void note_intact(struct shown shown[2], const struct iw_trace_packet *packet) {
    struct shown *own = &shown[packet->side];
    const struct iw_tcp_segment *segment = &packet->segment;

    if ((segment->flags & (IW_TCP_SYN | IW_TCP_ACK)) == IW_TCP_SYN)
        memset(shown, 0, 2 * sizeof *shown); /* another connection may begin */
    if (segment->flags & IW_TCP_SYN) {
        own->syn = true;
        own->start = segment->seq + 1;
    }
    if (segment->captured < segment->length)
        return;
    own->intact++;
    if (segment->length > own->longest)
        own->longest = segment->length;
}

void iw_damage_settle(struct iw_trace *trace, bool read, bool cut) {
    struct shown shown[IW_TRACE_COPIES][2] = {0};

    for (size_t i = 0; i < trace->count; i++) {
        struct iw_trace_packet *packet = &trace->packets[i];
        struct shown *own = &shown[packet->copy][packet->side];

        if (packet->damage == 0) {
            note_intact(shown[packet->copy], packet);
        } else if (!cut && packet->segment.captured == packet->segment.length &&
                   is_proven(own, &packet->segment)) {
            packet->foreign = true;
            own->damaged++;
        } else if (read) {
            packet->damage = 0;
        } else {
            iw_trace_remove(trace, i--);
        }
    }
}

#include "iw_visible.h"

#include <stdlib.h>
#include <string.h>

enum { STREAM_MAX = 1 << 24 };

/* The stream offsets of the packet's octets; false if it has none in this stream. */
static bool span_of(const struct iw_trace *trace, const struct iw_trace_packet *packet, uint32_t *offset) {
    *offset = packet->segment.seq - trace->start[packet->copy][packet->side] +
              (packet->segment.flags & IW_TCP_SYN ? 1 : 0);
    return !packet->foreign && *offset <= STREAM_MAX && packet->segment.length <= STREAM_MAX - *offset;
}

static void reach(uint32_t *extent, uint32_t offset) {
    if (offset <= STREAM_MAX && offset > *extent)
        *extent = offset;
}

static void find_extents(struct iw_visible *visible, const struct iw_trace *trace, unsigned copy) {
    for (size_t i = 0; i < trace->count; i++) {
        const struct iw_trace_packet *packet = &trace->packets[i];
        enum iw_side other = iw_side_other(packet->side);
        uint32_t offset;

        if (packet->copy != copy || !span_of(trace, packet, &offset))
            continue;
        if (packet->segment.length > 0 && offset + packet->segment.length > visible->count[packet->side])
            visible->count[packet->side] = offset + packet->segment.length;
        reach(&visible->extent[packet->side], offset + packet->segment.length);
        /* The last acknowledged number may be the FIN instead of an octet. */
        if (packet->segment.flags & IW_TCP_ACK && packet->segment.ack != trace->start[copy][other])
            reach(&visible->extent[other], packet->segment.ack - trace->start[copy][other] - 1);
    }
}

bool iw_visible_init(struct iw_visible *visible, const struct iw_trace *trace, unsigned copy) {
    memset(visible, 0, sizeof *visible);
    find_extents(visible, trace, copy);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        visible->octets[side] = calloc(visible->count[side] + 1, 1);
    if (visible->octets[IW_SIDE_A] == NULL || visible->octets[IW_SIDE_B] == NULL) {
        iw_visible_dispose(visible);
        return false;
    }
    for (size_t i = 0; i < trace->count; i++) {
        const struct iw_trace_packet *packet = &trace->packets[i];
        uint32_t offset;

        if (packet->copy == copy && span_of(trace, packet, &offset) && packet->segment.captured > 0)
            memset(visible->octets[packet->side] + offset, 1, packet->segment.captured);
    }
    return true;
}

void iw_visible_dispose(struct iw_visible *visible) {
    free(visible->octets[IW_SIDE_A]);
    free(visible->octets[IW_SIDE_B]);
    memset(visible, 0, sizeof *visible);
}

bool iw_visible_hides(
    const struct iw_visible *base, const struct iw_visible *less, enum iw_side side, uint32_t *first) {
    uint32_t end = base->count[side] < less->extent[side] ? base->count[side] : less->extent[side];

    for (uint32_t i = 0; i < end; i++)
        if (base->octets[side][i] && (i >= less->count[side] || !less->octets[side][i])) {
            *first = i;
            return true;
        }
    return false;
}

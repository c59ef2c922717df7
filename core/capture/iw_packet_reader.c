#include "iw_packet_reader.h"

#include "iw_placement.h"

/* Repeats while a reassembled packet contains a fragment of a packet in a tunnel. */
IW_COLD static enum iw_packet_kind packet_reader_reassemble(
    struct iw_reassembly *reassembly, struct iw_tcp_segment *segment, struct iw_packet_facts *facts) {
    enum iw_packet_kind kind = IW_PACKET_FRAGMENT;

    while (kind == IW_PACKET_FRAGMENT) {
        struct iw_fragment *fragment = &facts->fragment;

        switch (iw_reassembly_add(reassembly, fragment, segment->frame, fragment)) {
        case IW_REASSEMBLY_WHOLE: {
            struct iw_fragment whole = *fragment;
            kind = iw_packet_resume(&whole, segment, facts);
            break;
        }
        case IW_REASSEMBLY_WAITS:
        case IW_REASSEMBLY_REPEATED:
        case IW_REASSEMBLY_NO_MEMORY:
            return IW_PACKET_FRAGMENT;
        case IW_REASSEMBLY_OTHER:
            facts->content = IW_CONTENT_UDP;
            facts->number = (uint16_t)fragment->offset;
            return IW_PACKET_OTHER;
        case IW_REASSEMBLY_MALFORMED:
            return IW_PACKET_MALFORMED;
        }
    }
    return kind;
}

enum iw_packet_kind iw_packet_read(struct iw_reassembly *reassembly, const struct iw_packet *packet,
    struct iw_tcp_segment *segment, struct iw_packet_facts *facts) {
    enum iw_packet_kind kind = iw_packet_find(packet, segment, facts);

    return kind == IW_PACKET_FRAGMENT ? packet_reader_reassemble(reassembly, segment, facts) : kind;
}

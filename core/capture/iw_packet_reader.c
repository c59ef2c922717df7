#include "iw_packet_reader.h"

#include <stdlib.h>

#include "iw_cold.h"
#include "iw_reassembly.h"

struct iw_packet_reader {
    struct iw_reassembly *reassembly; /* NULL before the first fragment */
    uint64_t given_up;                /* frames of fragments dropped because `reassembly` got no memory */
    bool no_memory;
};

struct iw_packet_reader *iw_packet_reader_new(void) {
    return calloc(1, sizeof(struct iw_packet_reader));
}

void iw_packet_reader_free(struct iw_packet_reader *reader) {
    if (reader)
        iw_reassembly_free(reader->reassembly);
    free(reader);
}

IW_COLD static enum iw_packet_kind packet_reader_give_up(struct iw_packet_reader *reader) {
    reader->no_memory = true;
    return IW_PACKET_FRAGMENT;
}

static enum iw_packet_kind reader_other_udp(struct iw_packet_facts *facts) {
    facts->content = IW_CONTENT_UDP;
    facts->number = (uint16_t)facts->fragment.offset;
    return IW_PACKET_OTHER;
}

/* A reassembled packet may contain a fragment of an inner packet. */
IW_COLD static enum iw_packet_kind read_fragment(
    struct iw_packet_reader *reader, struct iw_tcp_segment *segment, struct iw_packet_facts *facts) {
    enum iw_packet_kind kind = IW_PACKET_FRAGMENT;

    while (kind == IW_PACKET_FRAGMENT) {
        struct iw_fragment *fragment = &facts->fragment;

        switch (iw_reassembly_add(reader->reassembly, fragment, segment->frame, fragment)) {
        case IW_REASSEMBLY_WHOLE: {
            struct iw_fragment whole = *fragment;
            kind = iw_packet_resume(&whole, segment, facts);
            break;
        }
        case IW_REASSEMBLY_WAITS:
        case IW_REASSEMBLY_REPEATED:
            return IW_PACKET_FRAGMENT;
        case IW_REASSEMBLY_OTHER:
            return reader_other_udp(facts);
        case IW_REASSEMBLY_MALFORMED:
            return IW_PACKET_MALFORMED;
        case IW_REASSEMBLY_NO_MEMORY:
            return packet_reader_give_up(reader);
        }
    }
    return kind;
}

enum iw_packet_kind iw_packet_read(struct iw_packet_reader *reader, const struct iw_packet *packet,
    struct iw_tcp_segment *segment, struct iw_packet_facts *facts) {
    enum iw_packet_kind kind = iw_packet_find(packet, segment, facts);

    if (kind != IW_PACKET_FRAGMENT)
        return kind;
    if (!reader->reassembly)
        reader->reassembly = iw_reassembly_new();
    if (reader->reassembly)
        return read_fragment(reader, segment, facts);
    reader->given_up++;
    return packet_reader_give_up(reader);
}

struct iw_packet_reader_counts iw_packet_reader_counts(const struct iw_packet_reader *reader) {
    struct iw_packet_reader_counts counts = {.fragments = reader->given_up, .no_memory = reader->no_memory};

    if (reader->reassembly) {
        counts.fragments += iw_reassembly_unread(reader->reassembly);
        counts.differing = iw_reassembly_differing(reader->reassembly);
    }
    return counts;
}

#include "iw_capture_pcap.h"

enum {
    PACKET_HEADER = 16,
    LINK_TYPE_BITS = 0x03ffffff /* the upper bits describe the frame check sequence */
};

struct pcap_form {
    uint32_t magic; /* magic number, read in the byte order of this host */
    bool swapped;
    uint32_t tick_ns;
};

/* Returns the format of a file that begins with `head`. Returns NULL if `octets` is less than 8, the magic
 * number is unknown, or the version is not 2.4: in other versions, fields may have different meanings. */
static const struct pcap_form *pcap_form_of(const uint8_t *head, size_t octets) {
    static const struct pcap_form forms[] = {
        {0xa1b2c3d4, false, 1000}, {0xd4c3b2a1, true, 1000}, {0xa1b23c4d, false, 1}, {0x4d3cb2a1, true, 1}};

    for (size_t i = 0; octets >= 8 && i < sizeof forms / sizeof *forms; i++)
        if (iw_capture_32(false, head) == forms[i].magic && iw_capture_16(forms[i].swapped, head + 4) == 2 &&
            iw_capture_16(forms[i].swapped, head + 6) == 4)
            return &forms[i];
    return NULL;
}

bool iw_capture_pcap_is(const uint8_t *head, size_t octets) {
    return pcap_form_of(head, octets) != NULL;
}

enum iw_capture_outcome iw_capture_pcap_init(struct iw_capture_pcap *pcap, struct iw_capture_blocks *blocks) {
    enum iw_capture_outcome outcome = iw_capture_blocks_need(blocks, IW_CAPTURE_PCAP_HEADER);
    const struct pcap_form *form;
    uint32_t link_type;

    *pcap = (struct iw_capture_pcap){.blocks = blocks};
    if (outcome != IW_CAPTURE_GOT)
        return outcome;
    form = pcap_form_of(iw_capture_blocks_at(blocks), IW_CAPTURE_PCAP_HEADER);
    if (!form) {
        pcap->reason = "the file header is not of pcap 2.4";
        return IW_CAPTURE_DAMAGED;
    }
    pcap->swapped = form->swapped;
    pcap->tick_ns = form->tick_ns;
    link_type = iw_capture_32(form->swapped, iw_capture_blocks_at(blocks) + 20) & LINK_TYPE_BITS;
    pcap->link_type = link_type <= UINT16_MAX ? (uint16_t)link_type : UINT16_MAX;
    return iw_capture_blocks_skip(blocks, IW_CAPTURE_PCAP_HEADER);
}

enum iw_capture_outcome iw_capture_pcap_next(struct iw_capture_pcap *pcap, struct iw_packet *packet) {
    enum iw_capture_outcome outcome = iw_capture_blocks_need(pcap->blocks, PACKET_HEADER);
    const uint8_t *header;
    uint32_t octets;

    if (outcome != IW_CAPTURE_GOT)
        return outcome;
    octets = iw_capture_32(pcap->swapped, iw_capture_blocks_at(pcap->blocks) + 8);
    if (octets > IW_CAPTURE_PACKET_MAX) {
        pcap->reason = "a packet is longer than 262,144 octets";
        return IW_CAPTURE_DAMAGED;
    }
    if (octets == 0 && iw_capture_32(pcap->swapped, iw_capture_blocks_at(pcap->blocks) + 12) == 0) {
        pcap->reason = "a packet has no octets";
        return IW_CAPTURE_DAMAGED;
    }
    outcome = iw_capture_blocks_need(pcap->blocks, PACKET_HEADER + octets);
    if (outcome != IW_CAPTURE_GOT)
        return outcome;
    header = iw_capture_blocks_at(pcap->blocks);
    packet->octets = header + PACKET_HEADER;
    packet->captured = octets;
    packet->length = iw_capture_32(pcap->swapped, header + 12);
    packet->time_ns = (uint64_t)iw_capture_32(pcap->swapped, header) * 1000000000u +
                      (uint64_t)iw_capture_32(pcap->swapped, header + 4) * pcap->tick_ns;
    iw_capture_blocks_lend(pcap->blocks, PACKET_HEADER + octets);
    return IW_CAPTURE_GOT;
}

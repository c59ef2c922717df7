#ifndef IW_CAPTURE_PCAPNG_H
#define IW_CAPTURE_PCAPNG_H

#include "iw_capture_blocks.h"
#include "iw_capture_clock.h"
#include "iw_capture_record.h"

/* The frames of a pcapng file (draft-ietf-opsawg-pcapng), numbered as Wireshark does: any number of sections,
 * each in its own byte order, and of interfaces in each. */

struct iw_capture_interface {
    uint16_t link_type;
    bool read; /* packets of that type are: */
    enum iw_link link;
    uint32_t snaplen; /* 0: no limit */
    struct iw_capture_clock clock;
};

enum { IW_CAPTURE_INTERFACES_MAX = 1 << 16 }; /* of a section */

struct iw_capture_pcapng {
    struct iw_capture_blocks *blocks;        /* borrowed */
    bool swapped;                            /* the section is in the other byte order */
    struct iw_capture_interface *interfaces; /* of the section, */
    size_t interface_count, interface_room;  /* so many, and memory for so many */
    uint64_t pending;      /* octets of the latest block that are still to be stepped over */
    uint64_t begin, total; /* offset and length of the latest block */
    uint64_t time_ns;      /* of the latest packet */
    const char *reason;    /* after IW_CAPTURE_DAMAGED */
};

bool iw_capture_pcapng_is(const uint8_t *head, size_t octets);

void iw_capture_pcapng_init(struct iw_capture_pcapng *pcapng, struct iw_capture_blocks *blocks);
void iw_capture_pcapng_dispose(struct iw_capture_pcapng *pcapng);

/* Reads up to the next frame. A packet without a time (Simple Packet Block) has that of the packet before it,
 * and 0 if it is the first. */
enum iw_capture_outcome iw_capture_pcapng_next(
    struct iw_capture_pcapng *pcapng, struct iw_capture_record *record);

#endif

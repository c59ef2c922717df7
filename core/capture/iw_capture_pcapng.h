#pragma once

#include "iw_capture_blocks.h"
#include "iw_capture_option.h"
#include "iw_packet.h"

/* Reads those blocks of a pcapng file (draft-ietf-opsawg-pcapng) that Wireshark numbers as frames. A file may
 * have several sections, each in its own byte order, and a section several interfaces. */

/* What a block contains. Wireshark numbers all but IW_CAPTURE_FRAME_NONE as frames. */
enum iw_capture_frame {
    IW_CAPTURE_FRAME_NONE,
    IW_CAPTURE_FRAME_PACKET,
    IW_CAPTURE_FRAME_UNREAD, /* a packet with an unknown link type */
    IW_CAPTURE_FRAME_OTHER,  /* not a packet: a journal entry of systemd, a Sysdig event, or a custom block */
};

/* Meaning of the timestamps of an interface (draft-ietf-opsawg-pcapng 4.2: if_tsresol, if_tsoffset). */
struct iw_capture_clock {
    uint32_t unit_ns;   /* nanoseconds per unit; 0: use `resolution` */
    uint8_t resolution; /* if_tsresol: n in units of 10^-n seconds, or of 2^-n if the highest bit is set */
    int64_t offset_s;   /* seconds to add to each timestamp */
};

struct iw_capture_interface {
    uint16_t link_type;
    bool read; /* the link type is supported; `link` is then valid */
    enum iw_link link;
    uint32_t snaplen; /* 0: no limit */
    struct iw_capture_clock clock;
};

enum { IW_CAPTURE_INTERFACES_MAX = 1 << 16 }; /* interfaces of one section */

/* Takes the comment of a section header, without NUL. */
typedef void iw_capture_section(void *user, const char *comment, size_t octets);

struct iw_capture_pcapng {
    struct iw_capture_blocks *blocks;        /* borrowed */
    bool swapped;                            /* the byte order of the section is not that of this host */
    struct iw_capture_interface *interfaces; /* of the current section */
    size_t interface_count;
    uint64_t pending;            /* octets at the end of the latest block that are still to be skipped */
    uint64_t begin, total;       /* offset and length of the latest block */
    uint64_t time_ns;            /* timestamp of the latest packet */
    enum iw_capture_frame frame; /* kind of the latest frame */
    uint16_t unread;             /* link type of the latest IW_CAPTURE_FRAME_UNREAD */
    const char *reason;          /* cause of IW_CAPTURE_DAMAGED */
    struct iw_capture_options options; /* of the latest packet; valid as long as its octets */
    iw_capture_section *section;       /* gets the comments of section headers; or NULL */
    void *user;
};

/* Whether the file begins with a Section Header Block in either byte order. */
bool iw_capture_pcapng_is(const uint8_t *head, size_t octets);

void iw_capture_pcapng_init(struct iw_capture_pcapng *pcapng, struct iw_capture_blocks *blocks);
void iw_capture_pcapng_dispose(struct iw_capture_pcapng *pcapng);

/* Reads the next frame, and sets `frame`. For IW_CAPTURE_FRAME_PACKET, fills in `packet` without its frame
 * number. A Simple Packet Block has no timestamp: its packet gets that of the previous packet, or 0. */
enum iw_capture_outcome iw_capture_pcapng_next(struct iw_capture_pcapng *pcapng, struct iw_packet *packet);

#pragma once

#include "iw_fpdu.h"
#include "iw_startup.h"

/* The events of the LLP below DDP (RFC 5041 1): MPA over TCP, or SCTP. */

enum iw_llp_event_kind {
    IW_LLP_STARTUP, /* MPA: a Request or Reply Frame, or octets in its place */
    IW_LLP_SEGMENT, /* a DDP Segment: an FPDU of MPA, or a DDP Segment Chunk of SCTP */
    IW_LLP_LOSS,    /* MPA: octets that could not be read: missing, or skipped in search of an FPDU */
    IW_LLP_CLOSE,   /* a FIN, a RST (perhaps after a FIN) or the end of the input; over SCTP, of a session */
    IW_LLP_CONTROL, /* SCTP: a DDP Stream Session Control chunk */
};

enum iw_llp_close {
    IW_LLP_CLOSE_GRACEFUL, /* FIN; over SCTP, the shutdown, or the beginning of the next session */
    IW_LLP_CLOSE_ABORTIVE, /* RST or ABORT */
    IW_LLP_CLOSE_INPUT,    /* the input ended */
};

/* Octets that could not be read. */
struct iw_mpa_loss {
    uint64_t missing;  /* octets that the input lacks; the other octets of the LOSS were skipped */
    uint64_t limited;  /* part of `missing`: given up because of a limit; the input may have them */
    uint64_t given_up; /* octets, besides `missing`, not read because of a limit or because memory ran out */
    uint32_t startup_seen; /* the octets begin with this many octets of a startup frame */
    bool cut;              /* the capture truncated some of the missing octets */
    bool open;             /* no FPDU was found after these octets */
    bool unsearched;       /* reading had ended before these octets, so they were not searched for FPDUs */
    bool streaming;        /* the octets may be the ULP's, as after a Reply that rejects (RFC 5044 7.1.2) */
    /* Nothing is missing: the octets lie between the end of the startup frame by PD_Length and the first
     * FPDU, and are few enough to be private data. */
    bool private_data;
};

/* The unfinished startup frame or FPDU at the end of a stream. */
struct iw_mpa_pending {
    uint32_t octets;
    uint32_t missing;   /* FPDU: how many of `octets` are missing or come after the first hole */
    uint32_t whole;     /* length in the stream that the frame would have; 0 if unknown */
    bool startup;       /* the octets belong to a startup frame */
    bool fpdu;          /* the octets may belong to an FPDU */
    bool marker;        /* the octets are only the Marker that precedes an FPDU */
    bool ends_with_crc; /* FPDU that is complete except for Markers: it ends with its CRC */
};

struct iw_session_event;

struct iw_llp_event {
    enum iw_llp_event_kind kind;
    enum iw_side side;
    uint64_t offset; /* stream offset of the first octet; over SCTP 0 */
    uint64_t octets; /* number of octets in the stream; over SCTP the length of the user data */
    uint64_t frame;  /* capture frame in which the octets end */
    uint64_t time_ns;
    uint64_t first_frame; /* capture frame in which the octets begin */

    /* STARTUP, SEGMENT, CONTROL: the octets without Markers */
    const uint8_t *image;
    uint32_t image_octets;   /* as sent */
    uint32_t image_captured; /* octets at `image` */

    /* SEGMENT: the DDP Segment begins after ULPDU_Length or DDP-SSN, both of two octets (RFC 5043 5.2.2). */
    uint16_t segment_octets;
    bool damaged;                  /* the CRC does not match, so any octet of the segment may be wrong */
    enum iw_field_id length_field; /* the field that states segment_octets; IW_FIELD_COUNT: none (SCTP) */

    enum iw_llp_close close; /* CLOSE */

    /* Over MPA; otherwise NULL or 0 */
    const struct iw_startup *startup; /* STARTUP */
    const struct iw_fpdu *fpdu;       /* SEGMENT */
    bool unproven;                    /* SEGMENT, CLOSE: the FPDU may be payload (struct iw_half_evidence) */
    bool markers_unexpected; /* SEGMENT: the first FPDU with unrequested, or without requested Markers */
    struct iw_mpa_loss loss; /* LOSS */
    struct iw_mpa_pending pending; /* CLOSE */

    /* Over SCTP; otherwise NULL */
    const struct iw_session_event *session;
};

/* The DDP Segment in the image; iw_llp_segment_captured: how many octets of it were captured. */
static inline const uint8_t *iw_llp_segment(const struct iw_llp_event *event) {
    return event->image + iw_mpa_fpdu_octets;
}

static inline uint32_t iw_llp_segment_captured(const struct iw_llp_event *event) {
    return iw_segment_captured(event->image_captured, event->segment_octets);
}

/* The stream offset of octet `at` of the image; `at` < image_captured. */
static inline uint64_t iw_llp_offset(const struct iw_llp_event *event, uint32_t at) {
    return event->fpdu == NULL ? event->offset + at : iw_fpdu_offset(event->fpdu, at);
}

/* The SEGMENT event of an FPDU; `unproven` is false. */
static inline struct iw_llp_event iw_llp_event_of_fpdu(const struct iw_fpdu *fpdu) {
    return (struct iw_llp_event){.kind = IW_LLP_SEGMENT,
        .side = fpdu->side,
        .offset = fpdu->offset,
        .octets = fpdu->wire_octets,
        .frame = fpdu->frame,
        .time_ns = fpdu->time_ns,
        .first_frame = fpdu->first_frame,
        .image = fpdu->image,
        .image_octets = fpdu->image_octets,
        .image_captured = fpdu->image_captured,
        .segment_octets = fpdu->ulpdu_length,
        .damaged = iw_crc_differs(fpdu->crc),
        .length_field = iw_field_mpa_fpdu_ulpdu_length,
        .fpdu = fpdu};
}

typedef void iw_llp_sink(void *user, const struct iw_llp_event *event);

#pragma once

#include "iw_cursor.h"
#include "iw_fpdu.h"

/* Writes the FPDUs of one direction (RFC 5044 4). Computes the fields of a correct FPDU; the caller can
 * override each of them, so that the same code writes invalid FPDUs. */

struct iw_fpdu_writer {
    bool markers;      /* insert Markers: the peer asked for them */
    bool crc;          /* compute the CRC; otherwise the field is 0 */
    uint64_t position; /* octets written since the start of full operation, markers included */
};

enum iw_fpdu_override {
    IW_FPDU_SET_LENGTH = 1 << 0,     /* ulpdu_length instead of the number of octets of the ULPDU */
    IW_FPDU_SET_PAD_OCTETS = 1 << 1, /* pad_octets instead of the PAD that fills the word */
    IW_FPDU_SET_CRC = 1 << 2,        /* `crc`, in network byte order, instead of the computed CRC */
    IW_FPDU_NO_CRC = 1 << 3,         /* omit the CRC field */
    IW_FPDU_SET_FPDUPTR = 1 << 4,    /* fpduptr in every marker */
    IW_FPDU_NO_MARKERS = 1 << 5,     /* omit the Markers that are due */
};

/* What to write: the ULPDU as headers and payload, and the values to override. */
struct iw_fpdu_parts {
    const uint8_t *headers;
    size_t header_octets;
    const uint8_t *payload;
    size_t payload_octets;

    unsigned overrides; /* set of enum iw_fpdu_override */
    uint16_t ulpdu_length;
    uint8_t pad_octets;
    uint8_t pad_value;        /* of every PAD octet; 0 is correct (RFC 5044 4.1) */
    uint32_t crc;             /* with IW_FPDU_SET_CRC */
    uint32_t crc_flip;        /* bits of the CRC to invert; 0 is correct */
    uint16_t marker_reserved; /* 0 is correct (RFC 5044 4.2) */
    uint16_t fpduptr;         /* with IW_FPDU_SET_FPDUPTR */
    int16_t fpduptr_shift;    /* added to FPDUPTR; 0 is correct */
};

/* Starts at position 0, so that with `markers` a Marker precedes the first FPDU (RFC 5044 4.3). */
void iw_fpdu_writer_init(struct iw_fpdu_writer *writer, bool markers, bool crc);

/* The most octets that iw_fpdu_write appends for a ULPDU of `ulpdu_octets`. */
size_t iw_fpdu_write_max(size_t ulpdu_octets);

/* The sizes of the FPDU that iw_fpdu_write makes of the parts. */
struct iw_fpdu_shape {
    size_t octets;    /* on the wire, Markers included */
    uint32_t pad;     /* octets of PAD */
    bool marked;      /* Markers are in use */
    uint32_t markers; /* Markers due in the FPDU or right before it, even if omitted */
};

struct iw_fpdu_shape iw_fpdu_measure(const struct iw_fpdu_writer *writer, const struct iw_fpdu_parts *parts);

/* Appends one FPDU and advances the position. If it does not fit, only sets `output->failed`. */
void iw_fpdu_write(
    struct iw_fpdu_writer *writer, const struct iw_fpdu_parts *parts, struct iw_output *output);

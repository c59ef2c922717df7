#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_cursor.h"

/* Input of the fuzz targets: a scene of four octets, then records, each with a header of six octets and its
 * octets. A record does one thing to a TCP connection or SCTP association: append a correct FPDU to the
 * stream, send part of it, retransmit, lose. So mutating one record leaves the others intact, and a short
 * input reaches deep states. Every octet string is a valid input; a truncated record uses what is there.
 * Octets 0 mean the ordinary case everywhere. */

enum { IW_FUZZ_SCENE_OCTETS = 4, IW_FUZZ_RECORD_OCTETS = 6 };

/* The first four octets. */
struct iw_fuzz_scene {
    uint8_t terms;    /* preferences: two bits each for CRC and for Markers of both roles; two switches */
    uint8_t switches; /* preferences: bits that invert defaults */
    uint8_t stream;   /* set of enum iw_fuzz_stream */
    uint8_t order;    /* order of the frames in the third pass; bit 0: trees in the first pass; bit 1: run the
                         third pass */
};

enum iw_fuzz_stream {
    IW_FUZZ_MIDSTREAM = 1 << 0, /* without handshake */
    IW_FUZZ_WRAP = 1 << 1,      /* sequence numbers wrap soon */
    IW_FUZZ_IPV6 = 1 << 2,
    IW_FUZZ_PORT = 3 << 3,      /* selects the port */
    IW_FUZZ_MARKERS_A = 1 << 5, /* FPDUs of that side have Markers */
    IW_FUZZ_MARKERS_B = 1 << 6,
    IW_FUZZ_CRC_OFF = 1 << 7, /* FPDUs have no CRC */
};

enum iw_fuzz_kind {
    IW_FUZZ_SEGMENT, /* octets: payload of a TCP segment, `at` octets after the last one sent */
    IW_FUZZ_FPDU,    /* octets: a ULPDU; sent immediately with IW_FUZZ_SEND */
    IW_FUZZ_STARTUP, /* octets: what follows the Key of a Request (side A) or Reply */
    IW_FUZZ_OCTETS,  /* octets: appended to the stream unchanged */
    IW_FUZZ_SENDING, /* sends part of the stream, `at` octets after the last one sent; two octets: length, 0:
                        all; two octets: captured length, 0: all */
    IW_FUZZ_CONTROL, /* no payload: the first octet is the flags; `at` moves the sequence number */
    IW_FUZZ_RECONNECT, /* another connection between the same addresses; with IW_FUZZ_SEND between other ports
                        */
    IW_FUZZ_DATA,      /* octets: user data of an SCTP DATA chunk; `at` moves the TSN */
    IW_FUZZ_KINDS,
};

enum iw_fuzz_option {
    IW_FUZZ_SIDE_B = 1 << 0,
    IW_FUZZ_SEND = 1 << 1,
    IW_FUZZ_OTHER_KEY = 1 << 2,  /* STARTUP: Key of the other role. DATA: PPID 17 */
    IW_FUZZ_OWN_LENGTH = 1 << 3, /* `at` is added to ULPDU_Length or PD_Length */
    IW_FUZZ_BAD_CRC = 1 << 4,    /* FPDU. DATA: not the first fragment */
    IW_FUZZ_FPDUPTR = 1 << 5,    /* FPDU: `at` is added to FPDUPTR. DATA: not the last fragment */
    IW_FUZZ_FIN = 1 << 6,        /* FIN in the segments sent */
    IW_FUZZ_ACK_AHEAD = 1 << 7,  /* acknowledges octets that the capture lacks. DATA: other stream id */
};

struct iw_fuzz_record {
    uint8_t kind; /* enum iw_fuzz_kind, modulo IW_FUZZ_KINDS */
    uint8_t options;
    int16_t at;
    uint16_t length;
    const uint8_t *octets; /* NULL if `length` is 0 */
};

/* Reads the scene; missing octets are 0. */
struct iw_fuzz_scene iw_fuzz_scene_take(struct iw_cursor *input);

/* Reads the next record; false at the end or without a complete header. A truncated record has the octets
 * that are present. */
bool iw_fuzz_record_take(struct iw_cursor *input, struct iw_fuzz_record *record);

/* Write a scene and a record. */
void iw_fuzz_scene_put(struct iw_output *output, const struct iw_fuzz_scene *scene);
void iw_fuzz_record_put(struct iw_output *output, const struct iw_fuzz_record *record);

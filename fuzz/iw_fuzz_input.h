#ifndef IW_FUZZ_INPUT_H
#define IW_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_cursor.h"

/* What the fuzz targets take: four octets that set the scene, then records, each a header of six octets and
 * as many octets as it says. A record does one thing to a connection of TCP or SCTP: append a correct FPDU to
 * a stream, send some of it, send it again, lose some. So a mutation of a record leaves the others what they
 * are, and an input of a few records gets deep. Any octets are an input: what is cut short counts as far as
 * it goes. All octets 0 is the ordinary case of each. */

enum { IW_FUZZ_SCENE_OCTETS = 4, IW_FUZZ_RECORD_OCTETS = 6 };

/* The first octets. */
struct iw_fuzz_scene {
    uint8_t terms;    /* preferences: two bits each of CRC, Markers of both roles; two switches */
    uint8_t switches; /* preferences: bits turn over what is the default */
    uint8_t stream;   /* set of enum iw_fuzz_stream */
    uint8_t
        order; /* of the frames in the third pass; bit 0: trees in the first pass; bit 1: there is a third */
};

enum iw_fuzz_stream {
    IW_FUZZ_MIDSTREAM = 1 << 0, /* no handshake */
    IW_FUZZ_WRAP = 1 << 1,      /* sequence numbers are about to wrap */
    IW_FUZZ_IPV6 = 1 << 2,
    IW_FUZZ_PORT = 3 << 3,      /* which port */
    IW_FUZZ_MARKERS_A = 1 << 5, /* FPDUs of that side are written with Markers */
    IW_FUZZ_MARKERS_B = 1 << 6,
    IW_FUZZ_CRC_OFF = 1 << 7, /* FPDUs are written without CRC */
};

enum iw_fuzz_kind {
    IW_FUZZ_SEGMENT, /* its octets are the payload of a TCP segment, `at` octets beyond what was sent */
    IW_FUZZ_FPDU,    /* its octets are a ULPDU; with IW_FUZZ_SEND sent at once */
    IW_FUZZ_STARTUP, /* its octets follow the key of a Request (side A) or Reply */
    IW_FUZZ_OCTETS,  /* appended to the stream as they are */
    IW_FUZZ_SENDING, /* two octets: how many of the stream are sent, 0 all; two octets: how many of them are
                        captured, 0 all; from `at` octets beyond what was sent */
    IW_FUZZ_CONTROL, /* no payload: flags are its first octet; `at` moves the sequence number */
    IW_FUZZ_ANEW,    /* another connection of the same addresses, or with IW_FUZZ_SEND of other ports */
    IW_FUZZ_DATA,    /* its octets are the user data of an SCTP DATA chunk; `at` moves the TSN */
    IW_FUZZ_KINDS,
};

enum iw_fuzz_option {
    IW_FUZZ_SIDE_B = 1 << 0,
    IW_FUZZ_SEND = 1 << 1,
    IW_FUZZ_OTHER_KEY = 1 << 2,  /* STARTUP: that of the other role. DATA: PPID 17 */
    IW_FUZZ_OWN_LENGTH = 1 << 3, /* `at` is added to ULPDU_Length or PD_Length */
    IW_FUZZ_BAD_CRC = 1 << 4,    /* FPDU. DATA: not the first fragment */
    IW_FUZZ_FPDUPTR = 1 << 5,    /* FPDU: `at` is added to FPDUPTR. DATA: not the last fragment */
    IW_FUZZ_FIN = 1 << 6,        /* with what is sent */
    IW_FUZZ_ACK_AHEAD = 1 << 7,  /* acknowledges what the capture does not hold. DATA: other stream id */
};

struct iw_fuzz_record {
    uint8_t kind; /* of enum iw_fuzz_kind, modulo IW_FUZZ_KINDS */
    uint8_t options;
    int16_t at;
    uint16_t length;
    const uint8_t *octets; /* NULL if `length` is 0 */
};

/* Takes the scene from the beginning; octets that are not there are 0. */
struct iw_fuzz_scene iw_fuzz_scene_take(struct iw_cursor *input);

/* Takes the next record; false at the end, or where what is left is no header. A record that is cut short has
 * the octets that are there. */
bool iw_fuzz_record_take(struct iw_cursor *input, struct iw_fuzz_record *record);

/* Writes what the two above take. */
void iw_fuzz_scene_put(struct iw_output *output, const struct iw_fuzz_scene *scene);
void iw_fuzz_record_put(struct iw_output *output, const struct iw_fuzz_record *record);

#endif

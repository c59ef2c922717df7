#ifndef IW_MPA_SCTP_MAP_H
#define IW_MPA_SCTP_MAP_H

#include "iw_half.h"
#include "iw_sctp.h"

/* What is said over MPA and over SCTP alike (RFC 5043 5.2, RFC 6581 7): a startup frame and a DDP Stream
 * Session Control chunk, an FPDU and a DDP Segment Chunk. What only MPA has, Markers, PAD, CRC, M and C, has
 * no likeness over SCTP. */

enum {
    IW_MPA_SCTP_MAP_OCTETS_MAX = 65535 + 2,     /* of user data: a ULPDU behind its DDP-SSN */
    IW_MPA_SCTP_MAP_MPA_OCTETS_MAX = 65535 + 9, /* of an FPDU */
};

/* Writes the user data of a STARTUP or FPDU event of MPA, `octets` of IW_MPA_SCTP_MAP_OCTETS_MAX, behind that
 * DDP-SSN. Returns their length, or 0 if it has no likeness: another event, or a startup frame of unknown
 * key. */
size_t iw_mpa_sctp_map_sctp(const struct iw_mpa_event *event, uint16_t ssn, uint8_t *octets, uint32_t *ppid);

/* Writes the user data of a control chunk. Returns their length. */
size_t iw_mpa_sctp_map_control(
    unsigned function, uint16_t ssn, const uint8_t *private_data, size_t length, uint8_t *octets);

/* Writes the startup frame without M and C, or the FPDU without CRC (four octets of zero), that user data are
 * like, to `octets` of IW_MPA_SCTP_MAP_MPA_OCTETS_MAX. Returns its length, or 0: a session Terminate, an
 * unknown function, a chunk that is not DDP's or shorter than its header, or private data of more than 512
 * octets. */
size_t iw_mpa_sctp_map_mpa(const struct iw_sctp_message *message, uint8_t *octets);

#endif

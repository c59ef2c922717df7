#pragma once

#include "iw_half.h"
#include "iw_sctp.h"

/* Maps MPA to SCTP and back (RFC 5043 5.2, RFC 6581 7): a startup frame corresponds to a DDP Stream Session
 * Control chunk, an FPDU to a DDP Segment Chunk. Markers, PAD, CRC, M and C exist only in MPA. */

enum {
    IW_MPA_SCTP_MAP_OCTETS_MAX = 65535 + 2,     /* of user data: a DDP-SSN and a ULPDU */
    IW_MPA_SCTP_MAP_MPA_OCTETS_MAX = 65535 + 9, /* of an FPDU */
};

/* Writes the user data for a STARTUP or SEGMENT event of MPA, with this DDP-SSN, to `octets` of
 * IW_MPA_SCTP_MAP_OCTETS_MAX. Returns their length; 0 for another event or an unknown Key. */
size_t iw_mpa_sctp_map_sctp(const struct iw_llp_event *event, uint16_t ssn, uint8_t *octets, uint32_t *ppid);

/* Writes the user data of a control chunk. Returns their length. */
size_t iw_mpa_sctp_map_control(
    unsigned function, uint16_t ssn, const uint8_t *private_data, size_t length, uint8_t *octets);

/* Makes the startup frame of a control message with `private_octets` octets of private and enhanced data;
 * private_data stays NULL. Returns false for a session Terminate or an unknown function. */
bool iw_mpa_sctp_map_startup(
    const struct iw_sctp_session *session, size_t private_octets, struct iw_startup *startup);

/* Writes the startup frame (without M and C) or the FPDU (CRC of zeros) for user data to `octets` of
 * IW_MPA_SCTP_MAP_MPA_OCTETS_MAX. Returns its length; 0 for a session Terminate, an unknown function, a chunk
 * not of DDP or shorter than its header, or private data of more than 512 octets. */
size_t iw_mpa_sctp_map_mpa(const struct iw_sctp_message *message, uint8_t *octets);

#pragma once

#include "iw_iser.h"
#include "iw_upper_state.h"

/* The parts of iSER. */

/* A message with an iSCSI PDU: what its iSER header and its Basic Header Segment say. */
struct iw_upper_iser_pdu {
    uint8_t flags;
    uint32_t write_stag, read_stag;
    uint64_t write_base, read_base;
    const uint8_t *bhs;
    uint8_t opcode;
    uint32_t data_octets;
    uint32_t itt;
    uint32_t word20; /* EDTL of a command, TTT of other PDUs */
};

/* Takes a Hello or HelloReply, of which the header is captured. */
void iw_upper_iser_hello(struct iw_upper *upper, const struct iw_upper_send *send);

/* Judges a PDU as one of the login, or after it. */
void iw_upper_iser_login(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_upper_iser_pdu *pdu);

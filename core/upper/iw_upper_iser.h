#pragma once

#include "iw_upper_state.h"

/* The parts of iSER. */

enum { IW_UPPER_ISER_HEADER = 28 };

/* The Opcode of the iSER header: the upper half of octet 0 (RFC 7145 9.1). */
enum iw_upper_iser_opcode {
    IW_UPPER_ISER_CONTROL = 1,
    IW_UPPER_ISER_HELLO = 2,
    IW_UPPER_ISER_HELLO_REPLY = 3,
};

/* Takes a Hello or HelloReply, of which the header is captured. */
void iw_upper_iser_hello(struct iw_upper *upper, const struct iw_upper_send *send);

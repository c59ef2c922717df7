#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The messages of SMB Direct ([MS-SMBD] 2.2); least significant octet first. */

enum {
    IW_SMBD_VERSION = 0x0100,
    IW_SMBD_NEGOTIATE_REQUEST_OCTETS = 20,
    IW_SMBD_NEGOTIATE_RESPONSE_OCTETS = 32,
    IW_SMBD_HEADER_OCTETS = 20, /* of a data message, without padding; a message without data ends here */
    IW_SMBD_DATA_AT = 24,       /* offset of the data, after 4 octets of padding */
};

/* Whether the message of `octets` octets, of which the first `captured` are at `data`, is a Negotiate Request
 * or Negotiate Response. */
bool iw_smbd_is_negotiate(const uint8_t *data, uint64_t captured, uint64_t octets);

/* Whether it may be a data message. */
bool iw_smbd_is_data(const uint8_t *data, uint64_t captured, uint64_t octets);

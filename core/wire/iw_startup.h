#pragma once

#include <stdbool.h>

#include "iw_layout.h"

/* MPA Request and Reply Frames (RFC 5044 7.1.1, RFC 6581 6 and 9). */

enum {
    IW_STARTUP_PD_MAX = 512,    /* octets of private data, enhanced data included (RFC 5044 7.1.1) */
    IW_STARTUP_REV_MAX = 2,     /* highest MPA revision that an RFC defines (RFC 6581 6) */
    IW_STARTUP_REV_ERDMA = 129, /* Linux driver erdma of Alibaba */
    IW_IRD_ORD_NONE = 0x3FFF,   /* IRD or ORD: no automatic negotiation (RFC 6581 9.1) */
};

/* The Keys, in ASCII without NUL (RFC 5044 7.1.1). */
extern const uint8_t iw_startup_key_request[16];
extern const uint8_t iw_startup_key_reply[16];

enum iw_startup_key { IW_STARTUP_REQUEST, IW_STARTUP_REPLY, IW_STARTUP_UNKNOWN };

/* Returns which Key these octets are. */
enum iw_startup_key iw_startup_key_of(const uint8_t key[16]);

struct iw_startup {
    enum iw_startup_key key;
    struct iw_mpa_startup header;
    bool enhanced; /* S=1, Rev 2, and the four octets of enhanced data are present (RFC 6581 6) */
    struct iw_mpa_enhanced enhanced_data;
    bool erdma; /* Rev 129, and the frame is long enough for the extension */
    struct iw_mpa_erdma erdma_data;
    const uint8_t *private_data; /* after the header, and after the enhanced data or extension if present */
    size_t private_octets;
};

/* The RTR types: zero-length messages that may be the first FPDU of the initiator (RFC 6581 9.2). */
enum iw_rtr { IW_RTR_SEND = 1 << 0, IW_RTR_WRITE = 1 << 1, IW_RTR_READ = 1 << 2 };

/* Names of the RTR types, in the order of the bits: "send", "write", "read"; then NULL. */
extern const char *const iw_rtr_names[];

/* Returns the RTR types that enhanced data name, as a set of enum iw_rtr. */
unsigned iw_startup_rtr(const struct iw_mpa_enhanced *enhanced);

/* Returns a set of enum iw_rtr as text: "none", or for example "zero-length Send or RDMA Write". */
const char *iw_startup_rtr_text(unsigned rtr);

/* Whether an RFC defines the Rev of the frame. */
bool iw_startup_is_defined(const struct iw_startup *frame);

/* Returns the name of the dialect (a vendor's variant of MPA) with this Rev, for example "erdma", or NULL. */
const char *iw_startup_dialect(uint8_t rev);

/* Returns the length of the frame in octets, computed from its first 20 octets: 20 + PD_Length, even if
 * PD_Length is invalid, and without the extension of a vendor's dialect. */
size_t iw_startup_octets(const uint8_t header[iw_mpa_startup_octets]);

/* Returns the octets that a vendor's dialect with this Rev adds between header and private data, outside of
 * PD_Length; 0 without a dialect. The frame may lack them, because the Rev may be wrong. */
size_t iw_startup_extension(const uint8_t header[iw_mpa_startup_octets]);

/* Decodes a frame of `length` octets, 20 or more. Private data beyond `length` is missing. A frame with the
 * Rev of a vendor's dialect has the extension if `length` is large enough for the whole frame with it. */
void iw_startup_decode(const uint8_t *octets, size_t length, struct iw_startup *frame);

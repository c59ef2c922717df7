#ifndef IW_STARTUP_H
#define IW_STARTUP_H

#include <stdbool.h>

#include "iw_layout.h"

/* MPA Request and Reply Frames (RFC 5044 7.1.1, RFC 6581 6 and 9). */

enum {
    IW_STARTUP_PD_MAX = 512,    /* octets of private data, enhanced data included (RFC 5044 7.1.1) */
    IW_STARTUP_REV_MAX = 2,     /* highest MPA revision that an RFC defines (RFC 6581 6) */
    IW_STARTUP_REV_ERDMA = 129, /* Alibaba's Linux driver erdma */
    IW_IRD_ORD_NONE = 0x3FFF,   /* IRD or ORD: no automatic negotiation (RFC 6581 9.1) */
};

/* ASCII, no NUL (RFC 5044 7.1.1). */
extern const uint8_t iw_startup_key_request[16];
extern const uint8_t iw_startup_key_reply[16];

enum iw_startup_key { IW_STARTUP_REQUEST, IW_STARTUP_REPLY, IW_STARTUP_UNKNOWN };

/* Which Key the 16 octets are. */
enum iw_startup_key iw_startup_key_of(const uint8_t key[16]);

struct iw_startup {
    enum iw_startup_key key;
    struct iw_mpa_startup header;
    bool enhanced; /* S=1, Rev 2, and the four octets of enhanced data are present (RFC 6581 6) */
    struct iw_mpa_enhanced enhanced_data;
    bool erdma; /* Rev 129, and the frame is so long that it has the extension */
    struct iw_mpa_erdma erdma_data;
    const uint8_t *private_data; /* after the header, and after the enhanced data or extension if present */
    size_t private_octets;
};

/* The RTR types: zero-length messages for the initiator's first FPDU; flags B, C and D (RFC 6581 9.2). */
enum iw_rtr { IW_RTR_SEND = 1 << 0, IW_RTR_WRITE = 1 << 1, IW_RTR_READ = 1 << 2 };

/* "send", "write", "read", in the order of the bits; then NULL. */
extern const char *const iw_rtr_names[];

/* The RTR types that enhanced data name: a set of enum iw_rtr. */
unsigned iw_startup_rtr(const struct iw_mpa_enhanced *enhanced);

/* A set of enum iw_rtr as text: "zero-length Send or RDMA Write"; "none" if it is empty. */
const char *iw_startup_rtr_text(unsigned rtr);

/* Whether the Rev of the frame is defined by an RFC. */
bool iw_startup_is_defined(const struct iw_startup *frame);

/* The name of the dialect (a vendor's variant of MPA) with this Rev, such as "erdma"; NULL if none has it. */
const char *iw_startup_dialect(uint8_t rev);

/* Length in octets of the frame, computed from its first 20 octets: 20 + PD_Length, even if PD_Length is
 * invalid, and without the extension of a vendor's dialect. */
size_t iw_startup_octets(const uint8_t header[iw_mpa_startup_octets]);

/* Octets that a vendor's dialect with this Rev adds between the header and the private data, not counted by
 * PD_Length; 0 if no dialect has this Rev. The frame may lack these octets, because the Rev may be wrong. */
size_t iw_startup_extension(const uint8_t header[iw_mpa_startup_octets]);

/* Decodes a frame of `length` octets, 20 or more; private data beyond it is missing. A frame with the Rev of
 * a vendor's dialect has the extension if `length` is large enough for the whole frame with it. */
void iw_startup_decode(const uint8_t *octets, size_t length, struct iw_startup *frame);

#endif

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The options of a pcapng block (draft-ietf-opsawg-pcapng 3.5). A zeroed struct has no options. */

struct iw_capture_options {
    const uint8_t *at, *end;
    bool swapped; /* the byte order of the section is not that of this host */
};

struct iw_capture_option {
    uint16_t code, length;
    const uint8_t *value; /* `length` octets in the block */
};

enum { IW_CAPTURE_OPTION_COMMENT = 1 }; /* opt_comment */

/* Returns the next option; false after the last one, or at a truncated or invalid option. */
bool iw_capture_option_next(struct iw_capture_options *options, struct iw_capture_option *option);

/* What a packet block says about its packet. */
struct iw_capture_note {
    uint64_t id;         /* epb_packetid; 0: none */
    const char *comment; /* the first comment, without NUL; NULL: none */
    size_t comment_octets;
};

void iw_capture_options_note(struct iw_capture_options options, struct iw_capture_note *note);

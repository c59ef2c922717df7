#pragma once

#include <stdio.h>

#include "iw_conversation.h"

/* Prints the script (docs/scripts.md) that plays one side of a recorded conversation. The script sends what
 * that side sent, in the order of the capture, and waits for what that side had received by then. Each
 * message is written as a call of the endpoint's method and encoded again: if the octets differ from the
 * capture, the message becomes c:fpdu{}, or else plain octets. */

struct iw_printer_options {
    enum iw_side side;
    const char *file; /* name of the capture, for the comment at the top */
    bool timing;      /* the script pauses before it sends, as long as that side did in the capture */
    uint64_t limit;   /* octets allowed as hexadecimal digits in the script; 0: no limit */
};

/* Prints to `out`. The conversation must be complete (`broken` is ""). Sets *octets to the number of octets
 * written as digits. Returns IW_OK, IW_ERR_LIMIT if they exceed options->limit, or IW_ERR_NOMEM. */
enum iw_status iw_printer_print(const struct iw_conversation *conversation,
    const struct iw_printer_options *options, FILE *out, uint64_t *octets);

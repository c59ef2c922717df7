#ifndef IW_PRINTER_H
#define IW_PRINTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_conversation.h"
#include "iw_status.h"

/* Prints the script (docs/scripts.md) that plays one side of a recorded conversation: what that side sent, in
 * the order of the capture between what it had heard by then. Each message is written as the endpoint would
 * have to be asked for it, and checked: only if that gives the octets of the capture it stands so; otherwise
 * as an FPDU by hand, or as octets. */

struct iw_printer_options {
    enum iw_side side;
    const char *file; /* its name, for the head of the script */
    bool timing;      /* waits as long as the capture shows before it sends */
    uint64_t limit;   /* octets that may stand in the script as hexadecimal digits; 0: any number */
};

/* Prints to `out`. IW_ERR_LIMIT: more octets than options->limit; how many goes to *octets. IW_ERR_NOMEM. The
 * conversation is whole (`broken` is ""). */
enum iw_status iw_printer_print(const struct iw_conversation *conversation,
    const struct iw_printer_options *options, FILE *out, uint64_t *octets);

#endif

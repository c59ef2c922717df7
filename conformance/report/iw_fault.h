#ifndef IW_FAULT_H
#define IW_FAULT_H

#include <stdbool.h>

#include "iw_outcome.h"

/* What a device does wrong in a case, without what varies between runs: two results with the same verdict may
 * have different faults. */

enum iw_fault_part {
    IW_FAULT_TERMINATE, /* its error: "2/0/02" */
    IW_FAULT_CLOSE,     /* "terminate+fin" */
    IW_FAULT_VIOLATES,  /* ids of the violated requirements, sorted, separated by commas */
    IW_FAULT_CRASH,     /* console line, without time and numbers; or "unresponsive" */
    IW_FAULT_STEP,      /* of the script */
    IW_FAULT_PARTS,
};

enum { IW_FAULT_OCTETS = 768 };

const char *iw_fault_name(enum iw_fault_part part); /* "terminate" */

/* Whether the verdict of the case is about a fault of the device. */
bool iw_fault_has(const struct iw_outcome_case *one);

/* The part as text, without quotes, '|' and control characters; "none" if the case has no such part. */
void iw_fault_text(const struct iw_outcome_case *one, enum iw_fault_part part, char text[IW_FAULT_OCTETS]);

/* Whether `expected`, one text or several separated by '|', has the text; NULL is "none". */
bool iw_fault_fits(const char *expected, const char *text);

#endif

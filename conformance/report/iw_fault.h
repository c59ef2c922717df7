#pragma once

#include <stdbool.h>

#include "iw_outcome.h"

/* The fault of a device in a case, without details that vary between runs. Results with equal verdicts may
 * have different faults. */

enum iw_fault_part {
    IW_FAULT_TERMINATE, /* error of the Terminate. Example: "2/0/02" */
    IW_FAULT_CLOSE,     /* how the device closed. Example: "terminate+fin" */
    IW_FAULT_VIOLATES,  /* sorted ids of the violated requirements, separated by commas */
    IW_FAULT_CRASH,     /* line of the console, without time and numbers; or "unresponsive" */
    IW_FAULT_STEP,      /* step of the script that failed */
    IW_FAULT_PARTS,
};

enum { IW_FAULT_OCTETS = 768 };

const char *iw_fault_name(enum iw_fault_part part); /* Example: "terminate" */

/* Returns whether the case has a fault: its verdict is fail, warning or note. */
bool iw_fault_has(const struct iw_outcome_case *one);

/* Writes the part as text, or "none". Replaces quotes, '|' and control characters. */
void iw_fault_text(const struct iw_outcome_case *one, enum iw_fault_part part, char text[IW_FAULT_OCTETS]);

/* Copies the line without a time in brackets at its begin, with '#' for each number: decimal, or hexadecimal
 * such as an address. */
void iw_fault_mask(const char *line, char text[IW_FAULT_OCTETS]);

/* Returns whether `text` is one of the texts in `expected`, separated by '|'. NULL stands for "none". */
bool iw_fault_fits(const char *expected, const char *text);

#ifndef IW_LOAD_REPORT_H
#define IW_LOAD_REPORT_H

#include <stdio.h>

#include "iw_load.h"

/* Reports a load's measurements as text and as JSON. */

void iw_load_report_text(FILE *out, const struct iw_load_config *config, const struct iw_load_result *result);

/* Prints one object, {"type":"load", …}, on one line. False: out of memory or write error. */
bool iw_load_report_json(FILE *out, const struct iw_load_config *config, const struct iw_load_result *result);

/* Prints the progress since `before`, an earlier state, in `passed_ns`: one line without newline. */
struct iw_load_progress {
    uint64_t count;
    uint64_t octets;
};
void iw_load_report_progress(
    FILE *out, const struct iw_load_result *result, struct iw_load_progress *before, uint64_t passed_ns);

#endif

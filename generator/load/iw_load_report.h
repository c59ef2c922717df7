#ifndef IW_LOAD_REPORT_H
#define IW_LOAD_REPORT_H

#include <stdio.h>

#include "iw_load.h"

/* What a load has measured: for people, and for programs. */

void iw_load_report_text(FILE *out, const struct iw_load_config *config, const struct iw_load_result *result);

/* One object, {"type":"load", …}, on one line. Returns false if there is no memory, or it cannot be written.
 */
bool iw_load_report_json(FILE *out, const struct iw_load_config *config, const struct iw_load_result *result);

/* How far it is, in one line without its end: what was done since `before`, an earlier state of the same
 * load, in `passed_ns`. */
struct iw_load_progress {
    uint64_t count;
    uint64_t octets;
};
void iw_load_report_progress(
    FILE *out, const struct iw_load_result *result, struct iw_load_progress *before, uint64_t passed_ns);

#endif

#ifndef IW_CHECK_FINDINGS_H
#define IW_CHECK_FINDINGS_H

#include "iw_check_report.h"

/* Prints the findings of a connection for people, each with its event and the violating octets, its
 * consequences indented below it, and the number of findings that were not kept. */
void iw_check_findings_print(struct iw_check_report *report, const struct iw_check_connection *connection);

#endif

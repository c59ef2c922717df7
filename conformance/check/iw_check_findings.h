#ifndef IW_CHECK_FINDINGS_H
#define IW_CHECK_FINDINGS_H

#include "iw_check_report.h"

/* Prints the findings of a connection for people, each with what it is about and the octets that offend;
 * below it, indented, those that follow from it; and how many more there are that were not kept. */
void iw_check_findings_print(struct iw_check_report *report, const struct iw_check_connection *connection);

#endif

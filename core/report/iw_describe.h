#ifndef IW_DESCRIBE_H
#define IW_DESCRIBE_H

#include <stdio.h>

#include "iw_monitor.h"

/* One line of text about a monitor event, for people. Fields with their usual value are omitted, such as zero
 * reserved bits, versions of 1, a T bit that fits the opcode, a correct CRC. */

/* "MPA Request", "RDMA Read Response", "Loss", "Close", ... */
const char *iw_describe_title(const struct iw_monitor_event *event);

/* The line without newline: title, fields named as in the layout table, payload, relation to other events. */
void iw_describe_event(FILE *out, const struct iw_monitor_event *event);

/* A finding in one line without newline: severity, requirement, offender, and message. If the role of the
 * offender is unknown, the text names its `address`, unless that is NULL. */
void iw_describe_finding(FILE *out, const struct iw_finding *finding, const char *address);

/* The cause of a finding, to append: "; follows from finding 1 in frame 5". Empty if it has no cause. */
void iw_describe_cause(FILE *out, const struct iw_finding *finding);

/* What ended the wait for responses, as text: "at the end of the capture", or over SCTP "when the session
 * ended". `iw_unanswered_end_key` returns a stable key for programs, such as "capture". */
const char *iw_describe_unanswered_end(enum iw_unanswered_end end, bool sctp);
const char *iw_unanswered_end_key(enum iw_unanswered_end end);

/* What the requests lack: "a response", or "a complete response" if some were answered in part. */
const char *iw_describe_unanswered_lack(const struct iw_unanswered *unanswered);

/* How much of the response was captured: ", answered in part: 512 of 1024 octets"; empty if nothing. */
enum { IW_DESCRIBE_PART_OCTETS = 80 };
const char *iw_describe_request_part(
    const struct iw_request_name *request, char text[IW_DESCRIBE_PART_OCTETS]);

#endif

#pragma once

#include <stdio.h>

#include "iw_monitor.h"

/* Describes a monitor event or a finding to people, in one line. Omits fields with their usual value: zero
 * reserved bits, versions of 1, a T bit that fits the opcode, a correct CRC. */

/* Returns the title of the event, for example "MPA Request", "RDMA Read Response", "Loss" or "Close". */
const char *iw_describe_title(const struct iw_monitor_event *event);

/* Prints a line without newline: title, fields named as in the layout table, payload, related events. */
void iw_describe_event(FILE *out, const struct iw_monitor_event *event);

/* Prints a finding without newline: severity, requirement, offender, and message. The offender is named by
 * its role, or by `address` if the role is unknown and `address` is not NULL. */
void iw_describe_finding(FILE *out, const struct iw_finding *finding, const char *address);

/* Prints "; follows from finding 1 in frame 5", to append; nothing if the finding has no cause. */
void iw_describe_cause(FILE *out, const struct iw_finding *finding);

/* Return what ended the wait for responses: a text, for example "at the end of the capture", and a key for
 * programs, for example "capture". */
const char *iw_describe_unanswered_end(enum iw_unanswered_end end, bool sctp);
const char *iw_unanswered_end_key(enum iw_unanswered_end end);

/* Returns what the requests lack: "a response", or "a complete response" if some were answered in part. */
const char *iw_describe_unanswered_lack(const struct iw_unanswered *unanswered);

/* Returns `text` with ", answered in part: 512 of 1024 octets"; empty if no response was captured. */
enum { IW_DESCRIBE_PART_OCTETS = 80 };
const char *iw_describe_request_part(
    const struct iw_request_name *request, char text[IW_DESCRIBE_PART_OCTETS]);

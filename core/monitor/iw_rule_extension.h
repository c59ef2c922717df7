#ifndef IW_RULE_EXTENSION_H
#define IW_RULE_EXTENSION_H

#include "iw_judge.h"

/* Rules for the messages of RFC 7306 and the drafts, called by the rules for all messages. */

/* An operation on exactly 64 bits. */
struct iw_kind {
    const char *title;
    enum iw_requirement_id aligned;    /* requires an aligned address */
    enum iw_requirement_id misaligned; /* forbids to execute it if misaligned */
};

/* The kind of an Atomic Request or Atomic Write Request. */
IW_COLD const struct iw_kind *iw_extension_kind(
    const struct iw_judge *judge, const struct iw_operation *operation);

/* Whether the request is a Swap, and the draft that defines it is in use. */
bool iw_extension_is_swap(const struct iw_judge *judge, const struct iw_atomic_request *request);

/* Judges the fields after the DDP header of such a message, whose version, T and opcode are right. */
void iw_extension_contents(struct iw_judge *judge, const struct iw_segment *segment);

/* Judges a new request of an extension, whose place is known. */
void iw_extension_request(struct iw_judge *judge, struct iw_operation *operation);

/* Judges a response on queue 3 and its request, which is known. */
void iw_extension_response(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_response_fact *fact);

/* The check of a receiver that a message with this finding must fail: a message of an extension, or an
 * unsolicited Atomic Response. IW_REQUIREMENT_COUNT without such a check. */
IW_COLD enum iw_requirement_id iw_extension_check(
    enum iw_requirement_id fault, const struct iw_segment *segment);

/* Judges the error of a Terminate about a request of an extension. */
void iw_extension_terminate(struct iw_judge *judge, const struct iw_terminate_message *message);

/* The clause that forbids a Terminated RDMA Header in a Terminate about this message of an extension. */
IW_COLD enum iw_requirement_id iw_extension_terminate_clause(const struct iw_segment *about);

/* An operation that is impossible with any memory, and the clause that forbids to answer it. */
struct iw_impossible {
    enum iw_requirement_id id;
    const char *subject;
};

/* Whether no memory allows the operation. */
bool iw_rdmap_is_impossible(
    const struct iw_judge *judge, const struct iw_operation *operation, struct iw_impossible *impossible);

#endif

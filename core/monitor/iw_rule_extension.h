#ifndef IW_RULE_EXTENSION_H
#define IW_RULE_EXTENSION_H

#include "iw_judge.h"

/* What RFC 7306 and the drafts ask of their messages, for the rules that all messages share. */

/* An operation on just 64 bits, by its name. */
struct iw_kind {
    const char *title;
    enum iw_requirement_id aligned;    /* it names an aligned address */
    enum iw_requirement_id misaligned; /* if not, it is not done */
};

/* That of an Atomic or Atomic Write Request. */
IW_COLD const struct iw_kind *iw_extension_kind(
    const struct iw_judge *judge, const struct iw_operation *operation);

/* It asks for a Swap, and the draft that has it is in force. */
bool iw_extension_is_swap(const struct iw_judge *judge, const struct iw_atomic_request *request);

/* The fields behind the DDP header of such a message, whose version, T flag and opcode are right. */
void iw_extension_contents(struct iw_judge *judge, const struct iw_segment *segment);

/* A request of an extension that has just come, and has its place. */
void iw_extension_request(struct iw_judge *judge, struct iw_operation *operation);

/* An answer on queue 3 and the request that it answers, which is known. */
void iw_extension_response(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_response_fact *fact);

/* The check of a receiver that such a message, or an Atomic Response to nobody, has to fail by this finding
 * about it; IW_REQUIREMENT_COUNT where there is none. */
IW_COLD enum iw_requirement_id iw_extension_check(
    enum iw_requirement_id fault, const struct iw_segment *segment);

/* The error of a Terminate against what is known of the request that it is about. */
void iw_extension_terminate(struct iw_judge *judge, const struct iw_terminate_message *message);

/* The clause by which a Terminate about this message of an extension has no Terminated RDMA Header. */
IW_COLD enum iw_requirement_id iw_extension_terminate_clause(const struct iw_segment *about);

#endif

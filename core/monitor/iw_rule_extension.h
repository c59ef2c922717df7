#ifndef IW_RULE_EXTENSION_H
#define IW_RULE_EXTENSION_H

#include "iw_judge.h"

/* What RFC 7306 and the drafts ask of their messages, for the rules that all messages share. A Swap is only
 * in draft-ietf-storm-rdmap-ext-01, so what is asked of it that draft asks. */

/* The clauses by which a message has its T flag, its queue and not another one, no queue that RDMAP does not
 * have, its length, and no Invalidate STag. */
struct iw_clauses {
    enum iw_requirement_id model, queue, any_queue, size, invalidate;
};

/* Those of a message that RFC 5040 does not have: segment->op is there, of an extension. */
IW_COLD const struct iw_clauses *iw_extension_clauses(
    const struct iw_judge *judge, const struct iw_segment *segment);

/* The fields behind the DDP header of such a message, whose version, T flag and opcode are right. */
void iw_extension_contents(struct iw_judge *judge, const struct iw_segment *segment);

/* An answer on queue 3 and the request that it answers, which is known. */
void iw_extension_response(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_response_fact *fact);

#endif

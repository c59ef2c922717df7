#pragma once

#include "iw_diagnosis_part.h"

/* Shared by the files that read a Terminate. */

/* A Terminate and the message that it is about. */
struct iw_terminate_case {
    const struct iw_facts *facts;
    struct iw_diagnosis *diagnosis;
    enum iw_side side; /* the sender of the Terminate */
    const struct iw_history_terminate *terminate;
    const struct iw_history_message *message; /* NULL: not known */
    unsigned causes_before;                   /* causes that were known before the Terminate was read */
};

/* The message's name, such as "RDMA Write". */
const char *iw_diagnosis_terminate_title(const struct iw_history_message *message);

/* What the Terminate is about: by the message, or else by the header that the Terminate includes. */
const char *iw_diagnosis_terminate_about(const struct iw_terminate_case *at);

/* "a" or "an": "an RDMA Write". */
const char *iw_diagnosis_terminate_article(const char *title);

/* The side that sent the Terminate, and the other one, in words. */
const char *iw_diagnosis_terminate_sender(const struct iw_terminate_case *at);
const char *iw_diagnosis_terminate_other(const struct iw_terminate_case *at);

/* The number of a frame in a detail. */
uint64_t iw_diagnosis_terminate_frame_number(const struct iw_terminate_case *at, uint64_t frame);

/* Adds the frames of the message and of the Terminate. */
void iw_diagnosis_terminate_frames(const struct iw_terminate_case *at, struct iw_diagnosed *cause);

/* The same for a cause that is about `side`, which also takes the place of `words` in what to look at next.
 */
void iw_diagnosis_terminate_finish(
    const struct iw_terminate_case *at, struct iw_diagnosed *cause, const char *words, enum iw_side side);

/* The finding of `document` and its section against the message, if it is known; NULL without one. Either may
 * be NULL: any. */
const struct iw_history_finding *iw_diagnosis_terminate_finding(
    const struct iw_terminate_case *at, const char *document, const char *section);

/* Sets whether the capture agrees. Without it, no cause that rests on the Terminate is certain. */
void iw_diagnosis_terminate_decide(const struct iw_terminate_case *at, enum iw_truth truth);

/* ---- iw_diagnosis_queue.c: Terminates about untagged buffers ---- */

void iw_diagnosis_queue_no_buffer(const struct iw_terminate_case *at);
void iw_diagnosis_queue_msn(const struct iw_terminate_case *at); /* an MSN out of range */
void iw_diagnosis_queue_too_long(const struct iw_terminate_case *at);

/* ---- iw_diagnosis_memory.c: Terminates about memory that a message names ---- */

void iw_diagnosis_memory_stag(const struct iw_terminate_case *at); /* an invalid STag */
void iw_diagnosis_memory_invalidate(
    const struct iw_terminate_case *at); /* an STag that cannot be invalidated */
void iw_diagnosis_memory_rights(const struct iw_terminate_case *at);
void iw_diagnosis_memory_bounds(const struct iw_terminate_case *at);

/* Adds the frames to a cause in the memory of the sender of the Terminate. */
void iw_diagnosis_memory_frames(const struct iw_terminate_case *at, struct iw_diagnosed *cause);

/* Whether all segments of the connection are kept: then one that is not found did not come. */
bool iw_diagnosis_memory_has_all(const struct iw_terminate_case *at);

/* The segment that has the rejected STag in the opposite byte order; NULL without one. The message is known.
 */
const struct iw_history_message *iw_diagnosis_memory_swapped_stag(const struct iw_terminate_case *at);

/* Whether the rejected message surely has no octets to place or fetch. Then its receiver checks neither its
 * STag nor its Tagged Offset (RFC 5041 5.2, RFC 5040 5.2.1). */
bool iw_diagnosis_memory_is_about_nothing(const struct iw_terminate_case *at);

/* Whether the message names memory of its receiver. */
bool iw_diagnosis_memory_is_named(const struct iw_history_message *message);

/* ---- iw_diagnosis_bounds.c ---- */

/* Whether the layer above advertised the memory that the message names. Then its bounds confirm or refute the
 * Terminate, and the cause is named if it is known. The message is known and names memory. */
bool iw_diagnosis_bounds_are_advertised(const struct iw_terminate_case *at);

/* ---- iw_diagnosis_stag.c: the message is known ---- */

/* Whether the Terminate may be about the segment: it has the header that the Terminate includes. */
bool iw_diagnosis_stag_has_header(
    const struct iw_history_message *message, const struct iw_terminate_case *at);

/* Whether the sender of the Terminate accepted the segment, which came before the rejected one and after the
 * latest invalidation of its STag. What came before all segments with the header that the Terminate includes
 * was accepted; what came after the first of them may be under way. */
bool iw_diagnosis_stag_accepted(const struct iw_terminate_case *at, const struct iw_history_message *use);

/* The latest earlier use of the rejected STag that was accepted, by the same operation or by another one;
 * NULL without one. */
const struct iw_history_message *iw_diagnosis_stag_earlier_use(
    const struct iw_terminate_case *at, bool same_operation);

/* Whether the sender of the Terminate sent the message, and the sender of the rejected one may have received
 * it before: it was captured first, or the rejected message acknowledges it. */
bool iw_diagnosis_stag_is_sent_before(
    const struct iw_history_message *message, const struct iw_terminate_case *at);

/* The frame of a message of the layer above that advertised the STag after its latest invalidation; 0 without
 * one. */
uint64_t iw_diagnosis_stag_advertised_frame(const struct iw_terminate_case *at);

/* Names the invalidation as the cause, unless the STag was advertised or accepted again after it. Returns
 * whether it did. The message is known. */
bool iw_diagnosis_stag_after_invalidation(const struct iw_terminate_case *at);

/* ---- iw_diagnosis_sink.c ---- */

/* Whether the Terminate rejects a Read Response, whose Data Sink belongs to the sender of the Terminate. */
bool iw_diagnosis_sink_is_own(const struct iw_terminate_case *at);
void iw_diagnosis_sink_own(const struct iw_terminate_case *at);

/* The Read of the sender of the Terminate into the rejected Data Sink; NULL without one. */
const struct iw_history_message *iw_diagnosis_sink_read(const struct iw_terminate_case *at);

/* If the rejected message is a Read Response that breaks a rule, names that, and returns true. */
bool iw_diagnosis_sink_response_violates(const struct iw_terminate_case *at);

/* ---- iw_diagnosis_ird.c ---- */

/* A Terminate 0/2/07, which has no other cause: names the IRD if the rejected request is beyond it. Some
 * stacks send this code for it instead of 1/2/02. */
void iw_diagnosis_ird_catastrophic(const struct iw_terminate_case *at);

/* ---- iw_diagnosis_receive.c ---- */

/* Takes a Terminate for want of a receive buffer that does not have the header of its message, or of which
 * the capture has only a part: Sends are all that it can be about if the other side sent no requests. */
void iw_diagnosis_receive_of_unknown(const struct iw_terminate_case *at);

/* ---- iw_diagnosis_startup_terminate.c ---- */

void iw_diagnosis_startup_terminate(const struct iw_terminate_case *at); /* an enhanced startup that failed */

/* ---- iw_diagnosis_violation.c ---- */

/* Without another cause, names the violation that the Terminate reports, whatever it is. */
void iw_diagnosis_violation_terminate(const struct iw_terminate_case *at);

/* Whether the sender of the Terminate sent messages, or may have, after the frame of a violation and before
 * the Terminate: a receiver that goes on has accepted it. */
bool iw_diagnosis_violation_goes_on(const struct iw_terminate_case *at, uint64_t frame);

/* The latest finding against the other side after which the sender of the Terminate did not go on; NULL
 * without one. */
const struct iw_history_finding *iw_diagnosis_violation_before(const struct iw_terminate_case *at);

/* Whether a finding against the Terminate shows that its message has no such error. */
bool iw_diagnosis_violation_is_untrue(const struct iw_terminate_case *at);

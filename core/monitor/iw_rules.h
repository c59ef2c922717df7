#pragma once

#include "iw_judge.h"

/* The rules; each judges judge->event. */
void iw_rules_startup(struct iw_judge *judge);
void iw_rules_first_fpdu(struct iw_judge *judge);
/* Judges whether the initiator's first message is an agreed RTR, if its first FPDU has only a part of the
 * header. */
void iw_rules_first_rtr_rest(struct iw_judge *judge);
void iw_rules_fpdu(struct iw_judge *judge);
void iw_rules_crc(struct iw_judge *judge);
void iw_rules_marker(struct iw_judge *judge);
/* Names the cause of the findings from index `first` on, which are all about one wrong or missing Marker:
 * that the side's first Marker is missing; otherwise, for those without a cause, the finding about the first
 * wrong Marker after the last right one. If there is no such finding, stores the finding at `first`, or its
 * cause, as that. */
void iw_rules_marker_follow(struct iw_judge *judge, size_t first);
/* Whether Markers may count from the beginning of a later connection, which the capture lacks: this Marker
 * does not point to its FPDU, and none has since the latest loss. */
bool iw_rules_marker_place_is_unknown(const struct iw_judge *judge, const struct iw_marker *marker);
/* The finding about a Marker that explains the wrong CRC of the FPDU, or NULL. */
IW_COLD const struct iw_finding_ref *iw_rules_marker_cause(
    const struct iw_party *party, const struct iw_fpdu *fpdu);
void iw_rules_size(struct iw_judge *judge);
void iw_rules_llp(struct iw_judge *judge);
void iw_rules_ddp(struct iw_judge *judge);
void iw_rules_rdmap(struct iw_judge *judge);
void iw_rules_operation(struct iw_judge *judge);
void iw_rules_terminate(struct iw_judge *judge);
void iw_rules_stag(struct iw_judge *judge);
void iw_rules_reaction(struct iw_judge *judge);   /* last: uses the findings of the other rules */
void iw_rules_terminated(struct iw_judge *judge); /* for a Terminate; iw_rules_reaction calls it */
void iw_rules_skipped(struct iw_judge *judge);
void iw_rules_close(struct iw_judge *judge);
void iw_rules_teardown(struct iw_judge *judge);
void iw_rules_session(struct iw_judge *judge);
/* At the end of a session: reports doubtful steps that are proven wrong, and counts the other ones. */
void iw_rules_session_end(struct iw_judge *judge);
void iw_rules_session_depth_request(struct iw_judge *judge); /* notes a Read Request */
/* At a Read Request over SCTP, when more than `allowed` Read Requests seem to be outstanding: returns whether
 * this is proven. If not, stores a doubt: a later chunk proves it, or it counts as not judged at the end. */
bool iw_rules_session_depth(struct iw_judge *judge, uint32_t allowed);
void iw_rules_session_depth_answered(struct iw_judge *judge); /* at a response: may prove a doubt */
void iw_rules_session_depth_end(struct iw_judge *judge);      /* proves or counts the remaining doubts */
/* Judges the enhanced data of a control message with a complete header. */
void iw_rules_session_terms(struct iw_judge *judge);

/* ---- functions for other rules ---- */

/* Whether the side of the event sent the octets after its Request, in capture frame `frame`, before it had
 * received the complete Reply. `received`: what it had received when it sent these octets. */
bool iw_rules_first_before_reply(
    const struct iw_judge *judge, const struct iw_received *received, uint64_t frame);

/* Whether the segment whose DDP header a Terminate includes can have the reported error. */
bool iw_terminated_can_have_error(const struct iw_judge *judge, const struct iw_terminate_message *message);

/* Judges the DDP header in a Terminate; returns false if the peer certainly sent no segment with it. */
bool iw_rules_terminated_header(struct iw_judge *judge, const struct iw_terminate_message *message);

/* The only segment of the other side with the DDP header that a Terminate includes: its length must be the
 * DDP Segment Length. NULL if no segment, or more than one, may be meant. */
const struct iw_logged_header *iw_terminated_segment(
    const struct iw_judge *judge, const struct iw_terminate_message *message);

/* Judges the RTR types of enhanced data with A=0 (RFC 6581 9.2). */
void iw_rules_enhanced_data(struct iw_judge *judge, const struct iw_mpa_enhanced *data);

/* Judges the IRD that is `given` as the answer to `asked` and, unless `rejects`, the ORD (RFC 6581 9.1). */
void iw_rules_depths(struct iw_judge *judge, const struct iw_mpa_enhanced *asked,
    const struct iw_mpa_enhanced *given, bool rejects);

/* ---- messages of RFC 7306 and the drafts ---- */

/* An operation on exactly 64 bits. */
struct iw_atomic_kind {
    const char *title;
    enum iw_requirement_id aligned;    /* requires an aligned address */
    enum iw_requirement_id misaligned; /* forbids to execute the operation if the address is misaligned */
};

/* The kind of an Atomic Request or Atomic Write Request. */
IW_COLD const struct iw_atomic_kind *iw_extension_kind(
    const struct iw_judge *judge, const struct iw_operation *operation);

/* Whether the request is a Swap, and the draft that defines it is in use. */
bool iw_extension_is_swap(const struct iw_judge *judge, const struct iw_atomic_request *request);

/* Judges what follows the DDP header in a message of an extension with right version, T and opcode. */
void iw_extension_contents(struct iw_judge *judge, const struct iw_segment *segment);

/* Judges the alignment of a new request of an extension, the latest in judge->sender->operations. */
void iw_extension_request(struct iw_judge *judge, struct iw_operation *operation);

/* ---- responses and Terminates to messages of RFC 7306 and the drafts ---- */

/* Judges a response on queue 3 whose request is known. */
void iw_answer_response(
    struct iw_judge *judge, const struct iw_segment *segment, const struct iw_response_fact *fact);

/* The receiver's check that a segment of an extension must fail for `fault`, else IW_REQUIREMENT_COUNT. */
IW_COLD enum iw_requirement_id iw_answer_check(
    enum iw_requirement_id fault, const struct iw_segment *segment);

/* Reports an error that a Terminate about an Atomic Request or an Atomic Response cannot have. */
void iw_answer_terminate(struct iw_judge *judge, const struct iw_terminate_message *message);

/* The clause that forbids a Terminated RDMA Header in a Terminate about this message of an extension. */
IW_COLD enum iw_requirement_id iw_answer_terminate_clause(const struct iw_segment *about);

/* ---- impossible operations ---- */

struct iw_impossible {
    enum iw_requirement_id id; /* forbids the responder to answer it */
    const char *subject;       /* of the finding */
};

/* Whether no responder can execute the operation, whatever memory it has: for example, it goes beyond 2^64 or
 * is misaligned. `impossible` is valid only then. Always false for a Read. */
bool iw_rdmap_is_impossible(
    const struct iw_judge *judge, const struct iw_operation *operation, struct iw_impossible *impossible);

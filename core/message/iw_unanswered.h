#pragma once

#include "iw_operation.h"

/* Outstanding requests when a connection, or the capture of it, ends. */

/* Why the requests stay without a response. */
enum iw_unanswered_end {
    IW_UNANSWERED_INPUT,     /* the capture ends; a response may still have come */
    IW_UNANSWERED_CLOSED,    /* the responding side has closed in an orderly way */
    IW_UNANSWERED_RESET,     /* a side has reset or aborted the connection */
    IW_UNANSWERED_TERMINATE, /* a side has sent a Terminate */
};

enum { IW_UNANSWERED_NAMED = 8 };

struct iw_unanswered {
    uint64_t count;
    uint64_t perhaps; /* how many of them may have a response that the capture lacks, or an ambiguous one */
    uint64_t in_part; /* Read Requests among them with a partly captured response */
    uint64_t sure_after; /* requests with a higher number certainly have no response, unless captured */
    enum iw_unanswered_end end;
    unsigned named_count;
    struct iw_request_name named[IW_UNANSWERED_NAMED]; /* the oldest requests */
};

/* Describes the outstanding requests; the caller sets `end`. `perhaps`: each may have a response. */
void iw_operations_unanswered(
    const struct iw_operations *operations, bool perhaps, struct iw_unanswered *unanswered);

/* Like iw_operations_unanswered, if the responder certainly has sent nothing that could be a response. */
void iw_operations_without_response(const struct iw_operations *operations, struct iw_unanswered *unanswered);

/* For iw_operation.c: octets were lost that may be responses, so adds the requests of `waiting`, except those
 * whose response lacks only L, to `passed`. The caller must empty the lists afterwards. */
void iw_operations_pass(struct iw_operations *operations);

/* For iw_operation.c: a response is complete while `known` is false. Drops the oldest request of `passed`.
 * `done`, the matched request, no longer in its list, or NULL, is added to `passed` if another request was
 * dropped or if the response does not agree with it (`fits` is false). */
void iw_operations_pass_response(struct iw_operations *operations, enum iw_operation_kind kind,
    const struct iw_operation *done, bool fits);

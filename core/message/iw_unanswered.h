#ifndef IW_UNANSWERED_H
#define IW_UNANSWERED_H

#include "iw_operation.h"

/* Outstanding requests when a connection, or the capture of it, ends. */

/* Why the requests stay without a response. */
enum iw_unanswered_end {
    IW_UNANSWERED_INPUT,     /* the capture ends; a response may still have come */
    IW_UNANSWERED_CLOSED,    /* the responding side has closed in an orderly way */
    IW_UNANSWERED_RESET,     /* one side has reset or aborted the connection */
    IW_UNANSWERED_TERMINATE, /* one side has sent a Terminate */
};

enum { IW_UNANSWERED_NAMED = 8 };

struct iw_unanswered {
    uint64_t count;
    uint64_t perhaps;    /* those that may have a response, missing or ambiguous */
    uint64_t in_part;    /* Read Requests among them with a partly captured response */
    uint64_t sure_after; /* a request with a higher number has no response unless the capture shows one;
                            UINT64_MAX: any request may have one */
    enum iw_unanswered_end end;
    unsigned named_count;
    struct iw_request_name named[IW_UNANSWERED_NAMED]; /* the oldest requests */
};

/* Reports the outstanding requests; the caller sets `end`. `perhaps`: each may have a response. */
void iw_operations_unanswered(
    const struct iw_operations *operations, bool perhaps, struct iw_unanswered *unanswered);

/* Like iw_operations_unanswered, if the responder certainly has sent nothing that could be a response. */
void iw_operations_without_response(const struct iw_operations *operations, struct iw_unanswered *unanswered);

/* For iw_operation.c: adds the requests of `waiting` to `passed`, as octets were lost that may be their
 * responses. The caller must empty the lists afterwards. */
void iw_operations_pass(struct iw_operations *operations);

/* For iw_operation.c: a response is complete, but not all requests before it are known. `done`: its matched
 * request, no longer in its list, or NULL. `fits`: the response agrees with that request. */
void iw_operations_pass_response(struct iw_operations *operations, enum iw_operation_kind kind,
    const struct iw_operation *done, bool fits);

#endif

#ifndef IW_UNANSWERED_H
#define IW_UNANSWERED_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_operation.h"

/* Requests without a response when a connection, or the capture of it, ends. */

/* Why no response will come any more. */
enum iw_unanswered_end {
    IW_UNANSWERED_INPUT,     /* the capture ends: it may come all the same */
    IW_UNANSWERED_CLOSED,    /* the other side has closed in good order */
    IW_UNANSWERED_RESET,     /* one of them has reset, or aborted, the connection */
    IW_UNANSWERED_TERMINATE, /* one of them has sent a Terminate */
};

enum { IW_UNANSWERED_NAMED = 8 };

/* Those of one side. */
struct iw_unanswered {
    uint64_t count;
    uint64_t perhaps; /* of them, which may have been answered: in octets that are missing, or by a response
                         of which it is not known what it answers */
    uint64_t sure_after; /* number of a request: later requests have no response, unless one is known */
    enum iw_unanswered_end end;
    unsigned named_count;
    struct iw_request_name named[IW_UNANSWERED_NAMED]; /* the oldest of them */
};

/* Tells what waits; `end` is the caller's to set. With `perhaps` every request may have been answered. */
void iw_operations_unanswered(
    const struct iw_operations *operations, bool perhaps, struct iw_unanswered *unanswered);

/* For iw_operation.c: all requests that wait have got into the past of a loss, and may have been answered in
 * it. The lists are to be emptied afterwards. */
void iw_operations_pass(struct iw_operations *operations);

/* For iw_operation.c: a response is complete that came when not all requests were known. `done` is the
 * request that it was taken for an answer to, and which has left its list; NULL: none has. `fits`: it looks
 * like the answer to that one. */
void iw_operations_pass_response(
    struct iw_operations *operations, bool read, const struct iw_operation *done, bool fits);

#endif

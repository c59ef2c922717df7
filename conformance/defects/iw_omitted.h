#ifndef IW_OMITTED_H
#define IW_OMITTED_H

#include "iw_endpoint.h"

struct iw_defect;

/* What the endpoint handles wrongly, once it is checked. */
enum iw_omitted_check {
    IW_OMITTED_CHECK_PLACED = 1 << 0,      /* the last octet of each tagged segment is not placed */
    IW_OMITTED_CHECK_EARLY = 1 << 1,       /* delivers a message at its first segment */
    IW_OMITTED_CHECK_VALID = 1 << 2,       /* Sends leave the STag valid that they invalidate */
    IW_OMITTED_CHECK_INVALIDATED = 1 << 3, /* every Send invalidates the STag in its Invalidate STag field */
    IW_OMITTED_CHECK_COMPLETED = 1 << 4,   /* later posts complete before a request does */
    IW_OMITTED_CHECK_NARROW = 1 << 5,      /* checks only the lower half of a TO against the bounds */
    IW_OMITTED_CHECK_MARKS = 1 << 6,       /* sends Markers that the peer did not request */
    IW_OMITTED_CHECK_DEPTH = 1 << 7,       /* the ORD is not reduced to the peer's IRD */
    IW_OMITTED_CHECK_OVERTAKEN =
        1 << 9, /* a Write segment is placed after the requests that directly follow it */
    IW_OMITTED_CHECK_CAPACITY = 1 << 8, /* holds one request fewer than its IRD, if that exceeds one */
    IW_OMITTED_CHECK_REJECTED =
        1 << 10, /* a rejected Write is placed, a rejected Atomic Operation executed */
};

/* Makes the endpoint handle what it receives as the defect does; the user of its policy is a struct
 * iw_defect_state. */
void iw_omitted_configure(const struct iw_defect *defect, struct iw_policy *policy);

#endif

#ifndef IW_OVERSTRICT_H
#define IW_OVERSTRICT_H

#include "iw_endpoint.h"

/* Overstrict checks: of what a receiver must ignore or accept. */
enum iw_overstrict {
    IW_OVERSTRICT_RES = 1 << 0, /* of a startup frame */
    IW_OVERSTRICT_PAD = 1 << 1,
    IW_OVERSTRICT_MARKER = 1 << 2,  /* the reserved half */
    IW_OVERSTRICT_FPDUPTR = 1 << 3, /* the two low bits */
    IW_OVERSTRICT_CRC = 1 << 4,     /* checked although CRC is off */
    IW_OVERSTRICT_RSVD = 1 << 5,
    IW_OVERSTRICT_RSV = 1 << 6,
    IW_OVERSTRICT_INVALIDATE = 1 << 7,        /* the Invalidate STag of a message that invalidates nothing */
    IW_OVERSTRICT_EMPTY_WRITE = 1 << 8,       /* the STag of an empty RDMA Write */
    IW_OVERSTRICT_EMPTY_READ = 1 << 9,        /* the Data Source STag of an empty Read */
    IW_OVERSTRICT_TERMINATE = 1 << 10,        /* rejects a Terminate as unexpected */
    IW_OVERSTRICT_TERMINATE_BUFFER = 1 << 11, /* rejects a Terminate for lack of a buffer */
    IW_OVERSTRICT_MARKED = 1 << 12,           /* rejects the Markers that it requested */
    IW_OVERSTRICT_SPLIT = 1 << 14,            /* rejects an FPDU in several TCP segments */
    IW_OVERSTRICT_JOINED = 1 << 15,           /* rejects several FPDUs received together */
    IW_OVERSTRICT_EMPTY_SEND = 1 << 16,       /* rejects empty Sends */
    IW_OVERSTRICT_SEGMENTS = 1 << 17,         /* rejects Sends of several segments */
    IW_OVERSTRICT_LAST_OCTET = 1 << 18,       /* rejects a Write up to the last octet of a region */
    IW_OVERSTRICT_MODEL = 1 << 19,            /* rejects RTR types in a startup frame with A=0 */
    IW_OVERSTRICT_DEPTH = 1 << 20,            /* initiator: rejects a responder's ORD equal to its IRD */
    IW_OVERSTRICT_LONG = 1 << 21,             /* rejects a ULPDU longer than IW_ENDPOINT_EMSS */
    IW_OVERSTRICT_FPDU = IW_OVERSTRICT_PAD | IW_OVERSTRICT_MARKER | IW_OVERSTRICT_FPDUPTR |
                         IW_OVERSTRICT_RSVD | IW_OVERSTRICT_RSV | IW_OVERSTRICT_INVALIDATE |
                         IW_OVERSTRICT_EMPTY_WRITE | IW_OVERSTRICT_TERMINATE |
                         IW_OVERSTRICT_TERMINATE_BUFFER | IW_OVERSTRICT_EMPTY_SEND | IW_OVERSTRICT_SEGMENTS,
};

/* Makes the endpoint check these, a set of enum iw_overstrict; the user of its policy is a struct
 * iw_defect_state. */
void iw_overstrict_configure(unsigned overstrict, struct iw_policy *policy);

#endif

#ifndef IW_ENDPOINT_CHANGE_H
#define IW_ENDPOINT_CHANGE_H

/* What an endpoint can be told to do otherwise than by itself: to be wrong, for defects (skip, fuss, lapse),
 * or to be right in another way that the documents leave open (manner). */

/* Checks of what is received that are left out; the bits of enum iw_memory_check may be added, shifted by
 * IW_SKIP_MEMORY_SHIFT. */
enum iw_skip {
    IW_SKIP_CRC = 1 << 0,
    IW_SKIP_MARKER = 1 << 1,
    IW_SKIP_DV = 1 << 2,
    IW_SKIP_RV = 1 << 3,
    IW_SKIP_OPCODE = 1 << 4, /* known, and T as it demands */
    IW_SKIP_QN = 1 << 5,
    IW_SKIP_MSN = 1 << 6,
    IW_SKIP_BUFFER = 1 << 7, /* a receive buffer, or a place among IRD requests, is free */
    IW_SKIP_MO = 1 << 8,
    IW_SKIP_TOO_LONG = 1 << 9,
    IW_SKIP_RESPONSE = 1 << 10, /* an answer is the one awaited */
    IW_SKIP_INVALIDATE = 1 << 11,
    IW_SKIP_SHAPE = 1 << 12, /* a message that is no ULP's is one segment, and not longer than it may be */
    IW_SKIP_KEY = 1 << 13,
    IW_SKIP_REVISION = 1 << 14,
    IW_SKIP_PD_LENGTH = 1 << 15,
    IW_SKIP_ENHANCED = 1 << 16, /* enhanced data are there with S=1, and in the answer to such */
    IW_SKIP_BEHIND = 1 << 17,   /* nothing comes behind a Request */
    IW_SKIP_STARTUP = IW_SKIP_KEY | IW_SKIP_REVISION | IW_SKIP_PD_LENGTH | IW_SKIP_ENHANCED | IW_SKIP_BEHIND,
    IW_SKIP_DEPTH = 1 << 18, /* initiator: the responder's ORD is not above the own IRD */
    IW_SKIP_RTR = 1 << 19,   /* initiator: an RTR type is common to both */
    IW_SKIP_FPDU = IW_SKIP_CRC | IW_SKIP_MARKER | IW_SKIP_DV | IW_SKIP_RV | IW_SKIP_OPCODE | IW_SKIP_QN |
                   IW_SKIP_MSN | IW_SKIP_BUFFER | IW_SKIP_MO | IW_SKIP_TOO_LONG | IW_SKIP_RESPONSE |
                   IW_SKIP_SHAPE,
    IW_SKIP_PLACED = 1 << 20,    /* a Write that is refused is not placed, nor is an Atomic Operation done */
    IW_SKIP_REJECTION = 1 << 21, /* R=1 in a Reply, the own one or the peer's, ends MPA */
    IW_SKIP_WHOLE = 1 << 22,     /* all octets of the private data are there */
    IW_SKIP_MEMORY_SHIFT = 23,
};

/* What a receiver shall not look at, for one that refuses it. */
enum iw_overstrict {
    IW_OVERSTRICT_RES = 1 << 0, /* of a startup frame */
    IW_OVERSTRICT_PAD = 1 << 1,
    IW_OVERSTRICT_MARKER = 1 << 2,  /* its reserved half */
    IW_OVERSTRICT_FPDUPTR = 1 << 3, /* its two low bits */
    IW_OVERSTRICT_CRC = 1 << 4,     /* where CRCs are off */
    IW_OVERSTRICT_RSVD = 1 << 5,
    IW_OVERSTRICT_RSV = 1 << 6,
    IW_OVERSTRICT_INVALIDATE = 1 << 7,      /* the Invalidate STag of what invalidates nothing */
    IW_OVERSTRICT_EMPTY_WRITE = 1 << 8,     /* the STag of an RDMA Write of no octets */
    IW_OVERSTRICT_EMPTY_READ = 1 << 9,      /* the Data Source STag of a Read of no octets */
    IW_OVERSTRICT_TERMINATE = 1 << 10,      /* whether a Terminate was to be expected, */
    IW_OVERSTRICT_TERMINATE_ROOM = 1 << 11, /* and whether there is a buffer for it */
    IW_OVERSTRICT_MARKED = 1 << 12,         /* whether Markers come that were asked for */
    IW_OVERSTRICT_STARTUP_SPLIT = 1 << 13,  /* where TCP segments end, in a startup frame, */
    IW_OVERSTRICT_SPLIT = 1 << 14,          /* in an FPDU, */
    IW_OVERSTRICT_JOINED = 1 << 15,         /* or only behind several */
    IW_OVERSTRICT_EMPTY_SEND = 1 << 16,     /* whether a Send has octets, */
    IW_OVERSTRICT_SEGMENTS = 1 << 17,       /* and whether it is all in one segment */
    IW_OVERSTRICT_LAST_OCTET = 1 << 18, /* whether a Write or Read is to reach the last octet of a buffer */
    IW_OVERSTRICT_MODEL = 1 << 19,      /* which RTR types a startup frame with A=0 names */
    IW_OVERSTRICT_DEPTH = 1 << 20, /* initiator: whether some of its IRD is left by the responder's ORD */
    IW_OVERSTRICT_LONG = 1 << 21,  /* whether a ULPDU is longer than IW_ENDPOINT_EMSS */
    IW_OVERSTRICT_FPDU = IW_OVERSTRICT_PAD | IW_OVERSTRICT_MARKER | IW_OVERSTRICT_FPDUPTR |
                         IW_OVERSTRICT_RSVD | IW_OVERSTRICT_RSV | IW_OVERSTRICT_INVALIDATE |
                         IW_OVERSTRICT_EMPTY_WRITE | IW_OVERSTRICT_TERMINATE | IW_OVERSTRICT_TERMINATE_ROOM |
                         IW_OVERSTRICT_EMPTY_SEND | IW_OVERSTRICT_SEGMENTS,
};

/* What an endpoint that is meant to be wrong does otherwise than it should. */
enum iw_omitted_check {
    IW_OMITTED_CHECK_PLACED = 1 << 0,      /* of a tagged segment all octets but the last are placed */
    IW_OMITTED_CHECK_EARLY = 1 << 1,       /* a message is delivered at its first segment */
    IW_OMITTED_CHECK_VALID = 1 << 2,       /* an STag that a Send invalidates stays valid */
    IW_OMITTED_CHECK_INVALIDATED = 1 << 3, /* any Send invalidates what its Invalidate STag field names */
    IW_OMITTED_CHECK_COMPLETED = 1 << 4,   /* what is posted behind a request completes before that */
    IW_OMITTED_CHECK_NARROW = 1 << 5, /* of TOs only the lower half is held against the bounds of a buffer */
    IW_OMITTED_CHECK_MARKS = 1 << 6,  /* Markers are sent that nobody has asked for */
    IW_OMITTED_CHECK_DEPTH = 1 << 7,  /* ORD is what it was before the startup, whatever the peer's IRD */
    IW_OMITTED_CHECK_OVERTAKEN =
        1 << 9, /* a segment of a Write is placed behind requests that come right behind it */
    IW_OMITTED_CHECK_ROOM = 1 << 8, /* one request less is held than IRD says, if that is more than one */
};

/* What the documents leave to an endpoint, done otherwise than by default. */
enum iw_behaviour {
    IW_BEHAVIOUR_FENCED = 1 << 0,  /* nothing is sent behind a request of its own before that is answered */
    IW_BEHAVIOUR_MATCHED = 1 << 1, /* a Read Response of no octets, too, names STag and TO of its request */
    IW_BEHAVIOUR_AHEAD = 1 << 2,   /* what has a later MSN than the next waits in its buffer for that */
    IW_BEHAVIOUR_IRD_RAISED = 1 << 3,   /* initiator: makes room for the ORD of the Reply */
    IW_BEHAVIOUR_TACIT = 1 << 4,        /* responder: no Terminate before the first FPDU that is good */
    IW_BEHAVIOUR_RV_ZERO = 1 << 5,      /* RDMAP version 0 is a version, too */
    IW_BEHAVIOUR_PLACED = 1 << 6,       /* places what DDP finds right and RDMAP then refuses */
    IW_BEHAVIOUR_RTR_SEND = 1 << 7,     /* a Send as RTR is delivered like any other */
    IW_BEHAVIOUR_ROOMY = 1 << 8,        /* RDMAP's buffers have room for more than the header at MO 0 */
    IW_BEHAVIOUR_RTR_REFUSED = 1 << 9,  /* responder: rejects a Request of whose RTR types it has none */
    IW_BEHAVIOUR_SENDS_FIRST = 1 << 10, /* responder: does not wait for the initiator's first FPDU, as over
                                        SCTP (RFC 6581 7) */
    IW_BEHAVIOUR_IN_ORDER = 1 << 11,    /* Atomic Responses are told apart by their order alone */
    IW_BEHAVIOUR_REPLY_TOLD = 1 << 12,  /* enhanced initiator: a Terminate about a Reply of no use, too
                                       (RFC 6581 9.3) */
    IW_BEHAVIOUR_ANSWERS_FIRST =
        1 << 13, /* a Terminate waits until what was asked before the error is answered */
    IW_BEHAVIOUR_ANSWERS_LATE =
        1 << 14, /* answers wait for a millisecond, and what comes until then goes before */
    IW_BEHAVIOUR_RTR_ASKED =
        1 << 15, /* responder: names of its RTR types those of the Request alone, if any */
    IW_BEHAVIOUR_RTR_SMALLEST = 1 << 16,  /* initiator: of several RTR types takes the Send, then the Read */
    IW_BEHAVIOUR_CLOSES_SECOND = 1 << 17, /* waits behind its Terminate for the peer's FIN */
    IW_BEHAVIOUR_IRD_REFUSED = 1 << 18, /* responder: rejects a Request whose IRD is less than its own ORD */
    IW_BEHAVIOUR_REJECT_CLOSES = 1 << 19, /* closes behind a Reply with R=1, of its own or the peer's */
};

#endif

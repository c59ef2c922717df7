#pragma once

#include "iw_monitor.h"

/* What both devices did in a relayed conversation, as far as verdicts of cases of tier relay need it. */

/* One device. It has its own connection to the relay. */
struct iw_impaired_side {
    uint64_t messages; /* complete messages that it sent, other than Terminates */
    uint64_t after;    /* those that came after the impaired unit had reached it */
    /* All octets that it sent, and those of its startup frame. What comes after the frame counts even if it
     * cannot be read as FPDUs, as with a Rev that no RFC defines. */
    uint64_t octets, startup_octets;
    bool replied; /* it sent a Reply; `rejected`: with R=1 */
    bool rejected;
    bool terminated; /* it sent a Terminate; `error`: of its first one, as iw_error.h has it */
    uint16_t error;
    bool terminated_before; /* the impaired unit had not reached it then */
    bool fin, rst;          /* it has closed in this way */
    bool told;              /* a Terminate of the other device has reached it */
    bool got_fin, got_rst;  /* the relay has passed on, or caused, a FIN or RST to it */
    bool followed;          /* it closed after `told`, `got_fin` or `got_rst` */
    bool got_fpdu;          /* a valid FPDU before the impaired unit has reached it */
    bool got_reject;        /* a Reply with R=1 has reached it */
    bool reached;           /* the impaired unit, or what follows from it, has reached it */
    bool closed_before;     /* before that it had sent a FIN or RST */
    uint64_t begin_ns;      /* time when its connection began */
    uint64_t life_ns;       /* from then until it closed */
    uint64_t last_ns;       /* time of the last octets that it sent; 0: none */
    uint64_t quiet_ns;      /* when the unit reached it, for how long it had sent nothing */
    uint64_t reached_ns;    /* time when the unit reached it */
    /* With `followed`: from then until `told`, `got_fin` or `got_rst`, whichever was first. */
    uint64_t alone_ns;
};

struct iw_impaired_facts {
    bool opened;         /* both connections were opened */
    bool impaired;       /* a rule of the case was applied */
    bool unfit;          /* a rule was due, but its unit lacks what it changes */
    enum iw_side sender; /* of the impaired unit */
    uint64_t passed;     /* in the stream of its receiver, where the unit begins */
    bool crc;            /* a startup frame has C=1 */
    bool markers[2];     /* the startup frame of that device has M=1: it gets Markers */
    bool enhanced[2];
    bool depths;   /* the Request is enhanced, and its IRD is to be negotiated (RFC 6581 9.1) */
    bool silent;   /* the conversation did not end: nothing came for `waited_ms` */
    bool deadline; /* the conversation did not end before its deadline; the devices may be active */
    uint32_t waited_ms;
    struct iw_impaired_side sides[2]; /* by enum iw_side: initiator, responder */
};

/* The relay has applied a rule to a unit of `sender`, or could not. */
void iw_impaired_facts_rule(
    struct iw_impaired_facts *facts, enum iw_side sender, uint64_t passed, bool applied);

/* Takes a chunk of the connection of `end`. The device is the side of the same name there, the relay the
 * other one. Call it before the monitor gets the chunk. */
void iw_impaired_facts_chunk(struct iw_impaired_facts *facts, enum iw_side end, const struct iw_chunk *chunk);

/* Takes an event of the monitor of that connection. */
void iw_impaired_facts_event(
    struct iw_impaired_facts *facts, enum iw_side end, const struct iw_monitor_event *event);

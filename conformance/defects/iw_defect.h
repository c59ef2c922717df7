#ifndef IW_DEFECT_H
#define IW_DEFECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_endpoint.h"
#include "iw_requirement.h"

/* The named defects of the reference endpoint (iw_defect.def). They show that the suite finds what it is
 * there to find, and serve as peers that are wrong in one known way. */

enum iw_defect_of { IW_DEFECT_OF_FPDU, IW_DEFECT_OF_STARTUP, IW_DEFECT_OF_CLOSE };

enum iw_defect_times { IW_DEFECT_ONCE, IW_DEFECT_NEVER, IW_DEFECT_TWICE };

struct iw_defect {
    const char *name;
    const char *words; /* what it does */
    enum iw_requirement_id requirement;

    /* What it changes of all that is about to be sent. */
    enum iw_defect_of of;
    uint8_t opcode; /* OF_FPDU: of this opcode only; 0 (RDMA Write): of any */

    /* How. */
    const char *field; /* name of a header field that gets `value`, or with `add` as much more; NULL: none */
    bool add;
    uint64_t value;
    struct iw_fpdu_parts parts; /* framing: the overrides and values that differ from zero */
    size_t shorter;             /* octets that the payload lacks */
    enum iw_defect_times times;
    bool reset; /* RST instead of FIN */

    unsigned skip; /* set of enum iw_check that the endpoint leaves out */
    bool early;    /* FPDUs before the initiator's first */
    bool patient;  /* no end to waiting for a startup frame */
};

extern const struct iw_defect iw_defects[];
extern const size_t iw_defect_count;

/* By its name, or NULL. */
const struct iw_defect *iw_defect_find(const char *name);

/* Gives the configuration of an endpoint the defect, which may be NULL: none. */
void iw_defect_configure(const struct iw_defect *defect, struct iw_endpoint_config *config);

#endif

#ifndef IW_DEFECT_STATE_H
#define IW_DEFECT_STATE_H

#include "iw_defect.h"

enum { IW_DEFECT_HELD_MAX = 2048, IW_DEFECT_PAYLOAD_MAX = 65536 };

/* A segment of a Write, not placed yet. */
struct iw_defect_overtaken {
    uint8_t *octets; /* NULL: no segment */
    size_t count;
    uint32_t stag;
    uint64_t to;
};

/* State of the defect for one connection: the user of its policy. */
struct iw_defect_state {
    const struct iw_defect *defect;
    unsigned seen; /* messages that the defect concerns */

    struct iw_defect_overtaken overtaken; /* for IW_OMITTED_CHECK_OVERTAKEN */

    bool holding;
    struct iw_emit held;
    uint8_t held_payload[IW_DEFECT_HELD_MAX];

    struct iw_emit extra;
    uint8_t payload[IW_DEFECT_PAYLOAD_MAX]; /* replaces the payload of a sent message */
};

/* Changes the header of a peer's request if the defect concerns it. */
void iw_defect_change_request(const struct iw_defect *defect, struct iw_execute_request *request);

/* Make the endpoint check too much (iw_overstrict.c), and handle wrongly what it has checked (iw_omitted.c),
 * as the defect says. The user of the policy is a struct iw_defect_state. */
void iw_overstrict_configure(const struct iw_defect *defect, struct iw_policy *policy);
void iw_omitted_configure(const struct iw_defect *defect, struct iw_policy *policy);

#endif

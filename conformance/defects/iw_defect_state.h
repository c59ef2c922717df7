#ifndef IW_DEFECT_STATE_H
#define IW_DEFECT_STATE_H

#include "iw_defect.h"

enum { IW_DEFECT_HELD_MAX = 2048, IW_DEFECT_PAYLOAD_MAX = 65536 };

/* State of the defect for one connection: the user of its policy. */
struct iw_defect_state {
    const struct iw_defect *defect;
    unsigned seen; /* messages that the defect concerns */

    bool holding;
    struct iw_emit held;
    uint8_t held_payload[IW_DEFECT_HELD_MAX];

    struct iw_emit extra;
    uint8_t payload[IW_DEFECT_PAYLOAD_MAX]; /* replaces the payload of a sent message */
};

#endif

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

/* State of the defect for one connection: `user` in the functions of its policy. */
struct iw_defect_state {
    const struct iw_defect *defect;
    unsigned seen; /* number of FPDUs or frames so far that the defect concerns */

    struct iw_defect_overtaken overtaken;

    bool holding;
    struct iw_emit held;
    uint8_t held_payload[IW_DEFECT_HELD_MAX];

    struct iw_emit extra;
    uint8_t payload[IW_DEFECT_PAYLOAD_MAX]; /* replaces the payload of a sent message */
};

/* Changes the field of the defect, if it has one and the layout has it. */
void iw_defect_change_field(const struct iw_defect *defect, enum iw_layout_id layout, uint8_t *header);

#endif

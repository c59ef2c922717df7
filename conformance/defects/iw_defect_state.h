#pragma once

#include "iw_defect.h"

enum { IW_DEFECT_HELD_MAX = 2048, IW_DEFECT_PAYLOAD_MAX = 65536 };

/* A Write segment that has arrived and will be placed later. */
struct iw_defect_overtaken {
    uint8_t *octets; /* NULL: no segment */
    size_t count;
    uint32_t stag;
    uint64_t to;
};

/* The state of a defect in one connection: argument `user` of the functions of its policy. */
struct iw_defect_state {
    const struct iw_defect *defect;
    struct iw_defect_device *device; /* or NULL */
    enum iw_defect_phase phase;      /* of the connection, if it has a device */
    unsigned seen;                   /* number of FPDUs or frames so far that match the defect */

    struct iw_defect_overtaken overtaken;

    bool holding; /* `held` is to be sent after the next FPDU or frame that matches */
    struct iw_emit held;
    uint8_t held_payload[IW_DEFECT_HELD_MAX];

    struct iw_emit extra;
    uint8_t payload[IW_DEFECT_PAYLOAD_MAX]; /* changed payload of a sent message */
};

/* ---- iw_defect_device.c: the connections of a device together ---- */

/* Counts a connection that begins, or that ends. Without a device, they do nothing. */
void iw_defect_device_begin(struct iw_defect_state *state);
void iw_defect_device_end(struct iw_defect_state *state);

/* Notes what the connection sends. Returns false if the device must not send it, for its limit. */
bool iw_defect_device_sends(struct iw_defect_state *state, const struct iw_emit *emit);

/* Changes defect->field in the header. Does nothing if `field` is NULL, or not a field of the layout. */
void iw_defect_change_field(const struct iw_defect *defect, enum iw_layout_id layout, uint8_t *header);

#pragma once

#include "iw_fpdu.h"
#include "iw_relay_rule.h"
#include "iw_segment.h"

/* The octets of one unit, and what a rule makes of them. */

struct iw_relay_unit {
    bool startup;
    const uint8_t *wire; /* as its sender has sent it */
    uint32_t wire_octets;
    const uint8_t *image; /* without Markers */
    uint32_t image_octets;
    const struct iw_fpdu *fpdu; /* NULL: a startup frame */
    bool marked;                /* its sender uses Markers */
    struct iw_segment segment;  /* of an FPDU */
    bool segment_known;         /* the DDP header is complete */
    bool continues;             /* a tagged segment that is not the first one of its message */
};

void iw_relay_unit_of_startup(struct iw_relay_unit *unit, const uint8_t *octets, uint32_t length);

/* `wire`: the octets of the FPDU in the stream; `marked`: its sender uses Markers. */
void iw_relay_unit_of_fpdu(
    struct iw_relay_unit *unit, const struct iw_fpdu *fpdu, const uint8_t *wire, bool marked);

/* Whether the FPDU has all of this set of enum iw_relay_condition. */
bool iw_relay_unit_has(const struct iw_relay_unit *unit, unsigned with);

/* The most octets that iw_relay_change writes for this unit, with any rule. */
size_t iw_relay_change_max(const struct iw_relay_unit *unit);

/* Writes the unit, changed by `rule` (NULL: unchanged), to `octets`, of iw_relay_change_max octets, for the
 * octet `position` of full operation, and returns how many octets it has then. With IW_RELAY_REPAIR_MARKERS,
 * Markers are where this position demands, and the CRC of an unchanged unit is correct exactly if it was.
 * Random choices come from *random. `*applied` is false if the unit lacks what the rule changes, or has the
 * new value: then the unit is as without a rule. Returns 0 if memory runs out. */
size_t iw_relay_change(const struct iw_relay_unit *unit, const struct iw_relay_rule *rule, unsigned repair,
    uint64_t position, uint64_t *random, uint8_t *octets, bool *applied);

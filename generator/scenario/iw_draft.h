#ifndef IW_DRAFT_H
#define IW_DRAFT_H

#include "iw_lua_override.h"
#include "iw_printer_state.h"

/* One captured FPDU that the printer writes as script text; shared by its modules that write FPDUs. */

struct iw_draft {
    struct iw_printer *printer;
    const struct iw_conversation_unit *unit;
    size_t left; /* number of units from `unit` on */
    struct iw_segment segment;
    const uint8_t *payload; /* of all segments of the message */
    size_t payload_octets;
    struct iw_lua_layouts layouts;
    const uint8_t *ddp;     /* DDP header as captured */
    struct iw_emit natural; /* what the message's method sends with the captured arguments */
    struct iw_emit emit;    /* `natural` with all differences applied; encodes to the captured octets */
};

/* ---- iw_printer_fpdu.c ---- */

bool iw_draft_decode(
    struct iw_printer *printer, const struct iw_conversation_unit *unit, struct iw_segment *segment);

/* ---- iw_draft.c: functions that write script text ---- */

/* Writes the option `kind`, or `opcode` if the opcode is undefined. */
void iw_draft_kind(struct iw_draft *draft);

/* Writes the options for PAD, Marker and CRC that `emit` needs, and `merge` if one packet carried this FPDU
 * and the next. */
void iw_draft_framing(struct iw_draft *draft);

/* Writes the fields of the header at `octets` that differ from `natural`. */
void iw_draft_fields(
    struct iw_draft *draft, enum iw_layout_id layout, const uint8_t *octets, const uint8_t *natural);

/* Writes the fields of the DDP header and its control octet that differ from `natural`. */
void iw_draft_ddp(struct iw_draft *draft, const struct iw_emit *natural);

/* Writes the fields of the RDMAP header that are not 0. */
void iw_draft_header(struct iw_draft *draft);

/* Writes the payload as the option `data`, or `payload` if the header has a field `data`. */
void iw_draft_payload(struct iw_draft *draft);

/* Writes the message as a call of its method, up to the last option. */
void iw_draft_message(struct iw_draft *draft);

#endif

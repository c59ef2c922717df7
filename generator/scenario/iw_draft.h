#ifndef IW_DRAFT_H
#define IW_DRAFT_H

#include "iw_lua_override.h"
#include "iw_printer_state.h"

/* One FPDU on its way into the script; shared by the printer's modules that write FPDUs. */

struct iw_draft {
    struct iw_printer *printer;
    const struct iw_conversation_unit *unit;
    size_t left; /* units from `unit` on */
    struct iw_segment segment;
    const uint8_t *payload; /* of all segments of the message */
    size_t payload_octets;
    struct iw_lua_layouts layouts;
    const uint8_t *ddp;     /* DDP header as captured */
    struct iw_emit natural; /* what the endpoint would send for the same request */
    struct iw_emit emit;    /* the same with all differences applied; encodes to the captured octets */
};

/* ---- iw_printer_fpdu.c ---- */

bool iw_draft_decode(
    struct iw_printer *printer, const struct iw_conversation_unit *unit, struct iw_segment *segment);

/* ---- iw_draft.c: script text ---- */

/* The option `kind`, or `opcode` for one that is undefined. */
void iw_draft_kind(struct iw_draft *draft);

/* PAD, Marker and CRC options of `emit` that differ, and `merge` if it leaves with the next one. */
void iw_draft_framing(struct iw_draft *draft);

/* Fields of the header at `octets` that differ from `natural`. */
void iw_draft_fields(
    struct iw_draft *draft, enum iw_layout_id layout, const uint8_t *octets, const uint8_t *natural);

/* Fields of the DDP header and its control octet that differ from `natural`. */
void iw_draft_ddp(struct iw_draft *draft, const struct iw_emit *natural);

/* Fields of the RDMAP header that are not 0. */
void iw_draft_header(struct iw_draft *draft);

/* The payload, named `payload` where the header itself has a field `data`. */
void iw_draft_payload(struct iw_draft *draft);

/* The message as a call of its method, up to the last option. */
void iw_draft_message(struct iw_draft *draft);

#endif

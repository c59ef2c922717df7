#ifndef IW_DRAFT_H
#define IW_DRAFT_H

#include "iw_lua_override.h"
#include "iw_printer_state.h"

/* For the modules of the printer that write FPDUs: one on its way into the script. */

struct iw_draft {
    struct iw_printer *printer;
    const struct iw_conversation_unit *unit;
    size_t left; /* units from that one on */
    struct iw_segment segment;
    struct iw_lua_layouts layouts;
    const uint8_t *ddp;     /* its DDP header as captured */
    struct iw_emit natural; /* what the endpoint would send, asked for the same */
    struct iw_emit emit;    /* the same with all that is otherwise; gives the octets of the capture */
    bool first;
};

/* ---- iw_printer_fpdu.c ---- */

bool iw_draft_decode(
    struct iw_printer *printer, const struct iw_conversation_unit *unit, struct iw_segment *segment);

/* The longest ULPDU that the endpoint sends of itself. */
size_t iw_draft_mulpdu(const struct iw_printer *printer);

/* The octets of `emit` against those of the stream at `offset`. Returns how many; 0 if they are others. */
size_t iw_draft_matches(
    struct iw_printer *printer, struct iw_fpdu_writer *writer, const struct iw_emit *emit, uint64_t offset);

/* What the endpoint sends when it is asked for the message of the segment, which has an opcode of the table.
 */
void iw_draft_make_natural(struct iw_draft *draft);

/* It has sent it. */
void iw_draft_use_msn(struct iw_draft *draft);

/* ---- iw_draft_segments.c ---- */

/* Writes the message of several segments that begins with the draft's unit, with `left` units from there on.
 * Returns how many units it is; 0 if the endpoint would not send it so. */
size_t iw_draft_segments(struct iw_draft *draft, size_t left);

/* ---- iw_draft_request.c ---- */

/* As iw_draft_message, for requests beyond RFC 5040; false, with nothing written, if it is none. */
bool iw_draft_request(struct iw_draft *draft, const uint8_t *payload, size_t length);

/* ---- iw_draft.c: what stands in the script ---- */

/* `c:METHOD{`. */
void iw_draft_begin(struct iw_draft *draft, const char *method);

/* Options. Octets that are none need not be said. */
void iw_draft_number(struct iw_draft *draft, const char *name, uint64_t value);
void iw_draft_flag(struct iw_draft *draft, const char *name, bool value);
void iw_draft_octets(struct iw_draft *draft, const char *name, const uint8_t *octets, size_t length);
void iw_draft_kind(struct iw_draft *draft);

/* Of `emit`: what is otherwise in PAD, Markers and CRC; and whether it goes out with the next one. */
void iw_draft_framing(struct iw_draft *draft);

/* Fields of the DDP header and its control octet that are other than those of `natural`. */
void iw_draft_ddp(struct iw_draft *draft, const struct iw_emit *natural);

/* Fields of the RDMAP header; those that are 0 need not be said. */
void iw_draft_header(struct iw_draft *draft);

/* The payload, by the name that leaves a header's field of that name alone. */
void iw_draft_payload(struct iw_draft *draft, const uint8_t *octets, size_t length);

/* The message as its method has it, up to its last option, with `payload` for all of its segments. */
void iw_draft_message(struct iw_draft *draft, const uint8_t *payload, size_t length);

#endif

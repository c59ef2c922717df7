#ifndef IW_PRINTER_STATE_H
#define IW_PRINTER_STATE_H

#include "iw_emit.h"
#include "iw_endpoint.h"
#include "iw_lua_value.h"
#include "iw_printer.h"
#include "iw_text.h"

/* The inside of the printer, and what its modules ask of each other. */

enum {
    IW_PRINTER_STAGS_MAX = 256, /* of the peer that get a name */
};

/* One thing that the script does; they are printed by `order`, those of the same in the order in which they
 * were made. A side sends a thing where its first octet stood, and expects one where its last stood, so that
 * two scripts that are made of the two sides never wait for each other. */
struct iw_printer_item {
    uint64_t order;
    size_t serial;
    uint64_t time_ns;
    bool own;
    char *text; /* lines, without the last line's end */
    char note[160];
};

/* A Read Request of the peer, or a request of the own side. */
struct iw_printer_request {
    uint64_t order; /* the peer's */
    uint8_t opcode;
    uint32_t sink_stag, size;
    uint64_t sink_to;
};

/* An answer of the peer, or a segment of it. */
struct iw_printer_response {
    uint64_t order;
    uint8_t opcode;
    uint32_t stag, octets;
    uint64_t to;
    bool last;
};

struct iw_printer_stag {
    uint32_t stag;
    uint64_t to; /* the lowest */
    bool has_to;
};

struct iw_printer {
    const struct iw_conversation *conversation;
    const struct iw_printer_options *options;
    const struct iw_conversation_side *own, *peer;
    struct iw_printer_item *items;
    size_t item_count, item_capacity;
    struct iw_text item; /* the text of the item that is being made; open as long as the printer */
    FILE *text;          /* writes to it */
    uint64_t digits;     /* octets written as hexadecimal digits */
    bool no_memory;

    /* startup */
    bool automatic;      /* the endpoint goes through it */
    bool full;           /* full operation is entered, */
    uint64_t full_order; /* there */
    uint64_t own_from;   /* stream offset of what follows the startup frames */
    uint64_t peer_from;
    struct iw_terms terms;

    /* what the peer sends */
    struct iw_printer_request *requests;
    size_t request_count, request_capacity;
    struct iw_printer_response *responses;
    size_t response_count, response_capacity;
    uint64_t heard; /* octets of the peer that some event tells of */

    /* what the own endpoint is like */
    struct iw_fpdu_writer writer;
    uint32_t next_msn[IW_QN_COUNT];
    uint16_t mulpdu;
    uint32_t posts;                   /* messages that were asked for */
    bool queued;                      /* messages may wait to be sent */
    size_t answered;                  /* requests of the peer that have their Read Response */
    struct iw_printer_request *asked; /* by the own side; open from asked_first on */
    size_t asked_count, asked_capacity, asked_first;
    uint64_t read_answered; /* octets of the first, a Read */
    size_t response_next;
    struct iw_printer_stag stags[IW_PRINTER_STAGS_MAX];
    size_t stag_count;
    uint8_t room[2 * 65536 + 2048]; /* for any FPDU */
};

/* iw_printer.c */

/* Room for one more in a list of the printer; false without memory. */
bool iw_printer_room(struct iw_printer *printer, void *list, size_t count, size_t *capacity, size_t size);

/* An item begins: its text goes to printer->text until it ends. */
void iw_printer_begin(struct iw_printer *printer);
void iw_printer_end(struct iw_printer *printer, const struct iw_conversation_mark *at, bool own,
    const struct iw_conversation_unit *unit);

/* `, name = ` behind what stands there, which is nothing if *first. */
void iw_printer_name(struct iw_printer *printer, bool *first, const char *name);

/* iw_printer_octets.c: octets as an expression of Lua. */
void iw_printer_octets(struct iw_printer *printer, const uint8_t *octets, size_t length);

/* iw_printer_startup.c: decides how the startup goes, and makes its items. */
void iw_printer_startup(struct iw_printer *printer);

/* iw_printer_streaming.c: whether both sides begin MPA behind octets of another protocol, and so that a
 * script can tell where: the peer goes over to it behind something that the own side sends. */
bool iw_printer_streams(const struct iw_printer *printer);
/* Those octets of both sides, and MPA begins. */
void iw_printer_streaming(struct iw_printer *printer);

/* iw_printer_peer.c: octets of the peer outside of MPA, so many and no more. */
void iw_printer_expect_octets(
    struct iw_printer *printer, uint64_t count, const struct iw_conversation_mark *at);

/* iw_printer_peer.c: what the endpoint will tell of the peer's octets, as items that expect it. */
void iw_printer_peer(struct iw_printer *printer);

/* iw_printer_own.c: what the side sends, from its startup frame on, and its end. */
void iw_printer_own(struct iw_printer *printer);

/* iw_printer_fpdu.c: the FPDUs from `unit` on, as one item. Returns how many it took, at least one. */
size_t iw_printer_fpdu(struct iw_printer *printer, const struct iw_conversation_unit *unit, size_t count);

/* Before something that overtakes what waits. */
void iw_printer_drain(struct iw_printer *printer);

/* Own requests that are open when what has `order` is sent: as many as the endpoint counts, or more. */
size_t iw_printer_open(struct iw_printer *printer, uint64_t order);

/* iw_printer_field.c: fields of headers by their names. */

/* Those of the `octets` header whose values are other than in `natural`, or all of them if that is NULL. */
void iw_printer_fields(struct iw_printer *printer, bool *first, enum iw_layout_id layout,
    const struct iw_lua_layouts *layouts, const uint8_t *octets, const uint8_t *natural);

/* STag and TO of memory of the peer: by what the script knows them as. */
void iw_printer_stag(struct iw_printer *printer, uint32_t stag);
void iw_printer_to(struct iw_printer *printer, uint32_t stag, uint64_t to);
void iw_printer_note_stag(struct iw_printer *printer, uint32_t stag, const uint64_t *to);

#endif

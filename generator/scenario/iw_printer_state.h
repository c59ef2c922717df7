#pragma once

#include "iw_endpoint.h"
#include "iw_lua_override.h"
#include "iw_printer.h"
#include "iw_text.h"

enum {
    IW_PRINTER_STAGS_MAX = 256, /* STags of the peer that get a name */
};

/* One action of the script. Items are sorted by `order`, then by creation. An item that sends has the order
 * of its first octet; an item that expects has that of its last octet: the scripts of both sides never
 * deadlock. */
struct iw_printer_item {
    uint64_t order;
    size_t serial;
    uint64_t time_ns;
    bool own;
    char *text; /* lines; the last one without its newline */
    char note[160];
};

/* A Read Request of the peer, or any request of the own side. */
struct iw_printer_request {
    uint64_t order;              /* set for a request of the peer only */
    uint8_t opcode;              /* set for a request of the own side only */
    struct iw_read_request read; /* of a Read Request */
};

/* A response of the peer, or a segment of it. */
struct iw_printer_response {
    uint64_t order;
    uint8_t opcode;
    uint32_t stag, octets;
    uint64_t to;
    bool last;
};

struct iw_printer_stag {
    uint32_t stag;
    uint64_t to; /* the lowest TO used with it */
    bool has_to;
};

struct iw_printer_items {
    struct iw_printer_item *list;
    size_t count;
    struct iw_text text; /* of the current item; open as long as the printer */
};

struct iw_printer_requests {
    struct iw_printer_request *list;
    size_t count;
};

struct iw_printer_responses {
    struct iw_printer_response *list;
    size_t count;
};

/* How the connection begins. */
struct iw_printer_opening {
    bool full; /* full operation begins, at `full_order` */
    uint64_t full_order;
    uint64_t own_from; /* stream offset after the startup frames */
    uint64_t peer_from;
    struct iw_terms terms;
};

/* What the peer sends. */
struct iw_printer_received {
    struct iw_printer_requests requests;
    struct iw_printer_responses responses;
    uint64_t octets; /* octets of the stream that the script's events report */
};

/* State of the own endpoint when it sends. */
struct iw_printer_sender {
    struct iw_fpdu_writer writer;
    uint32_t next_msn[IW_QN_COUNT];
    uint16_t mulpdu;                   /* 0: the endpoint's default */
    uint32_t posts;                    /* messages posted */
    bool queued;                       /* messages may still be queued */
    size_t answered;                   /* number of the peer's Read Requests whose response is sent */
    uint8_t scratch[2 * 65536 + 2048]; /* space to encode any FPDU */
};

/* Requests of the own side, and how far the peer has answered them. */
struct iw_printer_asked {
    struct iw_printer_requests requests; /* outstanding from `first` on */
    size_t first;
    uint64_t read_answered; /* octets received for the oldest outstanding request if it is a Read */
    size_t next_response;   /* index into received.responses: the next to be counted */
};

struct iw_printer_stags {
    struct iw_printer_stag list[IW_PRINTER_STAGS_MAX];
    size_t count;
};

struct iw_printer {
    const struct iw_conversation *conversation;
    const struct iw_printer_options *options;
    const struct iw_conversation_side *own, *peer;
    struct iw_printer_items items;
    FILE *text;      /* stream that writes the text of the current item */
    bool first;      /* the call being printed has no option yet */
    uint64_t digits; /* octets printed as hexadecimal digits */
    bool no_memory;
    struct iw_printer_opening opening;
    struct iw_printer_received received;
    struct iw_printer_sender sender;
    struct iw_printer_asked asked;
    struct iw_printer_stags stags;
};

bool iw_printer_reserve(struct iw_printer *printer, void *list, size_t count, size_t size);

/* Begin and end an item; its text is written to printer->text. iw_printer_item does all in one call. */
void iw_printer_begin(struct iw_printer *printer);
void iw_printer_end(struct iw_printer *printer, const struct iw_conversation_mark *at, bool own,
    const struct iw_conversation_unit *unit);
void iw_printer_item(struct iw_printer *printer, const struct iw_conversation_mark *at, bool own,
    const struct iw_conversation_unit *unit, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Begins a call: prints `call{`. */
void iw_printer_call(struct iw_printer *printer, const char *call);

/* Print an option: only `name = `; a flag; a number (above 9 in hexadecimal); a decimal number; octets. */
void iw_printer_name(struct iw_printer *printer, const char *name);
void iw_printer_flag(struct iw_printer *printer, const char *name, bool value);
void iw_printer_number(struct iw_printer *printer, const char *name, uint64_t value);
void iw_printer_decimal(struct iw_printer *printer, const char *name, int64_t value);
void iw_printer_data(struct iw_printer *printer, const char *name, const uint8_t *octets, size_t length);

/* Print octets as a Lua expression, or in the call `c:octets(...)`. */
void iw_printer_octets(struct iw_printer *printer, const uint8_t *octets, size_t length);
void iw_printer_put_octets(struct iw_printer *printer, const uint8_t *octets, size_t length);

/* Makes the items of the startup. */
void iw_printer_startup(struct iw_printer *printer);

/* Whether octets of another protocol precede a startup frame, and the script can detect where the peer's
 * frame begins: no other octets of the peer precede it, or the own side sends octets between them. */
bool iw_printer_streams(const struct iw_printer *printer);
/* Makes the items of the octets before the startup frames, and of the change to MPA. */
void iw_printer_streaming(struct iw_printer *printer);

/* Makes the items that expect the events which the endpoint will report for the peer's octets. */
void iw_printer_peer(struct iw_printer *printer);

/* Makes the items for what the own side sends after its startup frame. */
void iw_printer_own(struct iw_printer *printer);

/* Prints FPDUs from `unit` on as one item. Returns their number, at least 1. */
size_t iw_printer_fpdu(struct iw_printer *printer, const struct iw_conversation_unit *unit, size_t count);

/* Prints a wait until queued messages are sent, before a call that would overtake them. */
void iw_printer_drain(struct iw_printer *printer);

/* The number of own requests outstanding at `order`: at least as many as the endpoint counts. */
size_t iw_printer_outstanding(struct iw_printer *printer, uint64_t order);

/* Prints the fields of the header at `octets` that differ from `natural`; all fields if `natural` is NULL. */
void iw_printer_fields(struct iw_printer *printer, enum iw_layout_id layout,
    const struct iw_lua_layouts *layouts, const uint8_t *octets, const uint8_t *natural);

/* Print an STag or TO of the peer's memory by its name in the script, or as a number if it has none. */
void iw_printer_stag(struct iw_printer *printer, uint32_t stag);
void iw_printer_to(struct iw_printer *printer, uint32_t stag, uint64_t to);
/* Gives the STag a name. `to`: a TO used with it, of which the lowest becomes its base; or NULL. */
void iw_printer_note_stag(struct iw_printer *printer, uint32_t stag, const uint64_t *to);

/* A captured FPDU that the printer writes as script text. */
struct iw_draft {
    struct iw_printer *printer;
    const struct iw_conversation_unit *unit;
    size_t left;                      /* number of units from `unit` on */
    const struct iw_segment *segment; /* of `unit` */
    const uint8_t *payload;           /* of all segments of the message */
    size_t payload_octets;
    struct iw_lua_layouts layouts;
    const uint8_t *ddp;     /* DDP header as captured */
    struct iw_emit natural; /* what the message's method sends with the captured arguments */
    struct iw_emit emit;    /* `natural` with all differences applied; encodes to the captured octets */
};

/* Writes the option `kind`, or `opcode` if the opcode is undefined. */
void iw_draft_kind(struct iw_draft *draft);

/* Writes the framing options that `emit` needs, and `merge` if one packet carried this FPDU and the next. */
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

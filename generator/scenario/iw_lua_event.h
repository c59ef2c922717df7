#pragma once

#include "iw_endpoint.h"
#include "iw_lua_names.h"

/* What arrives from the peer, as tables for scripts. Each has `kind`, `time` (seconds since the epoch) and
 * all header fields by name (iw_lua_value.h). The kinds and their other members:
 *
 * - request, reply: a startup frame; its fields, enhanced (boolean), private_data;
 * - send, rdma_write, read_request, ... (iw_opcode.def in lower case), unknown: a message; fields of its
 * last segment, but stag and to of the first; data, size (payload octets, unless the header has a field of
 * that name), segments, ulpdu_length, pad_octets, crc ("good", "bad", "unchecked"), crc_value,
 * crc_computed, markers, error;
 * - broken: octets that are neither a startup frame nor an FPDU; octets, text;
 * - octets: octets outside of MPA; octets, text;
 * - close: how ("fin", "rst", "timeout", "failed"), text, pending;
 * - silence: nothing arrived before the timeout. */

const char *iw_lua_event_kind(const struct iw_segment *segment);

/* The opcode that the options at index 2 name by kind or opcode, or Send. Rejects an unknown kind. */
uint8_t iw_lua_event_opcode(lua_State *lua, const char *method);

/* All kinds of events, and all names of their members. */
const struct iw_lua_names *iw_lua_event_kinds(void);
const struct iw_lua_names *iw_lua_event_names(void);

/* A message for the script, or a single segment that is not reassembled. */
struct iw_lua_message {
    const struct iw_event *event; /* the last segment: IW_EVENT_FPDU with `segment` */
    const uint8_t *data; /* whole payload, or NULL if it was dropped (over the limit, or out of memory) */
    size_t octets;       /* of the payload */
    unsigned segments;
    uint64_t to; /* tagged: TO of the first segment */
};

/* Push an event as a table. */
void iw_lua_event_push_startup(lua_State *lua, const struct iw_event *event);
void iw_lua_event_push_message(lua_State *lua, const struct iw_lua_message *message);
void iw_lua_event_push_octets(lua_State *lua, const struct iw_event *event);
void iw_lua_event_push_close(lua_State *lua, const struct iw_event *event);

/* Pushes a new event with `kind` and `time` only. */
void iw_lua_event_new(lua_State *lua, const char *kind, uint64_t time_ns);

/* Sets the fields of a segment's headers in the table on top of the stack. `ddp`: its DDP header. */
void iw_lua_event_set_segment(lua_State *lua, const struct iw_segment *segment, const uint8_t *ddp);

/* Sets the member `size` and, unless `octets` is NULL, the member `data` in the table on top of the stack. */
void iw_lua_event_set_payload(lua_State *lua, const uint8_t *octets, size_t length);

#include "iw_lua_event.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "iw_lua_member.h"
#include "iw_lua_value.h"
#include "iw_terminate.h"

static const char *const other_kinds[] = {
    "request", "reply", "unknown", "broken", "octets", "close", "silence", NULL};

static const char *const other_names[] = {"kind", "time", "data", "size", "segments", "crc", "crc_value",
    "crc_computed", "pad_octets", "markers", "error", "octets", "text", "how", "pending", "enhanced",
    "private_data", "terminated", "terminated_request", NULL};

static const char *const crc_names[] = {
    [IW_CRC_GOOD] = "good",
    [IW_CRC_BAD] = "bad",
    [IW_CRC_UNCHECKED] = "unchecked",
    [IW_CRC_UNPROVEN] = "unchecked",
    [IW_CRC_NOT_CAPTURED] = "unchecked",
};

/* Made only once. The names of the opcodes come first, in the order of the opcodes. */
const struct iw_lua_names *iw_lua_event_kinds(void) {
    static char texts[IW_RDMAP_OP_COUNT][32];
    static struct iw_lua_names kinds;

    if (kinds.count > 0)
        return &kinds;
    for (size_t opcode = 0; opcode < IW_RDMAP_OP_COUNT; opcode++) {
        for (size_t i = 0; i < 31 && iw_opcodes[opcode].name[i] != '\0'; i++)
            texts[opcode][i] = (char)tolower((unsigned char)iw_opcodes[opcode].name[i]);
        iw_lua_names_add_one(&kinds, texts[opcode]);
    }
    iw_lua_names_add(&kinds, other_kinds);
    return &kinds;
}

const char *iw_lua_event_kind(const struct iw_segment *segment) {
    return segment->op == NULL ? "unknown" : iw_lua_event_kinds()->names[segment->opcode];
}

uint8_t iw_lua_event_opcode(lua_State *lua, const char *method) {
    if (lua_getfield(lua, 2, "kind") == LUA_TNIL) {
        lua_pop(lua, 1);
        return (uint8_t)iw_lua_member_integer(lua, 2, "opcode", IW_RDMAP_OP_SEND, 0, UINT8_MAX);
    }
    if (lua_type(lua, -1) != LUA_TSTRING)
        luaL_error(lua, "kind takes the name of a message, not a %s", luaL_typename(lua, -1));
    const char *kind = lua_tostring(lua, -1);
    uint8_t opcode = 0;
    while (opcode < IW_RDMAP_OP_COUNT && strcmp(iw_lua_event_kinds()->names[opcode], kind) != 0)
        opcode++;
    if (opcode == IW_RDMAP_OP_COUNT)
        luaL_error(lua, "%s: '%s' is not a message%s", method, kind,
            iw_lua_names_hint(lua, iw_lua_event_kinds(), kind));
    lua_pop(lua, 1);
    return opcode;
}

static void lua_event_add_names(struct iw_lua_names *names) {
    iw_lua_names_add(names, other_names);
    for (size_t i = 0; i < IW_LAYOUT_COUNT; i++) {
        const struct iw_layout *layout = &iw_layouts[i];
        for (size_t j = 0; j < layout->field_count && layout->protocol != IW_PROTOCOL_SCTP; j++) {
            const struct iw_field *field = &iw_fields[layout->first_field + j];
            const char *dot = strrchr(field->filter, '.');
            if (!iw_lua_names_have(names, field->name))
                iw_lua_names_add_one(names, field->name);
            if (dot != NULL && !iw_lua_names_have(names, dot + 1))
                iw_lua_names_add_one(names, dot + 1);
        }
    }
}

const struct iw_lua_names *iw_lua_event_names(void) {
    static struct iw_lua_names names;

    if (names.count == 0)
        lua_event_add_names(&names);
    return &names;
}

void iw_lua_event_new(lua_State *lua, const char *kind, uint64_t time_ns) {
    luaL_checkstack(lua, 8, NULL);
    lua_createtable(lua, 0, 32);
    iw_lua_member_set_string(lua, "kind", kind);
    lua_pushnumber(lua, (lua_Number)time_ns / 1e9);
    lua_setfield(lua, -2, "time");
}

void iw_lua_event_push_startup(lua_State *lua, const struct iw_event *event) {
    static const char *const kinds[] = {
        [IW_STARTUP_REQUEST] = "request", [IW_STARTUP_REPLY] = "reply", [IW_STARTUP_UNKNOWN] = "broken"};
    const struct iw_startup *frame = event->startup;
    uint8_t octets[iw_mpa_startup_octets];

    iw_lua_event_new(lua, kinds[frame->key], event->time_ns);
    iw_mpa_startup_encode(&frame->header, octets);
    iw_lua_value_push(lua, &iw_lua_value_startup, iw_layout_mpa_startup, octets);
    if (frame->enhanced) {
        iw_mpa_enhanced_encode(&frame->enhanced_data, octets);
        iw_lua_value_push(lua, &iw_lua_value_startup, iw_layout_mpa_enhanced, octets);
    }
    iw_lua_member_set_boolean(lua, "enhanced", frame->enhanced);
    iw_lua_member_set_octets(lua, "private_data", frame->private_data, frame->private_octets);
    if (event->octets != NULL)
        iw_lua_member_set_octets(lua, "octets", event->octets, event->octet_count);
}

void iw_lua_event_push_octets(lua_State *lua, const struct iw_event *event) {
    const struct iw_fpdu *fpdu = event->fpdu;

    iw_lua_event_new(lua, event->kind == IW_EVENT_OCTETS ? "octets" : "broken", event->time_ns);
    if (event->kind == IW_EVENT_OCTETS)
        iw_lua_member_set_octets(lua, "octets", event->octets, event->octet_count);
    else
        iw_lua_member_set_octets(lua, "octets", fpdu == NULL ? NULL : iw_fpdu_ulpdu(fpdu),
            fpdu == NULL ? 0 : iw_fpdu_ulpdu_captured(fpdu));
    iw_lua_member_set_string(lua, "text", event->text);
}

void iw_lua_event_push_close(lua_State *lua, const struct iw_event *event) {
    iw_lua_event_new(lua, "close", event->time_ns);
    iw_lua_member_set_string(lua, "how", iw_end_name(event->end));
    iw_lua_member_set_string(lua, "text", event->text);
    iw_lua_member_set_boolean(lua, "pending", event->pending);
}

static void lua_event_push_markers(lua_State *lua, const struct iw_fpdu *fpdu) {
    lua_createtable(lua, (int)fpdu->marker_count, 0);
    for (uint32_t i = 0; i < fpdu->marker_count; i++) {
        lua_createtable(lua, 0, 3);
        iw_lua_member_set_integer(lua, "reserved", fpdu->markers[i].reserved);
        iw_lua_member_set_integer(lua, "fpduptr", fpdu->markers[i].fpduptr);
        iw_lua_member_set_integer(lua, "expected", fpdu->markers[i].expected);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_setfield(lua, -2, "markers");
}

static void lua_event_push_framing(lua_State *lua, const struct iw_fpdu *fpdu) {
    iw_lua_member_set_integer(lua, "ulpdu_length", fpdu->ulpdu_length);
    iw_lua_member_set_integer(lua, "pad_octets", fpdu->pad_octets);
    iw_lua_member_set_string(lua, "crc", crc_names[fpdu->crc]);
    iw_lua_member_set_integer(lua, "crc_value", fpdu->crc_received);
    if (fpdu->crc != IW_CRC_UNCHECKED)
        iw_lua_member_set_integer(lua, "crc_computed", fpdu->crc_computed);
    lua_event_push_markers(lua, fpdu);
}

/* Sets the fields of the DDP header at `octets` in the table on top of the stack, also those of the RDMAP
 * control octet and the Invalidate STag (untagged). */
static void lua_event_push_ddp(lua_State *lua, const struct iw_segment *segment, const uint8_t *octets) {
    const struct iw_lua_layouts layouts = {
        {segment->tagged ? iw_layout_ddp_tagged : iw_layout_ddp_untagged,
            segment->five_bit ? iw_layout_rdmap_control5 : iw_layout_rdmap_control,
            iw_layout_rdmap_invalidate},
        segment->tagged ? 2 : 3};

    iw_lua_value_push(lua, &layouts, layouts.id[0], octets);
    iw_lua_value_push(lua, &layouts, layouts.id[1], octets + 1);
    if (!segment->tagged)
        iw_lua_value_push(lua, &layouts, iw_layout_rdmap_invalidate, octets + 2);
}

/* Sets what a Terminate has after its header: DDP Segment Length, headers of the terminated segment. */
static void lua_event_push_terminated(lua_State *lua, const struct iw_segment *segment) {
    static const struct iw_lua_layouts request = {{iw_layout_read_request}, 1};
    struct iw_terminate_message message;

    if (!iw_segment_terminate(segment, IW_EXT_ALL, &message))
        return;
    if (message.has_length)
        iw_lua_member_set_integer(lua, "segment_length", message.segment_length);
    if (message.has_ddp) {
        lua_createtable(lua, 0, 16);
        lua_event_push_ddp(lua, &message.terminated, message.terminated_octets);
        lua_setfield(lua, -2, "terminated");
    }
    if (message.has_rdmap) {
        lua_createtable(lua, 0, 8);
        iw_lua_value_push(lua, &request, iw_layout_read_request, message.rdmap_octets);
        lua_setfield(lua, -2, "terminated_request");
    }
}

static void lua_event_push_error(lua_State *lua, int error) {
    if (error == IW_NO_ERROR)
        return;
    const char *name = iw_error_name(IW_LLP_MPA, (uint16_t)error);
    char triple[IW_ERROR_TEXT_OCTETS], text[128];
    iw_error_text((uint16_t)error, triple);
    snprintf(text, sizeof text, "%s%s%s", triple, name == NULL ? "" : " ", name == NULL ? "" : name);
    iw_lua_member_set_string(lua, "error", text);
}

static bool lua_event_has_member(lua_State *lua, const char *name) {
    bool has = lua_getfield(lua, -1, name) != LUA_TNIL;

    lua_pop(lua, 1);
    return has;
}

void iw_lua_event_set_segment(lua_State *lua, const struct iw_segment *segment, const uint8_t *ddp) {
    const struct iw_lua_layouts header = {{segment->op == NULL ? IW_LAYOUT_NONE : segment->op->header}, 1};

    lua_event_push_ddp(lua, segment, ddp);
    if (header.id[0] != IW_LAYOUT_NONE && segment->header_octets == iw_layouts[header.id[0]].octets)
        iw_lua_value_push(lua, &header, header.id[0], segment->header);
    lua_event_push_terminated(lua, segment);
}

void iw_lua_event_set_payload(lua_State *lua, const uint8_t *octets, size_t length) {
    if (!lua_event_has_member(lua, "size"))
        iw_lua_member_set_integer(lua, "size", length);
    if ((octets != NULL || length == 0) && !lua_event_has_member(lua, "data"))
        iw_lua_member_set_octets(lua, "data", octets, length);
}

void iw_lua_event_push_message(lua_State *lua, const struct iw_lua_message *message) {
    const struct iw_event *event = message->event;
    const struct iw_segment *segment = event->segment;

    iw_lua_event_new(lua, iw_lua_event_kind(segment), event->time_ns);
    iw_lua_event_set_segment(lua, segment, iw_fpdu_ulpdu(event->fpdu));
    lua_event_push_framing(lua, event->fpdu);
    lua_event_push_error(lua, event->error);
    iw_lua_member_set_integer(lua, "segments", message->segments);
    if (segment->tagged)
        iw_lua_member_set_integer(lua, "to", message->to);
    iw_lua_event_set_payload(lua, message->data, message->octets);
}

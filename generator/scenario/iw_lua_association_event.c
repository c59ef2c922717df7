#include "iw_lua_association.h"

#include <string.h>

#include "iw_lua_event.h"
#include "iw_lua_member.h"
#include "iw_lua_value.h"
#include "iw_name.h"
#include "iw_segment.h"

enum { FUNCTIONS = IW_SCTP_ENHANCED_REJECT + 1 };

static const char *const functions[FUNCTIONS] = {
    [IW_SCTP_INITIATE] = "initiate",
    [IW_SCTP_ACCEPT] = "accept",
    [IW_SCTP_REJECT] = "reject",
    [IW_SCTP_TERMINATE] = "terminate",
    [IW_SCTP_ENHANCED_INITIATE] = "enhanced_initiate",
    [IW_SCTP_ENHANCED_ACCEPT] = "enhanced_accept",
    [IW_SCTP_ENHANCED_REJECT] = "enhanced_reject",
};

static const char *const association_kinds[] = {"control", "segment", "data", "end", "silence", NULL};

static const char *const association_names[] = {"stream", "ppid", "ordered", "ssn", "function_code", NULL};

int iw_lua_association_event_function(const char *kind) {
    for (int i = 0; i < FUNCTIONS; i++)
        if (functions[i] != NULL && strcmp(functions[i], kind) == 0)
            return i;
    return -1;
}

const struct iw_lua_names *iw_lua_association_event_kinds(void) {
    static struct iw_lua_names kinds;

    if (kinds.count > 0)
        return &kinds;
    for (unsigned i = 0; i < FUNCTIONS; i++)
        if (functions[i] != NULL)
            iw_lua_names_add_one(&kinds, functions[i]);
    iw_lua_names_add(&kinds, association_kinds);
    return &kinds;
}

/* Includes the names of connection events: segments and enhanced data have the same members there. */
const struct iw_lua_names *iw_lua_association_event_names(void) {
    static struct iw_lua_names names;

    if (names.count > 0)
        return &names;
    names = *iw_lua_event_names();
    for (size_t i = 0; association_names[i] != NULL; i++)
        if (!iw_lua_names_have(&names, association_names[i]))
            iw_lua_names_add_one(&names, association_names[i]);
    return &names;
}

const char *iw_lua_association_event_end(enum iw_sctp_link_end end) {
    static const char *const names[] = {[IW_SCTP_LINK_SHUTDOWN] = "shutdown",
        [IW_SCTP_LINK_ABORTED] = "aborted",
        [IW_SCTP_LINK_FAILED] = "failed"};

    return names[end];
}

static bool association_event_push_control(lua_State *lua, const struct iw_sctp_message *message) {
    static const struct iw_lua_layouts enhanced = {{iw_layout_mpa_enhanced}, 1};
    struct iw_sctp_session session;

    if (!iw_sctp_session_decode(message->octets, message->captured, &session))
        return false;
    unsigned function = session.header.function;
    bool known = function < FUNCTIONS && functions[function] != NULL;
    iw_lua_event_new(lua, known ? functions[function] : "control", message->time_ns);
    iw_lua_member_set_integer(lua, "ssn", session.header.ssn);
    iw_lua_member_set_integer(lua, "function_code", function);
    if (session.enhanced)
        iw_lua_value_push(lua, &enhanced, iw_layout_mpa_enhanced, message->octets + iw_sctp_control_octets);
    iw_lua_member_set_octets(lua, "private_data", session.private_data, session.private_octets);
    return true;
}

static bool association_event_push_segment(lua_State *lua, const struct iw_sctp_message *message) {
    const uint8_t *ddp = message->octets + iw_sctp_segment_octets;
    struct iw_sctp_segment header;
    struct iw_segment segment;

    if (message->captured < iw_sctp_segment_octets)
        return false;
    iw_sctp_segment_decode(message->octets, &header);
    iw_lua_event_new(lua, "segment", message->time_ns);
    iw_lua_member_set_integer(lua, "ssn", header.ssn);
    if (iw_segment_decode(ddp, message->captured - iw_sctp_segment_octets,
            message->length - iw_sctp_segment_octets, IW_EXT_ALL, &segment)) {
        iw_lua_event_set_segment(lua, &segment, ddp);
        iw_lua_event_set_payload(lua, segment.payload, segment.payload_captured);
    }
    return true;
}

void iw_lua_association_event_push(lua_State *lua, const struct iw_sctp_message *message) {
    if (!(message->ppid == IW_SCTP_PPID_CONTROL && association_event_push_control(lua, message)) &&
        !(message->ppid == IW_SCTP_PPID_SEGMENT && association_event_push_segment(lua, message)))
        iw_lua_event_new(lua, "data", message->time_ns);
    iw_lua_member_set_integer(lua, "stream", message->stream);
    iw_lua_member_set_integer(lua, "ppid", message->ppid);
    iw_lua_member_set_boolean(lua, "ordered", message->ordered);
    iw_lua_member_set_octets(lua, "octets", message->octets, message->captured);
}

void iw_lua_association_event_push_end(
    lua_State *lua, enum iw_sctp_link_end end, const char *text, uint64_t time_ns) {
    iw_lua_event_new(lua, "end", time_ns);
    iw_lua_member_set_string(lua, "how", iw_lua_association_event_end(end));
    iw_lua_member_set_string(lua, "text", text);
}

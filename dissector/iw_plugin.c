#include "packet-iwarp.h"

/* The symbols that Wireshark looks up. Wireshark loads the plugin only if plugin_want_major and
 * plugin_want_minor match its version. Versions after 4.0 also look up plugin_describe. */

enum { PLUGIN_DESCRIBES_DISSECTOR = 1 };

WS_DLL_PUBLIC_DEF const char plugin_version[] = WARPCHECK_VERSION;
WS_DLL_PUBLIC_DEF const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

/* iWARP over SCTP comes second: it uses the protocol that proto_register_iwarp registers. */
static void plugin_register_protocols(void) {
    proto_register_iwarp();
    proto_register_iwarp_sctp();
    proto_register_iwarp_pm();
}

static void plugin_register_handoffs(void) {
    proto_reg_handoff_iwarp();
    proto_reg_handoff_iwarp_sctp();
    proto_reg_handoff_iwarp_pm();
}

void plugin_register(void) {
    static proto_plugin plugin;

    plugin.register_protoinfo = plugin_register_protocols;
    plugin.register_handoff = plugin_register_handoffs;
    proto_register_plugin(&plugin);
}

uint32_t plugin_describe(void) {
    return PLUGIN_DESCRIBES_DISSECTOR;
}

#ifndef IW_PLUGIN_H
#define IW_PLUGIN_H

#include "iw_epan.h"

/* Wireshark calls this before it registers the protocols: names the functions that register ours. */
WS_DLL_PUBLIC void plugin_register(void);

/* The kind of plugin: a dissector. */
WS_DLL_PUBLIC uint32_t plugin_describe(void);

#endif

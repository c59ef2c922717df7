#ifndef IW_PLUGIN_H
#define IW_PLUGIN_H

#include "iw_epan.h"

/* Called by Wireshark before it registers the protocols: tells it what registers ours. */
WS_DLL_PUBLIC void plugin_register(void);

/* What kind of plugin this is. */
WS_DLL_PUBLIC uint32_t plugin_describe(void);

#endif

#ifndef IW_EPAN_H
#define IW_EPAN_H

/* Wireshark as the plugin sees it: all its headers come in through here, and so does what differs between the
 * versions. The rest of the plugin uses only what 4.0, 4.4 and 4.6 have in common: pinfo->pool and the file
 * scope, try_val_to_str, plain pointers into a tvbuff, ids that start at -1. */

#include <ws_version.h>
#include <ws_symbol_export.h>

#include <epan/packet.h>
#include <epan/conversation.h>
#include <epan/exceptions.h>
#include <epan/expert.h>
#include <epan/prefs.h>
#include <epan/proto.h>
#include <epan/proto_data.h>
#include <epan/to_str.h>
#include <epan/tfs.h>
#include <epan/tvbuff.h>
#include <epan/unit_strings.h>
#include <epan/wmem_scopes.h>

/* What a preference that is on or off is kept in, and what a heuristic dissector returns. */
#if WIRESHARK_VERSION_MAJOR == 4 && WIRESHARK_VERSION_MINOR < 4
typedef gboolean iw_epan_bool;
#else
typedef bool iw_epan_bool;
#endif

#endif

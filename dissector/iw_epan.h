#pragma once

/* Includes all Wireshark headers and hides differences between versions. The other files of the plugin use
 * only what 4.0, 4.4 and 4.6 have in common: pinfo->pool and the file scope, try_val_to_str, plain pointers
 * into a tvbuff, ids that start at -1. */

#include <ws_version.h>
#include <ws_symbol_export.h>

#include <epan/packet.h>
#include <epan/column-utils.h>
#include <epan/conversation.h>
#include <epan/conversation_filter.h>
#include <epan/conversation_table.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/exceptions.h>
#include <epan/expert.h>
#include <epan/export_object.h>
#include <epan/follow.h>
#include <epan/prefs.h>
#include <epan/proto.h>
#include <epan/proto_data.h>
#include <epan/show_exception.h>
#include <epan/srt_table.h>
#include <epan/stat_tap_ui.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>
#include <epan/to_str.h>
#include <epan/tfs.h>
#include <epan/tvbuff.h>
#include <epan/unit_strings.h>
#include <epan/wmem_scopes.h>
#include <wiretap/pcap-encap.h>
#include <wiretap/wtap.h>

/* Data for the dissectors above RDMAP; some of them accept only the data of InfiniBand. */
#include <epan/dissectors/packet-infiniband.h>
#include <epan/dissectors/packet-iwarp-ddp-rdmap.h>

/* Type of a boolean preference, and of the result of a heuristic dissector. */
#if WIRESHARK_VERSION_MAJOR == 4 && WIRESHARK_VERSION_MINOR < 4
typedef gboolean iw_epan_bool;
#else
typedef bool iw_epan_bool;
#endif

/* From 4.4 on, functions of a conversation filter have an extra argument, and a follower needs a function
 * that counts its streams. */
#if WIRESHARK_VERSION_MAJOR == 4 && WIRESHARK_VERSION_MINOR < 4
#define IW_EPAN_FILTER_ARGUMENTS packet_info *pinfo
#define IW_EPAN_REGISTER_FILTER(...) register_conversation_filter(__VA_ARGS__)
#define IW_EPAN_FOLLOW_STREAMS(follower)
#else
#define IW_EPAN_FILTER_ARGUMENTS packet_info *pinfo, void *unused _U_
#define IW_EPAN_REGISTER_FILTER(...) register_conversation_filter(__VA_ARGS__, NULL)
#define IW_EPAN_FOLLOW_STREAMS(follower) , get_follow_stream_count_func(follower), NULL
#endif

#include "iw_limit.h"

#include "iw_hf.h"

enum { KEY = 1 }; /* key of the mark in Wireshark's per-frame data */

static bool any_noted; /* a frame was marked, in this or an earlier file; without it, no lookup is needed */

void iw_limit_note(packet_info *pinfo) {
    static const char noted[] = "";

    any_noted = true;
    p_add_proto_data(wmem_file_scope(), pinfo, proto_iwarp, KEY, (void *)noted);
}

void iw_limit_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
    if (any_noted && p_get_proto_data(wmem_file_scope(), pinfo, proto_iwarp, KEY) != NULL)
        proto_tree_add_expert(tree, pinfo, &ei_iwarp_limit, tvb, 0, 0);
}

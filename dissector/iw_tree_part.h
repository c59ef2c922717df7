#ifndef IW_TREE_PART_H
#define IW_TREE_PART_H

#include "iw_pdu.h"

/* Shows a frame's piece of an FPDU or startup frame that ends in another frame: `tvb` is the TCP segment from
 * its header on. With `info` the Info column says so too, behind what TCP says. */
void iw_tree_part(const struct iw_stored_part *part, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
    const struct iw_tcp_segment *segment, bool info);

#endif

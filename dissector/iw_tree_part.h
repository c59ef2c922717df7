#ifndef IW_TREE_PART_H
#define IW_TREE_PART_H

#include "iw_pdu.h"

/* Shows a frame's piece of an FPDU or startup frame that ends in another frame. `tvb` begins with the TCP
 * header. With `info`, appends it to TCP's Info column. */
void iw_tree_part(const struct iw_stored_part *part, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
    const struct iw_tcp_segment *segment, bool info);

#endif

#ifndef IW_TREE_H
#define IW_TREE_H

#include <stdbool.h>

#include "iw_epan.h"

#include "iw_frame_store.h"
#include "iw_tcp_segment.h"

/* The first item that is stored for the frame about the connection of `segment` and ends in it, or NULL. */
const struct iw_item *iw_tree_first(uint32_t frame, const struct iw_tcp_segment *segment);

/* Shows it and those after it: columns, tree and expert infos. `tvb` holds the TCP header and the payload of
 * the segment. Changes nothing that is stored, so every pass shows the same. */
void iw_tree_frame(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_tcp_segment *segment,
    const struct iw_item *begin);

/* Shows the pieces that the frame holds of FPDUs that end in other frames. A frame with nothing but these is
 * left to TCP otherwise. */
void iw_tree_parts(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_tcp_segment *segment);

#endif

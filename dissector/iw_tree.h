#ifndef IW_TREE_H
#define IW_TREE_H

#include <stdbool.h>

#include "iw_epan.h"

#include "iw_tcp_segment.h"

/* True if something is stored for the frame about the connection of `segment`. */
bool iw_tree_has(uint32_t frame, const struct iw_tcp_segment *segment);

/* Shows it: columns, tree and expert infos. `payload` is that of the segment. Changes nothing that is stored,
 * so every pass shows the same. */
void iw_tree_frame(
    tvbuff_t *payload, packet_info *pinfo, proto_tree *tree, const struct iw_tcp_segment *segment);

/* Shows the pieces that the frame holds of FPDUs that end in other frames. A frame with nothing but these is
 * left to TCP otherwise. */
void iw_tree_parts(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_tcp_segment *segment);

#endif

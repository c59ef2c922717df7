#ifndef IW_TREE_SCTP_H
#define IW_TREE_SCTP_H

#include "iw_sctp_stream.h"

/* Shows the user data of a DDP Segment Chunk (RFC 5043 5.2.2) or a DDP Stream Session Control chunk (RFC
 * 5043 5.2.3, RFC 6581 7): columns and tree. `stored` may be NULL. Leaves stored values unchanged, so every
 * pass shows the same. */
void iw_tree_sctp_segment(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_stored_chunk *stored);
void iw_tree_sctp_control(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_stored_chunk *stored);

/* Shows the end of a session in the frame with the SCTP packet `tvb`. */
void iw_tree_sctp_end(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_stored_chunk *stored);

#endif

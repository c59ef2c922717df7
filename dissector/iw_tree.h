#ifndef IW_TREE_H
#define IW_TREE_H

#include <stdbool.h>

#include "iw_epan.h"

#include "iw_frame_store.h"
#include "iw_pdu.h"
#include "iw_tcp_segment.h"

/* The first stored item of the frame that ends in `segment`, or NULL. */
const struct iw_item *iw_tree_first(uint32_t frame, const struct iw_tcp_segment *segment);

/* Shows that item and those after it: columns, tree and expert infos. `tvb` holds the TCP header and the
 * payload of the segment. Leaves the stored items unchanged, so every pass shows the same. */
void iw_tree_frame(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_tcp_segment *segment,
    const struct iw_item *begin);

/* Shows the frame's parts of FPDUs that end in other frames. A frame with only such parts keeps TCP's
 * columns. */
void iw_tree_parts(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_tcp_segment *segment);

/* ---- iw_tree_mpa.c ---- */

/* Adds a startup frame (RFC 5044 7.1.1, RFC 6581 6). */
void iw_tree_mpa_startup(struct iw_pdu *pdu);

/* Adds the MPA fields of an FPDU: ULPDU_Length, PAD, CRC and Markers (RFC 5044 4.1 to 4.4). */
void iw_tree_mpa_fpdu(struct iw_pdu *pdu);

/* ---- iw_tree_startup.c ---- */

/* Adds a link to the other startup frame and the negotiated parameters (RFC 5044 7.1.1, RFC 6581 9). The
 * earlier frame has them only after the first pass. */
void iw_tree_startup(const struct iw_pdu *pdu, proto_tree *tree);

/* ---- iw_tree_part.c ---- */

/* Shows a frame's piece of an FPDU or startup frame that ends in another frame. `tvb` begins with the TCP
 * header. With `info`, appends it to TCP's Info column. */
void iw_tree_part(const struct iw_stored_part *part, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
    const struct iw_tcp_segment *segment, bool info);

#endif

#ifndef IW_LIMIT_H
#define IW_LIMIT_H

#include "iw_epan.h"

/* Frames that were not judged because a limit of this program was reached. They do not count as
 * conforming. */

/* Marks this frame. First pass only. */
void iw_limit_note(packet_info *pinfo);

/* Adds the expert info if the frame is marked. */
void iw_limit_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

#endif

#ifndef IW_LIMIT_H
#define IW_LIMIT_H

#include "iw_epan.h"

/* What could not be judged since it was too much for this program, which is not to be taken for conformance.
 */

/* Of this frame. First pass only. */
void iw_limit_note(packet_info *pinfo);

/* Tells what was noted of the frame. */
void iw_limit_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

#endif

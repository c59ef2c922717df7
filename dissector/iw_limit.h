#pragma once

#include "iw_epan.h"

/* Marks frames that were not judged because of a limit of this program. They do not count as conforming. */

/* Marks this frame. Call this function only on the first pass. */
void iw_limit_note(packet_info *pinfo);

/* Adds an expert info if the frame is marked. */
void iw_limit_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

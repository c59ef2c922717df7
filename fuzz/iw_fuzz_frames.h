#pragma once

#include <stddef.h>
#include <stdint.h>

#include "iw_packet.h"

/* The packets that an input describes, from their IP header on. */

enum {
    IW_FUZZ_FRAMES_MAX = 48,
    IW_FUZZ_FRAME_OCTETS_MAX = 2048,
    IW_FUZZ_SEGMENT_OCTETS_MAX = 1460, /* payload of a TCP segment or a chunk */
};

/* Makes the packets of the input, within the limits above. Returns their number. Each has an allocation of
 * its own, so that a sanitizer detects reads beyond its end. */
unsigned iw_fuzz_frames_make(
    struct iw_packet frames[IW_FUZZ_FRAMES_MAX], const uint8_t *input, size_t length);

void iw_fuzz_frames_dispose(struct iw_packet *frames, unsigned count);

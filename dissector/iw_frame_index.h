#ifndef IW_FRAME_INDEX_H
#define IW_FRAME_INDEX_H

#include <stdint.h>

/* Capture frame number -> something, in Wireshark's file scope. Frames are numbered without holes, so this is
 * an array of pages: eight octets a frame, and none is moved when it grows. */

struct iw_frame_index {
    void ***pages;
    uint32_t page_count;
};

/* What is there for the frame, or NULL. */
void *iw_frame_index_get(const struct iw_frame_index *index, uint32_t frame);

/* Where it is to be put. Valid as long as the file is open. */
void **iw_frame_index_slot(struct iw_frame_index *index, uint32_t frame);

#endif

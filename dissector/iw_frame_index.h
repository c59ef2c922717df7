#ifndef IW_FRAME_INDEX_H
#define IW_FRAME_INDEX_H

#include <stdint.h>

/* Maps a capture frame number to a pointer, in the memory of the open file. Frame numbers have no gaps, so
 * this is an array of pages: eight octets for each frame, and entries stay in place when it grows. */

struct iw_frame_index {
    void ***pages;
    uint32_t page_count;
};

/* The pointer stored for the frame, or NULL. */
void *iw_frame_index_get(const struct iw_frame_index *index, uint32_t frame);

/* The frame's slot, for writing. Valid as long as the file is open. */
void **iw_frame_index_slot(struct iw_frame_index *index, uint32_t frame);

#endif

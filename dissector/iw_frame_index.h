#pragma once

#include <stdint.h>

/* Maps the number of a capture frame to a pointer, in the memory of the open file. An array of pages: it
 * takes eight octets for each frame, and entries stay in place when it grows. */

struct iw_frame_index {
    void ***pages;
    uint32_t page_count;
};

/* Returns the pointer stored for the frame, or NULL. */
void *iw_frame_index_get(const struct iw_frame_index *index, uint32_t frame);

/* Returns the place where the frame's pointer is stored, for writing. Valid as long as the file is open. */
void **iw_frame_index_slot(struct iw_frame_index *index, uint32_t frame);

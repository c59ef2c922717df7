#include "iw_frame_index.h"

#include <string.h>

#include "iw_file_memory.h"

enum { PAGE_SLOTS = 1024, PAGES_INITIAL = 64 };

void *iw_frame_index_get(const struct iw_frame_index *index, uint32_t frame) {
    uint32_t page = frame / PAGE_SLOTS;

    if (page >= index->page_count || index->pages[page] == NULL)
        return NULL;
    return index->pages[page][frame % PAGE_SLOTS];
}

static void frame_index_grow(struct iw_frame_index *index, uint32_t page) {
    uint32_t count = index->page_count == 0 ? PAGES_INITIAL : index->page_count;

    while (count <= page)
        count *= 2;
    index->pages = wmem_realloc(iw_file_memory(), index->pages, count * sizeof *index->pages);
    memset(index->pages + index->page_count, 0, (count - index->page_count) * sizeof *index->pages);
    index->page_count = count;
}

void **iw_frame_index_slot(struct iw_frame_index *index, uint32_t frame) {
    uint32_t page = frame / PAGE_SLOTS;

    if (page >= index->page_count)
        frame_index_grow(index, page);
    if (index->pages[page] == NULL)
        index->pages[page] = wmem_alloc0_array(iw_file_memory(), void *, PAGE_SLOTS);
    return &index->pages[page][frame % PAGE_SLOTS];
}

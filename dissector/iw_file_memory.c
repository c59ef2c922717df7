#include "iw_file_memory.h"

static wmem_allocator_t *scope;

void iw_file_memory_open(void) {
    iw_file_memory_close();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
}

void iw_file_memory_close(void) {
    if (scope != NULL)
        wmem_destroy_allocator(scope);
    scope = NULL;
}

wmem_allocator_t *iw_file_memory(void) {
    return scope;
}

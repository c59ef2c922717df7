#include "iw_scope.h"

static wmem_allocator_t *scope;

void iw_scope_open(void) {
    iw_scope_close();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
}

void iw_scope_close(void) {
    if (scope != NULL)
        wmem_destroy_allocator(scope);
    scope = NULL;
}

wmem_allocator_t *iw_scope(void) {
    return scope;
}

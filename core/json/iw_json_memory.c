#include "iw_json_memory.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_bool memory_failed, memory_required;
static _Atomic(iw_json_fail *) memory_fail;

static void *json_allocate(size_t octets) {
    void *memory = malloc(octets);
    iw_json_fail *fail = memory_fail;

    if (memory != NULL)
        return memory;
    memory_failed = true;
    if (memory_required && fail != NULL)
        fail();
    return NULL;
}

static void json_watch_memory(bool required) {
    memory_required = required;
    json_set_alloc_funcs(json_allocate, free);
}

void iw_json_on_failure(iw_json_fail *fail) {
    memory_fail = fail;
}

void iw_json_watch_memory(void) {
    memory_failed = false;
    json_watch_memory(false);
}

void iw_json_require_memory(void) {
    memory_failed = false;
    json_watch_memory(true);
}

json_t *iw_json_read(const char *octets, size_t count, size_t flags, json_error_t *error) {
    bool required = memory_required;
    json_t *value;

    json_watch_memory(true);
    value = json_loadb(octets, count, flags, error);
    memory_required = required;
    return value;
}

bool iw_json_memory_failed(void) {
    return memory_failed;
}

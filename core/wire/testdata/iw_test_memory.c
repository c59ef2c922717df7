#include "iw_test_memory.h"

#include <stddef.h>

/* Names for the linker's --wrap: the program calls __wrap_NAME instead of NAME; __real_NAME is the
 * original. */
void *__real_malloc(size_t octets);
void *__real_calloc(size_t count, size_t octets);
void *__real_realloc(void *memory, size_t octets);
void *__wrap_malloc(size_t octets);
void *__wrap_calloc(size_t count, size_t octets);
void *__wrap_realloc(void *memory, size_t octets);

static unsigned long counted, failing;
static bool onward_too;

void iw_test_memory_fail(unsigned long nth, bool onward) {
    counted = 0;
    failing = nth;
    onward_too = onward;
}

unsigned long iw_test_memory_restore(void) {
    failing = 0;
    return counted;
}

static bool fails(void) {
    counted++;
    return failing != 0 && (counted == failing || (onward_too && counted > failing));
}

void *__wrap_malloc(size_t octets) {
    return fails() ? NULL : __real_malloc(octets);
}

void *__wrap_calloc(size_t count, size_t octets) {
    return fails() ? NULL : __real_calloc(count, octets);
}

void *__wrap_realloc(void *memory, size_t octets) {
    return fails() ? NULL : __real_realloc(memory, octets);
}

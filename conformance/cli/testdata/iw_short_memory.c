#include <dlfcn.h>
#include <errno.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Preload this library (LD_PRELOAD) to make allocations of a program fail. Allocations are counted from 1,
 * from the start of main. IW_SHORT_MEMORY_AT=N makes number N fail; with IW_SHORT_MEMORY_ONWARD=1 all later
 * ones fail too. IW_SHORT_MEMORY_COUNT=FILE writes their number to FILE when the program ends. */

static atomic_ulong counted;
static unsigned long failing;
static bool onward, begun;

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void *(*next_aligned_alloc)(size_t, size_t);
static int (*next_posix_memalign)(void **, size_t, size_t);
static void (*next_free)(void *);

/* dlsym may allocate before the real functions are known. It gets memory from a static buffer, which is never
 * freed. */
static alignas(max_align_t) unsigned char early[65536];
static size_t early_used;

static void *take_early(size_t octets) {
    size_t rounded = (octets + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);

    if (rounded > sizeof early - early_used)
        return NULL;
    early_used += rounded;
    return early + early_used - rounded;
}

static bool is_early(const void *memory) {
    return (uintptr_t)memory - (uintptr_t)early < sizeof early;
}

static void find(void *function, const char *name) {
    void *found = dlsym(RTLD_NEXT, name);

    memcpy(function, &found, sizeof found);
}

/* Looks up the real functions. Returns false while the lookup is running. */
static bool is_ready(void) {
    static bool finding;

    if (next_free != NULL)
        return true;
    if (finding)
        return false;
    finding = true;
    find(&next_malloc, "malloc");
    find(&next_calloc, "calloc");
    find(&next_realloc, "realloc");
    find(&next_aligned_alloc, "aligned_alloc");
    find(&next_posix_memalign, "posix_memalign");
    find(&next_free, "free");
    return true;
}

/* Counting starts here: a preloaded library is initialised after all others. */
__attribute__((constructor)) static void begin(void) {
    const char *at = getenv("IW_SHORT_MEMORY_AT");

    is_ready();
    failing = at == NULL ? 0 : strtoul(at, NULL, 10);
    onward = getenv("IW_SHORT_MEMORY_ONWARD") != NULL;
    begun = true;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("IW_SHORT_MEMORY_COUNT");
    unsigned long number = counted;
    FILE *file;

    begun = false;
    file = path == NULL ? NULL : fopen(path, "w");
    if (file == NULL)
        return;
    fprintf(file, "%lu\n", number);
    fclose(file);
}

static bool fails(void) {
    unsigned long number;

    if (!begun)
        return false;
    number = ++counted;
    if (failing == 0 || number < failing || (number > failing && !onward))
        return false;
    errno = ENOMEM;
    return true;
}

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *malloc(size_t octets) {
    if (!is_ready())
        return take_early(octets);
    return fails() ? NULL : next_malloc(octets);
}

EXPORTED void *calloc(size_t count, size_t octets) {
    if (!is_ready())
        return take_early(count * octets);
    return fails() ? NULL : next_calloc(count, octets);
}

EXPORTED void *realloc(void *memory, size_t octets) {
    if (!is_ready())
        return take_early(octets);
    return fails() ? NULL : next_realloc(memory, octets);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t octets) {
    return !is_ready() || fails() ? NULL : next_aligned_alloc(alignment, octets);
}

EXPORTED int posix_memalign(void **memory, size_t alignment, size_t octets) {
    return !is_ready() || fails() ? ENOMEM : next_posix_memalign(memory, alignment, octets);
}

EXPORTED void free(void *memory) {
    if (!is_early(memory) && is_ready())
        next_free(memory);
}

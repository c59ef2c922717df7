#define _GNU_SOURCE /* RTLD_NEXT */

#include "iw_fuzz_quick.h"

#include <dlfcn.h>

#include "iw_epan.h"

#include <epan/addr_resolv.h>
#include <epan/reassemble.h>

/* The functions below that are not static replace those of the same name in libwireshark and libwsutil,
 * also for calls from libwireshark. */

/* The library's function of that name. The conversion to a function pointer is POSIX, not ISO C. */
static void *library_function(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);

    g_assert(function != NULL);
    return function;
}

/* Protocols whose routine for a new file fills large tables, compiles patterns, or leaks memory each time:
 * these routines are not registered. */
static const char *const held_off[] = {"dicom", "logcat_text", "nbap", "nrup", "raw_sip", "rrc", "rtp", NULL};

static bool started;
static const char *registering = ""; /* filter name of the latest registered protocol */

int proto_register_protocol(const char *name, const char *short_name, const char *filter_name) {
    static int (*library)(const char *, const char *, const char *);

    if (library == NULL)
        *(void **)&library = library_function("proto_register_protocol");
    registering = filter_name;
    return library(name, short_name, filter_name);
}

void register_init_routine(void (*routine)(void)) {
    static void (*library)(void (*)(void));

    if (library == NULL)
        *(void **)&library = library_function("register_init_routine");
    if (!g_strv_contains(held_off, registering))
        library(routine);
}

void register_cleanup_routine(void (*routine)(void)) {
    static void (*library)(void (*)(void));

    if (library == NULL)
        *(void **)&library = library_function("register_cleanup_routine");
    if (!g_strv_contains(held_off, registering))
        library(routine);
}

/* Protocols below and above iWARP. The reassembly tables of all others stay empty and need not be made for
 * every file. */
static const char *const carried[] = {"dcerpc", "ip", "ipv6", "iscsi", "nvme", "rpc", "rpcordma", "sctp",
    "smb", "smb2", "smb_direct", "smb_pipe", "tcp", NULL};

void reassembly_table_register(reassembly_table *table, const reassembly_table_functions *functions) {
    static void (*library)(reassembly_table *, const reassembly_table_functions *);

    if (library == NULL)
        *(void **)&library = library_function("reassembly_table_register");
    if (g_strv_contains(carried, registering) || g_str_has_prefix(registering, "iwarp"))
        library(table, functions);
    else
        reassembly_table_init(table, functions);
}

/* Does not release the blocks of several MiB at the end of a file, as the next file needs them again. */
void wmem_gc(wmem_allocator_t *allocator) {
    (void)allocator;
}

/* Allocates each piece of the plugin's file memory separately, so that a sanitizer detects accesses beyond
 * it. */
wmem_allocator_t *wmem_allocator_new(const wmem_allocator_type_t type) {
    static wmem_allocator_t *(*library)(wmem_allocator_type_t);

    if (library == NULL)
        *(void **)&library = library_function("wmem_allocator_new");
    return library(started && type == WMEM_ALLOCATOR_BLOCK ? WMEM_ALLOCATOR_SIMPLE : type);
}

/* Tables of conversations and endpoints are allocated for 10,000 rows (2 MiB) with every file: start
 * smaller. */
WS_DLL_PUBLIC_DEF GArray *g_array_sized_new(gboolean ended, gboolean cleared, guint size, guint reserved) {
    static GArray *(*library)(gboolean, gboolean, guint, guint);

    if (library == NULL)
        *(void **)&library = library_function("g_array_sized_new");
    return library(ended, cleared, size, MIN(reserved, 16));
}

/* Called with every file for name resolution, which is off. */
WS_DLL_PUBLIC int ares_init_options(void *channel, void *options, int given);

WS_DLL_PUBLIC_DEF int ares_init_options(void *channel, void *options, int given) {
    (void)channel;
    (void)options;
    (void)given;
    return 1;
}

void iw_fuzz_quick_start(void) {
    for (unsigned i = 0; held_off[i] != NULL; i++) {
        int protocol = proto_get_id_by_filter_name(held_off[i]);

        if (protocol >= 0)
            proto_set_decoding(protocol, FALSE);
    }
    disable_name_resolution();
    started = true;
}

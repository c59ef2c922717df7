#include "iw_fuzz_taps.h"

#include "iw_epan.h"

#include <epan/conversation_table.h>
#include <epan/export_object.h>
#include <epan/follow.h>
#include <epan/srt_table.h>
#include <epan/stats_tree.h>
#include <epan/stats_tree_priv.h>
#include <epan/tap.h>

#include "iw_hf.h"

/* Data that a window or a command-line option of Wireshark holds for its listener. */
static srt_data_t times;
static register_srt_t *times_table;
static conv_hash_t conversations, endpoints;
static follow_info_t follow;
static export_object_list_t objects;
static export_object_gui_reset_cb objects_forget;

static void listen(const char *tap, void *listener, tap_reset_cb reset, tap_packet_cb packet) {
    GString *wrong =
        register_tap_listener(tap, listener, NULL, TL_REQUIRES_NOTHING, reset, packet, NULL, NULL);

    if (wrong != NULL)
        g_error("%s: %s", tap, wrong->str);
}

/* ---- service response times ---- */

static void reset_times(void *listener) {
    reset_srt_table(((srt_data_t *)listener)->srt_array);
}

static gboolean listen_times(const void *key, void *table, void *data) {
    (void)key;
    (void)data;
    if (get_srt_proto_id(table) != proto_iwarp)
        return FALSE;
    times_table = table;
    times.srt_array = g_array_new(FALSE, TRUE, sizeof(srt_stat_table *));
    srt_table_dissector_init(times_table, times.srt_array);
    listen(get_srt_tap_listener_name(times_table), &times, reset_times, get_srt_packet_func(times_table));
    return TRUE;
}

/* ---- conversations and endpoints ---- */

static void reset_conversations(void *listener) {
    reset_conversation_table_data(listener);
}

static void reset_endpoints(void *listener) {
    reset_endpoint_table_data(listener);
}

static void listen_conversations(void) {
    register_ct_t *table = get_conversation_by_proto_id(proto_iwarp);

    if (table == NULL)
        g_error("iWARP has no table of conversations");
    listen("iwarp", &conversations, reset_conversations, get_conversation_packet_func(table));
    listen("iwarp", &endpoints, reset_endpoints, get_endpoint_packet_func(table));
}

/* ---- Follow ---- */

static void free_record(gpointer record) {
    g_byte_array_free(((follow_record_t *)record)->data, TRUE);
    g_free(record);
}

static void reset_follow(void *listener) {
    follow_info_t *info = listener;

    g_list_free_full(info->payload, free_record);
    info->payload = NULL;
    free_address(&info->client_ip);
    free_address(&info->server_ip);
    follow_reset_stream(info);
}

static gboolean listen_follow(const void *key, void *follower, void *data) {
    (void)key;
    (void)data;
    if (get_follow_proto_id(follower) != proto_iwarp)
        return FALSE;
    listen(get_follow_tap_string(follower), &follow, reset_follow, get_follow_tap_handler(follower));
    return TRUE;
}

/* ---- objects ---- */

static void free_object(gpointer object) {
    export_object_entry_t *entry = object;

    g_free(entry->hostname);
    g_free(entry->content_type);
    g_free(entry->filename);
    g_free(entry->payload_data);
    g_free(entry);
}

/* Keeps every object until the reset, as the window does. */
static void take_object(void *list, export_object_entry_t *entry) {
    g_ptr_array_add(list, entry);
}

static export_object_entry_t *object_of(void *list, int row) {
    return g_ptr_array_index((GPtrArray *)list, row);
}

static void reset_objects(void *listener) {
    g_ptr_array_set_size(((export_object_list_t *)listener)->gui_data, 0);
    if (objects_forget != NULL)
        objects_forget();
}

static gboolean listen_objects(const void *key, void *kind, void *data) {
    (void)key;
    (void)data;
    if (get_eo_proto_id(kind) != proto_iwarp)
        return FALSE;
    objects.add_entry = take_object;
    objects.get_entry = object_of;
    objects.gui_data = g_ptr_array_new_with_free_func(free_object);
    objects_forget = get_eo_reset_func(kind);
    listen(get_eo_tap_listener_name(kind), &objects, reset_objects, get_eo_packet_func(kind));
    return TRUE;
}

/* ---- the statistics tree ---- */

/* libwireshark replaces the root's bucket without freeing it. */
static void reset_tree(void *listener) {
    stats_tree *tree = listener;

    g_free(tree->root.bh);
    stats_tree_reinit(tree);
}

static void listen_tree(void) {
    stats_tree_cfg *kind = stats_tree_get_cfg_by_abbr("iwarp");
    stats_tree *tree;

    if (kind == NULL)
        g_error("iWARP has no statistics tree");
    tree = stats_tree_new(kind, NULL, NULL);
    listen(kind->tapname, tree, reset_tree, stats_tree_packet);
}

void iw_fuzz_taps_listen(void) {
    srt_table_iterate_tables(listen_times, NULL);
    listen_conversations();
    follow_iterate_followers(listen_follow, NULL);
    eo_iterate_tables(listen_objects, NULL);
    listen_tree();
}

void iw_fuzz_taps_close(void) {
    reset_tap_listeners();
    if (objects.gui_data != NULL)
        g_ptr_array_free(objects.gui_data, TRUE);
    if (times_table != NULL)
        free_srt_table(times_table, times.srt_array);
}

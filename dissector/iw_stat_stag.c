#include "iw_stat.h"

#include <string.h>

#include "iw_opcode.h"
#include "iw_tap.h"
#include "iw_upper_store.h"

/* A table with a row for each STag from its first use to its invalidation. */

enum { ROWS_MAX = 10000 }; /* STags with a row of their own; all others share one */

enum column { CONNECTION, OWNER, STAG, PLACED, REQUESTED, FIRST, LAST, LIFETIME, PURPOSE, COLUMNS };

static stat_tap_table_item columns[COLUMNS] = {
    [CONNECTION] = {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Stream", "%-7s"},
    [OWNER] = {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Owner", "%-10s"},
    [STAG] = {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "STag", "%-11s"},
    [PLACED] = {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Octets placed", "%-14s"},
    [REQUESTED] = {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Octets requested", "%-17s"},
    [FIRST] = {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "First frame", "%-12u"},
    [LAST] = {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Last frame", "%-11u"},
    [LIFETIME] = {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Lifetime [s]", "%-13s"},
    [PURPOSE] = {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Purpose", "%s"},
};

struct stag_row {
    bool shared;     /* by all STags after the first ROWS_MAX */
    unsigned number; /* of the row in its table */
    uint64_t placed, requested;
    uint64_t first_ns;
};

/* stat_tap_table -> table of struct stag_row by struct iw_stored_stag; NULL for the shared row */
static GHashTable *tables;

static GHashTable *stat_stag_rows(const stat_tap_table *table) {
    return g_hash_table_lookup(tables, table);
}

/* ---- cells ---- */

static void stat_stag_set_text(stat_tap_table *table, unsigned row, enum column column, char *text) {
    stat_tap_table_item_type *cell = stat_tap_get_field_data(table, row, column);

    g_free((void *)cell->value.string_value);
    cell->value.string_value = text;
}

static void stat_stag_set_number(stat_tap_table *table, unsigned row, enum column column, uint32_t number) {
    stat_tap_get_field_data(table, row, column)->value.uint_value = number;
}

static void stat_stag_free_cell(
    stat_tap_table *table _U_, unsigned row _U_, unsigned column, stat_tap_table_item_type *cell) {
    if (column < COLUMNS && columns[column].type == TABLE_ITEM_STRING)
        g_free((void *)cell->value.string_value);
    cell->value.string_value = NULL;
}

/* ---- rows ---- */

static void stat_stag_init_row(stat_tap_table *table, const struct stag_row *row, uint32_t frame) {
    stat_tap_table_item_type cells[COLUMNS];

    memset(cells, 0, sizeof cells);
    for (unsigned i = 0; i < COLUMNS; i++)
        cells[i].type = columns[i].type;
    stat_tap_init_table_row(table, row->number, COLUMNS, cells);
    stat_stag_set_number(table, row->number, FIRST, frame);
}

static void stat_stag_name_row(stat_tap_table *table, const struct stag_row *row, const struct iw_tap *tap,
    bool initiator, uint32_t stag) {
    bool known = tap->item->role != IW_ROLE_UNKNOWN;

    stat_stag_set_text(table, row->number, CONNECTION,
        tap->stream != IW_TAP_NO_STREAM ? g_strdup_printf("%u", tap->stream) : g_strdup("-"));
    stat_stag_set_text(table, row->number, OWNER,
        g_strdup(iw_role_name(!known      ? IW_ROLE_UNKNOWN
                              : initiator ? IW_ROLE_INITIATOR
                                          : IW_ROLE_RESPONDER)));
    stat_stag_set_text(table, row->number, STAG, g_strdup_printf("0x%08x", stag));
    stat_stag_set_text(table, row->number, PURPOSE, g_strdup("-"));
}

static void stat_stag_name_shared_row(stat_tap_table *table, const struct stag_row *row) {
    stat_stag_set_text(table, row->number, CONNECTION, g_strdup("-"));
    stat_stag_set_text(table, row->number, OWNER, g_strdup("-"));
    stat_stag_set_text(table, row->number, STAG, g_strdup("others"));
    stat_stag_set_text(
        table, row->number, PURPOSE, g_strdup_printf("STags after the first %d", (int)ROWS_MAX));
}

/* Returns the row of the STag. */
static struct stag_row *stat_stag_row(stat_tap_table *table, const struct iw_tap *tap,
    const struct iw_stored_stag *of, bool initiator, uint32_t stag, uint64_t time_ns) {
    GHashTable *rows = stat_stag_rows(table);
    struct stag_row *row = g_hash_table_lookup(rows, of);
    bool shared = row == NULL && g_hash_table_size(rows) >= ROWS_MAX;

    if (shared)
        row = g_hash_table_lookup(rows, NULL);
    if (row != NULL)
        return row;
    row = g_new0(struct stag_row, 1);
    row->shared = shared;
    row->number = g_hash_table_size(rows);
    row->first_ns = time_ns;
    g_hash_table_insert(rows, shared ? NULL : (void *)of, row);
    stat_stag_init_row(table, row, tap->item->frame);
    if (shared)
        stat_stag_name_shared_row(table, row);
    else
        stat_stag_name_row(table, row, tap, initiator, stag);
    return row;
}

static void stat_stag_show(
    stat_tap_table *table, const struct stag_row *row, const struct iw_item *item, uint64_t time_ns) {
    uint64_t life_us = (time_ns > row->first_ns ? time_ns - row->first_ns : 0) / 1000u;

    stat_stag_set_text(table, row->number, PLACED, g_strdup_printf("%llu", (unsigned long long)row->placed));
    stat_stag_set_text(
        table, row->number, REQUESTED, g_strdup_printf("%llu", (unsigned long long)row->requested));
    stat_stag_set_number(table, row->number, LAST, item->frame);
    stat_stag_set_text(table, row->number, LIFETIME,
        g_strdup_printf("%llu.%06llu", (unsigned long long)(life_us / 1000000u),
            (unsigned long long)(life_us % 1000000u)));
}

/* Shows what the memory is for, if the protocol above has advertised it. */
static void stat_stag_show_purpose(
    stat_tap_table *table, const struct stag_row *row, const struct iw_item *item, bool of_sender) {
    const struct iw_upper_note *note = iw_upper_note(item);
    enum iw_side owner = of_sender ? item->side : iw_side_other(item->side);

    if (!row->shared && note != NULL && note->used != NULL && note->used->owner == owner)
        stat_stag_set_text(table, row->number, PURPOSE, g_strdup(note->used->purpose));
}

/* ---- uses ---- */

/* Returns the value of the field that holds an STag. */
static uint32_t stat_stag_value(const struct iw_segment *ddp, enum iw_field_id field) {
    if (field == iw_field_ddp_tagged_stag)
        return ddp->stag;
    if (field == iw_field_rdmap_invalidate_stag)
        return ddp->invalidate_stag;
    return (uint32_t)iw_field_get(&iw_fields[field], ddp->header);
}

static void stat_stag_use(stat_tap_table *table, const struct iw_tap *tap, unsigned use, uint64_t time_ns) {
    enum iw_field_id field = tap->item->message->stag_fields[use];
    const struct iw_segment *ddp = &tap->ddp;
    bool of_sender = field == iw_field_read_request_sink_stag;
    bool initiator = (tap->item->role == IW_ROLE_INITIATOR) == of_sender;
    struct stag_row *row;

    if (field != iw_field_ddp_tagged_stag && field != iw_field_rdmap_invalidate_stag &&
        (ddp->header == NULL || ddp->header_octets == 0))
        return;
    row = stat_stag_row(
        table, tap, tap->item->message->stags[use], initiator, stat_stag_value(ddp, field), time_ns);
    if (ddp->tagged)
        row->placed += ddp->payload_octets;
    else if (ddp->opcode == IW_RDMAP_OP_READ_REQUEST && !of_sender)
        row->requested += iw_opcode_target(ddp->op, ddp->header).length;
    stat_stag_show(table, row, tap->item, time_ns);
    stat_stag_show_purpose(table, row, tap->item, of_sender);
}

static tap_packet_status stat_stag_on_packet(
    void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *heard, tap_flags_t flags _U_) {
    const struct iw_tap_list *list = heard;
    stat_data_t *stat = data;
    stat_tap_table *table = g_array_index(stat->stat_tap_data->tables, stat_tap_table *, 0);

    for (const struct iw_tap *tap = list->first; tap != NULL; tap = tap->next)
        for (unsigned use = 0; tap->has_ddp && use < IW_STAG_USES_MAX; use++)
            if (tap->item->message->stags[use] != NULL)
                stat_stag_use(table, tap, use, iw_pdu_time(pinfo));
    return TAP_PACKET_REDRAW;
}

/* ---- registration ---- */

static void stat_stag_init(stat_tap_table_ui *stat) {
    const char *name = "STags of iWARP";
    stat_tap_table *table = stat_tap_find_table(stat, name);

    if (table == NULL) {
        table = stat_tap_init_table(name, COLUMNS, 0, NULL);
        stat_tap_add_table(stat, table);
    }
    g_hash_table_replace(tables, table, g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free));
}

/* Empties the rows: the next STags take them again. */
static void stat_stag_reset(stat_tap_table *table) {
    for (unsigned row = 0; row < table->num_elements; row++)
        for (unsigned column = 0; column < COLUMNS; column++) {
            stat_tap_table_item_type *cell = stat_tap_get_field_data(table, row, column);

            stat_stag_free_cell(table, row, column, cell);
            cell->type = TABLE_ITEM_NONE;
        }
    g_hash_table_remove_all(stat_stag_rows(table));
}

void iw_stat_stag_register(void) {
    static stat_tap_table_ui stat = {.group = REGISTER_PACKET_STAT_GROUP_UNSORTED,
        .title = "iWARP/STags",
        .tap_name = "iwarp",
        .cli_string = "iwarp,stags",
        .stat_tap_init_cb = stat_stag_init,
        .packet_func = stat_stag_on_packet,
        .stat_tap_reset_table_cb = stat_stag_reset,
        .stat_tap_free_table_item_cb = stat_stag_free_cell,
        .nfields = COLUMNS,
        .fields = columns};

    tables = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, (GDestroyNotify)g_hash_table_destroy);
    register_stat_tap_table_ui(&stat);
}

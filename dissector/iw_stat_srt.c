#include "iw_stat.h"

#include "iw_name.h"
#include "iw_tap.h"

enum {
    AOPCODES = 16, /* AOpCode has four bits (RFC 7306 5.2.1) */
    ROWS_MAX = IW_RDMAP_OP_COUNT + 1 + AOPCODES,
};

static struct row {
    uint8_t opcode;  /* opcode of the request */
    uint8_t aopcode; /* AOpCode, if it is an Atomic Request */
    bool first;      /* time to the first segment of the response, not to the last */
    const char *name;
} rows[ROWS_MAX];

static int row_count;

static void srt_add_row(const struct iw_opcode *request, uint8_t aopcode, bool first, const char *detail) {
    const char *comma = detail[0] != '\0' ? ", " : "";

    rows[row_count++] = (struct row){request->value, aopcode, first,
        wmem_strdup_printf(wmem_epan_scope(), "%s%s%s", request->title, comma, detail)};
}

static void srt_add_atomic_rows(const struct iw_opcode *request) {
    for (uint8_t aopcode = 0; aopcode < AOPCODES; aopcode++) {
        const char *name = iw_value_name(IW_KIND_AOPCODE, aopcode);

        srt_add_row(request, aopcode, false,
            name != NULL ? name : wmem_strdup_printf(wmem_epan_scope(), "AOpCode %u", aopcode));
    }
}

/* Makes one or more rows for each request that has a response. Wireshark hides empty rows. */
static void srt_make_rows(void) {
    for (unsigned i = 0; i < IW_RDMAP_OP_COUNT; i++) {
        const struct iw_opcode *request = &iw_opcodes[i];

        if (request->answer == IW_RDMAP_OP_NONE)
            continue;
        if (request->value == IW_RDMAP_OP_ATOMIC_REQUEST) {
            srt_add_atomic_rows(request);
        } else if (request->value == IW_RDMAP_OP_READ_REQUEST) {
            srt_add_row(request, 0, true, "first segment");
            srt_add_row(request, 0, false, "complete");
        } else {
            srt_add_row(request, 0, false, "");
        }
    }
}

static void srt_init_table(struct register_srt *srt _U_, GArray *tables) {
    srt_stat_table *table = init_srt_table("iWARP", NULL, tables, row_count, "Operation", NULL, NULL);

    for (int i = 0; i < row_count; i++)
        init_srt_table_row(table, i, rows[i].name);
}

/* Adds a response time. add_srt_table_data subtracts the request's time from the packet's time: passes it a
 * request time that gives `time_ns`. */
static void srt_add_time(srt_stat_table *table, int row, uint64_t time_ns, packet_info *pinfo) {
    nstime_t time = {(time_t)(time_ns / 1000000000u), (int)(time_ns % 1000000000u)};
    nstime_t request;

    nstime_delta(&request, &pinfo->abs_ts, &time);
    add_srt_table_data(table, row, &request, pinfo);
}

static void srt_add_response(srt_stat_table *table, const struct iw_item *item, packet_info *pinfo) {
    const struct iw_stored_operation *operation = item->message->operation;

    for (int i = 0; operation != NULL && i < row_count; i++) {
        const struct row *row = &rows[i];

        if (row->opcode != operation->opcode || row->aopcode != operation->aopcode)
            continue;
        if (row->first && operation->response == item)
            srt_add_time(table, i, operation->response_time_ns, pinfo);
        if (!row->first && operation->complete == item)
            srt_add_time(table, i, operation->complete_time_ns, pinfo);
    }
}

static tap_packet_status srt_on_packet(
    void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *heard, tap_flags_t flags _U_) {
    const struct iw_tap_list *list = heard;
    const srt_data_t *srt = data;
    srt_stat_table *table = g_array_index(srt->srt_array, srt_stat_table *, 0);

    for (const struct iw_tap *tap = list->first; tap != NULL; tap = tap->next)
        if (tap->has_ddp)
            srt_add_response(table, tap->item, pinfo);
    return TAP_PACKET_REDRAW;
}

void iw_stat_srt_register(void) {
    srt_make_rows();
    register_srt_table(proto_iwarp, NULL, 1, srt_on_packet, srt_init_table, NULL);
}

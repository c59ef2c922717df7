#include "iw_stat.h"

#include <inttypes.h>

#include "iw_stat_gather.h"
#include "iw_tap.h"

static const struct iw_stat_gather_limits limits = {
    .gap = 16u << 20,
    .gaps = 64u << 20,
    .moves = 16u << 20,
    .ranges = 1u << 14,
};

static struct iw_stat_gather *gather;
static const void *gather_list; /* the export list with the objects of `gather` */
static uint32_t last_frame;

static void object_reset(void) {
    iw_stat_gather_free(gather);
    gather = NULL;
    last_frame = 0;
}

/* Discards all objects when a new pass begins, as some listeners do not reset them then. */
static void object_begin_pass(const void *list, uint32_t frame) {
    if (list != gather_list || frame <= last_frame)
        object_reset();
    if (gather == NULL)
        gather = iw_stat_gather_new(&limits);
    gather_list = list;
    last_frame = frame;
}

static bool object_is_whole(const struct iw_stat_gather_object *object) {
    return object->gaps == 0 && !object->cut &&
           (object->key.tagged || (object->position == 0 && object->ended));
}

/* Makes the file name. It includes the connection, as STags and MSNs repeat across connections; and
 * "incomplete", as the content type is not saved. */
static char *object_name(const struct iw_stat_gather_object *object, const struct iw_tap *tap) {
    const struct iw_stat_gather_key *key = &object->key;
    const char *role = iw_role_name(tap->item->role);
    const char *end = object_is_whole(object) ? ".bin" : "-incomplete.bin";

    if (key->tagged)
        return g_strdup_printf("iwarp-%u-%s-write-0x%08" PRIx32 "+0x%" PRIx64 "%s", key->stream, role,
            key->id, object->position, end);
    return g_strdup_printf("iwarp-%u-%s-send-%" PRIu32 "%s", key->stream, role, key->id, end);
}

static char *object_describe(const struct iw_stat_gather_object *object, const char *title) {
    bool send = !object->key.tagged;
    GString *text = g_string_new(title);

    if (send && object->position > 0)
        g_string_append_printf(text, ", first %" PRIu64 " octets missing", object->position);
    if (object->gaps > 0)
        g_string_append_printf(text, ", %" PRIu64 " octets missing in %" PRIu32 " %s", object->missing,
            object->gaps, object->gaps == 1 ? "gap" : "gaps");
    if (object->cut)
        g_string_append(text, ", cut by the capture");
    else if (send && !object->ended)
        g_string_append(text, ", end missing");
    return g_string_free(text, FALSE);
}

/* Returns whether the item is exported: a Send or RDMA Write over TCP with captured payload. Omits an FPDU
 * with a wrong CRC, as a receiver does not deliver it (RFC 5044 4.4). */
static bool stat_object_is_exported(const struct iw_tap *tap) {
    const struct iw_segment *ddp = &tap->ddp;

    return tap->item->kind == IW_LLP_SEGMENT && tap->tcp && tap->has_ddp && tap->item->crc != IW_CRC_BAD &&
           ddp->op != NULL && ddp->payload_captured > 0 &&
           (iw_segment_is_send(ddp) || (ddp->tagged && ddp->opcode == IW_RDMAP_OP_RDMA_WRITE));
}

/* Updates the entry of the object after each segment: Wireshark reads the entries only after the pass. */
static void object_update(struct iw_stat_gather_object *object, const struct iw_tap *tap) {
    export_object_entry_t *entry = object->user;

    g_free(entry->content_type);
    g_free(entry->filename);
    entry->content_type = object_describe(object, tap->ddp.op->title);
    entry->filename = object_name(object, tap);
    entry->payload_data = object->octets;
    entry->payload_len = (size_t)object->length;
}

static void object_export(export_object_list_t *list, const packet_info *pinfo, const struct iw_tap *tap) {
    const struct iw_segment *ddp = &tap->ddp;
    const struct iw_stat_gather_key key = {
        tap->stream, (uint8_t)tap->item->side, ddp->tagged, ddp->tagged ? ddp->stag : ddp->msn};
    struct iw_stat_gather_object *object = iw_stat_gather_place(
        gather, &key, ddp->tagged ? ddp->to : ddp->mo, ddp->payload, ddp->payload_captured);
    bool is_new = object != NULL && object->user == NULL;

    if (object == NULL)
        return;
    object->ended |= ddp->last;
    object->cut |= ddp->payload_captured < ddp->payload_octets;
    if (is_new) {
        export_object_entry_t *entry = g_new0(export_object_entry_t, 1);

        entry->pkt_num = tap->item->frame;
        entry->hostname = g_strdup_printf("%s:%u -> %s:%u", address_to_str(pinfo->pool, &tap->source.address),
            tap->source.port, address_to_str(pinfo->pool, &tap->destination.address), tap->destination.port);
        object->user = entry;
    }
    object_update(object, tap);
    if (is_new)
        list->add_entry(list->gui_data, object->user);
}

static tap_packet_status object_on_packet(
    void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *heard, tap_flags_t flags _U_) {
    const struct iw_tap_list *taps = heard;
    export_object_list_t *list = data;

    object_begin_pass(list, pinfo->num);
    for (const struct iw_tap *tap = taps->first; tap != NULL; tap = tap->next)
        if (stat_object_is_exported(tap))
            object_export(list, pinfo, tap);
    return TAP_PACKET_REDRAW;
}

int iw_stat_object_register(void) {
    return register_export_object(proto_iwarp, object_on_packet, object_reset);
}

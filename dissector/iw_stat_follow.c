#include "iw_stat.h"

#include "iw_tap.h"

/* Returns whether the followed stream shows the FPDU: a Send over TCP with captured payload. Omits an FPDU
 * with a wrong CRC, as a receiver does not deliver it (RFC 5044 4.4). */
static bool follow_shows(const struct iw_tap *tap) {
    return tap->has_ddp && tap->tcp && iw_segment_is_send(&tap->ddp) && tap->ddp.payload_captured > 0 &&
           tap->item->crc != IW_CRC_BAD;
}

/* Sets client and server. The client opened the TCP connection, even if the other side sends first; without a
 * captured SYN, it is the sender of the first captured segment. */
static void follow_set_ends(follow_info_t *follow, const struct iw_tap *tap) {
    bool from_client = tap->item->side == IW_SIDE_A;

    if (follow->client_port != 0)
        return;
    copy_address(&follow->client_ip, from_client ? &tap->source.address : &tap->destination.address);
    copy_address(&follow->server_ip, from_client ? &tap->destination.address : &tap->source.address);
    follow->client_port = from_client ? tap->source.port : tap->destination.port;
    follow->server_port = from_client ? tap->destination.port : tap->source.port;
}

static follow_record_t *follow_make_record(const struct iw_tap *tap, const packet_info *pinfo) {
    follow_record_t *record = g_new0(follow_record_t, 1);

    record->is_server = tap->item->side == IW_SIDE_B;
    record->packet_num = tap->item->frame;
    record->seq = (uint32_t)tap->item->offset;
    record->abs_ts = pinfo->abs_ts;
    record->data = g_byte_array_sized_new(tap->ddp.payload_captured);
    g_byte_array_append(record->data, tap->ddp.payload, tap->ddp.payload_captured);
    return record;
}

/* How many of the latest records, of both directions, are searched for the position of a record. */
enum { REORDERED_MAX = 8192 };

/* Inserts the record in stream order. The list begins with the latest record. */
static GList *follow_insert(GList *payload, follow_record_t *record) {
    GList *place = payload;
    unsigned seen = 0;

    for (GList *before = payload; before != NULL && seen < REORDERED_MAX; before = before->next, seen++) {
        const follow_record_t *other = before->data;

        if (other->is_server != record->is_server)
            continue;
        if ((int32_t)(other->seq - record->seq) <= 0)
            break;
        place = before->next;
    }
    return g_list_insert_before(payload, place, record);
}

static tap_packet_status follow_on_packet(
    void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *heard, tap_flags_t flags _U_) {
    const struct iw_tap_list *list = heard;
    follow_info_t *follow = data;

    for (const struct iw_tap *tap = list->first; tap != NULL; tap = tap->next) {
        if (!follow_shows(tap))
            continue;
        follow_set_ends(follow, tap);
        follow->bytes_written[tap->item->side == IW_SIDE_B] += tap->ddp.payload_captured;
        follow->payload = follow_insert(follow->payload, follow_make_record(tap, pinfo));
    }
    return TAP_PACKET_DONT_REDRAW;
}

/* Wireshark's TCP follower provides the functions that find a connection, its number and its addresses. */
void iw_stat_follow_register(void) {
    register_follow_t *tcp = get_follow_by_name("TCP");

    register_follow_stream(proto_iwarp, "iwarp", get_follow_conv_func(tcp), get_follow_index_func(tcp),
        get_follow_address_func(tcp), get_follow_port_to_display(tcp),
        follow_on_packet IW_EPAN_FOLLOW_STREAMS(tcp));
}

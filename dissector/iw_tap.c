#include "iw_tap.h"

#include "iw_file_memory.h"
#include "iw_stat.h"

static int tap = -1;
static int object_tap = -1;

/* A stored item of an earlier frame. */
struct late {
    struct late *next;
    const struct iw_item *item;
    uint8_t *octets;
};

static struct late *late, **late_end = &late;

void iw_tap_register(void) {
    tap = register_tap("iwarp");
    object_tap = iw_stat_object_register();
}

/* Returns the list of the frame. A new list is queued at once, and filled while the frame is dissected. */
static struct iw_tap_list *tap_list(packet_info *pinfo) {
    struct iw_tap_list *list = p_get_proto_data(pinfo->pool, pinfo, proto_iwarp, 0);

    if (list == NULL) {
        list = wmem_new0(pinfo->pool, struct iw_tap_list);
        p_add_proto_data(pinfo->pool, pinfo, proto_iwarp, 0, list);
        tap_queue_packet(tap, pinfo, list);
        tap_queue_packet(object_tap, pinfo, list);
    }
    return list;
}

static struct iw_tap *tap_append(const struct iw_pdu *pdu) {
    struct iw_tap_list *list = tap_list(pdu->pinfo);
    struct iw_tap *added = wmem_new0(pdu->pinfo->pool, struct iw_tap);

    added->item = pdu->item;
    added->key = pdu->startup.key;
    added->rev = pdu->startup.header.rev;
    added->has_ddp = pdu->has_ddp;
    added->ddp = pdu->ddp;
    if (list->last != NULL)
        list->last->next = added;
    else
        list->first = added;
    list->last = added;
    return added;
}

static void tap_set_end(struct iw_tap_end *to, const struct iw_tcp_address *from) {
    bool v6 = from->version == 6;

    set_address(&to->address, v6 ? AT_IPv6 : AT_IPv4, v6 ? 16 : 4, from->octets);
    to->port = from->port;
}

/* Returns the tcp.stream of the connection at `frame`: later connections may reuse the addresses.
 * IW_TAP_NO_STREAM: unknown. */
static uint32_t tap_stream(
    uint32_t frame, const address *source, uint32_t source_port, const address *destination, uint32_t port) {
    const conversation_t *conversation =
        find_conversation(frame, source, destination, CONVERSATION_TCP, source_port, port, 0);
    const struct tcp_analysis *analysis =
        conversation == NULL ? NULL
                             : conversation_get_proto_data(conversation, proto_get_id_by_filter_name("tcp"));

    return analysis == NULL ? IW_TAP_NO_STREAM : analysis->stream;
}

uint32_t iw_tap_stream(const packet_info *pinfo) {
    return tap_stream(pinfo->num, &pinfo->src, pinfo->srcport, &pinfo->dst, pinfo->destport);
}

static void tap_set_tcp(struct iw_tap *to, const struct iw_item *item) {
    to->tcp = true;
    tap_set_end(&to->source, &item->flow->address[item->side]);
    tap_set_end(&to->destination, &item->flow->address[iw_side_other(item->side)]);
    to->stream = tap_stream(
        item->frame, &to->source.address, to->source.port, &to->destination.address, to->destination.port);
}

static void tap_set_sctp(struct iw_tap *to, const packet_info *pinfo) {
    copy_address_shallow(&to->source.address, &pinfo->src);
    copy_address_shallow(&to->destination.address, &pinfo->dst);
    to->source.port = (uint16_t)pinfo->srcport;
    to->destination.port = (uint16_t)pinfo->destport;
    to->stream = IW_TAP_NO_STREAM;
}

bool iw_tap_has_listener(void) {
    return have_tap_listener(tap) || have_tap_listener(object_tap);
}

void iw_tap_queue(const struct iw_pdu *pdu) {
    struct iw_tap *added;

    if (!iw_tap_has_listener())
        return;
    added = tap_append(pdu);
    if (pdu->segment != NULL)
        tap_set_tcp(added, pdu->item);
    else
        tap_set_sctp(added, pdu->pinfo);
}

void iw_tap_keep(const struct iw_item *item, const uint8_t *octets) {
    struct late *kept;

    if (!iw_tap_has_listener())
        return;
    kept = wmem_new0(iw_file_memory(), struct late);
    kept->item = item;
    kept->octets = item->captured > 0 ? wmem_memdup(iw_file_memory(), octets, item->captured) : NULL;
    *late_end = kept;
    late_end = &kept->next;
}

void iw_tap_late(packet_info *pinfo) {
    for (struct late *kept = late, *next; kept != NULL; kept = next) {
        const struct iw_item *item = kept->item;
        struct iw_pdu pdu;

        next = kept->next;
        iw_pdu_init_unshown(&pdu, pinfo, item,
            kept->octets != NULL ? wmem_memdup(pinfo->pool, kept->octets, item->captured) : NULL);
        tap_set_tcp(tap_append(&pdu), item);
        wmem_free(iw_file_memory(), kept->octets);
        wmem_free(iw_file_memory(), kept);
    }
    iw_tap_open();
}

void iw_tap_open(void) {
    late = NULL;
    late_end = &late;
}

#include "iw_stat.h"

#include "iw_tap.h"

/* Returns the display filter field for `type`, or CONV_FILTER_INVALID. */
static const char *stat_conversation_filter_field(const address *of, bool sctp, conv_filter_type_e type) {
    static const char *const ports[2][CONV_FT_ANY_PORT + 1] = {{[CONV_FT_SRC_PORT] = "tcp.srcport",
                                                                   [CONV_FT_DST_PORT] = "tcp.dstport",
                                                                   [CONV_FT_ANY_PORT] = "tcp.port"},
        {[CONV_FT_SRC_PORT] = "sctp.srcport",
            [CONV_FT_DST_PORT] = "sctp.dstport",
            [CONV_FT_ANY_PORT] = "sctp.port"}};
    static const char *const addresses[2][CONV_FT_ANY_ADDRESS + 1] = {{[CONV_FT_SRC_ADDRESS] = "ip.src",
                                                                          [CONV_FT_DST_ADDRESS] = "ip.dst",
                                                                          [CONV_FT_ANY_ADDRESS] = "ip.addr"},
        {[CONV_FT_SRC_ADDRESS] = "ipv6.src",
            [CONV_FT_DST_ADDRESS] = "ipv6.dst",
            [CONV_FT_ANY_ADDRESS] = "ipv6.addr"}};

    if (type <= CONV_FT_ANY_ADDRESS)
        return addresses[of->type == AT_IPv6][type];
    return type <= CONV_FT_ANY_PORT ? ports[sctp][type] : CONV_FILTER_INVALID;
}

static const char *stat_conversation_field(conv_item_t *row, conv_filter_type_e type) {
    return stat_conversation_filter_field(&row->src_address, row->ctype == CONVERSATION_SCTP, type);
}

static const char *stat_conversation_endpoint_field(endpoint_item_t *row, conv_filter_type_e type) {
    return stat_conversation_filter_field(&row->myaddress, row->etype == ENDPOINT_SCTP, type);
}

static int stat_conversation_fpdu_count(const struct iw_tap *tap) {
    return tap->item->kind == IW_LLP_SEGMENT ? 1 : 0;
}

static int stat_conversation_fpdu_octets(const struct iw_tap *tap) {
    return tap->item->kind == IW_LLP_SEGMENT
               ? (int)(tap->item->length + iw_mpa_marker_octets * tap->item->more->marker_count)
               : 0;
}

/* Startup frames count too, so that a connection without FPDUs has a row. */
static bool stat_conversation_counts(const struct iw_tap *tap) {
    return tap->item->kind == IW_LLP_SEGMENT || tap->item->kind == IW_LLP_STARTUP;
}

static tap_packet_status stat_conversation_on_conversation(
    void *table, packet_info *pinfo, epan_dissect_t *edt _U_, const void *data, tap_flags_t flags) {
    static ct_dissector_info_t info = {stat_conversation_field};
    const struct iw_tap_list *list = data;
    conv_hash_t *hash = table;

    hash->flags = flags;
    for (const struct iw_tap *tap = list->first; tap != NULL; tap = tap->next)
        if (stat_conversation_counts(tap))
            add_conversation_table_data_with_conv_id(hash, &tap->source.address, &tap->destination.address,
                tap->source.port, tap->destination.port, tap->stream, stat_conversation_fpdu_count(tap),
                stat_conversation_fpdu_octets(tap), &pinfo->rel_ts, &pinfo->abs_ts, &info,
                tap->tcp ? CONVERSATION_TCP : CONVERSATION_SCTP);
    return TAP_PACKET_REDRAW;
}

static tap_packet_status stat_conversation_on_endpoint(
    void *table, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *data, tap_flags_t flags) {
    static et_dissector_info_t info = {stat_conversation_endpoint_field};
    const struct iw_tap_list *list = data;
    conv_hash_t *hash = table;

    hash->flags = flags;
    for (const struct iw_tap *tap = list->first; tap != NULL; tap = tap->next) {
        endpoint_type type = tap->tcp ? ENDPOINT_TCP : ENDPOINT_SCTP;

        if (!stat_conversation_counts(tap))
            continue;
        add_endpoint_table_data(hash, &tap->source.address, tap->source.port, TRUE,
            stat_conversation_fpdu_count(tap), stat_conversation_fpdu_octets(tap), &info, type);
        add_endpoint_table_data(hash, &tap->destination.address, tap->destination.port, FALSE,
            stat_conversation_fpdu_count(tap), stat_conversation_fpdu_octets(tap), &info, type);
    }
    return TAP_PACKET_REDRAW;
}

static iw_epan_bool stat_conversation_has_filter(IW_EPAN_FILTER_ARGUMENTS) {
    return proto_is_frame_protocol(pinfo->layers, "iwarp") && iw_tap_stream(pinfo) != IW_TAP_NO_STREAM;
}

static char *stat_conversation_filter(IW_EPAN_FILTER_ARGUMENTS) {
    return g_strdup_printf("iwarp and tcp.stream eq %u", iw_tap_stream(pinfo));
}

void iw_stat_conversation_register(void) {
    register_conversation_table(
        proto_iwarp, false, stat_conversation_on_conversation, stat_conversation_on_endpoint);
    IW_EPAN_REGISTER_FILTER("iwarp", "iWARP", stat_conversation_has_filter, stat_conversation_filter);
}

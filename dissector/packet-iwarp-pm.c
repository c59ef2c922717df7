#include "packet-iwarp.h"

#include "iw_ip.h"
#include "iw_port_mapper.h"

/* Dissects the iWARP Port Mapper, UDP port 3935: a protocol separate from MPA, DDP and RDMAP. */

static int proto_iwpm = -1;
static int ett_iwpm = -1;
static dissector_handle_t iwpm_handle;

static const value_string message_types[] = {
    {IW_PORT_MAPPER_REQUEST, "Request"},
    {IW_PORT_MAPPER_ACCEPT, "Accept"},
    {IW_PORT_MAPPER_ACK, "Acknowledgement"},
    {IW_PORT_MAPPER_REJECT, "Reject"},
    {0, NULL},
};

/* Declares a field id for each row; for an address, one for IPv4 and one for IPv6. */
#define IW_PORT_MAPPER_FIELD(field, type, label, filter, bit, bits, ft, display, strings)                    \
    static int hf_##field = -1;
#define IW_PORT_MAPPER_ADDRESS(field, label, filter, octet) static int hf_##field = -1, hf_##field##_6 = -1;
#include "iw_port_mapper.def"

static void pm_iwpm_register_fields(void) {
#define IW_PORT_MAPPER_FIELD(field, type, label, filter, bit, bits, ft, display, strings)                    \
    {&hf_##field, {label, "iwpm." filter, ft, display, strings, 0, NULL, HFILL}},
#define IW_PORT_MAPPER_ADDRESS(field, label, filter, octet)                                                  \
    {&hf_##field, {label, "iwpm." filter, FT_IPv4, BASE_NONE, NULL, 0, NULL, HFILL}},                        \
        {&hf_##field##_6, {label, "iwpm." filter "_v6", FT_IPv6, BASE_NONE, NULL, 0, NULL, HFILL}},
    static hf_register_info fields[] = {
#include "iw_port_mapper.def"
    };

    proto_register_field_array(proto_iwpm, fields, array_length(fields));
}

static void pm_iwpm_add_address(
    proto_tree *tree, tvbuff_t *tvb, int hf_four, int hf_six, int octet, bool six) {
    if (tvb_reported_length(tvb) < (unsigned)octet + IW_PORT_MAPPER_ADDRESS_OCTETS)
        return;
    proto_tree_add_item(tree, six ? hf_six : hf_four, tvb, octet, six ? 16 : 4, ENC_BIG_ENDIAN);
}

/* Shows the connecting peer's mapped port in every message, although it is reserved except in a Request. */
static void pm_iwpm_add_fields(proto_tree *tree, tvbuff_t *tvb, bool six) {
#define IW_PORT_MAPPER_FIELD(field, type, label, filter, bit, bits, ft, display, strings)                    \
    proto_tree_add_bits_item(tree, hf_##field, tvb, bit, bits, ENC_BIG_ENDIAN);
#define IW_PORT_MAPPER_ADDRESS(field, label, filter, octet)                                                  \
    pm_iwpm_add_address(tree, tvb, hf_##field, hf_##field##_6, octet, six);
#include "iw_port_mapper.def"
}

static void pm_iwpm_set_info(packet_info *pinfo, const struct iw_port_mapper *message) {
    col_add_fstr(pinfo->cinfo, COL_INFO, "%s: %s port %u, %s port %u",
        iw_port_mapper_type_name(message->type), "connecting", message->cp_port,
        message->type == IW_PORT_MAPPER_ACCEPT ? "accepting mapped" : "accepting", message->ap_port);
    if (message->mapped_cp_known)
        col_append_fstr(pinfo->cinfo, COL_INFO, ", connecting mapped port %u", message->mapped_cp_port);
}

static int pm_dissect_iwpm(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_) {
    int captured = (int)tvb_captured_length(tvb);
    struct iw_port_mapper message;
    proto_item *item;

    if (captured == 0 || !iw_port_mapper_decode(tvb_get_ptr(tvb, 0, captured), (size_t)captured, &message))
        return 0;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "IWPM");
    pm_iwpm_set_info(pinfo, &message);
    item = proto_tree_add_item(tree, proto_iwpm, tvb, 0, -1, ENC_NA);
    pm_iwpm_add_fields(proto_item_add_subtree(item, ett_iwpm), tvb, message.ip_version == 6);
    return captured;
}

void proto_register_iwarp_pm(void) {
    static int *etts[] = {&ett_iwpm};

    proto_iwpm = proto_register_protocol("iWARP Port Mapper", "IWPM", "iwpm");
    pm_iwpm_register_fields();
    proto_register_subtree_array(etts, array_length(etts));
    iwpm_handle = register_dissector("iwpm", pm_dissect_iwpm, proto_iwpm);
}

void proto_reg_handoff_iwarp_pm(void) {
    dissector_add_uint_with_preference("udp.port", IW_UDP_PORT_MAPPER, iwpm_handle);
}

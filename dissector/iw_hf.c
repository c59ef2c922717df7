#include "iw_hf.h"

#include "iw_name.h"

int proto_iwarp = -1;
int proto_iwarp_mpa = -1;
int proto_iwarp_ddp = -1;
int proto_iwarp_rdmap = -1;
int proto_iwarp_sctp = -1;

int hf_iwarp[IW_HF_COUNT];
int ett_iwarp[IW_ETT_COUNT];
expert_field ei_iwarp_sctp_short = EI_INIT;
expert_field ei_iwarp_crc = EI_INIT;
expert_field ei_iwarp_limit = EI_INIT;
expert_field ei_iwarp_explanation_fine = EI_INIT;
expert_field ei_iwarp_explanation_slow = EI_INIT;
expert_field ei_iwarp_explanation_failed = EI_INIT;
expert_field ei_iwarp_upper[] = {EI_INIT, EI_INIT, EI_INIT};

static int hf_field[IW_FIELD_COUNT];
static int hf_included[2]; /* for Opcode with 4 bits, and with 5 */
static expert_field ei_requirement[IW_REQUIREMENT_COUNT];
static const header_field_info *protocols[5];

int iw_hf_field(const struct iw_field *field) {
    return hf_field[field - iw_fields];
}

/* An opcode in an included header has its own filter name: other opcode filters must not match Terminates. */
int iw_hf_included(const struct iw_field *field) {
    if (field->kind == IW_KIND_OPCODE)
        return hf_included[field == &iw_fields[iw_field_rdmap_control5_opcode]];
    return iw_hf_field(field);
}

expert_field *iw_hf_expert(const struct iw_requirement *requirement) {
    return &ei_requirement[requirement - iw_requirements];
}

/* Wireshark marks a protocol as referenced when it marks one of its fields. */
bool iw_hf_referenced(void) {
    for (size_t i = 0; i < array_length(protocols); i++)
        if (protocols[i]->ref_type != HF_REF_TYPE_NONE)
            return true;
    return false;
}

/* Makes a filter name. Wireshark keeps pointers to it, so it is freed only when Wireshark exits. */
static const char *hf_abbrev(const char *filter) {
    return wmem_strdup_printf(wmem_epan_scope(), "iwarp.%s", filter);
}

enum { NAMED_VALUES = 32 };

/* Returns the value names of a kind, or NULL. iw_tree_terminate_names adds those of EType and Error Code,
 * which depend on other fields. */
static const void *hf_value_names(enum iw_field_kind kind) {
    static value_string names[IW_KIND_FUNCTION + 1][NAMED_VALUES + 1];
    unsigned count = 0;

    for (uint32_t value = 0; value < NAMED_VALUES; value++) {
        const char *name = iw_value_name(kind, value);

        if (name != NULL)
            names[kind][count++] = (value_string){value, name};
    }
    if (kind == IW_KIND_FUNCTION)
        names[kind][count++] =
            (value_string){IW_SCTP_EXPERIMENTAL, iw_value_name(kind, IW_SCTP_EXPERIMENTAL)};
    return count > 0 ? VALS(names[kind]) : NULL;
}

/* Sets the type to a number of all octets that the field touches, at most 64 bits; the bit mask selects the
 * bits of the field. */
static void hf_describe_number(const struct iw_field *field, header_field_info *info) {
    static const enum ftenum types[] = {
        FT_NONE, FT_UINT8, FT_UINT16, FT_UINT24, FT_UINT32, FT_UINT40, FT_UINT48, FT_UINT56, FT_UINT64};
    unsigned octets = (field->bit + field->bits - 1u) / 8u - field->bit / 8u + 1u;
    unsigned spare = 7u - (field->bit + field->bits - 1u) % 8u;

    if (field->bits < octets * 8u)
        info->bitmask = ((UINT64_C(1) << field->bits) - 1u) << spare;
    if (field->kind == IW_KIND_FLAG) {
        info->type = FT_BOOLEAN;
        info->display = (int)octets * 8;
    } else {
        info->type = types[octets];
        info->display = field->kind == IW_KIND_DEC || field->kind == IW_KIND_FUNCTION ? BASE_DEC : BASE_HEX;
        info->strings = hf_value_names(field->kind);
    }
}

/* Sets type and display, and so how `tshark -T fields` prints a value; `warpcheck check --fields` prints the
 * same. FLAG: boolean. DEC, FUNCTION: decimal. OCTETS: hexadecimal digits. KEY: text; hexadecimal digits
 * unless all octets are printable ASCII. Others: hexadecimal, with all digits. */
static header_field_info hf_describe_field(const struct iw_field *field) {
    header_field_info info = {.name = field->label,
        .abbrev = hf_abbrev(field->filter),
        .display = BASE_NONE,
        .blurb = field->clause,
        HFILL};

    if (field->kind == IW_KIND_OCTETS)
        info.type = FT_BYTES;
    else if (field->kind == IW_KIND_KEY)
        info.type = FT_STRING;
    else
        hf_describe_number(field, &info);
    return info;
}

static int hf_protocol(const struct iw_field *field) {
    switch (iw_layouts[field->layout].protocol) {
    case IW_PROTOCOL_MPA:
        return proto_iwarp_mpa;
    case IW_PROTOCOL_DDP:
        return proto_iwarp_ddp;
    case IW_PROTOCOL_RDMAP:
        return proto_iwarp_rdmap;
    case IW_PROTOCOL_SCTP:
        return proto_iwarp_sctp;
    }
    return proto_iwarp;
}

static void hf_register_fields(void) {
    static hf_register_info hf[IW_FIELD_COUNT];

    for (unsigned i = 0; i < IW_FIELD_COUNT; i++) {
        hf_field[i] = -1;
        hf[i] = (hf_register_info){&hf_field[i], hf_describe_field(&iw_fields[i])};
        proto_register_field_array(hf_protocol(&iw_fields[i]), &hf[i], 1);
    }
}

/* Registers the opcode of an included header, with 4 and with 5 bits, under the name in `row`. */
static void hf_register_included(const header_field_info *row) {
    static const enum iw_field_id fields[2] = {iw_field_rdmap_control_opcode, iw_field_rdmap_control5_opcode};
    static hf_register_info hf[2];

    for (unsigned i = 0; i < array_length(hf); i++) {
        hf_included[i] = -1;
        hf[i] = (hf_register_info){&hf_included[i], hf_describe_field(&iw_fields[fields[i]])};
        hf[i].hfinfo.name = row->name;
        hf[i].hfinfo.abbrev = hf_abbrev(row->abbrev);
        hf[i].hfinfo.blurb = row->blurb;
        proto_register_field_array(proto_iwarp_rdmap, &hf[i], 1);
    }
}

static void hf_register_others(void) {
    enum { STRING = FT_STRING, UINT = FT_UINT32, OPCODE = FT_UINT8 };
    static hf_register_info hf[IW_HF_COUNT] = {
#define IW_DERIVED(symbol, label, filter, type, how)                                                         \
    {&hf_iwarp[IW_HF_##symbol],                                                                              \
        {label, filter, (enum ftenum)(type), (type) == UINT ? BASE_DEC : BASE_NONE, NULL, 0, how, HFILL}},
#include "iw_derived.def"
#define IW_HF(symbol, label, filter, type, display, strings, help)                                           \
    {&hf_iwarp[IW_HF_##symbol], {label, filter, type, display, strings, 0, help, HFILL}},
#include "iw_hf.def"
    };

    for (unsigned i = 0; i < IW_HF_COUNT; i++) {
        hf_iwarp[i] = -1;
        if (i == IW_HF_TERMINATED_OPCODE) {
            hf_register_included(&hf[i].hfinfo);
            continue;
        }
        hf[i].hfinfo.abbrev = hf_abbrev(hf[i].hfinfo.abbrev);
        proto_register_field_array(proto_iwarp, &hf[i], 1);
    }
}

static void hf_register_subtrees(void) {
    static int *ids[IW_ETT_COUNT];

    for (unsigned i = 0; i < IW_ETT_COUNT; i++) {
        ett_iwarp[i] = -1;
        ids[i] = &ett_iwarp[i];
    }
    proto_register_subtree_array(ids, IW_ETT_COUNT);
}

/* Registers an expert info for each requirement with a rule, so that users can filter and count each.
 * Captures cannot show violations of requirements without a rule. */
static void hf_register_experts(void) {
    static const int severities[] = {
        [IW_SEVERITY_NOTE] = PI_NOTE, [IW_SEVERITY_WARNING] = PI_WARN, [IW_SEVERITY_ERROR] = PI_ERROR};
    static ei_register_info ei[IW_REQUIREMENT_COUNT];
    static ei_register_info ei_sctp = {&ei_iwarp_sctp_short,
        {"iwarp.sctp.short", PI_MALFORMED, PI_ERROR, "Chunk too short for its header", EXPFILL}};
    static ei_register_info ei_others[] = {
        {&ei_iwarp_crc, {"iwarp.mpa.crc.bad", PI_CHECKSUM, PI_ERROR, "CRC does not match", EXPFILL}},
        {&ei_iwarp_limit, {"iwarp.limit", PI_UNDECODED, PI_WARN,
                              "Cannot judge: beyond the limits of this program", EXPFILL}},
        {&ei_iwarp_upper[IW_SEVERITY_NOTE],
            {"iwarp.upper.note", PI_PROTOCOL, PI_NOTE, "Protocol above RDMAP", EXPFILL}},
        {&ei_iwarp_upper[IW_SEVERITY_WARNING],
            {"iwarp.upper.warning", PI_PROTOCOL, PI_WARN, "Protocol above RDMAP", EXPFILL}},
        {&ei_iwarp_upper[IW_SEVERITY_ERROR],
            {"iwarp.upper.error", PI_PROTOCOL, PI_ERROR, "Protocol above RDMAP", EXPFILL}},
        {&ei_iwarp_explanation_fine,
            {"iwarp.explanation.fine", PI_SEQUENCE, PI_CHAT, "End of a connection", EXPFILL}},
        {&ei_iwarp_explanation_slow,
            {"iwarp.explanation.slow", PI_SEQUENCE, PI_NOTE, "The connection was slow", EXPFILL}},
        {&ei_iwarp_explanation_failed,
            {"iwarp.explanation.failed", PI_SEQUENCE, PI_WARN, "The connection failed", EXPFILL}},
    };
    expert_module_t *experts = expert_register_protocol(proto_iwarp);
    int count = 0;

    for (unsigned i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        const struct iw_requirement *requirement = &iw_requirements[i];

        ei_requirement[i] = (expert_field)EI_INIT;
        if (requirement->rule[0] == '\0')
            continue;
        ei[count].ids = &ei_requirement[i];
        ei[count++].eiinfo =
            (expert_field_info){wmem_strdup_printf(wmem_epan_scope(), "iwarp.rule.%s", requirement->id),
                PI_PROTOCOL, severities[iw_requirement_severity(requirement)], requirement->words, EXPFILL};
    }
    expert_register_field_array(experts, ei, count);
    expert_register_field_array(experts, ei_others, array_length(ei_others));
    expert_register_field_array(expert_register_protocol(proto_iwarp_sctp), &ei_sctp, 1);
}

void iw_hf_register(void) {
    static const int *const ids[array_length(protocols)] = {
        &proto_iwarp, &proto_iwarp_mpa, &proto_iwarp_ddp, &proto_iwarp_rdmap, &proto_iwarp_sctp};

    proto_iwarp = proto_register_protocol("iWARP: RDMA over TCP (MPA, DDP, RDMAP)", "iWARP", "iwarp");
    proto_iwarp_mpa = proto_register_protocol("iWARP Marker PDU Aligned Framing", "iWARP MPA", "iwarp.mpa");
    proto_iwarp_ddp = proto_register_protocol("iWARP Direct Data Placement", "iWARP DDP", "iwarp.ddp");
    proto_iwarp_rdmap =
        proto_register_protocol("iWARP Remote Direct Memory Access Protocol", "iWARP RDMAP", "iwarp.rdmap");
    proto_iwarp_sctp = proto_register_protocol("iWARP DDP over SCTP", "iWARP SCTP", "iwarp.sctp");
    /* MPA, DDP and RDMAP are switched on and off with iWARP */
    proto_set_cant_toggle(proto_iwarp_mpa);
    proto_set_cant_toggle(proto_iwarp_ddp);
    proto_set_cant_toggle(proto_iwarp_rdmap);
    hf_register_fields();
    hf_register_others();
    hf_register_subtrees();
    hf_register_experts();
    for (size_t i = 0; i < array_length(ids); i++)
        protocols[i] = proto_registrar_get_nth((unsigned)*ids[i]);
}

#include "iw_preference.h"

#include "iw_opcode.h"

/* Wireshark writes the user's settings into these variables. */
static struct iw_preferences chosen = {
    .reassemble = 1, .resynchronise = 1, .builtin_off = 1, .show = {1, 1, 1}};

static struct set_extension {
    const char *name;
    const char *title;
    const char *description;
    unsigned extensions; /* set of enum iw_extension */
    iw_epan_bool on;
} set_extensions[] = {
    {"extension_7306", "Atomic Operations and Immediate Data (RFC 7306)", "Opcodes 8 to B.", IW_EXT_RFC7306,
        1},
    {"extension_talpey", "RDMA Flush, RDMA Verify and Atomic Write (draft-talpey-rdma-commit-01)",
        "Opcodes C to F, and 10 and 11 where T and QN fit.", IW_EXT_COMMIT, 1},
    {"extension_talpey5", "Opcodes have 5 bits in every message (draft-talpey-rdma-commit-01)",
        "As in the figure of the draft, whatever T and QN are. When off: only where T and QN fit opcode 10 "
        "or 11.",
        IW_EXT_COMMIT | IW_EXT_OPCODE5, 0},
    {"extension_storm", "Atomic Swap (draft-ietf-storm-rdmap-ext-01)",
        "AOpCode 1, which RFC 7306 reserves, is Swap; opcodes 8 to B as in RFC 7306.", IW_EXT_STORM, 0},
    {"draft_note", "Note the opcodes of draft-talpey-rdma-commit-01",
        "A note at the first such message of a connection: no RFC defines its opcode.", IW_EXT_DRAFT_NOTE, 1},
};

static struct iw_preferences current;
const struct iw_preferences *const iw_preferences = &current;

void iw_preference_take(void) {
    current = chosen;
    for (size_t i = 0; i < array_length(set_extensions); i++)
        if (set_extensions[i].on)
            current.extensions |= set_extensions[i].extensions;
}

static void preference_register_term(
    module_t *module, const char *name, const char *title, const char *help, int *set) {
    static const enum_val_t terms[] = {
        {"negotiated", "As negotiated", IW_MPA_NEGOTIATED},
        {"on", "Always", IW_MPA_ON},
        {"off", "Never", IW_MPA_OFF},
        {NULL, NULL, 0},
    };

    prefs_register_enum_preference(module, name, title, help, set, terms, 0);
}

static void preference_register_terms(module_t *module) {
    preference_register_term(module, "crc", "Check the CRC of each FPDU",
        "As negotiated: if the MPA Request or the MPA Reply asks for it.", &chosen.crc);
    preference_register_term(module, "markers_initiator", "Expect Markers from the initiator",
        "As negotiated: if the MPA Reply asks for them.", &chosen.markers[0]);
    preference_register_term(module, "markers_responder", "Expect Markers from the responder",
        "As negotiated: if the MPA Request asks for them.", &chosen.markers[1]);
}

static void preference_register_reading(module_t *module) {
    prefs_register_bool_preference(module, "reassemble", "Reassemble messages of several DDP Segments",
        "The dissector above gets a message once all its segments have come. When off, it gets only "
        "messages of one segment.",
        &chosen.reassemble);
    prefs_register_bool_preference(module, "keep_tagged",
        "Keep the payload of all reassembled RDMA Writes and Read Responses",
        "Shows it as a data source even if no dissector above takes it. Needs memory for the payload.",
        &chosen.keep_tagged);
    prefs_register_bool_preference(module, "keep_memory", "Show the memory of an STag as of each FPDU",
        "In an RDMA Write or Read Response, a data source shows what was placed with its STag so far, and "
        "the "
        "tree shows which FPDU placed it. Needs memory for the payload, at most 128 MiB.",
        &chosen.keep_memory);
    prefs_register_bool_preference(module, "resynchronise",
        "Find FPDUs after lost packets and in connections without a captured beginning",
        "FPDUs are found by their lengths and CRCs. When off, nothing after a loss is read.",
        &chosen.resynchronise);
    prefs_register_bool_preference(module, "builtin_off",
        "Use this dissector instead of Wireshark's own iWARP dissector",
        "When off, both show what they read.", &chosen.builtin_off);
}

static void preference_register_upper(module_t *module) {
    static const enum_val_t values[] = {
        {"off", "Off", IW_PREFERENCE_UPPER_OFF},
        {"warn", "Follow it, its errors are warnings", IW_PREFERENCE_UPPER_WARN},
        {"judge", "Follow it, its errors are errors", IW_PREFERENCE_UPPER_JUDGE},
        {NULL, NULL, 0},
    };

    prefs_register_enum_preference(module, "upper", "Calls, buffers and rules of the protocol above RDMAP",
        "Names the buffer of each Write and Read, and reports what breaks the rules of RPC-over-RDMA, iSER, "
        "NVMe over RDMA, SMB Direct and rping. Needs time and memory.",
        &chosen.upper, values, 0);
}

static void preference_register_levels(module_t *module) {
    prefs_register_bool_preference(module, "show_errors", "Show errors",
        "Findings: a MUST of a specification is violated.", &chosen.show[IW_SEVERITY_ERROR]);
    prefs_register_bool_preference(module, "show_warnings", "Show warnings",
        "Findings: a SHOULD of a specification is not followed.", &chosen.show[IW_SEVERITY_WARNING]);
    prefs_register_bool_preference(module, "show_notes", "Show notes",
        "Findings: remarkable, but allowed by the specifications.", &chosen.show[IW_SEVERITY_NOTE]);
}

void iw_preference_register(int protocol) {
    module_t *module = prefs_register_protocol(protocol, NULL);

    preference_register_terms(module);
    preference_register_reading(module);
    for (size_t i = 0; i < array_length(set_extensions); i++) {
        struct set_extension *extension = &set_extensions[i];

        prefs_register_bool_preference(
            module, extension->name, extension->title, extension->description, &extension->on);
    }
    preference_register_upper(module);
    preference_register_levels(module);
    iw_preference_take();
}

#include "iw_preference.h"

#include <string.h>

#include "iw_epan.h"

#include "iw_extensions.h"

#define PREFIX "extension_"

/* Wireshark writes the values into the following variables, in its own types. */
struct set_extension {
    const char *name; /* PREFIX and a name that iw_extensions_parse accepts */
    const char *title;
    const char *description;
    iw_epan_bool on;
};

static struct set_extension set_extensions[] = {
    {PREFIX "7306", "Atomic Operations and Immediate Data (RFC 7306)", "Opcodes 8 to B.", 1},
    {PREFIX "talpey", "RDMA Flush, RDMA Verify and Atomic Write (draft-talpey-rdma-commit-01)",
        "Opcodes C to F, and 10 and 11 where T and QN fit.", 1},
    {PREFIX "talpey5", "Opcodes have 5 bits in every message (draft-talpey-rdma-commit-01)",
        "As in the figure of the draft, whatever T and QN are. When off: only where T and QN fit opcode 10 "
        "or 11.",
        0},
    {PREFIX "storm", "Atomic Swap (draft-ietf-storm-rdmap-ext-01)",
        "AOpCode 1, which RFC 7306 reserves, is Swap; opcodes 8 to B as in RFC 7306.", 0},
};

static iw_epan_bool set_draft_note = 1;
static int set_crc = IW_MPA_NEGOTIATED;
static int set_markers[2] = {IW_MPA_NEGOTIATED, IW_MPA_NEGOTIATED};
static iw_epan_bool set_reassemble = 1;
static iw_epan_bool set_keep_tagged;
static iw_epan_bool set_resynchronise = 1;
static iw_epan_bool set_builtin_off = 1;
static iw_epan_bool set_show[IW_SEVERITY_ERROR + 1] = {1, 1, 1};

static struct iw_preferences current;
const struct iw_preferences *const iw_preferences = &current;

static unsigned chosen_extensions(void) {
    unsigned extensions = IW_EXT_BASE;

    for (size_t i = 0; i < array_length(set_extensions); i++) {
        unsigned named = IW_EXT_BASE;

        if (set_extensions[i].on && iw_extensions_parse(set_extensions[i].name + strlen(PREFIX), &named))
            extensions |= named;
    }
    if (set_draft_note)
        extensions |= IW_EXT_DRAFT_NOTE;
    return extensions;
}

void iw_preference_take(void) {
    current.crc = (enum iw_mpa_term)set_crc;
    for (unsigned i = 0; i < 2; i++)
        current.markers[i] = (enum iw_mpa_term)set_markers[i];
    current.extensions = chosen_extensions();
    current.reassemble = set_reassemble;
    current.keep_tagged = set_keep_tagged;
    current.resynchronise = set_resynchronise;
    current.builtin_off = set_builtin_off;
    for (unsigned i = 0; i <= IW_SEVERITY_ERROR; i++)
        current.show[i] = set_show[i];
}

static void register_term(module_t *module, const char *name, const char *title, const char *help, int *set) {
    static const enum_val_t terms[] = {
        {"negotiated", "As negotiated", IW_MPA_NEGOTIATED},
        {"on", "Always", IW_MPA_ON},
        {"off", "Never", IW_MPA_OFF},
        {NULL, NULL, 0},
    };

    prefs_register_enum_preference(module, name, title, help, set, terms, 0);
}

static void register_terms(module_t *module) {
    register_term(module, "crc", "Check the CRC of each FPDU",
        "As negotiated: if the MPA Request or the MPA Reply asks for it.", &set_crc);
    register_term(module, "markers_initiator", "Expect Markers from the initiator",
        "As negotiated: if the MPA Reply asks for them.", &set_markers[0]);
    register_term(module, "markers_responder", "Expect Markers from the responder",
        "As negotiated: if the MPA Request asks for them.", &set_markers[1]);
}

static void register_reading(module_t *module) {
    prefs_register_bool_preference(module, "reassemble", "Reassemble messages of several DDP Segments",
        "The dissector above gets a message once all its segments have come. When off, it gets only messages "
        "of "
        "one segment.",
        &set_reassemble);
    prefs_register_bool_preference(module, "keep_tagged",
        "Keep the payload of all reassembled RDMA Writes and Read Responses",
        "Shows it as a data source even if no dissector above takes it. Needs memory for the payload.",
        &set_keep_tagged);
    prefs_register_bool_preference(module, "resynchronise",
        "Find FPDUs after lost packets and in connections without a captured beginning",
        "FPDUs are found by their lengths and CRCs. When off, nothing after a loss is read.",
        &set_resynchronise);
    prefs_register_bool_preference(module, "builtin_off",
        "Use this dissector instead of Wireshark's own iWARP dissector",
        "When off, both show what they read.", &set_builtin_off);
}

static void register_extensions(module_t *module) {
    for (size_t i = 0; i < array_length(set_extensions); i++) {
        struct set_extension *extension = &set_extensions[i];

        prefs_register_bool_preference(
            module, extension->name, extension->title, extension->description, &extension->on);
    }
    prefs_register_bool_preference(module, "draft_note", "Note the opcodes of draft-talpey-rdma-commit-01",
        "A note at the first such message of a connection: no RFC defines its opcode.", &set_draft_note);
}

static void register_levels(module_t *module) {
    prefs_register_bool_preference(module, "show_errors", "Show errors",
        "Findings: a MUST of a specification is violated.", &set_show[IW_SEVERITY_ERROR]);
    prefs_register_bool_preference(module, "show_warnings", "Show warnings",
        "Findings: a SHOULD of a specification is not followed.", &set_show[IW_SEVERITY_WARNING]);
    prefs_register_bool_preference(module, "show_notes", "Show notes",
        "Findings: remarkable, but allowed by the specifications.", &set_show[IW_SEVERITY_NOTE]);
}

void iw_preference_register(int protocol) {
    module_t *module = prefs_register_protocol(protocol, NULL);

    register_terms(module);
    register_reading(module);
    register_extensions(module);
    register_levels(module);
    iw_preference_take();
}

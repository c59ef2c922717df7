#include <stdio.h>

#include "iw_cause.h"
#include "iw_extensions.h"
#include "iw_layout.h"
#include "iw_listing.h"
#include "iw_opcode.h"
#include "iw_error.h"
#include "iw_upper_rule.h"

/* The listings of layouts, opcodes, errors and rules of upper protocols. */

static int tables_layout_rows(const struct iw_listing_printer *printer) {
    static const char *const kinds[] = {"flag", "decimal", "hexadecimal", "octets", "key", "opcode", "layer",
        "etype", "code", "aopcode", "function"};

    for (size_t i = 0; i < IW_FIELD_COUNT; i++) {
        const struct iw_field *field = &iw_fields[i];
        const struct iw_layout *layout = &iw_layouts[field->layout];

        iw_listing_add(
            printer, json_pack("{s:s, s:s, s:i, s:s, s:s, s:s+, s:i, s:i, s:s, s:s}", "layout", layout->name,
                         "title", layout->title, "octets", layout->octets, "field", field->name, "label",
                         field->label, "filter", "iwarp.", field->filter, "bit", field->bit, "bits",
                         field->bits, "kind", kinds[field->kind], "clause", field->clause));
    }
    return 0;
}

const struct iw_listing iw_listing_layouts = {
    .topic = "layouts",
    .columns = (const struct iw_listing_column[]){{"layout", 20}, {"field", 15}, {"bit", 3}, {"bits", 4},
        {"kind", 11}, {"filter", 38}, {"clause", 0}, {0}},
    .rows = tables_layout_rows,
};

static int tables_opcode_rows(const struct iw_listing_printer *printer) {
    for (size_t i = 0; i < IW_RDMAP_OP_COUNT; i++) {
        const struct iw_opcode *op = &iw_opcodes[i];
        char value[8];

        snprintf(value, sizeof value, "0x%02x", op->value);
        iw_listing_add(
            printer, json_pack("{s:s, s:s, s:s, s:b, s:o, s:s, s:i, s:s?, s:s, s:s}", "opcode", value, "name",
                         op->name, "title", op->title, "tagged", op->tagged, "queue",
                         op->tagged ? json_null() : json_integer(op->qn), "header",
                         op->header == IW_LAYOUT_NONE ? "" : iw_layouts[op->header].name, "min_ulpdu",
                         iw_opcode_min_ulpdu(op), "answer",
                         op->answer == IW_RDMAP_OP_NONE ? NULL : iw_opcodes[op->answer].name, "extension",
                         op->extension == IW_EXT_BASE ? "base" : iw_extensions_name(op->extension), "clause",
                         op->clause));
    }
    return 0;
}

const struct iw_listing iw_listing_opcodes = {
    .topic = "opcodes",
    .columns = (const struct iw_listing_column[]){{"opcode", 6}, {"title", 27}, {"queue", 5}, {"header", 20},
        {"min_ulpdu", 4}, {"extension", 9}, {"clause", 0}, {0}},
    .rows = tables_opcode_rows,
};

static int tables_error_rows(const struct iw_listing_printer *printer) {
    for (size_t i = 0; i < iw_error_row_count; i++) {
        const struct iw_error_row *error = &iw_error_rows[i];
        uint8_t layer = iw_error_layer(error->triple), etype = iw_error_etype(error->triple);
        const char *etype_name = iw_error_etype_name(IW_LLP_MPA, layer, etype);
        char triple[IW_ERROR_TEXT_OCTETS];

        iw_error_text(error->triple, triple);
        iw_listing_add(printer, json_pack("{s:s, s:i, s:i, s:i, s:s?, s:s?, s:s, s:s}", "terminate", triple,
                                    "layer", layer, "etype", etype, "code", iw_error_code(error->triple),
                                    "layer_name", iw_error_layer_name(layer), "etype_name", etype_name,
                                    "name", error->name, "clause", error->clause));
    }
    return 0;
}

const struct iw_listing iw_listing_errors = {
    .topic = "errors",
    .columns = (const struct iw_listing_column[]){{"terminate", 9}, {"layer_name", 5}, {"etype_name", 27},
        {"name", 54}, {"clause", 0}, {0}},
    .rows = tables_error_rows,
};

static int tables_cause_rows(const struct iw_listing_printer *printer) {
    for (size_t i = 0; i < IW_CAUSE_COUNT; i++) {
        const struct iw_cause *cause = &iw_causes[i];

        iw_listing_add(printer, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "cause", cause->id, "group",
                                    iw_cause_group_name(cause->group), "title", cause->title, "why",
                                    cause->why, "next", cause->next, "clause", cause->clause));
    }
    return 0;
}

const struct iw_listing iw_listing_causes = {
    .topic = "causes",
    .columns = (const struct iw_listing_column[]){{"cause", 20}, {"group", 7}, {"title", 0}, {0}},
    .rows = tables_cause_rows,
};

static int tables_upper_rows(const struct iw_listing_printer *printer) {
    for (size_t i = 0; i < IW_UPPER_RULE_COUNT; i++) {
        const struct iw_upper_rule *rule = &iw_upper_rules[i];

        iw_listing_add(
            printer, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "rule", rule->id, "document",
                         rule->document, "section", rule->section, "level", iw_level_name(rule->level),
                         "severity", iw_severity_name(iw_upper_rule_severity(rule)), "protocol",
                         rule->protocol[0] != '\0' ? rule->protocol : "any", "judged",
                         iw_upper_judged_name(rule->judged), "gap", rule->gap, "text", rule->words));
    }
    return 0;
}

const struct iw_listing iw_listing_upper = {
    .topic = "upper",
    .columns = (const struct iw_listing_column[]){{"rule", 19}, {"level", 8}, {"protocol", 10}, {"judged", 6},
        {"text", 0}, {0}},
    .aside = "gap",
    .rows = tables_upper_rows,
};

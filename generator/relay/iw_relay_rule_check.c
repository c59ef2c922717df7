#include "iw_relay_rule_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "iw_opcode.h"

/* ---- fields ---- */

/* Whether a message with this opcode has the header. RDMAP and the Invalidate STag are in RsvdULP of DDP. */
static bool rule_check_opcode_has(const struct iw_opcode *op, enum iw_layout_id layout) {
    switch (layout) {
    case iw_layout_mpa_fpdu:
    case iw_layout_rdmap_control:
    case iw_layout_rdmap_control5:
        return true;
    case iw_layout_ddp_tagged:
        return op->tagged;
    case iw_layout_ddp_untagged:
        return !op->tagged;
    case iw_layout_rdmap_invalidate:
        return op->invalidate != IW_INVALIDATE_ZERO;
    default:
        return layout == op->header;
    }
}

static bool rule_check_unit_has(const struct iw_relay_rule *rule, enum iw_layout_id layout) {
    switch (rule->kind) {
    case IW_RELAY_UNIT_STARTUP:
        return layout == iw_layout_mpa_startup || layout == iw_layout_mpa_enhanced;
    case IW_RELAY_UNIT_OPCODE:
        return rule_check_opcode_has(&iw_opcodes[rule->opcode], layout);
    case IW_RELAY_UNIT_FPDU:
        break;
    }
    for (unsigned i = 0; i < IW_RDMAP_OP_COUNT; i++)
        if (rule_check_opcode_has(&iw_opcodes[i], layout))
            return true;
    return false;
}

static const char *rule_check_unit_name(const struct iw_relay_rule *rule) {
    return rule->kind == IW_RELAY_UNIT_STARTUP ? "startup frame"
           : rule->kind == IW_RELAY_UNIT_FPDU  ? "FPDU"
                                               : iw_opcodes[rule->opcode].title;
}

/* Returns the width of the widest field of that name in the unit; 0 if it has none. */
static unsigned rule_check_bits(const struct iw_relay_rule *rule, const char *filter) {
    unsigned bits = 0;

    for (int i = 0; i < IW_FIELD_COUNT; i++)
        if (strcmp(iw_fields[i].filter, filter) == 0 && iw_fields[i].bits > bits &&
            rule_check_unit_has(rule, iw_fields[i].layout))
            bits = iw_fields[i].bits;
    return bits;
}

static bool rule_check_set(const struct iw_relay_rule *rule, unsigned place, char *error) {
    const struct iw_relay_set *set = &rule->sets[place];
    unsigned bits = rule_check_bits(rule, set->filter);

    for (unsigned i = 0; i < place; i++)
        if (strcmp(rule->sets[i].filter, set->filter) == 0) {
            snprintf(error, IW_RELAY_TEXT_OCTETS, "%s is set twice", set->filter);
            return false;
        }
    if (bits == 0)
        snprintf(error, IW_RELAY_TEXT_OCTETS, "no %s has the header field %s", rule_check_unit_name(rule),
            set->filter);
    else if (bits < 64 && set->value >> bits != 0)
        snprintf(error, IW_RELAY_TEXT_OCTETS, "%s has %u bit%s: %" PRIu64 " does not fit", set->filter, bits,
            bits == 1 ? "" : "s", set->value);
    else
        return true;
    return false;
}

/* ---- actions ---- */

static const struct {
    enum iw_relay_action action;
    unsigned excludes;
} contradictions[] = {
    {IW_RELAY_DROP, IW_RELAY_CHANGES | IW_RELAY_REPEAT | IW_RELAY_SWAP | IW_RELAY_DELAY | IW_RELAY_SEGMENT},
    /* After a FIN or RST no next unit is sent, which the swapped one would follow. */
    {IW_RELAY_SWAP, IW_RELAY_REPEAT | IW_RELAY_CLOSE | IW_RELAY_RESET_BOTH},
    {IW_RELAY_CLOSE, IW_RELAY_RESET_BOTH},
};

static bool rule_check_actions(const struct iw_relay_rule *rule, char *error) {
    for (size_t i = 0; i < sizeof contradictions / sizeof *contradictions; i++) {
        unsigned both = rule->actions & contradictions[i].excludes;

        if ((rule->actions & contradictions[i].action) == 0 || both == 0)
            continue;
        snprintf(error, IW_RELAY_TEXT_OCTETS, "%s and %s contradict each other",
            iw_relay_action_name(contradictions[i].action), iw_relay_action_name(both));
        return false;
    }
    return true;
}

bool iw_relay_rule_check(const struct iw_relay_rule *rule, char *error) {
    for (unsigned i = 0; i < rule->set_count; i++)
        if (!rule_check_set(rule, i, error))
            return false;
    return rule_check_actions(rule, error);
}

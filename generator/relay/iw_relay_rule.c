#include "iw_relay_rule.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_hex.h"
#include "iw_impairment.h"
#include "iw_opcode.h"
#include "iw_percentage.h"
#include "iw_relay_rule_check.h"

enum { ITEM_OCTETS = 2 * IW_RELAY_PRIVATE_MAX + 64, MS_MAX = 3600000 };

/* ---- values ---- */

static bool rule_read_number(const char **text, uint64_t least, uint64_t most, uint64_t *number) {
    char *rest;

    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *number = strtoull(*text, &rest, 0);
    *text = rest;
    return errno == 0 && *number >= least && *number <= most;
}

static bool rule_read_only(const char *text, uint64_t least, uint64_t most, uint32_t *number) {
    uint64_t value;

    if (!rule_read_number(&text, least, most, &value) || *text != '\0')
        return false;
    *number = (uint32_t)value;
    return true;
}

static bool rule_read_hex(const char *text, size_t most, uint8_t *octets, uint32_t *count) {
    size_t length = strlen(text);

    if (length == 0 || length % 2 != 0 || length / 2 > most)
        return false;
    for (size_t i = 0; i < length; i += 2) {
        int high = iw_hex_digit(text[i]), low = iw_hex_digit(text[i + 1]);

        if (high < 0 || low < 0)
            return false;
        octets[i / 2] = (uint8_t)(high << 4 | low);
    }
    *count = (uint32_t)(length / 2);
    return true;
}

/* ---- what a rule waits for ---- */

/* Whether `name`, of `length` characters, is the title in lower case with "-" for each blank. */
static bool rule_names_title(const char *name, size_t length, const char *title) {
    if (strlen(title) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (name[i] != (title[i] == ' ' ? '-' : tolower((unsigned char)title[i])))
            return false;
    return true;
}

static bool rule_find_unit(const char *name, size_t length, struct iw_relay_rule *rule) {
    if (rule_names_title(name, length, "startup")) {
        rule->kind = IW_RELAY_UNIT_STARTUP;
        return true;
    }
    if (rule_names_title(name, length, "fpdu")) {
        rule->kind = IW_RELAY_UNIT_FPDU;
        return true;
    }
    rule->kind = IW_RELAY_UNIT_OPCODE;
    for (unsigned i = 0; i < IW_RDMAP_OP_COUNT; i++)
        if (rule_names_title(name, length, iw_opcodes[i].title)) {
            rule->opcode = iw_opcodes[i].value;
            return true;
        }
    return false;
}

/* UNIT[#N|#*][+OCTETS] */
static bool rule_take_at(struct iw_relay_rule *rule, const char *value) {
    size_t length = strcspn(value, "#+");

    if (!rule_find_unit(value, length, rule))
        return false;
    value += length;
    if (*value == '#' && value[1] == '*') {
        rule->nth = 0;
        value += 2;
    } else if (*value == '#') {
        value++;
        if (!rule_read_number(&value, 1, UINT64_MAX, &rule->nth))
            return false;
    }
    if (*value == '+') {
        value++;
        if (!rule_read_number(&value, 0, UINT64_MAX, &rule->after))
            return false;
    }
    return *value == '\0';
}

/* NAME[+NAME] */
static bool rule_take_with(struct iw_relay_rule *rule, const char *value) {
    static const char *const names[] = {"payload", "message"};

    for (;; value++) {
        size_t length = strcspn(value, "+"), i = 0;

        while (i < sizeof names / sizeof *names && !rule_names_title(value, length, names[i]))
            i++;
        if (i == sizeof names / sizeof *names)
            return false;
        rule->with |= 1u << i;
        value += length;
        if (*value == '\0')
            return true;
    }
}

static bool rule_take_direction(struct iw_relay_rule *rule, const char *value) {
    rule->one_direction = true;
    rule->direction = strcmp(value, "responder") == 0 ? IW_SIDE_B : IW_SIDE_A;
    return rule->direction == IW_SIDE_B || strcmp(value, "initiator") == 0;
}

static bool rule_take_chance(struct iw_relay_rule *rule, const char *value) {
    rule->nth = 0;
    return iw_percentage_read(value, &rule->chance);
}

/* ---- what it does ---- */

static bool rule_take_flip(struct iw_relay_rule *rule, const char *value) {
    static const char *const names[] = {[IW_RELAY_PART_LENGTH] = "length",
        [IW_RELAY_PART_HEADER] = "header",
        [IW_RELAY_PART_PAYLOAD] = "payload",
        [IW_RELAY_PART_PAD] = "pad",
        [IW_RELAY_PART_CRC] = "crc",
        [IW_RELAY_PART_MARKER] = "marker"};
    size_t length = strcspn(value, ":"), part = 0;
    uint64_t number;

    while (part < sizeof names / sizeof *names && !rule_names_title(value, length, names[part]))
        part++;
    if (part == sizeof names / sizeof *names)
        return false;
    rule->part = (enum iw_relay_part)part;
    value += length;
    if (*value == ':') {
        value++;
        if (!rule_read_number(&value, 0, UINT16_MAX, &number))
            return false;
        rule->octet = (uint32_t)number;
        rule->octet_known = true;
    }
    if (*value == ':') {
        value++;
        if (!rule_read_number(&value, 1, UINT8_MAX, &number))
            return false;
        rule->mask = (uint8_t)number;
        rule->mask_known = true;
    }
    return *value == '\0';
}

/* FIELD:VALUE, FIELD without "iwarp." as in Wireshark */
static bool rule_take_set(struct iw_relay_rule *rule, const char *value) {
    size_t length = strcspn(value, ":");
    struct iw_relay_set *set = &rule->sets[rule->set_count];

    if (value[length] != ':' || rule->set_count == IW_RELAY_SETS_MAX)
        return false;
    for (int i = 0; i < IW_FIELD_COUNT && set->filter == NULL; i++)
        if (iw_fields[i].bits <= 64 && strlen(iw_fields[i].filter) == length &&
            memcmp(iw_fields[i].filter, value, length) == 0)
            set->filter = iw_fields[i].filter;
    value += length + 1;
    if (set->filter == NULL || !rule_read_number(&value, 0, UINT64_MAX, &set->value) || *value != '\0')
        return false;
    rule->set_count++;
    return true;
}

static bool rule_take_private(struct iw_relay_rule *rule, const char *value) {
    return *value == '\0' ||
           rule_read_hex(value, sizeof rule->private_data, rule->private_data, &rule->private_octets);
}

/* POSITION:COUNT */
static bool rule_take_cut(struct iw_relay_rule *rule, const char *value) {
    uint64_t at;

    if (!rule_read_number(&value, 0, UINT16_MAX, &at) || *value != ':')
        return false;
    rule->cut_at = (uint32_t)at;
    return rule_read_only(value + 1, 1, UINT16_MAX, &rule->cut_octets);
}

/* POSITION:HEX */
static bool rule_take_insert(struct iw_relay_rule *rule, const char *value) {
    uint64_t at;

    if (!rule_read_number(&value, 0, UINT16_MAX, &at) || *value != ':')
        return false;
    rule->insert_at = (uint32_t)at;
    return rule_read_hex(value + 1, sizeof rule->insert, rule->insert, &rule->insert_octets);
}

static bool rule_take_repeat(struct iw_relay_rule *rule, const char *value) {
    rule->repeat = 1;
    return value == NULL || rule_read_only(value, 1, IW_RELAY_REPEAT_MAX, &rule->repeat);
}

static bool rule_take_delay(struct iw_relay_rule *rule, const char *value) {
    return rule_read_only(value, 1, MS_MAX, &rule->delay_ms);
}

static bool rule_take_segment(struct iw_relay_rule *rule, const char *value) {
    return rule_read_only(value, 1, UINT16_MAX, &rule->segment);
}

static bool rule_take_pause(struct iw_relay_rule *rule, const char *value) {
    return rule_read_only(value, 1, MS_MAX, &rule->pause_ms);
}

static bool rule_take_stop(struct iw_relay_rule *rule, const char *value) {
    return value == NULL || rule_read_only(value, 1, MS_MAX, &rule->stop_ms);
}

static bool rule_take_window(struct iw_relay_rule *rule, const char *value) {
    return rule_read_only(value, 1, 1 << 20, &rule->window);
}

static bool rule_take_nothing(struct iw_relay_rule *rule, const char *value) {
    (void)rule;
    return value == NULL;
}

static const struct kind {
    const char *name;
    bool needs; /* requires a value */
    bool (*take)(struct iw_relay_rule *rule, const char *value);
    unsigned action; /* 0: says when, or how */
    const char *takes;
} kinds[] = {
    {"at", true, rule_take_at, 0,
        "startup, fpdu or an opcode such as rdma-read-response, then perhaps #N or #*, and +OCTETS"},
    {"with", true, rule_take_with, 0, "payload, message or payload+message"},
    {"direction", true, rule_take_direction, 0, "initiator or responder"},
    {"chance", true, rule_take_chance, 0, "a share of the units such as 1%"},
    {"flip", true, rule_take_flip, IW_RELAY_FLIP,
        "length, header, payload, pad, crc or marker, then perhaps :OCTET and :MASK"},
    {"set", true, rule_take_set, IW_RELAY_SET, "FIELD:VALUE, such as mpa.ird:4"},
    {"private", true, rule_take_private, IW_RELAY_PRIVATE, "at most 512 octets in hexadecimal"},
    {"cut", true, rule_take_cut, IW_RELAY_CUT, "POSITION:COUNT"},
    {"insert", true, rule_take_insert, IW_RELAY_INSERT, "POSITION:OCTETS, at most 128 in hexadecimal"},
    {"drop", false, rule_take_nothing, IW_RELAY_DROP, "no value"},
    {"repeat", false, rule_take_repeat, IW_RELAY_REPEAT, "a number from 1 to 100, or nothing"},
    {"swap", false, rule_take_nothing, IW_RELAY_SWAP, "no value"},
    {"delay", true, rule_take_delay, IW_RELAY_DELAY, "milliseconds from 1 to 3600000"},
    {"segment", true, rule_take_segment, IW_RELAY_SEGMENT, "octets from 1 to 65535"},
    {"pause", true, rule_take_pause, 0, "milliseconds from 1 to 3600000"},
    {"close", false, rule_take_nothing, IW_RELAY_CLOSE, "no value"},
    {"reset", false, rule_take_nothing, IW_RELAY_RESET_BOTH, "no value"},
    {"stop", false, rule_take_stop, IW_RELAY_STOP, "milliseconds from 1 to 3600000, or nothing"},
    {"window", true, rule_take_window, IW_RELAY_WINDOW, "octets from 1 to 1048576"},
};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static bool rule_unknown(const char *name, char *error) {
    int used = snprintf(error, IW_RELAY_TEXT_OCTETS, "unknown impairment %.40s (there are", name);

    for (int i = 0; i < KIND_COUNT; i++)
        used += snprintf(
            error + used, IW_RELAY_TEXT_OCTETS - (size_t)used, "%s %s", i == 0 ? "" : ",", kinds[i].name);
    snprintf(error + used, IW_RELAY_TEXT_OCTETS - (size_t)used, ")");
    return false;
}

static bool rule_take_item(char *item, struct iw_relay_rule *rule, unsigned *given, char *error) {
    char *value = strchr(item, '=');
    int i = 0;

    if (value != NULL)
        *value++ = '\0';
    while (i < KIND_COUNT && strcmp(kinds[i].name, item) != 0)
        i++;
    if (i == KIND_COUNT)
        return rule_unknown(item, error);
    if ((*given & 1u << i) != 0 && kinds[i].action != IW_RELAY_SET) {
        snprintf(error, IW_RELAY_TEXT_OCTETS, "%.40s is given twice", item);
        return false;
    }
    *given |= 1u << i;
    rule->actions |= kinds[i].action;
    if ((value != NULL || !kinds[i].needs) && kinds[i].take(rule, value))
        return true;
    snprintf(error, IW_RELAY_TEXT_OCTETS, "%.40s takes %.120s%s%.40s", item, kinds[i].takes,
        value != NULL ? ", not " : "", value != NULL ? value : "");
    return false;
}

/* Rejects what would do nothing, or not what it says. */
static bool rule_check(const struct iw_relay_rule *rule, char *error) {
    bool of_startup = rule->kind == IW_RELAY_UNIT_STARTUP;

    if (rule->actions == 0)
        snprintf(error, IW_RELAY_TEXT_OCTETS, "no action is given");
    else if (rule->pause_ms > 0 && (rule->actions & IW_RELAY_SEGMENT) == 0)
        snprintf(error, IW_RELAY_TEXT_OCTETS, "pause goes with segment");
    else if (rule->with != 0 && of_startup)
        snprintf(
            error, IW_RELAY_TEXT_OCTETS, "a startup frame has no segment: with does not go with at=startup");
    else if ((rule->actions & IW_RELAY_PRIVATE) != 0 && !of_startup)
        snprintf(error, IW_RELAY_TEXT_OCTETS, "private goes with at=startup");
    else if ((rule->actions & IW_RELAY_FLIP) != 0 && of_startup && rule->part != IW_RELAY_PART_HEADER &&
             rule->part != IW_RELAY_PART_PAYLOAD)
        snprintf(error, IW_RELAY_TEXT_OCTETS, "a startup frame has a header and a payload");
    else
        return iw_relay_rule_check(rule, error);
    return false;
}

const char *iw_relay_action_name(unsigned actions) {
    int i = 0;

    while ((kinds[i].action & actions) == 0)
        i++;
    return kinds[i].name;
}

bool iw_relay_rule_parse(const char *text, struct iw_relay_rule *rule, char *error) {
    unsigned given = 0;

    *rule = (struct iw_relay_rule){
        .text = text, .kind = IW_RELAY_UNIT_FPDU, .nth = 1, .chance = IW_IMPAIRMENT_CERTAIN};
    for (const char *rest = text;; rest++) {
        size_t length = strcspn(rest, ",");
        char item[ITEM_OCTETS];

        if (length == 0 || length >= sizeof item) {
            snprintf(error, IW_RELAY_TEXT_OCTETS, "%s impairment is given",
                length == 0 ? "an empty" : "too long an");
            return false;
        }
        memcpy(item, rest, length);
        item[length] = '\0';
        if (!rule_take_item(item, rule, &given, error))
            return false;
        rest += length;
        if (*rest == '\0')
            return rule_check(rule, error);
    }
}

/* Half of the window, so that one segment fits while another is read. Linux has no window below WINDOW_MIN.
 */
uint32_t iw_relay_rule_segment_max(const struct iw_relay_rule *rules, size_t count) {
    enum { WINDOW_MIN = 1152, WINDOW_WITHOUT_LIMIT = 65535 };
    uint32_t window = WINDOW_WITHOUT_LIMIT;

    for (size_t i = 0; i < count; i++)
        if ((rules[i].actions & IW_RELAY_WINDOW) != 0 && rules[i].window < window)
            window = rules[i].window > WINDOW_MIN ? rules[i].window : WINDOW_MIN;
    return window < WINDOW_WITHOUT_LIMIT ? window / 2 : 0;
}

bool iw_relay_repair_parse(const char *text, unsigned *repair) {
    static const char *const names[] = {"length", "crc", "markers"};

    *repair = 0;
    for (;; text++) {
        size_t length = strcspn(text, ","), i = 0;

        while (i < sizeof names / sizeof *names && !rule_names_title(text, length, names[i]))
            i++;
        if (i == sizeof names / sizeof *names)
            return false;
        *repair |= 1u << i;
        text += length;
        if (*text == '\0')
            return true;
    }
}

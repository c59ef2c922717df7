#include "iw_impairment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_frame.h"
#include "iw_percentage.h"

enum { VALUE_OCTETS = 64, VLAN_MAX = 4094 };

static bool plan_read_number(const char *text, char **rest, unsigned long high, uint32_t *value) {
    if (text[0] < '0' || text[0] > '9')
        return false;
    unsigned long number = strtoul(text, rest, 10);
    *value = (uint32_t)number;
    return number <= high;
}

static bool plan_read_number_only(const char *text, uint32_t low, uint32_t high, uint32_t *value) {
    char *rest;

    return plan_read_number(text, &rest, high, value) && *rest == '\0' && *value >= low;
}

static bool plan_take_segment(struct iw_impairment_plan *plan, const char *value) {
    char *rest;

    if (!plan_read_number(value, &rest, IW_FRAME_SEGMENT_MAX, &plan->segment_least))
        return false;
    plan->segment_most = plan->segment_least;
    if (strncmp(rest, "..", 2) == 0 &&
        !plan_read_number(rest + 2, &rest, IW_FRAME_SEGMENT_MAX, &plan->segment_most))
        return false;
    return *rest == '\0' && plan->segment_least >= 1 && plan->segment_least <= plan->segment_most;
}

static bool plan_take_wrap(struct iw_impairment_plan *plan, const char *value) {
    plan->wrap = true;
    return value == NULL || plan_read_number_only(value, 1, INT32_MAX, &plan->wrap_octets);
}

static bool plan_take_vlan(struct iw_impairment_plan *plan, const char *value) {
    uint32_t vlan = 0;
    bool right = plan_read_number_only(value, 1, VLAN_MAX, &vlan);

    plan->vlan = (uint16_t)vlan;
    return right;
}

static bool plan_take_ipv6(struct iw_impairment_plan *plan, const char *value) {
    plan->ipv6 = true;
    return value == NULL;
}

static bool plan_take_snaplen(struct iw_impairment_plan *plan, const char *value) {
    return plan_read_number_only(value, 1, 262144, &plan->snaplen);
}

static bool plan_take_midstream(struct iw_impairment_plan *plan, const char *value) {
    plan->midstream = true;
    return value == NULL || plan_read_number_only(value, 0, INT32_MAX, &plan->midstream_octets);
}

static bool plan_take_reuse(struct iw_impairment_plan *plan, const char *value) {
    plan->reuse = true;
    return value == NULL;
}

static bool plan_take_direction(struct iw_impairment_plan *plan, const char *value) {
    plan->one_direction = true;
    plan->direction = strcmp(value, "responder") == 0 ? IW_SIDE_B : IW_SIDE_A;
    return plan->direction == IW_SIDE_B || strcmp(value, "initiator") == 0;
}

static const struct kind {
    const char *name;
    bool needs; /* requires a value */
    bool (*take)(struct iw_impairment_plan *plan, const char *value);
    enum iw_impairment_chance chance; /* used if `take` is NULL */
    const char *takes;
} kinds[] = {
    {"loss", true, NULL, IW_IMPAIRMENT_LOSS, NULL},
    {"retransmit", true, NULL, IW_IMPAIRMENT_RETRANSMIT, NULL},
    {"reorder", true, NULL, IW_IMPAIRMENT_REORDER, NULL},
    {"duplicate", true, NULL, IW_IMPAIRMENT_DUPLICATE, NULL},
    {"overlap", true, NULL, IW_IMPAIRMENT_OVERLAP, NULL},
    {"acks", true, NULL, IW_IMPAIRMENT_ACKS, NULL},
    {"resets", true, NULL, IW_IMPAIRMENT_RESETS, NULL},
    {"cross", true, NULL, IW_IMPAIRMENT_CROSS, NULL},
    {"segment", true, plan_take_segment, 0, "octets from 1 to 65000, or a range of them such as 1..1448"},
    {"wrap", false, plan_take_wrap, 0, "the octets before the wrap, or nothing"},
    {"vlan", true, plan_take_vlan, 0, "a VLAN identifier from 1 to 4094"},
    {"ipv6", false, plan_take_ipv6, 0, "no value"},
    {"snaplen", true, plan_take_snaplen, 0, "octets from 1 to 262144"},
    {"midstream", false, plan_take_midstream, 0, "the octets that are missing, or nothing"},
    {"reuse", false, plan_take_reuse, 0, "no value"},
    {"direction", true, plan_take_direction, 0, "initiator or responder"},
};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static bool plan_unknown(const char *name, char *error) {
    int used = snprintf(error, IW_IMPAIRMENT_TEXT_OCTETS, "unknown impairment %.40s (there are", name);

    for (int i = 0; i < KIND_COUNT; i++)
        used += snprintf(error + used, IW_IMPAIRMENT_TEXT_OCTETS - (size_t)used, "%s %s", i == 0 ? "" : ",",
            kinds[i].name);
    snprintf(error + used, IW_IMPAIRMENT_TEXT_OCTETS - (size_t)used, ")");
    return false;
}

static bool plan_take_value(
    const struct kind *kind, struct iw_impairment_plan *plan, const char *value, char *error) {
    if ((value != NULL || !kind->needs) &&
        (kind->take != NULL ? kind->take(plan, value)
                            : iw_percentage_read(value, &plan->chance[kind->chance])))
        return true;
    int used = snprintf(error, IW_IMPAIRMENT_TEXT_OCTETS, "%s takes %s", kind->name,
        kind->takes != NULL ? kind->takes : "a share of the packets such as 1%");
    if (value != NULL)
        snprintf(error + used, IW_IMPAIRMENT_TEXT_OCTETS - (size_t)used, ", not %.40s", value);
    return false;
}

/* Reads one "NAME" or "NAME=VALUE", and adds it to `given`, the set of names read so far. */
static bool plan_take_item(char *item, struct iw_impairment_plan *plan, unsigned *given, char *error) {
    char *value = strchr(item, '=');

    if (value != NULL)
        *value++ = '\0';
    for (int i = 0; i < KIND_COUNT; i++) {
        if (strcmp(kinds[i].name, item) != 0)
            continue;
        if ((*given & 1u << i) != 0) {
            snprintf(error, IW_IMPAIRMENT_TEXT_OCTETS, "%s is given twice", item);
            return false;
        }
        *given |= 1u << i;
        return plan_take_value(&kinds[i], plan, value, error);
    }
    return plan_unknown(item, error);
}

bool iw_impairment_parse(const char *text, struct iw_impairment_plan *plan, char *error) {
    unsigned given = 0;

    for (;;) {
        size_t length = strcspn(text, ",");
        char item[VALUE_OCTETS];

        if (length == 0 || length >= sizeof item) {
            snprintf(error, IW_IMPAIRMENT_TEXT_OCTETS, "%s impairment is given",
                length == 0 ? "an empty" : "too long an");
            return false;
        }
        memcpy(item, text, length);
        item[length] = '\0';
        if (!plan_take_item(item, plan, &given, error))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

bool iw_impairment_changes_packets(const struct iw_impairment_plan *plan) {
    bool moves = plan->segment_most != 0 || plan->midstream || plan->reuse || plan->one_direction;

    for (int i = 0; i < IW_IMPAIRMENT_CHANCES; i++)
        moves |= plan->chance[i] != 0;
    return moves;
}

const char *iw_impairment_of_tcp(const struct iw_impairment_plan *plan) {
    return plan->chance[IW_IMPAIRMENT_OVERLAP] != 0  ? "overlap"
           : plan->chance[IW_IMPAIRMENT_ACKS] != 0   ? "acks"
           : plan->chance[IW_IMPAIRMENT_RESETS] != 0 ? "resets"
           : plan->chance[IW_IMPAIRMENT_CROSS] != 0  ? "cross"
           : plan->segment_most != 0                 ? "segment"
           : plan->reuse                             ? "reuse"
           : plan->wrap                              ? "wrap"
                                                     : NULL;
}

uint32_t iw_impairment_wrap(const struct iw_impairment_plan *plan) {
    enum { MOST = 4096 };

    return plan->wrap_octets != 0 ? plan->wrap_octets : 1 + (uint32_t)(plan->seed * 2654435761u >> 8) % MOST;
}

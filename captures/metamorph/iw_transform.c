#include "iw_transform.h"

#include "iw_random.h"

uint64_t iw_transform_below(uint64_t *state, uint64_t limit) {
    return iw_random_next(state) % limit;
}

static void take_link(struct iw_outer *outer, uint64_t *state) {
    outer->link = (enum iw_outer_link)iw_transform_below(state, IW_OUTER_LINKS);
}

static void take_tunnel(struct iw_outer *outer, uint64_t *state) {
    outer->tunnels[0] = (enum iw_outer_tunnel)iw_transform_below(state, IW_OUTER_TUNNELS);
    if (iw_transform_below(state, 4) == 0)
        outer->tunnels[1] = (enum iw_outer_tunnel)iw_transform_below(state, IW_OUTER_TUNNELS);
}

static void take_ipv6(struct iw_outer *outer, uint64_t *state) {
    outer->ipv6 = true;
    outer->extension_headers = iw_transform_below(state, 2) == 0;
}

static void take_fragments(struct iw_outer *outer, uint64_t *state) {
    if (outer->snaplen == 0)
        outer->fragment = 8 * (uint32_t)(1 + iw_transform_below(state, 64));
}

static void take_snaplen(struct iw_outer *outer, uint64_t *state) {
    outer->fragment = 0;
    outer->snaplen = 54 + (uint32_t)iw_transform_below(state, 147);
}

static void take_file(struct iw_outer *outer, uint64_t *state) {
    outer->pcapng = iw_transform_below(state, 2) == 0;
    outer->big_endian = iw_transform_below(state, 2) == 0;
    outer->nanoseconds = iw_transform_below(state, 2) == 0;
}

static void take_edited(struct iw_outer *outer, uint64_t *state) {
    outer->edited = (uint16_t)(1 + iw_transform_below(state, 0xFFFE));
}

const struct iw_transform iw_transforms[] = {
    {"nothing", IW_TRANSFORM_ALIKE, false, false, NULL, NULL},
    {"retransmit", IW_TRANSFORM_ALIKE, true, false, iw_transform_retransmit, NULL},
    {"duplicate", IW_TRANSFORM_ALIKE, false, false, iw_transform_duplicate, NULL},
    {"overlap", IW_TRANSFORM_ALIKE, true, false, iw_transform_overlap, NULL},
    {"split", IW_TRANSFORM_ALIKE, true, false, iw_transform_split, NULL},
    {"merge", IW_TRANSFORM_ALIKE, true, false, iw_transform_merge, NULL},
    {"resegment", IW_TRANSFORM_ALIKE, true, false, iw_transform_resegment, NULL},
    {"wrap", IW_TRANSFORM_ALIKE, true, false, iw_transform_wrap, NULL},
    {"reorder", IW_TRANSFORM_ALIKE, true, false, iw_transform_reorder, NULL},
    {"times", IW_TRANSFORM_ALIKE, false, false, iw_transform_times, NULL},
    {"keep_alive", IW_TRANSFORM_ALIKE, true, true, iw_transform_keep_alive, NULL},
    {"zero_window", IW_TRANSFORM_ALIKE, true, false, iw_transform_zero_window, NULL},
    {"stray_reset", IW_TRANSFORM_ALIKE, true, true, iw_transform_stray_reset, NULL},
    {"stray_syn", IW_TRANSFORM_ALIKE, true, true, iw_transform_stray_syn, NULL},
    {"junk", IW_TRANSFORM_ALIKE, true, true, iw_transform_junk, NULL},
    {"damage", IW_TRANSFORM_ALIKE, true, true, iw_transform_damage, NULL},
    {"reuse", IW_TRANSFORM_ALIKE, true, false, iw_transform_reuse, NULL},
    {"link", IW_TRANSFORM_ALIKE, false, false, NULL, take_link},
    {"tunnel", IW_TRANSFORM_ALIKE, false, false, NULL, take_tunnel},
    {"ipv6", IW_TRANSFORM_ALIKE, false, false, NULL, take_ipv6},
    {"fragments", IW_TRANSFORM_ALIKE, false, false, NULL, take_fragments},
    {"file", IW_TRANSFORM_ALIKE, false, false, NULL, take_file},
    {"edited", IW_TRANSFORM_ALIKE, true, false, NULL, take_edited},
    {"shuffle", IW_TRANSFORM_SHUFFLED, false, false, iw_transform_shuffle, NULL},
    {"answer_first", IW_TRANSFORM_SHUFFLED, false, false, iw_transform_answer_first, NULL},
    {"two_hosts", IW_TRANSFORM_ALIKE, false, false, iw_transform_two_hosts, NULL},
    {"drop", IW_TRANSFORM_HIDDEN, false, false, iw_transform_drop, NULL},
    {"drop_many", IW_TRANSFORM_HIDDEN, false, false, iw_transform_drop_many, NULL},
    {"damage_alone", IW_TRANSFORM_HIDDEN, true, false, iw_transform_damage_alone, NULL},
    {"late_start", IW_TRANSFORM_HIDDEN, false, false, iw_transform_late_start, NULL},
    {"early_end", IW_TRANSFORM_HIDDEN, false, false, iw_transform_early_end, NULL},
    {"one_direction", IW_TRANSFORM_HIDDEN, false, false, iw_transform_one_direction, NULL},
    {"snaplen", IW_TRANSFORM_HIDDEN, false, false, NULL, take_snaplen},
};
const size_t iw_transform_count = sizeof iw_transforms / sizeof *iw_transforms;

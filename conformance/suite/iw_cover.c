#include "iw_cover.h"

#include <stdbool.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"

/* A set of `strength` factors, with its combinations of levels. */
struct group {
    uint8_t factors[IW_COVER_STRENGTH_MAX];
    size_t first; /* index of its first combination in search.open */
    size_t count; /* number of its combinations */
};

struct search {
    const uint8_t *levels;
    size_t factors;
    unsigned strength;
    uint64_t random;
    struct group *groups;
    size_t group_count;
    uint8_t *open;     /* for each combination of all groups: 1 if no row covers it yet */
    size_t open_count; /* number of combinations that no row covers yet */
    size_t next_open;  /* index in `open`: all combinations before it are covered */
};

/* Returns a pseudo-random number less than `below` (xorshift64*). */
static uint64_t cover_draw_random(struct search *search, uint64_t below) {
    search->random ^= search->random >> 12;
    search->random ^= search->random << 25;
    search->random ^= search->random >> 27;
    return (search->random * 0x2545F4914F6CDD1DULL >> 16) % below;
}

/* Replaces the subset of factors by the next one in lexicographic order. Returns false after the last. */
static bool cover_next_subset(uint8_t *subset, size_t factors, unsigned strength) {
    unsigned i = strength;

    assert(strength <= IW_COVER_STRENGTH_MAX);
    while (i > 0 && subset[i - 1] == factors - strength + i - 1)
        i--;
    if (i == 0)
        return false;
    subset[i - 1]++;
    for (; i < strength; i++)
        subset[i] = (uint8_t)(subset[i - 1] + 1);
    return true;
}

static bool cover_make_groups(struct search *search) {
    uint8_t subset[IW_COVER_STRENGTH_MAX] = {0};

    for (unsigned i = 0; i < search->strength; i++)
        subset[i] = (uint8_t)i;
    do {
        struct group group = {.first = search->open_count, .count = 1};

        if (!iw_array_grow(&search->groups, search->group_count, sizeof group))
            return false;
        memcpy(group.factors, subset, sizeof subset);
        for (unsigned i = 0; i < search->strength; i++)
            group.count *= search->levels[subset[i]];
        search->open_count += group.count;
        search->groups[search->group_count++] = group;
    } while (cover_next_subset(subset, search->factors, search->strength));
    search->open = malloc(search->open_count);
    if (search->open)
        memset(search->open, 1, search->open_count);
    return search->open != NULL;
}

enum { UNSET = 0xFF };

/* Returns the index in `open` of the row's combination for this group; SIZE_MAX if a level is unset. */
static size_t cover_combination_of(
    const struct search *search, const struct group *group, const uint8_t *row) {
    size_t index = 0;

    for (unsigned i = 0; i < search->strength; i++) {
        if (row[group->factors[i]] == UNSET)
            return SIZE_MAX;
        index = index * search->levels[group->factors[i]] + row[group->factors[i]];
    }
    return group->first + index;
}

static bool cover_has_factor(const struct search *search, const struct group *group, size_t factor) {
    for (unsigned i = 0; i < search->strength; i++)
        if (group->factors[i] == factor)
            return true;
    return false;
}

/* Returns how many uncovered combinations with this factor the row covers. */
static size_t cover_row_gain(const struct search *search, const uint8_t *row, size_t factor) {
    size_t sum = 0;

    for (size_t i = 0; i < search->group_count; i++) {
        size_t combination;

        if (!cover_has_factor(search, &search->groups[i], factor))
            continue;
        combination = cover_combination_of(search, &search->groups[i], row);
        sum += combination != SIZE_MAX && search->open[combination];
    }
    return sum;
}

/* Starts a row with an uncovered combination, so that each row covers something new. */
static void cover_seed_row(struct search *search, uint8_t *row) {
    size_t combination, rest, i = 0;

    while (!search->open[search->next_open])
        search->next_open++;
    combination = search->next_open;
    while (combination >= search->groups[i].first + search->groups[i].count)
        i++;
    rest = combination - search->groups[i].first;
    for (unsigned j = search->strength; j > 0; j--) {
        uint8_t factor = search->groups[i].factors[j - 1];

        row[factor] = (uint8_t)(rest % search->levels[factor]);
        rest /= search->levels[factor];
    }
}

static void cover_set_best(struct search *search, uint8_t *row, size_t factor) {
    size_t best_gain = 0;
    uint8_t start = (uint8_t)cover_draw_random(search, search->levels[factor]);
    uint8_t best = start;

    for (uint8_t i = 0; i < search->levels[factor]; i++) {
        size_t here;

        row[factor] = (uint8_t)((start + i) % search->levels[factor]);
        here = cover_row_gain(search, row, factor);
        if (here > best_gain) {
            best_gain = here;
            best = row[factor];
        }
    }
    row[factor] = best;
}

static void cover_fill_row(struct search *search, uint8_t *row) {
    // Where j is i, an element is copied onto itself before it is set.
    size_t order[IW_COVER_FACTORS_MAX] = {0};

    for (size_t i = 0; i < search->factors; i++) {
        size_t j = (size_t)cover_draw_random(search, i + 1);

        order[i] = order[j];
        order[j] = i;
    }
    for (size_t i = 0; i < search->factors; i++)
        if (row[order[i]] == UNSET)
            cover_set_best(search, row, order[i]);
}

static void cover_mark_row(struct search *search, const uint8_t *row) {
    for (size_t i = 0; i < search->group_count; i++) {
        uint8_t *open = &search->open[cover_combination_of(search, &search->groups[i], row)];

        search->open_count -= *open;
        *open = 0;
    }
}

static enum iw_status cover_make_rows(struct search *search, struct iw_cover_row **rows, size_t *count) {
    uint8_t row[IW_COVER_FACTORS_MAX] = {0};

    if (!cover_make_groups(search))
        return IW_ERR_NOMEM;
    for (;;) {
        if (!iw_array_grow(rows, *count, sizeof **rows))
            return IW_ERR_NOMEM;
        memcpy((*rows)[(*count)++].levels, row, sizeof row);
        cover_mark_row(search, row);
        if (search->open_count == 0)
            return IW_OK;
        memset(row, 0, sizeof row);
        memset(row, UNSET, search->factors);
        cover_seed_row(search, row);
        cover_fill_row(search, row);
    }
}

enum iw_status iw_cover(const uint8_t *levels, size_t factors, unsigned strength, uint64_t seed,
    struct iw_cover_row **rows, size_t *count) {
    struct search search = {.levels = levels,
        .factors = factors,
        .strength = strength < factors ? strength : (unsigned)factors,
        .random = seed ^ 0x9E3779B97F4A7C15ULL};
    enum iw_status status;

    *rows = NULL;
    *count = 0;
    if (search.random == 0)
        search.random = 1;
    status = cover_make_rows(&search, rows, count);
    free(search.groups);
    free(search.open);
    if (status != IW_OK) {
        free(*rows);
        *rows = NULL;
    }
    return status;
}

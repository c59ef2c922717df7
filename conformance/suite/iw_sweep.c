#include "iw_sweep.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_cover.h"

/* Adds a copy of the case with this id, which is copied, and this choice. */
static enum iw_status sweep_add_case(
    struct iw_sweep *sweep, const struct iw_case *one, const char *id, const struct iw_choice *choice) {
    struct iw_catalogue *catalogue = &sweep->catalogue;
    char *copy = strdup(id);

    if (!copy || !iw_array_grow(&catalogue->cases, catalogue->count, sizeof *one)) {
        free(copy);
        return IW_ERR_NOMEM;
    }
    catalogue->cases[catalogue->count] = *one;
    catalogue->cases[catalogue->count].id = copy;
    catalogue->cases[catalogue->count++].choice = *choice;
    return IW_OK;
}

static enum iw_status sweep_add_combination(
    struct iw_sweep *sweep, const struct iw_case *one, const struct iw_choice *choice) {
    char digits[IW_CHOICE_TEXT_OCTETS], id[64];

    iw_factors_format(one->factors, choice, digits);
    snprintf(id, sizeof id, "%.38s.%s", one->id, digits);
    return sweep_add_case(sweep, one, id, choice);
}

/* For each factor, the indices of the values that the device supports, and their number. */
struct allowed {
    uint8_t values[IW_FACTORS_MAX][IW_FACTOR_VALUES_MAX];
    uint8_t counts[IW_FACTORS_MAX];
};

/* Sets *allowed. Returns false if the device supports no value of a factor. */
static bool sweep_find_allowed(
    const struct iw_sweep_config *config, const struct iw_factors *factors, struct allowed *allowed) {
    bool some = true;

    memset(allowed, 0, sizeof *allowed);
    for (size_t i = 0; i < factors->count; i++) {
        const struct iw_factor *factor = &factors->list[i];

        for (size_t j = 0; j < factor->value_count; j++)
            if (!factor->claims[j] || iw_claims_make(&config->run->claims, factor->claims[j]))
                allowed->values[i][allowed->counts[i]++] = (uint8_t)j;
        some = some && allowed->counts[i] > 0;
    }
    return some;
}

static enum iw_status sweep_add_combinations(
    struct iw_sweep *sweep, const struct iw_sweep_config *config, const struct iw_case *one) {
    struct allowed allowed;
    struct iw_cover_row *rows;
    size_t count;
    enum iw_status status;

    if (!sweep_find_allowed(config, one->factors, &allowed))
        return IW_OK;
    status = iw_cover(allowed.counts, one->factors->count, config->strength, config->seed, &rows, &count);
    for (size_t i = 0; i < count && status == IW_OK; i++) {
        struct iw_choice choice = {.seed = 0};

        for (size_t j = 0; j < one->factors->count; j++)
            choice.levels[j] = allowed.values[j][rows[i].levels[j]];
        status = sweep_add_combination(sweep, one, &choice);
    }
    free(rows);
    return status;
}

enum iw_status iw_sweep_init(struct iw_sweep *sweep, const struct iw_sweep_config *config) {
    enum iw_status status = IW_OK;

    memset(sweep, 0, sizeof *sweep);
    for (size_t i = 0; i < config->run->catalogue->count && status == IW_OK; i++) {
        const struct iw_case *one = &config->run->catalogue->cases[i];

        if (!one->factors)
            continue;
        if (!one->factors->seeded && config->strength > 0)
            status = sweep_add_combinations(sweep, config, one);
        for (size_t j = 0; one->factors->seeded && j < config->seeds && status == IW_OK; j++)
            status = sweep_add_combination(
                sweep, one, &(struct iw_choice){.seed = (config->seed + j) & INT64_MAX});
    }
    if (status != IW_OK)
        iw_sweep_dispose(sweep);
    return status;
}

enum iw_status iw_sweep_init_one(struct iw_sweep *sweep, const struct iw_catalogue *catalogue, const char *id,
    char *error, size_t error_octets) {
    size_t octets = strcspn(id, ".");
    const struct iw_case *one = iw_catalogue_find(catalogue, id, octets);
    struct iw_choice choice = {.seed = 0};

    memset(sweep, 0, sizeof *sweep);
    if (!one || (id[octets] && !one->factors)) {
        snprintf(error, error_octets, "there is no case %s", id);
        return IW_ERR_FORMAT;
    }
    if (id[octets] && !iw_factors_parse(one->factors, id + octets + 1, &choice)) {
        snprintf(error, error_octets, "%s: %s is not a %s of the case %s", id, id + octets + 1,
            one->factors->seeded ? "seed" : "combination", one->id);
        return IW_ERR_FORMAT;
    }
    snprintf(error, error_octets, "out of memory");
    return id[octets] ? sweep_add_combination(sweep, one, &choice)
                      : sweep_add_case(sweep, one, id, &one->choice);
}

void iw_sweep_dispose(struct iw_sweep *sweep) {
    for (size_t i = 0; i < sweep->catalogue.count; i++)
        free((char *)sweep->catalogue.cases[i].id);
    free(sweep->catalogue.cases);
    memset(sweep, 0, sizeof *sweep);
}

#include "iw_matrix_scenario.h"

#include <assert.h>
#include <string.h>

const struct iw_matrix_scenario iw_matrix_scenarios[IW_MATRIX_SCENARIOS] = {
#define IW_MATRIX_SCENARIO(...) {__VA_ARGS__},
#include "iw_matrix_scenario.def"
};

const struct iw_matrix_scenario *iw_matrix_scenario_find(const char *name) {
    for (size_t i = 0; i < IW_MATRIX_SCENARIOS; i++)
        if (strcmp(iw_matrix_scenarios[i].name, name) == 0)
            return &iw_matrix_scenarios[i];
    return NULL;
}

void iw_matrix_scenario_network(
    const struct iw_matrix_scenario *scenario, struct iw_network_profile *profile) {
    const char *name = scenario->network != NULL ? scenario->network : "lan";
    char error[IW_NETWORK_WORDS_OCTETS];
    bool known = iw_network_profile_read(name, profile, error, sizeof error);

    assert(known);
    (void)known;
}

static int scenario_rows(const struct iw_listing_printer *printer) {
    for (size_t i = 0; i < IW_MATRIX_SCENARIOS; i++) {
        const struct iw_matrix_scenario *one = &iw_matrix_scenarios[i];

        iw_listing_add(
            printer, json_pack("{ss ss ss ss si si si si ss*}", "scenario", one->name, "code", one->code,
                         "group", one->group, "title", one->title, "size", one->size, "count", one->count,
                         "connections", one->connections, "seconds", one->seconds, "network", one->network));
    }
    return 0;
}

const struct iw_listing iw_listing_scenarios = {
    .topic = "scenarios",
    .columns = (const struct iw_listing_column[]){{"scenario", 16}, {"size", 8}, {"count", 6},
        {"connections", 6}, {"title", 0}, {0}},
    .rows = scenario_rows,
};

#pragma once

#include "iw_listing.h"

/* What each pair of peers does: the rows of iw_matrix_scenario.def. */

struct iw_matrix_scenario {
    const char *name, *code, *group, *title;
    unsigned size;        /* octets of a ping */
    unsigned count;       /* pings on each connection; 0: until `seconds` are over */
    unsigned connections; /* at a time */
    unsigned seconds;     /* 0: no matter how long */
};

enum {
    IW_MATRIX_SCENARIOS = 0
#define IW_MATRIX_SCENARIO(...) +1
#include "iw_matrix_scenario.def"
};

extern const struct iw_matrix_scenario iw_matrix_scenarios[IW_MATRIX_SCENARIOS];

extern const struct iw_listing iw_listing_scenarios;

/* Returns NULL for an unknown name. */
const struct iw_matrix_scenario *iw_matrix_scenario_find(const char *name);

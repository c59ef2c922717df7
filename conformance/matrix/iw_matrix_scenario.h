#pragma once

#include <stdbool.h>

#include "iw_listing.h"
#include "iw_network_profile.h"

/* What each pair of peers does: the rows of iw_matrix_scenario.def. */

struct iw_matrix_scenario {
    const char *name, *code, *group, *title;
    unsigned size;        /* octets of a ping */
    unsigned count;       /* pings on each connection; 0: until `seconds` are over */
    unsigned connections; /* at a time */
    unsigned seconds;     /* 0: no matter how long */
    const char *network;  /* name of a network (iw_network_profile.h) between the peers; NULL: none */
    bool own_command;     /* a peer without a command of its own does not support it; no "*" is for it */
};

enum {
    IW_MATRIX_SCENARIOS = 0
#define IW_MATRIX_SCENARIO(...) +1
#include "iw_matrix_scenario.def"
};

extern const struct iw_matrix_scenario iw_matrix_scenarios[IW_MATRIX_SCENARIOS];

extern const struct iw_listing iw_listing_scenarios;

/* The network between the peers; without one, Ethernet that does nothing to packets. */
void iw_matrix_scenario_network(
    const struct iw_matrix_scenario *scenario, struct iw_network_profile *profile);

/* Returns NULL for an unknown name. */
const struct iw_matrix_scenario *iw_matrix_scenario_find(const char *name);

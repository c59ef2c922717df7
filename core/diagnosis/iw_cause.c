#include "iw_cause.h"

const struct iw_cause iw_causes[IW_CAUSE_COUNT] = {
#define IW_CAUSE(symbol, id, group, replays, title, why, next, clause)                                       \
    [IW_CAUSE_ID_##symbol] = {id, IW_CAUSE_##group, replays, title, why, next, clause},
#include "iw_cause.def"
#undef IW_CAUSE
};

const char *iw_cause_group_name(enum iw_cause_group group) {
    static const char *const names[] = {[IW_CAUSE_STARTUP] = "startup",
        [IW_CAUSE_DEATH] = "death",
        [IW_CAUSE_HANG] = "hang",
        [IW_CAUSE_SLOW] = "slow",
        [IW_CAUSE_CAPTURE] = "capture"};

    return names[group];
}

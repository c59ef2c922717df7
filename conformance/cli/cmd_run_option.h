#ifndef CMD_RUN_OPTION_H
#define CMD_RUN_OPTION_H

#include "iw_option.h"

/* The options of `warpcheck run`, and its help. */

enum cmd_run_option {
    CMD_RUN_PEER,
    CMD_RUN_SCTP,
    CMD_RUN_AGENT,
    CMD_RUN_TOKEN_FILE,
    CMD_RUN_OWN_HOST,
    CMD_RUN_RPING,
    CMD_RUN_INITIATOR,
    CMD_RUN_BEFORE,
    CMD_RUN_DEFECT,
    CMD_RUN_VARIANT,
    CMD_RUN_ONLY,
    CMD_RUN_SKIP,
    CMD_RUN_TIER,
    CMD_RUN_PROFILE,
    CMD_RUN_WITHOUT,
    CMD_RUN_WITHOUT_DANGER,
    CMD_RUN_OUT,
    CMD_RUN_NO_OUT,
    CMD_RUN_JOBS,
    CMD_RUN_SIMULATE,
    CMD_RUN_CASES,
    CMD_RUN_STRICT,
    CMD_RUN_SHARD,
    CMD_RUN_LIST,
    CMD_RUN_FORMAT,
    CMD_RUN_STRENGTH,
    CMD_RUN_RANDOM,
    CMD_RUN_SEED,
    CMD_RUN_COMBINATION,
    CMD_RUN_BUDGET,
    CMD_RUN_REPEAT,
    CMD_RUN_UNTIL_FAILURE,
    CMD_RUN_RESUME,
    CMD_RUN_EXPECT,
    CMD_RUN_WRITE_EXPECT,
};

/* Its options are in the order of the enum. */
extern const struct iw_usage cmd_run_usage;

#endif

#pragma once

#include "iw_status.h"

enum iw_exit {
    IW_EXIT_CONFORMS = 0,
    IW_EXIT_VIOLATIONS = 1,
    IW_EXIT_UNJUDGED = 2,    /* no violation, but something could not be judged */
    IW_EXIT_ENVIRONMENT = 3, /* error in usage or environment; nothing selected; nothing found to judge */
    IW_EXIT_INTERNAL = 4,
};

/* Returns the more important code, in the order INTERNAL, ENVIRONMENT, VIOLATIONS, UNJUDGED, CONFORMS. */
static inline enum iw_exit iw_exit_join(enum iw_exit one, enum iw_exit other) {
    static const int rank[] = {
        [IW_EXIT_CONFORMS] = 0,
        [IW_EXIT_UNJUDGED] = 1,
        [IW_EXIT_VIOLATIONS] = 2,
        [IW_EXIT_ENVIRONMENT] = 3,
        [IW_EXIT_INTERNAL] = 4,
    };
    return rank[one] >= rank[other] ? one : other;
}

/* Returns the exit code for the status of reading or writing a file. */
static inline enum iw_exit iw_status_exit(enum iw_status status) {
    return status == IW_OK          ? IW_EXIT_CONFORMS
           : status == IW_ERR_NOMEM ? IW_EXIT_INTERNAL
                                    : IW_EXIT_ENVIRONMENT;
}

#ifndef IW_EXIT_H
#define IW_EXIT_H

#include "iw_status.h"

/* What the program and each of its parts ends with. */
enum iw_exit {
    IW_EXIT_CONFORMS = 0,
    IW_EXIT_VIOLATIONS = 1,
    IW_EXIT_UNJUDGED = 2,    /* nothing failed, but something could not be judged */
    IW_EXIT_ENVIRONMENT = 3, /* usage or environment; nothing selected; nothing found to judge */
    IW_EXIT_INTERNAL = 4,
};

/* What two parts amount to together: the first of INTERNAL, ENVIRONMENT, VIOLATIONS, UNJUDGED, CONFORMS that
 * one of them is. */
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

/* The exit code of a part that reads or writes a file. */
static inline enum iw_exit iw_status_exit(enum iw_status status) {
    return status == IW_OK          ? IW_EXIT_CONFORMS
           : status == IW_ERR_NOMEM ? IW_EXIT_INTERNAL
                                    : IW_EXIT_ENVIRONMENT;
}

#endif

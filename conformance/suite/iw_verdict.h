#ifndef IW_VERDICT_H
#define IW_VERDICT_H

#include <stdbool.h>

/* Verdicts on a case, from the mildest to the worst. */

enum iw_verdict {
    IW_VERDICT_PASS,
    IW_VERDICT_NOT_APPLICABLE, /* the device does not claim what the case needs, or the means to test it are
                                  missing */
    IW_VERDICT_NOTE,           /* the device fails a MAY */
    IW_VERDICT_WARNING,        /* the device fails a SHOULD, and the run is not strict */
    IW_VERDICT_INCONCLUSIVE,   /* the run does not show whether the device conforms */
    IW_VERDICT_FAIL,
    IW_VERDICT_ERROR, /* a fault of the suite or of the environment */
    IW_VERDICT_COUNT,
};

const char *iw_verdict_name(enum iw_verdict verdict);             /* "not applicable" */
bool iw_verdict_find(const char *name, enum iw_verdict *verdict); /* false if the name is unknown */
const char *iw_verdict_key(enum iw_verdict verdict);              /* for programs: "not_applicable" */

/* Whether the device closed the connection in one of the ways that the case permits. */
enum iw_close_verdict {
    IW_CLOSE_NOT_JUDGED, /* the case names no way, or there is no close to judge */
    IW_CLOSE_RIGHT,      /* the preferred way */
    IW_CLOSE_TOLERATED,  /* permitted, but not the recommended way */
    IW_CLOSE_WRONG,
};

const char *iw_close_verdict_name(enum iw_close_verdict verdict); /* "tolerated" */

#endif

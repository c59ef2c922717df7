#ifndef IW_VERDICT_H
#define IW_VERDICT_H

#include <stdbool.h>

/* The words in which a case is judged, from the gentlest to the worst. */

enum iw_verdict {
    IW_VERDICT_PASS,
    IW_VERDICT_NOT_APPLICABLE, /* the device does not claim what the case needs, or cannot be asked for it */
    IW_VERDICT_NOTE,           /* what the device fails is a MAY */
    IW_VERDICT_WARNING,        /* it is a SHOULD, and the run is not strict */
    IW_VERDICT_INCONCLUSIVE,   /* it could not be seen whether the device conforms */
    IW_VERDICT_FAIL,
    IW_VERDICT_ERROR, /* the suite's own fault, or the environment's */
    IW_VERDICT_COUNT,
};

const char *iw_verdict_name(enum iw_verdict verdict);             /* "not applicable" */
bool iw_verdict_find(const char *name, enum iw_verdict *verdict); /* by that; false if there is none */
const char *iw_verdict_key(enum iw_verdict verdict);              /* for programs: "not_applicable" */

/* Whether the device ended the connection in one of the ways the case takes. */
enum iw_close_verdict {
    IW_CLOSE_NOT_JUDGED, /* the case says nothing of it */
    IW_CLOSE_RIGHT,      /* the best way */
    IW_CLOSE_TOLERATED,  /* another that is allowed */
    IW_CLOSE_WRONG,
};

const char *iw_close_verdict_name(enum iw_close_verdict verdict); /* "tolerated" */

#endif

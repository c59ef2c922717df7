#pragma once

#include <stdbool.h>

/* The verdicts on a case, from the mildest to the worst. */

enum iw_verdict {
    IW_VERDICT_PASS,
    IW_VERDICT_NOT_APPLICABLE, /* the device does not claim, or does not have, what the case is about */
    IW_VERDICT_NOT_TESTED,     /* the suite has no means to test it: no agent, for example */
    IW_VERDICT_NOTE,           /* the device fails a MAY */
    IW_VERDICT_WARNING,        /* the device fails a SHOULD, and the run is not strict */
    IW_VERDICT_INCONCLUSIVE,   /* the run does not show whether the device conforms */
    IW_VERDICT_FAIL,
    IW_VERDICT_ERROR, /* a fault of the suite or of the environment */
    IW_VERDICT_COUNT,
};

const char *iw_verdict_name(enum iw_verdict verdict); /* name for people, such as "not applicable" */
bool iw_verdict_find(const char *name, enum iw_verdict *verdict); /* by the name for people; false: unknown */
const char *iw_verdict_key(enum iw_verdict verdict);  /* name for programs, such as "not_applicable" */
bool iw_verdict_is_left_out(enum iw_verdict verdict); /* the case was not run, or ended unneeded */
bool iw_verdict_is_tested(enum iw_verdict verdict);   /* it tells how the device behaved */

/* Verdict on the close: did the device close in a way that the case permits? */
enum iw_close_verdict {
    IW_CLOSE_NOT_JUDGED, /* the case names no way, or the close is not known */
    IW_CLOSE_RIGHT,      /* the first way that the case names */
    IW_CLOSE_TOLERATED,  /* another way that the case names */
    IW_CLOSE_WRONG,
};

const char *iw_close_verdict_name(enum iw_close_verdict verdict); /* such as "tolerated" */

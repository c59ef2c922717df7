#pragma once

#include "iw_diagnosis.h"

/* What is known of a connection as a whole: one result for all forms in which it is told. */

enum iw_conclusion { /* the best first */
    IW_CONCLUSION_FINE,
    IW_CONCLUSION_PARTIAL,    /* nothing wrong seen, but the capture lacks octets or the startup */
    IW_CONCLUSION_SLOW,       /* it has only causes why it was slow */
    IW_CONCLUSION_VIOLATIONS, /* no failure seen, but the monitor reported errors */
    IW_CONCLUSION_NOT_KNOWN,  /* it failed, and the capture does not show why */
    IW_CONCLUSION_FAILED,     /* it failed or hangs, and has a cause */
    IW_CONCLUSION_COUNT,
};

enum iw_conclusion iw_conclusion_of(const struct iw_facts *facts, const struct iw_diagnosis *diagnosis);

/* Whether the diagnosis has a cause. */
bool iw_conclusion_has_cause(enum iw_conclusion conclusion);

/* For programs: "cause", "not known", "violations", "partial", "nothing wrong seen". */
const char *iw_conclusion_key(enum iw_conclusion conclusion);

/* The result without a cause in words: "not known" or "nothing wrong seen"; and as a heading. */
const char *iw_conclusion_text(enum iw_conclusion conclusion);
const char *iw_conclusion_title(enum iw_conclusion conclusion);

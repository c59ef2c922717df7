#pragma once

#include "iw_exit.h"

/* What became of a cell of the matrix: a scenario with an initiator and a responder. From the best to the
 * worst. */
enum iw_matrix_verdict {
    IW_MATRIX_PASS,          /* both did what they should, and everything was judged */
    IW_MATRIX_NOT_SUPPORTED, /* one has no command for it: nothing was run */
    IW_MATRIX_NOT_JUDGED,    /* no violation, but not everything could be judged */
    IW_MATRIX_FAIL,          /* a violation, or a peer says itself that it failed */
    IW_MATRIX_ERROR,         /* a peer or the relay could not be started, or did not connect */
    IW_MATRIX_VERDICTS
};

const char *iw_matrix_verdict_name(enum iw_matrix_verdict verdict);

/* Returns IW_MATRIX_ERROR for an unknown name. */
enum iw_matrix_verdict iw_matrix_verdict_find(const char *name);

enum iw_exit iw_matrix_verdict_exit(enum iw_matrix_verdict verdict);

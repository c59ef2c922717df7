#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "iw_matrix_process.h"
#include "iw_matrix_verdict.h"

/* What became of a cell, from how its processes ended and what the relay judged. */

struct iw_matrix_conclusion {
    char error[IW_COMMAND_TEXT_OCTETS + 128]; /* why nothing could be judged; or "" */
    bool recorded;                            /* there is a capture */
    bool initiator_hangs;                     /* it was ended after a timeout */
    bool responder_hangs;                     /* the same of a responder that ends by itself */
    bool responder_early;                     /* it ended before the initiator */
    bool leaves;                              /* the responder ends by itself: its exit code counts */
    const struct iw_matrix_process *initiator, *responder, *relay;
};

/* Adds "verdict", "reason", "findings" and so on (docs/matrix.md) to the result. `judgement` is the path of
 * the relay's lines; NULL if it has not come so far. */
void iw_matrix_conclude(const struct iw_matrix_conclusion *conclusion, const char *judgement, json_t *result);

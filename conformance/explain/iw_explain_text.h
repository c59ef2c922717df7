#pragma once

#include "iw_explain.h"

/* Parts of the story as text: iw_explain_text_time.c. */

static inline const char *iw_explain_side(const struct iw_explained *explained, enum iw_side side) {
    return iw_facts_side_name(&explained->facts, side);
}

/* Prints the calls of the protocol above without a reply, and its credits. */
void iw_explain_text_calls(FILE *out, const struct iw_explained *explained);

/* Prints latencies, rates and the longest wait. */
void iw_explain_text_time(FILE *out, const struct iw_explained *explained);

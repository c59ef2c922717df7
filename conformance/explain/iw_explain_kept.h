#pragma once

#include "iw_explain_revision.h"

/* What is kept of a connection while it is open. */
struct iw_explain_kept;

/* Takes the next event of the connection; `kept` is NULL before the first. Returns what is kept from now on.
 * If memory runs out for it, iw_explain_kept_finish returns false. */
struct iw_explain_kept *iw_explain_kept_event(
    struct iw_explain_kept *kept, const struct iw_check_stream *stream, const struct iw_monitor_event *event);

/* The connection has ended: fills in `explained`, which borrows from `kept`. `revisions`: of the capture, or
 * NULL. Returns false if nothing was kept. */
bool iw_explain_kept_finish(struct iw_explain_kept *kept, const struct iw_check_stream *stream,
    const struct iw_check_chain *chain, const struct iw_explain_revisions *revisions,
    struct iw_explained *explained);

/* Whether memory ran out for a part of it. */
bool iw_explain_kept_no_memory(const struct iw_explain_kept *kept);

/* NULL is allowed. */
void iw_explain_kept_free(struct iw_explain_kept *kept);

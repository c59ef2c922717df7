#include "iw_explain_revision.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "iw_array.h"

void iw_explain_revisions_clear(struct iw_explain_revisions *revisions) {
    free(revisions->rows);
    *revisions = (struct iw_explain_revisions){0};
}

static bool revision_same_host(const struct iw_tcp_address *one, const struct iw_tcp_address *other) {
    struct iw_tcp_address address = *one;

    address.port = other->port;
    return iw_tcp_address_equal(&address, other);
}

/* A responder that answers a higher Rev knows it, whoever asks. That it accepts Rev 1 shows why it closed
 * another connection only if that is of the same host: it may reject others for another reason. */
static const struct iw_explain_revision *revision_find(const struct iw_explain_revisions *revisions,
    const struct iw_tcp_address *initiator, const struct iw_tcp_address *responder, unsigned rev) {
    for (size_t i = 0; i < revisions->count; i++) {
        const struct iw_explain_revision *row = &revisions->rows[i];

        if (row->rev == rev && iw_tcp_address_equal(&row->responder, responder) &&
            (rev > 1 || revision_same_host(&row->initiator, initiator)))
            return row;
    }
    return NULL;
}

void iw_explain_revisions_ended(
    struct iw_explain_revisions *revisions, const struct iw_check_stream *stream) {
    const struct iw_mpa_terms *terms = iw_monitor_terms(stream->monitor);
    const struct iw_tcp_address *initiator = &stream->address[terms->initiator],
                                *responder = &stream->address[iw_side_other(terms->initiator)];
    unsigned rev = terms->frame[terms->initiator].header.rev;

    if (stream->session != NULL || !terms->settled || (rev <= 1 && terms->rejected) ||
        revisions->count >= IW_EXPLAIN_REVISIONS ||
        revision_find(revisions, initiator, responder, rev) != NULL)
        return;
    if (!iw_array_grow(&revisions->rows, revisions->count, sizeof *revisions->rows)) {
        revisions->no_memory = true;
        return;
    }
    revisions->rows[revisions->count++] =
        (struct iw_explain_revision){*initiator, *responder, rev, stream->id, stream->first_frame};
}

/* Whether the capture has a Request of a Rev above 1, and no Reply. */
static bool revision_is_unanswered(const struct iw_check_stream *stream) {
    const struct iw_mpa_terms *terms = iw_monitor_terms(stream->monitor);

    return stream->session == NULL && terms->initiator_known && terms->seen[terms->initiator] &&
           !terms->settled && terms->frame[terms->initiator].header.rev > 1;
}

bool iw_explain_revisions_defer(struct iw_explain_revisions *revisions, struct iw_check_stream *stream) {
    if (stream->deferred || revisions->deferred >= IW_EXPLAIN_DEFERRED || !revision_is_unanswered(stream))
        return false;
    revisions->deferred++;
    stream->deferred = true;
    return true;
}

void iw_explain_revisions_add(const struct iw_explain_revisions *revisions, struct iw_explained *explained) {
    const struct iw_check_stream *stream = explained->stream;
    const struct iw_mpa_terms *terms = iw_monitor_terms(stream->monitor);
    const struct iw_tcp_address *initiator = &stream->address[terms->initiator],
                                *responder = &stream->address[iw_side_other(terms->initiator)];
    const struct iw_explain_revision *row;
    char frame[IW_EXPLAIN_FRAME_OCTETS];

    if (!revision_is_unanswered(stream))
        return;
    explained->facts.rev_answered =
        revision_find(revisions, initiator, responder, terms->frame[terms->initiator].header.rev) != NULL;
    row = revision_find(revisions, initiator, responder, 1);
    if (row == NULL)
        return;
    snprintf(explained->accepted, sizeof explained->accepted, "stream %" PRIu64 ", which begins in %s",
        row->stream, iw_explain_frame(explained->chain, row->frame, frame));
    explained->facts.rev_1_accepted = explained->accepted;
}

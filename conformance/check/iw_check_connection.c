#include "iw_check_result.h"

#include <stdlib.h>

#include "iw_check_event_ring.h"

static void check_connection_clear_kept(struct iw_check_kept *kept) {
    for (size_t i = 0; i < kept->log_count; i++)
        iw_check_entry_free(kept->log[i]);
    free(kept->log);
    free(kept->findings);
    free(kept->breaches);
    free(kept->traffic);
    free(kept->waived);
    iw_upper_free(kept->upper);
    iw_check_event_ring_free(kept->ring);
}

static bool check_connection_is_requested(const struct iw_mpa_terms *terms, enum iw_side side) {
    return terms->seen[side] && terms->frame[side].key == IW_STARTUP_REQUEST;
}

/* Returns whether a Request was captured, but no valid Reply and no FPDU. */
static bool check_connection_is_unstarted(const struct iw_check_connection *connection) {
    const struct iw_mpa_terms *terms = &connection->terms;

    return !connection->sctp && !terms->settled &&
           (check_connection_is_requested(terms, IW_SIDE_A) ||
               check_connection_is_requested(terms, IW_SIDE_B)) &&
           connection->counts.fpdus[IW_SIDE_A] + connection->counts.fpdus[IW_SIDE_B] == 0;
}

/* Replaces the state of the protocol above by what reports show of it. */
static void check_connection_end_upper(struct iw_check_connection *connection,
    const struct iw_check_event_store *store, const struct iw_check_stream *stream) {
    struct iw_check_kept *kept = &connection->kept;
    struct iw_check_upper *upper;

    if (kept->upper == NULL)
        return;
    connection->upper = upper = iw_check_upper_new(kept->upper, store->upper);
    kept->incomplete |= upper == NULL;
    iw_upper_free(kept->upper);
    kept->upper = NULL;
    if (upper == NULL)
        return;
    for (size_t i = 0; i < upper->breach_count; i++) {
        struct iw_check_upper_breach *breach = &upper->breaches[i];

        breach->waiver = iw_check_event_store_waive_upper(
            store, stream, breach->rule, breach->side, connection->role[breach->side]);
    }
    iw_check_upper_total(upper);
    if (store->upper != IW_CHECK_UPPER_JUDGE)
        return;
    connection->totals.waived += upper->waived;
    for (int severity = 0; severity <= IW_SEVERITY_ERROR; severity++)
        connection->totals.findings[severity] += upper->counted[severity];
}

static void connection_total(struct iw_check_connection *connection, uint8_t stricter) {
    const struct iw_check_kept *kept = &connection->kept;

    connection->totals.stricter = stricter;
    connection->totals.unstarted = check_connection_is_unstarted(connection);
    iw_totals_add(&connection->totals, &connection->counts);
    for (size_t i = 0; i < kept->breach_count; i++)
        if (kept->breaches[i].waiver != NULL)
            iw_totals_waive(&connection->totals, iw_requirement_severity(kept->breaches[i].requirement),
                kept->breaches[i].count);
}

void iw_check_connection_drop(struct iw_check_stream *stream) {
    struct iw_check_kept *kept = stream->user;

    stream->user = NULL;
    if (kept == NULL || kept == &iw_check_kept_nothing)
        return;
    check_connection_clear_kept(kept);
    free(kept);
}

static void check_connection_copy(
    const struct iw_check_stream *stream, struct iw_check_connection *connection) {
    connection->number = stream->id;
    connection->order = stream->order;
    connection->first_frame = stream->first_frame;
    connection->last_frame = stream->last_frame;
    connection->first_time_ns = stream->first_time_ns;
    connection->last_time_ns = stream->last_time_ns;
    connection->mapped = stream->mapped.known;
    if (connection->mapped) {
        iw_tcp_address_text(&stream->mapped.accepting, connection->advertised);
        iw_tcp_address_text(&stream->mapped.connecting, connection->connecting);
    }
    connection->sctp = stream->session != NULL;
    if (stream->session != NULL) {
        connection->session = *stream->session;
        connection->lost_chunks = stream->association->lost[IW_SIDE_A] + stream->association->lost[IW_SIDE_B];
    }
    connection->terms = *iw_monitor_terms(stream->monitor);
    connection->counts = *iw_monitor_counts(stream->monitor);
    connection->counts.unjudged[IW_UNJUDGED_FILE] = stream->file_unread;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        iw_tcp_address_text(&stream->address[side], connection->address[side]);
        connection->role[side] = iw_role_of(&connection->terms, side);
        connection->tcp[side] = stream->tcp[side];
        iw_monitor_unanswered(stream->monitor, side, &connection->unanswered[side]);
    }
}

struct iw_check_connection *iw_check_connection_new(
    const struct iw_check_event_store *store, struct iw_check_stream *stream) {
    struct iw_check_connection *connection = calloc(1, sizeof *connection);
    struct iw_check_kept *kept = stream->user;

    stream->user = NULL;
    if (kept == &iw_check_kept_nothing)
        kept = NULL;
    if (connection == NULL || kept == NULL) {
        if (kept != NULL)
            check_connection_clear_kept(kept);
        free(kept);
        free(connection);
        return NULL;
    }
    connection->row = stream->row;
    stream->row = NULL;
    check_connection_copy(stream, connection);
    connection->kept = *kept;
    free(kept);
    connection_total(connection, store->stricter);
    check_connection_end_upper(connection, store, stream);
    return connection;
}

void iw_check_connection_peek(const struct iw_check_stream *stream, struct iw_check_connection *connection) {
    const struct iw_check_kept *kept = stream->user;

    *connection = (struct iw_check_connection){.open = true};
    check_connection_copy(stream, connection);
    if (kept != NULL)
        connection->kept = *kept;
}

void iw_check_connection_free(struct iw_check_connection *connection) {
    if (connection == NULL)
        return;
    check_connection_clear_kept(&connection->kept);
    free(connection->story);
    iw_check_upper_free(connection->upper);
    free(connection->extract);
    free(connection);
}

const char *iw_check_chain_place(const struct iw_check_chain *chain, uint64_t *frame) {
    size_t file = chain->count - 1;

    while (file > 0 && chain->first[file] > *frame)
        file--;
    if (*frame > 0)
        *frame -= chain->first[file] - 1;
    return chain->paths[file];
}

void iw_check_finding_place(const struct iw_check_chain *chain, struct iw_check_finding *placed) {
    struct iw_finding *finding = &placed->finding;

    placed->file = iw_check_chain_place(chain, &finding->frame);
    if (finding->cause != 0)
        placed->cause_file = iw_check_chain_place(chain, &finding->cause_frame);
    for (unsigned i = 0; i < finding->context_count; i++)
        placed->context_file[i] = iw_check_chain_place(chain, &finding->context[i]);
}

void iw_check_connection_place(const struct iw_check_chain *chain, struct iw_check_connection *connection) {
    struct iw_check_kept *kept = &connection->kept;

    connection->file = iw_check_chain_place(chain, &connection->first_frame);
    connection->last_file = iw_check_chain_place(chain, &connection->last_frame);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        for (unsigned i = 0; i < connection->unanswered[side].named_count; i++)
            connection->unanswered_file[side][i] =
                iw_check_chain_place(chain, &connection->unanswered[side].named[i].frame);
    for (size_t i = 0; i < kept->log_count; i++) {
        struct iw_check_entry *entry = kept->log[i];

        entry->file = iw_check_chain_place(chain, &entry->frame);
        if (iw_check_chain_place(chain, &entry->first_frame) != entry->file)
            entry->first_frame = 1;
    }
    for (size_t i = 0; i < kept->finding_count; i++)
        iw_check_finding_place(chain, &kept->findings[i]);
    if (connection->upper != NULL)
        iw_check_upper_place(chain, connection->upper);
}

const char *iw_check_offender(
    const struct iw_check_connection *connection, enum iw_side side, enum iw_role role) {
    return role != IW_ROLE_UNKNOWN ? iw_role_name(role) : connection->address[side];
}

const char *iw_check_party_name(enum iw_role role, enum iw_side side) {
    return role != IW_ROLE_UNKNOWN ? iw_role_name(role) : side == IW_SIDE_A ? "side A" : "side B";
}

const char *iw_check_side_name(const struct iw_check_connection *connection, enum iw_side side) {
    return iw_check_party_name(connection->role[side], side);
}

enum iw_side iw_check_first_side(const struct iw_check_connection *connection) {
    return connection->terms.initiator_known ? connection->terms.initiator : IW_SIDE_A;
}

const char *iw_check_perhaps_answered(const struct iw_check_connection *connection) {
    const uint64_t *unjudged = connection->counts.unjudged;
    const struct iw_tcp_counters *tcp = connection->tcp;
    bool missing = connection->lost_chunks > 0 || unjudged[IW_UNJUDGED_LOST] > 0 ||
                   unjudged[IW_UNJUDGED_CUT] > 0 || unjudged[IW_UNJUDGED_STARTUP] > 0;

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        missing |= tcp[side].lost > 0 || tcp[side].cut > 0 || tcp[side].limited > 0;
    return missing ? ", perhaps answered, as not all was captured"
                   : ", perhaps answered by a response that could not be matched";
}

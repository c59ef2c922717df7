#include "iw_check_result.h"

#include <stdlib.h>
#include <string.h>

#include "iw_check_recent.h"
#include "iw_describe.h"
#include "iw_waiver.h"

enum {
    FIRST_STREAMS = 256,
    FIRST_FINDINGS = 100,
    MANY_STREAMS = 4096,
    MANY_FINDINGS = 16,
    LATER_FINDINGS = 4,
    ROOM = 4,          /* of a list that grows; then it doubles */
    LOG_STREAMS = 256, /* so many of the first have a log of more than their findings */
    LOG_FINDINGS = 20, /* so many findings of each have the events around them in it: */
    LOG_BEHIND = 2,    /* so many behind, and IW_CHECK_RECENT before */
};

unsigned iw_check_findings_max(uint64_t number) {
    return number < FIRST_STREAMS ? FIRST_FINDINGS : number < MANY_STREAMS ? MANY_FINDINGS : LATER_FINDINGS;
}

/* `list`, moved if need be, with room for one more than the `count` of `size` octets each that it has; its
 * room is a power of two. NULL: no memory, and the list is as it was. */
static void *grown(void *list, size_t count, size_t size) {
    if (count != 0 && (count < ROOM || (count & (count - 1)) != 0))
        return list;
    return realloc(list, (count == 0 ? ROOM : 2 * count) * size);
}

static void count_traffic(struct iw_check_kept *kept, const struct iw_monitor_event *event) {
    const struct iw_segment *segment = event->segment;
    struct iw_check_traffic *row = kept->traffic;
    size_t i = 0;

    for (; i < kept->traffic_count; i++, row++)
        if (row->op == segment->op && row->side == event->mpa->side)
            break;
    if (i == kept->traffic_count) {
        struct iw_check_traffic *rows = grown(kept->traffic, kept->traffic_count, sizeof *rows);

        if (rows == NULL) {
            kept->incomplete = true;
            return;
        }
        kept->traffic = rows;
        row = &rows[kept->traffic_count++];
        *row = (struct iw_check_traffic){.op = segment->op, .side = event->mpa->side};
    }
    row->fpdus++;
    row->messages += segment->last;
    row->octets += segment->payload_octets;
}

static void free_entry(struct iw_check_entry *entry) {
    if (entry == NULL)
        return;
    for (unsigned i = 0; i < entry->field_count; i++)
        free(entry->fields[i].value);
    free(entry->fields);
    free(entry->text);
    free(entry);
}

static char *text_of(const struct iw_monitor_event *event) {
    char *text = NULL;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);

    if (out == NULL)
        return NULL;
    iw_describe_event(out, event);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

struct collecting {
    struct iw_check_entry *entry;
    bool failed;
};

static void take_field(
    void *user, const struct iw_field *field, const uint8_t *header, enum iw_walk_place place) {
    struct collecting *collecting = user;
    struct iw_check_entry *entry = collecting->entry;
    struct iw_check_field *fields = grown(entry->fields, entry->field_count, sizeof *fields);
    char *value = NULL;
    size_t octets;
    FILE *out = open_memstream(&value, &octets);

    if (out != NULL) {
        iw_show_field_named(out, field, header);
        fclose(out);
    }
    if (fields != NULL)
        entry->fields = fields;
    if (fields == NULL || value == NULL) {
        free(value);
        collecting->failed = true;
        return;
    }
    entry->fields[entry->field_count++] = (struct iw_check_field){field, place, value};
}

/* NULL: no memory. */
static struct iw_check_entry *new_entry(const struct iw_monitor_event *event, bool with_fields) {
    const struct iw_mpa_event *mpa = event->mpa;
    struct iw_check_entry *entry = calloc(1, sizeof *entry);
    struct collecting collecting = {entry, false};

    if (entry == NULL)
        return NULL;
    *entry = (struct iw_check_entry){.kind = mpa->kind,
        .side = mpa->side,
        .role = event->role,
        .frame = mpa->frame,
        .first_frame = mpa->first_frame,
        .time_ns = mpa->time_ns,
        .offset = mpa->offset,
        .octets = mpa->octets,
        .title = iw_describe_title(event),
        .text = text_of(event)};
    iw_check_octets_head(&entry->head, event);
    if (with_fields)
        iw_walk_event(event, take_field, &collecting);
    if (entry->text != NULL && !collecting.failed)
        return entry;
    free_entry(entry);
    return NULL;
}

/* The waived finding that this one follows from, or NULL. */
static const struct iw_check_waived *find_root(
    const struct iw_check_kept *kept, const struct iw_finding *finding) {
    const struct iw_check_waived *root;

    if (finding->cause == 0 || kept->waived == NULL)
        return NULL;
    root = &kept->waived[finding->cause % IW_CHECK_WAIVED];
    return root->number == finding->cause ? root : NULL;
}

static struct iw_check_breach *find_breach(
    const struct iw_check_kept *kept, const struct iw_finding *finding) {
    const struct iw_check_waived *root = find_root(kept, finding);
    const struct iw_requirement *rooted = root == NULL ? NULL : root->requirement;

    for (size_t i = 0; i < kept->breach_count; i++) {
        struct iw_check_breach *breach = &kept->breaches[i];

        if (breach->requirement == finding->requirement && breach->side == finding->side &&
            breach->root == rooted)
            return breach;
    }
    return NULL;
}

/* What follows from it will be waived too. */
static void note_waived(
    struct iw_check_kept *kept, const struct iw_finding *finding, const struct iw_waiver *waiver) {
    if (waiver == NULL)
        return;
    if (kept->waived == NULL)
        kept->waived = calloc(IW_CHECK_WAIVED, sizeof *kept->waived);
    if (kept->waived == NULL)
        kept->incomplete = true;
    else
        kept->waived[finding->number % IW_CHECK_WAIVED] =
            (struct iw_check_waived){finding->number, waiver, finding->requirement};
}

static struct iw_check_breach *new_breach(const struct iw_check_keep *keep, struct iw_check_kept *kept,
    const struct iw_check_stream *stream, const struct iw_finding *finding) {
    const struct iw_check_waived *root = find_root(kept, finding);
    struct iw_check_breach *list = grown(kept->breaches, kept->breach_count, sizeof *list);
    char address[IW_SHOW_ADDRESS_OCTETS];

    if (list == NULL)
        return NULL;
    kept->breaches = list;
    list += kept->breach_count++;
    *list = (struct iw_check_breach){
        .requirement = finding->requirement, .side = finding->side, .role = finding->role};
    if (root != NULL) {
        list->root = root->requirement;
        list->waiver = root->waiver;
        return list;
    }
    iw_show_address(&stream->flow->address[finding->side], address);
    list->waiver =
        iw_waivers_find(keep->waivers, finding->requirement, keep->chain.paths[0], finding->role, address);
    return list;
}

/* Counts the finding among its like. NULL: no memory. */
static struct iw_check_breach *count_breach(const struct iw_check_keep *keep, struct iw_check_kept *kept,
    const struct iw_check_stream *stream, const struct iw_finding *finding) {
    struct iw_check_breach *breach = find_breach(kept, finding);

    if (breach == NULL)
        breach = new_breach(keep, kept, stream, finding);
    if (breach == NULL)
        return NULL;
    breach->count++;
    note_waived(kept, finding, breach->waiver);
    return breach;
}

/* Keeps the finding if there is room for it among those of its connection. */
static bool keep_finding(struct iw_check_kept *kept, struct iw_check_entry *entry,
    const struct iw_monitor_event *event, const struct iw_finding *finding, struct iw_check_breach *breach) {
    struct iw_check_finding *list = grown(kept->findings, kept->finding_count, sizeof *list);

    if (list == NULL)
        return false;
    kept->findings = list;
    list += kept->finding_count++;
    *list = (struct iw_check_finding){.finding = *finding, .entry = entry, .waiver = breach->waiver};
    iw_check_octets_around(&list->octets, event, finding);
    breach->kept++;
    entry->findings++;
    return true;
}

static bool log_entry(struct iw_check_kept *kept, struct iw_check_entry *entry) {
    struct iw_check_entry **log = entry == NULL ? NULL : grown(kept->log, kept->log_count, sizeof entry);

    if (log == NULL) {
        free_entry(entry);
        return false;
    }
    kept->log = log;
    log[kept->log_count++] = entry;
    entry->skipped = kept->log_skipped;
    kept->log_skipped = 0;
    return true;
}

/* The events before a finding, which had no room when they came. */
static void log_recent(struct iw_check_kept *kept) {
    const struct iw_monitor_event *event;

    if (kept->recent == NULL || kept->finding_count >= LOG_FINDINGS)
        return;
    kept->log_skipped -= kept->recent->count;
    while ((event = iw_check_recent_pop(kept->recent)) != NULL)
        if (log_entry(kept, new_entry(event, true)))
            kept->log_omitted--;
        else
            kept->incomplete = true;
}

static void keep_findings(const struct iw_check_keep *keep, struct iw_check_kept *kept,
    const struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    unsigned most = iw_check_findings_max(stream->flow->id);
    struct iw_check_entry *entry = NULL;

    for (size_t i = 0; i < event->finding_count; i++) {
        struct iw_check_breach *breach = count_breach(keep, kept, stream, &event->findings[i]);

        if (breach != NULL && kept->finding_count >= most)
            continue;
        if (breach != NULL && entry == NULL) {
            log_recent(kept);
            kept->log_more = kept->finding_count < LOG_FINDINGS ? LOG_BEHIND : 0;
            entry = new_entry(event, keep->log > 0);
            if (!log_entry(kept, entry))
                entry = NULL;
        }
        if (entry == NULL || !keep_finding(kept, entry, event, &event->findings[i], breach))
            kept->incomplete = true;
    }
}

/* There is no room for the event, unless a finding comes soon. */
static void skip_line(struct iw_check_kept *kept, const struct iw_monitor_event *event) {
    kept->log_omitted++;
    kept->log_skipped++;
    if (kept->finding_count >= LOG_FINDINGS)
        return;
    if (kept->recent == NULL)
        kept->recent = calloc(1, sizeof *kept->recent);
    if (kept->recent != NULL)
        iw_check_recent_take(kept->recent, event);
}

static void keep_line(
    const struct iw_check_keep *keep, struct iw_check_kept *kept, const struct iw_monitor_event *event) {
    if (kept->log_count >= keep->log && kept->log_more == 0) {
        skip_line(kept, event);
        return;
    }
    kept->log_more -= kept->log_more > 0;
    if (!log_entry(kept, new_entry(event, true)))
        kept->incomplete = true;
}

void iw_check_keep_event(
    const struct iw_check_keep *keep, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct iw_check_kept *kept = stream->user;

    if (kept == NULL)
        kept = stream->user = calloc(1, sizeof *kept);
    if (kept == NULL)
        return;
    if (event->segment != NULL)
        count_traffic(kept, event);
    if (event->finding_count > 0)
        keep_findings(keep, kept, stream, event);
    else if (keep->log > 0 && stream->flow->id < LOG_STREAMS)
        keep_line(keep, kept, event);
    else
        kept->log_omitted++;
}

const struct iw_check_breach *iw_check_breach_of(
    const struct iw_check_stream *stream, const struct iw_finding *finding) {
    return stream->user == NULL ? NULL : find_breach(stream->user, finding);
}

static void clear_kept(struct iw_check_kept *kept) {
    for (size_t i = 0; i < kept->log_count; i++)
        free_entry(kept->log[i]);
    free(kept->log);
    free(kept->findings);
    free(kept->breaches);
    free(kept->traffic);
    free(kept->waived);
    iw_check_recent_free(kept->recent);
}

static enum iw_role role_of(const struct iw_mpa_terms *terms, enum iw_side side) {
    if (!terms->initiator_known)
        return IW_ROLE_UNKNOWN;
    return side == terms->initiator ? IW_ROLE_INITIATOR : IW_ROLE_RESPONDER;
}

/* Moves what is waived apart. */
static void settle(struct iw_check_connection *connection, uint8_t stricter) {
    const struct iw_check_kept *kept = &connection->kept;

    connection->tally.stricter = stricter;
    iw_tally_add(&connection->tally, &connection->counts);
    for (size_t i = 0; i < kept->breach_count; i++)
        if (kept->breaches[i].waiver != NULL)
            iw_tally_waive(&connection->tally, iw_requirement_severity(kept->breaches[i].requirement),
                kept->breaches[i].count);
}

struct iw_check_connection *iw_check_keep_end(
    const struct iw_check_keep *keep, struct iw_check_stream *stream) {
    struct iw_check_connection *connection = calloc(1, sizeof *connection);
    struct iw_check_kept *kept = stream->user;

    stream->user = NULL;
    if (connection == NULL || kept == NULL) {
        if (kept != NULL)
            clear_kept(kept);
        free(kept);
        free(connection);
        return NULL;
    }
    connection->number = stream->flow->id;
    connection->first_frame = stream->first_frame;
    connection->last_frame = stream->flow->frame;
    connection->first_time_ns = stream->first_time_ns;
    connection->last_time_ns = stream->flow->time_ns;
    connection->sctp = stream->session != NULL;
    if (stream->session != NULL) {
        connection->session = *stream->session;
        connection->lost_chunks = stream->association->lost[IW_SIDE_A] + stream->association->lost[IW_SIDE_B];
    }
    connection->terms = *iw_monitor_terms(stream->monitor);
    connection->counts = *iw_monitor_counts(stream->monitor);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        iw_show_address(&stream->flow->address[side], connection->address[side]);
        connection->role[side] = role_of(&connection->terms, side);
        connection->tcp[side] = stream->flow->stream[side].counters;
    }
    connection->kept = *kept;
    free(kept);
    settle(connection, keep->stricter);
    return connection;
}

void iw_check_connection_free(struct iw_check_connection *connection) {
    if (connection == NULL)
        return;
    clear_kept(&connection->kept);
    free(connection->extract);
    free(connection);
}

struct iw_check_finding iw_check_finding_placed(
    const struct iw_check_chain *chain, const struct iw_finding *finding) {
    struct iw_check_finding placed = {.finding = *finding};

    placed.file = iw_check_chain_place(chain, &placed.finding.frame);
    if (finding->cause != 0)
        iw_check_chain_place(chain, &placed.finding.cause_frame);
    for (unsigned i = 0; i < finding->context_count; i++)
        placed.context_file[i] = iw_check_chain_place(chain, &placed.finding.context[i]);
    return placed;
}

void iw_check_connection_place(const struct iw_check_chain *chain, struct iw_check_connection *connection) {
    struct iw_check_kept *kept = &connection->kept;

    connection->file = iw_check_chain_place(chain, &connection->first_frame);
    connection->last_file = iw_check_chain_place(chain, &connection->last_frame);
    for (size_t i = 0; i < kept->log_count; i++) {
        struct iw_check_entry *entry = kept->log[i];

        entry->file = iw_check_chain_place(chain, &entry->frame);
        if (iw_check_chain_place(chain, &entry->first_frame) != entry->file)
            entry->first_frame = 1;
    }
    for (size_t i = 0; i < kept->finding_count; i++) {
        struct iw_check_finding placed = iw_check_finding_placed(chain, &kept->findings[i].finding);

        kept->findings[i].finding = placed.finding;
        kept->findings[i].file = placed.file;
        memcpy(kept->findings[i].context_file, placed.context_file, sizeof placed.context_file);
    }
}

enum iw_side iw_check_first_side(const struct iw_check_connection *connection) {
    return connection->terms.initiator_known ? connection->terms.initiator : IW_SIDE_A;
}

void iw_check_unread(const struct iw_check_counts *counts, struct iw_check_unread rows[IW_CHECK_UNREAD]) {
    const struct iw_check_unread all[] = {
        {"fragments", "frame", "with a fragment of an IP packet", counts->fragments},
        {"cut", "frame", "cut in the headers", counts->cut},
        {"malformed", "frame", "with lengths that contradict each other", counts->malformed},
        {"dropped", "packet", "beyond the limits of this program", counts->dropped},
    };

    memcpy(rows, all, sizeof all);
}

void iw_check_result_connection(struct iw_check_result *result, struct iw_check_connection *connection) {
    struct iw_check_connection **list =
        connection == NULL ? NULL : grown(result->connections, result->connection_count, sizeof connection);

    if (list == NULL) {
        iw_check_connection_free(connection);
        result->incomplete = true;
        return;
    }
    result->connections = list;
    list[result->connection_count++] = connection;
}

void iw_check_result_file(struct iw_check_result *result, const char *path,
    const struct iw_check_counts *counts, const char *error) {
    struct iw_check_file_result *list = grown(result->files, result->file_count, sizeof *list);
    struct iw_check_file_result row = {
        .path = strdup(path), .counts = *counts, .error = error == NULL ? NULL : strdup(error)};

    if (list != NULL)
        result->files = list;
    if (list == NULL || row.path == NULL || (error != NULL && row.error == NULL)) {
        result->incomplete = true;
        free(row.path);
        free(row.error);
        return;
    }
    list[result->file_count++] = row;
}

void iw_check_result_clear(struct iw_check_result *result) {
    for (size_t i = 0; i < result->connection_count; i++)
        iw_check_connection_free(result->connections[i]);
    for (size_t i = 0; i < result->file_count; i++) {
        free(result->files[i].path);
        free(result->files[i].error);
    }
    free(result->connections);
    free(result->files);
    memset(result, 0, sizeof *result);
}

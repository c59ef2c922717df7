#include "iw_check_event_store.h"

#include <stdlib.h>

#include "iw_check_list.h"
#include "iw_check_event_ring.h"
#include "iw_show.h"
#include "iw_waiver.h"

enum {
    FIRST_FINDINGS = 100,
    MANY_STREAMS = 4096,
    MANY_FINDINGS = 16,
    LATER_FINDINGS = 4,
    LOG_FINDINGS = 20, /* so many findings of each log have the events around them in it: */
    LOG_BEHIND = 2,    /* so many behind, and IW_CHECK_EVENT_RING before */
};

struct iw_check_kept iw_check_kept_nothing;

/* The most findings kept of a connection: of the first many, of the 4096th and all later ones few, so that a
 * capture that is wrong throughout does not need memory without bounds. */
static unsigned findings_max(uint64_t number) {
    return number < IW_CHECK_FIRST_STREAMS ? FIRST_FINDINGS
           : number < MANY_STREAMS         ? MANY_FINDINGS
                                           : LATER_FINDINGS;
}

static void count_traffic(struct iw_check_kept *kept, const struct iw_monitor_event *event) {
    const struct iw_segment *segment = event->segment;
    struct iw_check_traffic *row = kept->traffic;
    size_t i = 0;

    for (; i < kept->traffic_count; i++, row++)
        if (row->op == segment->op && row->side == event->mpa->side)
            break;
    if (i == kept->traffic_count) {
        struct iw_check_traffic *rows = iw_check_list_grown(kept->traffic, kept->traffic_count, sizeof *rows);

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

static struct iw_check_breach *new_breach(const struct iw_check_event_store *keep, struct iw_check_kept *kept,
    const struct iw_check_stream *stream, const struct iw_finding *finding) {
    const struct iw_check_waived *root = find_root(kept, finding);
    struct iw_check_breach *list = iw_check_list_grown(kept->breaches, kept->breach_count, sizeof *list);
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
    iw_show_address(&stream->address[finding->side], address);
    list->waiver =
        iw_waivers_find(keep->waivers, finding->requirement, keep->chain.paths[0], finding->role, address);
    return list;
}

/* Counts the finding among its like. NULL: no memory. */
static struct iw_check_breach *count_breach(const struct iw_check_event_store *keep,
    struct iw_check_kept *kept, const struct iw_check_stream *stream, const struct iw_finding *finding) {
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
    struct iw_check_finding *list = iw_check_list_grown(kept->findings, kept->finding_count, sizeof *list);

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
    struct iw_check_entry **log =
        entry == NULL ? NULL : iw_check_list_grown(kept->log, kept->log_count, sizeof entry);

    if (log == NULL) {
        iw_check_entry_free(entry);
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
    while ((event = iw_check_event_ring_pop(kept->recent)) != NULL)
        if (log_entry(kept, iw_check_entry_new(event, true)))
            kept->log_omitted--;
        else
            kept->incomplete = true;
}

static void keep_findings(const struct iw_check_event_store *keep, struct iw_check_kept *kept,
    const struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    unsigned most = findings_max(stream->id);
    struct iw_check_entry *entry = NULL;

    for (size_t i = 0; i < event->finding_count; i++) {
        struct iw_check_breach *breach = count_breach(keep, kept, stream, &event->findings[i]);

        if (breach != NULL && kept->finding_count >= most)
            continue;
        if (breach != NULL && entry == NULL) {
            log_recent(kept);
            kept->log_more = kept->finding_count < LOG_FINDINGS ? LOG_BEHIND : 0;
            entry = iw_check_entry_new(event, keep->log > 0);
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
        iw_check_event_ring_take(kept->recent, event);
}

static void keep_line(const struct iw_check_event_store *keep, struct iw_check_kept *kept,
    const struct iw_monitor_event *event) {
    if (kept->log_count >= keep->log && kept->log_more == 0) {
        skip_line(kept, event);
        return;
    }
    kept->log_more -= kept->log_more > 0;
    if (!log_entry(kept, iw_check_entry_new(event, true)))
        kept->incomplete = true;
}

void iw_check_event_store_event(const struct iw_check_event_store *keep, struct iw_check_stream *stream,
    const struct iw_monitor_event *event) {
    struct iw_check_kept *kept = stream->user;

    if (kept == NULL)
        kept = calloc(1, sizeof *kept);
    if (kept == NULL)
        kept = &iw_check_kept_nothing;
    stream->user = kept;
    if (kept == &iw_check_kept_nothing)
        return;
    if (event->segment != NULL)
        count_traffic(kept, event);
    if (event->finding_count > 0)
        keep_findings(keep, kept, stream, event);
    else if (keep->log > 0 && stream->id < IW_CHECK_FIRST_STREAMS)
        keep_line(keep, kept, event);
    else
        kept->log_omitted++;
}

const struct iw_check_breach *iw_check_breach_of(
    const struct iw_check_stream *stream, const struct iw_finding *finding) {
    return stream->user == NULL ? NULL : find_breach(stream->user, finding);
}

bool iw_check_is_root(const struct iw_check_kept *kept, const struct iw_check_finding *finding) {
    if (finding->finding.cause == 0)
        return true;
    for (size_t i = 0; i < kept->finding_count && &kept->findings[i] != finding; i++)
        if (kept->findings[i].finding.number == finding->finding.cause)
            return false;
    return true;
}

#include "iw_check_event_store.h"

#include <stdlib.h>

#include "iw_array.h"
#include "iw_check_event_ring.h"
#include "iw_placement.h"
#include "iw_tcp_address_text.h"
#include "iw_waiver.h"

enum {
    FIRST_FINDINGS = 100,
    MANY_STREAMS = 4096,
    MANY_FINDINGS = 16,
    LATER_FINDINGS = 4,
    LOG_FINDINGS = 20, /* findings whose surrounding events are logged even if the log is full */
    LOG_AFTER = 2,     /* events logged after each of LOG_FINDINGS; before it: IW_CHECK_EVENT_RING */
};

struct iw_check_kept iw_check_kept_nothing;

static void store_count_traffic(struct iw_check_kept *kept, const struct iw_monitor_event *event) {
    const struct iw_segment *segment = event->segment;
    struct iw_check_traffic *row = kept->traffic;
    size_t i = 0;

    for (; i < kept->traffic_count; i++, row++)
        if (row->op == segment->op && row->side == event->llp->side)
            break;
    if (i == kept->traffic_count) {
        if (!iw_array_grow(&kept->traffic, kept->traffic_count, sizeof *row)) {
            kept->incomplete = true;
            return;
        }
        row = &kept->traffic[kept->traffic_count++];
        *row = (struct iw_check_traffic){.op = segment->op, .side = event->llp->side};
    }
    row->fpdus++;
    row->messages += segment->last;
    row->octets += segment->payload_octets;
}

/* Returns the waived finding that caused `finding`; NULL if it does not exist. */
static const struct iw_check_waived *event_store_find_root(
    const struct iw_check_kept *kept, const struct iw_finding *finding) {
    const struct iw_check_waived *root;

    if (finding->cause == 0 || kept->waived == NULL)
        return NULL;
    root = &kept->waived[finding->cause % IW_CHECK_WAIVED];
    return root->number == finding->cause ? root : NULL;
}

static struct iw_check_breach *event_store_find_breach(
    const struct iw_check_kept *kept, const struct iw_finding *finding) {
    const struct iw_check_waived *root = event_store_find_root(kept, finding);
    const struct iw_requirement *rooted = root == NULL ? NULL : root->requirement;

    for (size_t i = 0; i < kept->breach_count; i++) {
        struct iw_check_breach *breach = &kept->breaches[i];

        if (breach->requirement == finding->requirement && breach->side == finding->side &&
            breach->root == rooted)
            return breach;
    }
    return NULL;
}

/* Records a waived finding, so that the findings which it causes are waived too. */
static void event_store_note_waived(
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

static const struct iw_waiver *event_store_excuse(
    const struct iw_check_event_store *store, const struct iw_check_stream *stream, enum iw_side side) {
    return store->excuse != NULL ? store->excuse(store->excuse_user, stream, side) : NULL;
}

static const char *event_store_address(
    const struct iw_check_stream *stream, enum iw_side side, char address[IW_TCP_ADDRESS_TEXT_OCTETS]) {
    iw_tcp_address_text(&stream->address[side], address);
    return address;
}

IW_COLD static struct iw_check_breach *event_store_new_breach(const struct iw_check_event_store *store,
    struct iw_check_kept *kept, const struct iw_check_stream *stream, const struct iw_finding *finding) {
    const struct iw_check_waived *root = event_store_find_root(kept, finding);
    char address[IW_TCP_ADDRESS_TEXT_OCTETS];
    struct iw_check_breach *list;

    if (!iw_array_grow(&kept->breaches, kept->breach_count, sizeof *list))
        return NULL;
    list = &kept->breaches[kept->breach_count++];
    *list = (struct iw_check_breach){
        .requirement = finding->requirement, .side = finding->side, .role = finding->role};
    if (root != NULL) {
        list->root = root->requirement;
        list->waiver = root->waiver;
        return list;
    }
    list->waiver = event_store_excuse(store, stream, finding->side);
    if (list->waiver == NULL)
        list->waiver = iw_waivers_find(store->waivers, finding->requirement, store->chain.paths[0],
            finding->role, event_store_address(stream, finding->side, address));
    return list;
}

static bool store_keep_finding(struct iw_check_kept *kept, struct iw_check_entry *entry,
    const struct iw_monitor_event *event, const struct iw_finding *finding, struct iw_check_breach *breach) {
    struct iw_check_finding *list;

    if (!iw_array_grow(&kept->findings, kept->finding_count, sizeof *list))
        return false;
    list = &kept->findings[kept->finding_count++];
    *list = (struct iw_check_finding){.finding = *finding, .entry = entry, .waiver = breach->waiver};
    iw_check_octets_around(&list->octets, event, finding);
    breach->kept++;
    entry->findings++;
    return true;
}

static bool store_log_entry(struct iw_check_kept *kept, struct iw_check_entry *entry) {
    if (entry == NULL || !iw_array_grow(&kept->log, kept->log_count, sizeof entry)) {
        iw_check_entry_free(entry);
        return false;
    }
    kept->log[kept->log_count++] = entry;
    entry->skipped = kept->log_skipped;
    kept->log_skipped = 0;
    return true;
}

/* Logs the events in the ring, which the full log omitted, because a finding follows them. */
static void store_log_earlier(struct iw_check_kept *kept) {
    const struct iw_monitor_event *event;

    if (kept->ring == NULL || kept->finding_count >= LOG_FINDINGS)
        return;
    kept->log_skipped -= kept->ring->count;
    while ((event = iw_check_event_ring_pop(kept->ring)) != NULL)
        if (store_log_entry(kept, iw_check_entry_new(event, true)))
            kept->log_omitted--;
        else
            kept->incomplete = true;
}

/* Returns how many findings are kept of the stream. Lower for later connections, so that memory stays limited
 * in a capture full of violations. */
static unsigned event_store_most_findings(const struct iw_check_stream *stream) {
    return stream->id < IW_CHECK_FIRST_STREAMS ? FIRST_FINDINGS
           : stream->id < MANY_STREAMS         ? MANY_FINDINGS
                                               : LATER_FINDINGS;
}

static void store_keep_findings(const struct iw_check_event_store *store, struct iw_check_kept *kept,
    const struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    unsigned most = event_store_most_findings(stream);
    struct iw_check_entry *entry = NULL;

    for (size_t i = 0; i < event->finding_count; i++) {
        struct iw_check_breach *breach = event_store_find_breach(kept, &event->findings[i]);

        if (breach == NULL)
            breach = event_store_new_breach(store, kept, stream, &event->findings[i]);
        if (breach != NULL) {
            breach->count++;
            event_store_note_waived(kept, &event->findings[i], breach->waiver);
        }
        if (breach != NULL && kept->finding_count >= most)
            continue;
        if (breach != NULL && entry == NULL) {
            store_log_earlier(kept);
            kept->log_more = kept->finding_count < LOG_FINDINGS ? LOG_AFTER : 0;
            entry = iw_check_entry_new(event, store->log > 0);
            if (!store_log_entry(kept, entry))
                entry = NULL;
        }
        if (entry == NULL || !store_keep_finding(kept, entry, event, &event->findings[i], breach))
            kept->incomplete = true;
    }
}

/* Omits the event from the log, but keeps it in the ring in case a finding follows. */
static void store_skip_line(struct iw_check_kept *kept, const struct iw_monitor_event *event) {
    kept->log_omitted++;
    kept->log_skipped++;
    if (kept->finding_count >= LOG_FINDINGS)
        return;
    if (kept->ring == NULL)
        kept->ring = calloc(1, sizeof *kept->ring);
    if (kept->ring != NULL)
        iw_check_event_ring_take(kept->ring, event);
}

static void store_keep_line(const struct iw_check_event_store *store, struct iw_check_kept *kept,
    const struct iw_monitor_event *event) {
    if (kept->log_count >= store->log && kept->log_more == 0) {
        store_skip_line(kept, event);
        return;
    }
    kept->log_more -= kept->log_more > 0;
    if (!store_log_entry(kept, iw_check_entry_new(event, true)))
        kept->incomplete = true;
}

/* Only a report with a wire log keeps its connections until the end. The other limit is the same in every
 * shard, which counts its streams from 0. */
static unsigned event_store_most_upper_findings(
    const struct iw_check_event_store *store, const struct iw_check_stream *stream) {
    return store->log > 0 ? event_store_most_findings(stream) : FIRST_FINDINGS;
}

/* The events of a session over SCTP say nothing about what its sender had received. */
static void event_store_take_upper(const struct iw_check_event_store *store, struct iw_check_kept *kept,
    const struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    bool segment = event->llp->kind == IW_LLP_SEGMENT && stream->session == NULL;

    if (kept->upper == NULL && (kept->upper = iw_upper_new()) != NULL)
        iw_upper_keep_findings(kept->upper, event_store_most_upper_findings(store, stream));
    if (kept->upper == NULL)
        kept->incomplete = true;
    else
        iw_upper_event(
            kept->upper, event, segment ? iw_monitor_received_at_most(stream->monitor) : UINT64_MAX);
}

void iw_check_event_store_event(const struct iw_check_event_store *store, struct iw_check_stream *stream,
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
        store_count_traffic(kept, event);
    if (store->upper != IW_CHECK_UPPER_OFF)
        event_store_take_upper(store, kept, stream, event);
    if (event->finding_count > 0)
        store_keep_findings(store, kept, stream, event);
    else if (store->log > 0 && stream->id < IW_CHECK_FIRST_STREAMS)
        store_keep_line(store, kept, event);
    else
        kept->log_omitted++;
}

const struct iw_waiver *iw_check_event_store_waive_upper(const struct iw_check_event_store *store,
    const struct iw_check_stream *stream, const struct iw_upper_rule *rule, enum iw_side side,
    enum iw_role role) {
    const struct iw_waiver *waiver = event_store_excuse(store, stream, side);
    char address[IW_TCP_ADDRESS_TEXT_OCTETS];

    return waiver != NULL ? waiver
                          : iw_waivers_find_upper(store->waivers, rule, store->chain.paths[0], role,
                                event_store_address(stream, side, address));
}

const struct iw_check_breach *iw_check_breach_of(
    const struct iw_check_stream *stream, const struct iw_finding *finding) {
    return stream->user == NULL ? NULL : event_store_find_breach(stream->user, finding);
}

bool iw_check_is_root(const struct iw_check_kept *kept, const struct iw_check_finding *finding) {
    if (finding->finding.cause == 0)
        return true;
    for (size_t i = 0; i < kept->finding_count && &kept->findings[i] != finding; i++)
        if (kept->findings[i].finding.number == finding->finding.cause)
            return false;
    return true;
}

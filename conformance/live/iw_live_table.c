#include "iw_live_table.h"

#include <stdlib.h>
#include <string.h>

#include "iw_placement.h"

static const uint64_t SECOND_NS = 1000000000;

void iw_live_table_init(struct iw_live_table *table) {
    *table = (struct iw_live_table){.serial = 0};
    TAILQ_INIT(&table->open);
    TAILQ_INIT(&table->ended);
}

static void live_row_free(struct iw_live_row *row) {
    free(row->findings);
    free(row->report);
    free(row);
}

static void live_rows_clear(struct iw_live_rows *rows) {
    struct iw_live_row *row;

    while ((row = TAILQ_FIRST(rows)) != NULL) {
        TAILQ_REMOVE(rows, row, same_list);
        live_row_free(row);
    }
}

void iw_live_table_dispose(struct iw_live_table *table) {
    live_rows_clear(&table->open);
    live_rows_clear(&table->ended);
}

/* ---- events ---- */

IW_COLD static struct iw_live_row *live_table_add(
    struct iw_live_table *table, struct iw_check_stream *stream) {
    struct iw_live_row *row = calloc(1, sizeof *row);

    if (row == NULL) {
        table->incomplete = true;
        return NULL;
    }
    row->serial = ++table->serial;
    row->number = stream->id;
    row->sctp = stream->session != NULL;
    row->first_time_ns = stream->first_time_ns;
    row->stream = stream;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        iw_tcp_address_text(&stream->address[side], row->address[side]);
        if (table->now_ns > 0)
            iw_live_rate_add(&row->rate[side], 0, table->now_ns);
    }
    TAILQ_INSERT_TAIL(&table->open, row, same_list);
    return stream->row = row;
}

IW_COLD static void live_row_add_findings(
    struct iw_live_table *table, struct iw_live_row *row, const struct iw_monitor_event *event) {
    if (row->findings == NULL && (row->findings = calloc(IW_LIVE_FINDINGS, sizeof *row->findings)) == NULL) {
        table->incomplete = true;
        return;
    }
    for (size_t i = 0; i < event->finding_count; i++) {
        const struct iw_finding *finding = &event->findings[i];
        const struct iw_check_breach *breach = iw_check_breach_of(row->stream, finding);
        bool waived = breach != NULL && breach->waiver != NULL;

        row->waived[iw_requirement_severity(finding->requirement)] += waived;
        row->findings[row->finding_count++ % IW_LIVE_FINDINGS] =
            (struct iw_live_finding){.finding = *finding, .waived = waived};
    }
}

IW_COLD static void live_row_close(struct iw_live_row *row, const struct iw_llp_event *llp) {
    row->closed[llp->side] |= llp->close != IW_LLP_CLOSE_INPUT;
    row->reset[llp->side] |= llp->close == IW_LLP_CLOSE_ABORTIVE;
}

IW_HOT void iw_live_table_event(
    struct iw_live_table *table, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct iw_live_row *row = stream->row;

    if (row == NULL && (row = live_table_add(table, stream)) == NULL)
        return;
    row->last_time_ns = event->llp->time_ns;
    if (event->llp->kind == IW_LLP_CLOSE)
        live_row_close(row, event->llp);
    row->terminated |= event->terminate != NULL;
    if (event->finding_count > 0)
        live_row_add_findings(table, row, event);
}

/* ---- the end of a connection ---- */

static void live_table_limit(struct iw_live_table *table) {
    struct iw_live_row *oldest;

    while (table->ended_count > IW_LIVE_ENDED_ROWS ||
           (table->report_octets > IW_LIVE_REPORT_OCTETS && table->ended_count > 1)) {
        oldest = TAILQ_FIRST(&table->ended);
        TAILQ_REMOVE(&table->ended, oldest, same_list);
        table->report_octets -= oldest->report_octets;
        table->ended_count--;
        table->left++;
        live_row_free(oldest);
    }
}

static void live_row_report(struct iw_live_table *table, struct iw_live_row *row,
    const struct iw_check_report *report, const struct iw_check_connection *connection) {
    struct iw_text text;

    if (iw_text_open(&text))
        iw_check_put_connection(text.out, report, connection);
    row->report = iw_text_close(&text);
    row->report_octets = row->report != NULL ? strlen(row->report) : 0;
    table->incomplete |= row->report == NULL;
    table->report_octets += row->report_octets;
}

void iw_live_table_connection(struct iw_live_table *table, const struct iw_check_report *report,
    const struct iw_check_connection *connection) {
    struct iw_live_row *row = connection->row;

    if (row == NULL)
        return; /* without memory for its row */
    row->stream = NULL;
    row->terms = connection->terms;
    row->counts = connection->counts;
    row->totals = connection->totals;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        row->outstanding[side] = connection->unanswered[side].count;
        row->rate[side].per_second = 0;
    }
    live_row_report(table, row, report, connection);
    TAILQ_REMOVE(&table->open, row, same_list);
    TAILQ_INSERT_TAIL(&table->ended, row, same_list);
    table->ended_count++;
    live_table_limit(table);
}

void iw_live_table_drop(struct iw_live_table *table, struct iw_check_stream *stream) {
    struct iw_live_row *row = stream->row;

    TAILQ_REMOVE(&table->open, row, same_list);
    live_row_free(row);
}

/* ---- ticks ---- */

static void live_row_sample(struct iw_live_table *table, struct iw_live_row *row) {
    const struct iw_monitor_counts *counts = iw_live_row_counts(row);

    table->connections[iw_live_row_state(row)]++;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        iw_live_rate_add(&row->rate[side], counts->payload_octets[side], table->now_ns);
    for (int i = 0; i <= IW_SEVERITY_ERROR; i++)
        table->findings[i] += iw_live_row_findings(row, (enum iw_severity)i);
}

void iw_live_table_tick(struct iw_live_table *table, const struct iw_check_report *report,
    const struct iw_live_counts *traffic, uint64_t now_ns) {
    struct iw_live_row *row;

    table->traffic = *traffic;
    if (table->now_ns > 0 && now_ns - table->now_ns < SECOND_NS)
        return;
    table->now_ns = now_ns;
    iw_live_rate_add(&table->packets, traffic->packets, now_ns);
    iw_live_rate_add(&table->octets, traffic->octets, now_ns);
    memset(table->connections, 0, sizeof table->connections);
    table->connections[IW_LIVE_ENDED] = table->ended_count + table->left;
    memcpy(table->findings, report->totals.findings, sizeof table->findings);
    for (row = TAILQ_FIRST(&table->open); row != NULL; row = TAILQ_NEXT(row, same_list))
        live_row_sample(table, row);
}

#include <inttypes.h>

#include "iw_check_report.h"
#include "iw_describe.h"
#include "iw_plural.h"
#include "iw_show.h"

/* For people: a paragraph per connection, and a summary. */

void iw_check_put_capture(struct iw_check_report *report) {
    if (report->state != report) {
        iw_show_name(report->out, report->file);
        fputc('\n', report->out);
    }
    report->state = report;
}

static void report_text_forget_file(struct iw_check_report *report) {
    report->state = NULL;
}

static void report_text_put_addresses(FILE *out, const struct iw_check_connection *connection) {
    fprintf(out, "  stream %" PRIu64 ": %s (%s) and %s (%s)", connection->number,
        connection->address[IW_SIDE_A], iw_check_side_name(connection, IW_SIDE_A),
        connection->address[IW_SIDE_B], iw_check_side_name(connection, IW_SIDE_B));
}

static void report_text_put_ends(FILE *out, const struct iw_check_connection *connection) {
    report_text_put_addresses(out, connection);
    fprintf(out, ", frames %" PRIu64, connection->first_frame);
    iw_check_put_file(out, connection->file, connection->last_file);
    fprintf(out, " to %" PRIu64, connection->last_frame);
    iw_check_put_file(out, connection->last_file, connection->file);
    fputc('\n', out);
}

static void text_put_session(FILE *out, const struct iw_check_connection *connection) {
    uint64_t lost = connection->lost_chunks;

    fprintf(out, "    over SCTP: session %" PRIu32 " on DDP Stream %u, %s\n", connection->session.number,
        connection->session.stream, iw_session_state_name(connection->session.state));
    if (lost == 0)
        fputs("    capture: no DATA chunks missing\n", out);
    else
        fprintf(out, "    capture: %" PRIu64 " DATA chunk%s missing\n", lost, iw_plural(lost));
}

static void report_text_put_discarded(FILE *out, const struct iw_check_connection *connection) {
    uint64_t discarded = connection->tcp[IW_SIDE_A].discarded + connection->tcp[IW_SIDE_B].discarded;

    if (discarded > 0)
        fprintf(out, "    %" PRIu64 " segment%s with a wrong TCP checksum ignored: %s receiver discards %s\n",
            discarded, iw_plural(discarded), discarded == 1 ? "its" : "their",
            discarded == 1 ? "it" : "them");
}

static void text_put_loss(FILE *out, const struct iw_check_connection *connection) {
    const struct iw_tcp_counters *tcp = connection->tcp;
    uint64_t lost = tcp[IW_SIDE_A].lost + tcp[IW_SIDE_B].lost;
    uint64_t unseen = tcp[IW_SIDE_A].unseen + tcp[IW_SIDE_B].unseen;
    uint64_t cut = tcp[IW_SIDE_A].cut + tcp[IW_SIDE_B].cut;
    uint64_t limited = tcp[IW_SIDE_A].limited + tcp[IW_SIDE_B].limited;

    if (unseen > 0)
        fprintf(out, "    capture loss: %" PRIu64 " octet%s reached the receiver but not the capture\n",
            unseen, iw_plural(unseen));
    fputs("    capture: ", out);
    if (lost == 0 && cut == 0)
        fputs("no octets missing", out);
    else
        fprintf(out,
            "%" PRIu64 " octet%s missing (%" PRIu64 " of them acknowledged by the receiver), %" PRIu64
            " cut off",
            lost, iw_plural(lost), unseen, cut);
    if (limited > 0)
        fprintf(out, ", %" PRIu64 " dropped at a limit", limited);
    fputc('\n', out);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        if (tcp[side].lost > 0)
            fprintf(out, "      %" PRIu64 " of them sent by the %s\n", tcp[side].lost,
                iw_check_side_name(connection, side));
    report_text_put_discarded(out, connection);
}

static void text_put_unjudged(FILE *out, const uint64_t unjudged[IW_UNJUDGED_COUNT], int indent) {
    for (enum iw_unjudged i = 0; i < IW_UNJUDGED_COUNT; i++)
        if (unjudged[i] > 0)
            fprintf(out, "%*snot judged: %" PRIu64 " %s\n%*s  because %s\n", indent, "", unjudged[i],
                iw_unjudged_name(i, unjudged[i]), indent, "", iw_unjudged_why(i));
}

static void text_put_startup(FILE *out, const struct iw_check_connection *connection, enum iw_side side) {
    const struct iw_startup *frame = &connection->terms.frame[side];
    unsigned private_octets = frame->header.pd_length;

    if (!connection->terms.seen[side]) {
        fprintf(out, "    %s: %s\n", iw_check_side_name(connection, side),
            connection->sctp ? "no Initiate, Accept or Reject captured" : "no valid startup frame captured");
        return;
    }
    if (connection->sctp)
        fprintf(out, "    %s: %s%s", iw_check_side_name(connection, side), frame->enhanced ? "Enhanced " : "",
            frame->key == IW_STARTUP_REQUEST ? "Initiate"
            : frame->header.r                ? "Reject"
                                             : "Accept");
    else
        fprintf(out, "    %s: Rev %u, M=%u C=%u R=%u", iw_check_side_name(connection, side),
            frame->header.rev, frame->header.m, frame->header.c, frame->header.r);
    if (frame->enhanced) { /* enhanced data come before the ULP's private data (RFC 6581 9) */
        const struct iw_mpa_enhanced *data = &frame->enhanced_data;

        private_octets -= private_octets < iw_mpa_enhanced_octets ? private_octets : iw_mpa_enhanced_octets;
        fprintf(
            out, ", %s, IRD %u, ORD %u", data->a ? "peer-to-peer" : "client-server", data->ird, data->ord);
        if (data->a)
            fprintf(
                out, ", RTR%s%s%s", data->b ? " Send" : "", data->c ? " Write" : "", data->d ? " Read" : "");
    }
    fprintf(out, ", %u octet%s of private data\n", private_octets, iw_plural(private_octets));
}

static const char *text_unit(const struct iw_check_connection *connection) {
    return connection->sctp ? "DDP Segment" : "FPDU";
}

static void text_put_counts(FILE *out, const struct iw_check_connection *connection, enum iw_side side) {
    const struct iw_monitor_counts *counts = &connection->counts;

    fprintf(out, "    %s sent %" PRIu64 " %s%s%s, %" PRIu64 " message%s, %" PRIu64 " octet%s of payload\n",
        iw_check_side_name(connection, side), counts->fpdus[side], text_unit(connection),
        iw_plural(counts->fpdus[side]), connection->terms.markers[side] ? " with markers" : "",
        counts->messages[side], iw_plural(counts->messages[side]), counts->payload_octets[side],
        iw_plural(counts->payload_octets[side]));
    for (size_t i = 0; i < connection->kept.traffic_count; i++) {
        const struct iw_check_traffic *row = &connection->kept.traffic[i];

        if (row->side == side)
            fprintf(out, "      %s: %" PRIu64 " %s%s, %" PRIu64 " message%s, %" PRIu64 " octet%s\n",
                row->op != NULL ? row->op->title : "unknown opcodes", row->fpdus, text_unit(connection),
                iw_plural(row->fpdus), row->messages, iw_plural(row->messages), row->octets,
                iw_plural(row->octets));
    }
}

static void text_put_request(
    FILE *out, const struct iw_check_connection *connection, enum iw_side side, unsigned at) {
    const struct iw_request_name *request = &connection->unanswered[side].named[at];
    char time[IW_SHOW_TIME_OCTETS], part[IW_DESCRIBE_PART_OCTETS];

    iw_show_time(request->time_ns, time);
    fprintf(out, "      %s, MSN %" PRIu32 ", frame %" PRIu64, iw_opcodes[request->opcode].title, request->msn,
        request->frame);
    iw_check_put_file(out, connection->unanswered_file[side][at], connection->file);
    fprintf(out, ", since %s%s%s\n", time, iw_describe_request_part(request, part),
        request->perhaps ? iw_check_perhaps_answered(connection) : "");
}

static void text_put_unanswered(FILE *out, const struct iw_check_connection *connection, enum iw_side side) {
    const struct iw_unanswered *unanswered = &connection->unanswered[side];
    uint64_t rest = unanswered->count - unanswered->named_count;

    if (unanswered->count == 0)
        return;
    fprintf(out, "    outstanding %s: %" PRIu64 " request%s of %s%s without %s\n",
        connection->open ? "now" : iw_describe_unanswered_end(unanswered->end, connection->sctp),
        unanswered->count, iw_plural(unanswered->count),
        connection->role[side] == IW_ROLE_UNKNOWN ? "" : "the ", iw_check_side_name(connection, side),
        iw_describe_unanswered_lack(unanswered));
    for (unsigned i = 0; i < unanswered->named_count; i++)
        text_put_request(out, connection, side, i);
    if (rest > 0)
        fprintf(out, "      and %" PRIu64 " more\n", rest);
}

static void text_put_settled(FILE *out, const struct iw_mpa_terms *terms) {
    static const char *const crc[] = {
        [IW_CRC_OFF] = "not in use", [IW_CRC_ON] = "in use", [IW_CRC_UNKNOWN] = "not known to be in use"};

    fprintf(out, "    CRC %s%s\n", crc[terms->crc], terms->rejected ? "; connection rejected" : "");
}

/* What both sides have agreed on, sent and asked for. */
static void report_text_put_traffic(FILE *out, const struct iw_check_connection *connection) {
    enum iw_side first = iw_check_first_side(connection);

    text_put_startup(out, connection, first);
    text_put_startup(out, connection, iw_side_other(first));
    if (!connection->sctp)
        text_put_settled(out, &connection->terms);
    text_put_counts(out, connection, first);
    text_put_counts(out, connection, iw_side_other(first));
    text_put_unanswered(out, connection, first);
    text_put_unanswered(out, connection, iw_side_other(first));
}

void iw_check_put_open_connection(
    FILE *out, const struct iw_check_report *report, const struct iw_check_connection *connection) {
    report_text_put_addresses(out, connection);
    fprintf(out, ", from frame %" PRIu64 " on\n", connection->first_frame);
    report_text_put_traffic(out, connection);
    iw_check_put_findings(out, report, connection);
}

void iw_check_put_connection(
    FILE *out, const struct iw_check_report *report, const struct iw_check_connection *connection) {
    report_text_put_ends(out, connection);
    if (connection->mapped)
        fprintf(out, "    ports mapped by the iWARP port mapper: %s asked for %s\n", connection->connecting,
            connection->advertised);
    if (connection->sctp)
        text_put_session(out, connection);
    else
        text_put_loss(out, connection);
    text_put_unjudged(out, connection->counts.unjudged, 4);
    report_text_put_traffic(out, connection);
    iw_check_put_findings(out, report, connection);
    iw_check_put_upper(out, report, connection);
    fprintf(out, "    verdict: %s%s\n", iw_totals_verdict(&connection->totals),
        connection->totals.unstarted > 0 ? "; " IW_CHECK_UNSTARTED : "");
    if (connection->story != NULL)
        fputs(connection->story, out);
    if (connection->extract != NULL)
        fprintf(out, "    extract: %s\n", connection->extract);
}

static void text_put_connection(
    struct iw_check_report *report, const struct iw_check_connection *connection) {
    iw_check_put_capture(report);
    iw_check_put_connection(report->out, report, connection);
}

static void report_text_put_unreadable(struct iw_check_report *report, const struct iw_check_counts *counts) {
    struct iw_check_unread rows[IW_CHECK_UNREAD];
    char text[IW_CHECK_UNREAD_OCTETS];

    iw_check_unread(counts, rows);
    for (size_t i = 0; i < IW_CHECK_UNREAD; i++)
        if (rows[i].count > 0) {
            iw_check_put_capture(report);
            fprintf(report->out, "  not read: %s\n", iw_check_unread_text(&rows[i], text));
        }
    if (report->error != NULL && counts->streams > 0) {
        iw_check_put_capture(report);
        fprintf(report->out, "  not read to its end: %s\n", report->error);
    }
}

/* The errors themselves are on stderr; these lines are for readers who have only the report. */
static void text_put_failed(FILE *out, const struct iw_check_result *result) {
    if (result->unread_count > 0)
        fprintf(out, "not read, or not to the end: %zu of %zu captures; see the errors on stderr\n",
            result->unread_count, result->file_count);
    if (result->without_iwarp_count > 0)
        fprintf(out, "without iWARP: %zu of %zu captures; see the errors on stderr\n",
            result->without_iwarp_count, result->file_count);
}

static void report_text_put_numbers(
    FILE *out, const uint64_t findings[IW_SEVERITY_ERROR + 1], uint64_t waived) {
    for (int i = IW_SEVERITY_ERROR; i >= 0; i--)
        fprintf(out, "%" PRIu64 " %s%s%s", findings[i], iw_severity_name((enum iw_severity)i),
            iw_plural(findings[i]), i > 0 ? ", " : "");
    if (waived > 0)
        fprintf(out, ", %" PRIu64 " waived", waived);
}

static void text_put_summary(struct iw_check_report *report, enum iw_exit exit) {
    const struct iw_totals *totals = &report->totals;
    FILE *out = report->out;

    (void)exit;
    if (totals->streams == 0)
        return;
    if (report->loss_streams > 0)
        fprintf(out, "capture loss: %" PRIu64 " octet%s of %" PRIu64 " stream%s\n", report->loss_octets,
            iw_plural(report->loss_octets), report->loss_streams, iw_plural(report->loss_streams));
    if (totals->streams > 1) /* one stream has the same lines in its paragraph */
        text_put_unjudged(out, totals->unjudged, 0);
    text_put_failed(out, &report->result);
    if (report->upper == IW_CHECK_UPPER_WARN) {
        fputs("protocols above iWARP, without effect on the verdict: ", out);
        report_text_put_numbers(out, report->upper_findings, report->upper_waived);
        fputc('\n', out);
    }
    fprintf(out, "%" PRIu64 " iWARP stream%s, %" PRIu64 " FPDU%s: ", totals->streams,
        iw_plural(totals->streams), totals->fpdus, iw_plural(totals->fpdus));
    report_text_put_numbers(out, totals->findings, totals->waived);
    fprintf(out, ": %s", iw_totals_verdict(totals));
    if (totals->unstarted > 0)
        fprintf(out, "; startup of %" PRIu64 " stream%s not finished", totals->unstarted,
            iw_plural(totals->unstarted));
    fputc('\n', out);
}

const struct iw_check_report_form iw_check_report_text = {
    .file_begin = report_text_forget_file,
    .connection = text_put_connection,
    .file_end = report_text_put_unreadable,
    .end = text_put_summary,
};

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_describe.h"
#include "iw_check_report.h"
#include "iw_show.h"

/* A stream's findings are told behind what the capture lost of it, so they are kept until it ends; of a
 * capture that is wrong throughout the first are enough, the others are counted. */
enum { FINDINGS_KEPT = 100 };

struct findings {
    struct iw_finding kept[FINDINGS_KEPT];
    unsigned kept_count;
    uint64_t more[IW_REQUIREMENT_COUNT];
};

static void keep_findings(
    struct iw_check_report *report, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct findings *findings = stream->user;

    (void)report;
    if (event->finding_count == 0)
        return;
    if (!findings)
        findings = stream->user = calloc(1, sizeof *findings);
    for (size_t i = 0; findings && i < event->finding_count; i++)
        if (findings->kept_count < FINDINGS_KEPT)
            findings->kept[findings->kept_count++] = event->findings[i];
        else
            findings->more[event->findings[i].requirement - iw_requirements]++;
}

/* A file that has nothing to tell is not named. */
static void put_file(struct iw_check_report *report) {
    if (report->state != report)
        fprintf(report->out, "%s\n", report->file);
    report->state = report;
}

static void forget_file(struct iw_check_report *report) {
    report->state = NULL;
}

static const char *role_text(const struct iw_mpa_terms *terms, enum iw_side side) {
    if (!terms->initiator_known)
        return side == IW_SIDE_A ? "side A" : "side B";
    return iw_role_name(side == terms->initiator ? IW_ROLE_INITIATOR : IW_ROLE_RESPONDER);
}

static void put_ends(FILE *out, const struct iw_check_stream *stream) {
    const struct iw_mpa_terms *terms = iw_monitor_terms(stream->monitor);
    char text[2][IW_SHOW_ADDRESS_OCTETS];

    for (int side = 0; side < 2; side++)
        iw_show_address(&stream->flow->address[side], text[side]);
    fprintf(out, "  stream %" PRIu64 ": %s (%s) and %s (%s), frames %" PRIu64 " to %" PRIu64 "\n",
        stream->flow->id, text[0], role_text(terms, IW_SIDE_A), text[1], role_text(terms, IW_SIDE_B),
        stream->first_frame, stream->flow->frame);
}

static void put_loss(FILE *out, const struct iw_tcp_flow *flow) {
    uint64_t lost = 0, cut = 0, unseen = 0;

    for (int side = 0; side < 2; side++) {
        lost += flow->stream[side].counters.lost;
        unseen += flow->stream[side].counters.unseen;
        cut += flow->stream[side].counters.cut;
    }
    fputs("    capture: ", out);
    if (lost == 0 && cut == 0)
        fputs("no octets missing\n", out);
    else
        fprintf(out,
            "%" PRIu64 " octet%s missing (%" PRIu64 " of them acknowledged by the receiver), %" PRIu64
            " cut off\n",
            lost, iw_show_plural(lost), unseen, cut);
}

static void put_unjudged(FILE *out, const struct iw_monitor_counts *counts) {
    for (int i = 0; i < IW_UNJUDGED_COUNT; i++)
        if (counts->unjudged[i] > 0)
            fprintf(out, "    not judged: %" PRIu64 " %s\n", counts->unjudged[i],
                iw_unjudged_name((enum iw_unjudged)i, counts->unjudged[i]));
}

static void put_startup(FILE *out, const struct iw_mpa_terms *terms, enum iw_side side) {
    const struct iw_startup *frame = &terms->frame[side];
    unsigned private_octets = frame->header.pd_length;

    if (!terms->seen[side]) {
        fprintf(out, "    %s: startup frame not captured\n", role_text(terms, side));
        return;
    }
    fprintf(out, "    %s: Rev %u, M=%u C=%u R=%u", role_text(terms, side), frame->header.rev, frame->header.m,
        frame->header.c, frame->header.r);
    if (frame->enhanced) { /* whose data stand before the ULP's own (RFC 6581 9) */
        const struct iw_mpa_enhanced *data = &frame->enhanced_data;

        private_octets -= private_octets < iw_mpa_enhanced_octets ? private_octets : iw_mpa_enhanced_octets;
        fprintf(
            out, ", %s, IRD %u, ORD %u", data->a ? "peer-to-peer" : "client-server", data->ird, data->ord);
        if (data->a)
            fprintf(
                out, ", RTR%s%s%s", data->b ? " Send" : "", data->c ? " Write" : "", data->d ? " Read" : "");
    }
    fprintf(out, ", %u octet%s of private data\n", private_octets, iw_show_plural(private_octets));
}

static void put_counts(FILE *out, const struct iw_monitor *monitor) {
    static const char *const crc[] = {
        [IW_CRC_OFF] = "not in use", [IW_CRC_ON] = "in use", [IW_CRC_UNKNOWN] = "not known to be in use"};
    const struct iw_mpa_terms *terms = iw_monitor_terms(monitor);
    const struct iw_monitor_counts *counts = iw_monitor_counts(monitor);

    fprintf(out, "    CRC %s%s\n", crc[terms->crc], terms->rejected ? "; connection rejected" : "");
    for (int i = 0; i < 2; i++) {
        enum iw_side side =
            terms->initiator_known && terms->initiator == IW_SIDE_B ? (enum iw_side)(1 - i) : (enum iw_side)i;

        fprintf(out,
            "    %s sent %" PRIu64 " FPDU%s%s, %" PRIu64 " message%s, %" PRIu64 " octet%s of payload\n",
            role_text(terms, side), counts->fpdus[side], iw_show_plural(counts->fpdus[side]),
            terms->markers[side] ? " with markers" : "", counts->messages[side],
            iw_show_plural(counts->messages[side]), counts->payload_octets[side],
            iw_show_plural(counts->payload_octets[side]));
    }
}

static void put_finding(FILE *out, const struct iw_finding *finding) {
    fprintf(out, "    frame %" PRIu64 ": ", finding->frame);
    iw_describe_finding(out, finding);
    for (unsigned i = 0; i < finding->context_count; i++)
        fprintf(out, "%s%" PRIu64, i == 0 ? "; see frame " : ", ", finding->context[i]);
    fputc('\n', out);
}

static void put_findings(FILE *out, const struct findings *findings) {
    for (unsigned i = 0; i < findings->kept_count; i++)
        put_finding(out, &findings->kept[i]);
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        if (findings->more[i] > 0)
            fprintf(out, "    and %" PRIu64 " more of %s\n", findings->more[i], iw_requirements[i].id);
}

static void put_stream(struct iw_check_report *report, struct iw_check_stream *stream) {
    const struct iw_mpa_terms *terms = iw_monitor_terms(stream->monitor);
    enum iw_side first = terms->initiator_known ? terms->initiator : IW_SIDE_A;
    struct iw_tally tally = {0};

    put_file(report);
    put_ends(report->out, stream);
    put_loss(report->out, stream->flow);
    put_unjudged(report->out, iw_monitor_counts(stream->monitor));
    put_startup(report->out, terms, first);
    put_startup(report->out, terms, iw_side_other(first));
    put_counts(report->out, stream->monitor);
    if (stream->user)
        put_findings(report->out, stream->user);
    free(stream->user);
    stream->user = NULL;
    iw_tally_add(&tally, iw_monitor_counts(stream->monitor));
    fprintf(report->out, "    verdict: %s\n", iw_tally_verdict(&tally));
}

static void put_unreadable(struct iw_check_report *report, const struct iw_check_counts *counts) {
    const struct {
        uint64_t count;
        const char *what, *which;
    } rows[] = {
        {counts->fragments, "frame", "with a fragment of an IP packet"},
        {counts->cut, "frame", "cut in the headers"},
        {counts->malformed, "frame", "with lengths that contradict each other"},
        {counts->dropped, "TCP segment", "beyond the limits of this program"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].count > 0) {
            put_file(report);
            fprintf(report->out, "  not read: %" PRIu64 " %s%s %s\n", rows[i].count, rows[i].what,
                iw_show_plural(rows[i].count), rows[i].which);
        }
}

static void put_summary(struct iw_check_report *report, enum iw_exit exit) {
    const struct iw_tally *tally = &report->tally;
    const uint64_t *findings = tally->findings;

    (void)exit;
    if (tally->streams == 0)
        return;
    fprintf(report->out,
        "%" PRIu64 " iWARP stream%s, %" PRIu64 " FPDU%s: %" PRIu64 " error%s, %" PRIu64 " warning%s, %" PRIu64
        " note%s: %s\n",
        tally->streams, iw_show_plural(tally->streams), tally->fpdus, iw_show_plural(tally->fpdus),
        findings[IW_SEVERITY_ERROR], iw_show_plural(findings[IW_SEVERITY_ERROR]),
        findings[IW_SEVERITY_WARNING], iw_show_plural(findings[IW_SEVERITY_WARNING]),
        findings[IW_SEVERITY_NOTE], iw_show_plural(findings[IW_SEVERITY_NOTE]), iw_tally_verdict(tally));
}

const struct iw_check_report_form iw_check_report_text = {
    .name = "text",
    .file_begin = forget_file,
    .event = keep_findings,
    .stream_end = put_stream,
    .file_end = put_unreadable,
    .end = put_summary,
};

#include "iw_verdict.h"

#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_check_report.h"
#include "iw_extensions.h"

struct judging {
    struct iw_verdict *verdict;
    const struct iw_trace *trace;
    const struct iw_outer_frames *frames;
};

/* ---- which side, and which stream offset ---- */

static const struct iw_trace_packet *packet_of(const struct judging *judging, uint64_t frame) {
    const struct iw_outer_frames *frames = judging->frames;

    return frame == 0 || frame > frames->count ? NULL : &judging->trace->packets[frames->packet[frame - 1]];
}

/* The last two octets of the address and the port are the same in every form of IP, so they identify the
 * side. */
static bool is_same(const struct iw_tcp_address *one, const struct iw_tcp_address *other) {
    size_t a = one->version == 6 ? 14 : 2, b = other->version == 6 ? 14 : 2;

    return one->port == other->port && memcmp(one->octets + a, other->octets + b, 2) == 0;
}

static enum iw_side side_of(
    const struct judging *judging, const struct iw_check_stream *stream, enum iw_side side) {
    return is_same(&stream->address[side], &judging->trace->address[IW_SIDE_A]) ? IW_SIDE_A : IW_SIDE_B;
}

/* The sequence number at which the checker's stream offsets start: the one after the SYN if the SYN is the
 * first intact packet of the side. Otherwise unknown. */
static bool zero_of(const struct iw_trace *trace, enum iw_side side, unsigned copy, uint32_t *zero) {
    for (size_t i = 0; i < trace->count; i++) {
        const struct iw_trace_packet *packet = &trace->packets[i];

        if (packet->side != side || packet->copy != copy || packet->damage != 0)
            continue;
        *zero = packet->segment.seq + 1;
        return (packet->segment.flags & IW_TCP_SYN) != 0;
    }
    return false;
}

static bool map_offset(const struct judging *judging, enum iw_side side, unsigned copy, uint64_t *offset) {
    const struct iw_trace *trace = judging->trace;
    uint32_t zero;

    if (trace->sctp)
        return false;
    if (!zero_of(trace, side, copy, &zero))
        return false;
    *offset += zero - trace->start[copy][side];
    return true;
}

/* ---- what the checker reports ---- */

static bool grow_list(struct iw_verdict *verdict, void *list, size_t count, size_t octets) {
    bool grown = iw_array_grow(list, count, octets);

    verdict->failed |= !grown;
    return grown;
}

static unsigned copy_of(const struct judging *judging, uint64_t first_frame) {
    const struct iw_trace_packet *packet = packet_of(judging, first_frame);

    return packet == NULL ? 0 : packet->copy;
}

static void verdict_take_finding(
    const struct judging *judging, const struct iw_check_stream *stream, const struct iw_finding *finding) {
    struct iw_verdict *verdict = judging->verdict;
    struct iw_verdict_finding *row;

    if (iw_requirement_severity(finding->requirement) != IW_SEVERITY_ERROR)
        return;
    if (!grow_list(verdict, &verdict->findings, verdict->finding_count, sizeof *row))
        return;
    row = &verdict->findings[verdict->finding_count++];
    *row = (struct iw_verdict_finding){.requirement = finding->requirement,
        .offset = finding->offset,
        .side = side_of(judging, stream, finding->side),
        .copy = copy_of(judging, stream->first_frame)};
    row->offset_known = map_offset(judging, row->side, row->copy, &row->offset);
    memcpy(row->message, finding->message, sizeof row->message);
}

static void verdict_take_fpdu(
    const struct judging *judging, const struct iw_check_stream *stream, const struct iw_llp_event *event) {
    struct iw_verdict *verdict = judging->verdict;
    struct iw_verdict_fpdu *row;

    if (!grow_list(verdict, &verdict->fpdus, verdict->fpdu_count, sizeof *row))
        return;
    row = &verdict->fpdus[verdict->fpdu_count++];
    *row = (struct iw_verdict_fpdu){.offset = event->offset,
        .octets = event->image_octets,
        .header_octets =
            event->image_captured < IW_VERDICT_HEADER ? event->image_captured : IW_VERDICT_HEADER,
        .side = side_of(judging, stream, event->side),
        .copy = copy_of(judging, stream->first_frame),
        .guessed = event->unproven && event->fpdu->crc == IW_CRC_UNCHECKED};
    memcpy(row->header, event->image, row->header_octets);
    row->offset_known = map_offset(judging, row->side, row->copy, &row->offset);
}

static void verdict_take_event(
    struct iw_check_report *report, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    const struct judging *judging = report->state;

    if (event->llp->kind == IW_LLP_SEGMENT)
        verdict_take_fpdu(judging, stream, event->llp);
    for (size_t i = 0; i < event->finding_count; i++)
        verdict_take_finding(judging, stream, &event->findings[i]);
}

static void verdict_take_connection(
    struct iw_check_report *report, const struct iw_check_connection *connection) {
    const struct judging *judging = report->state;

    judging->verdict->streams++;
    judging->verdict->recognised[copy_of(judging, connection->first_frame)] = true;
    judging->verdict->unjudged |= iw_totals_unjudged(&connection->totals);
    judging->verdict->outside |= connection->counts.unjudged[IW_UNJUDGED_OUTSIDE] > 0;
    judging->verdict->limited |= connection->counts.unjudged[IW_UNJUDGED_LIMIT] > 0;
}

static const struct iw_check_report_form form = {
    .event = verdict_take_event, .connection = verdict_take_connection};

static bool write_file(
    struct iw_trace *trace, const struct iw_outer *outer, const char *path, struct iw_outer_frames *frames) {
    FILE *file = fopen(path, "wb");
    bool good = file != NULL && iw_outer_write(outer, trace, file, frames);

    if (file != NULL)
        good &= fclose(file) == 0;
    return good;
}

bool iw_verdict_of(
    struct iw_verdict *verdict, struct iw_trace *trace, const struct iw_outer *outer, const char *path) {
    struct iw_outer_frames frames = {0};
    struct judging judging = {verdict, trace, &frames};
    struct iw_check_report report = {
        .out = stdout, .form = &form, .extensions = IW_EXT_ALL, .threads = 1, .state = &judging};
    bool good;

    memset(verdict, 0, sizeof *verdict);
    good = write_file(trace, outer, path, &frames);
    if (good) {
        enum iw_exit code = iw_check_report_files(&report, &path, 1);

        verdict->exit = iw_check_report_end(&report, code);
    }
    iw_outer_frames_dispose(&frames);
    return good && !verdict->failed;
}

void iw_verdict_dispose(struct iw_verdict *verdict) {
    free(verdict->findings);
    free(verdict->fpdus);
    memset(verdict, 0, sizeof *verdict);
}

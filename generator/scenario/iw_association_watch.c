#include "iw_association_watch.h"

#include <stdlib.h>
#include <string.h>

#include "iw_bits.h"
#include "iw_ip.h"
#include "iw_sctp_judge.h"

enum { FINDINGS_MAX = 32 }; /* findings of one event that watch_report_without_frames reports */

enum { OWN, PEERS };

struct iw_association_watch {
    struct iw_association_watch_config config;
    struct iw_monitor_config monitor;
    struct iw_sctp_judge *judge;
    uint64_t packets;
    struct iw_tcp_address own; /* address of this end, from the first packet */
    char *comment[2];          /* OWN and PEERS */
    bool finished;
};

static bool association_watch_frames_are_known(const struct iw_association_watch *watch) {
    return watch->config.recorder != NULL && !iw_recorder_changes_packets(watch->config.recorder);
}

/* Reports the event with frame 0 instead of the judge's packet numbers, which match no capture. */
static void watch_report_without_frames(
    struct iw_association_watch *watch, unsigned number, const struct iw_monitor_event *event) {
    struct iw_finding findings[FINDINGS_MAX];
    struct iw_monitor_event shown = *event;
    struct iw_llp_event llp = *event->llp;

    llp.frame = llp.first_frame = 0;
    shown.llp = &llp;
    shown.findings = findings;
    if (shown.finding_count > FINDINGS_MAX)
        shown.finding_count = FINDINGS_MAX;
    for (size_t i = 0; i < shown.finding_count; i++) {
        findings[i] = event->findings[i];
        findings[i].frame = findings[i].cause_frame = 0;
        findings[i].context_count = 0;
    }
    watch->config.sink(watch->config.user, number, &shown);
}

static void watch_take_event(void *user, const struct iw_sctp_association *association,
    struct iw_judged_session *session, const struct iw_monitor_event *event) {
    struct iw_association_watch *watch = user;

    (void)association;
    if (session->user == NULL)
        session->user = (void *)(uintptr_t)watch->config.number(watch->config.user);
    if (association_watch_frames_are_known(watch))
        watch->config.sink(watch->config.user, (unsigned)(uintptr_t)session->user, event);
    else
        watch_report_without_frames(watch, (unsigned)(uintptr_t)session->user, event);
}

static void association_watch_record(
    struct iw_association_watch *watch, const struct iw_tcp_segment *packet) {
    const struct iw_frame_path path = {
        .source = packet->source, .destination = packet->destination, .protocol = IW_IP_SCTP};
    bool own = iw_tcp_address_equal(&packet->source, &watch->own);

    iw_recorder_packet(watch->config.recorder, &path, packet->payload, packet->captured, packet->time_ns,
        watch->comment[own ? OWN : PEERS]);
}

static struct iw_tcp_segment association_watch_skip_common_header(const struct iw_tcp_segment *packet) {
    struct iw_tcp_segment segment = *packet;

    segment.seq = (uint32_t)iw_bits_get(packet->payload, 32, 32); /* Verification Tag (RFC 9260 3.1) */
    segment.payload += IW_SCTP_OCTETS;
    segment.length -= IW_SCTP_OCTETS;
    segment.captured -= IW_SCTP_OCTETS;
    return segment;
}

/* If memory ran out, stops the recording: later chunks are not judged. */
static void association_watch_note_failure(const struct iw_association_watch *watch) {
    if (iw_sctp_judge_failed(watch->judge) && watch->config.recorder != NULL)
        iw_recorder_stop(watch->config.recorder, "out of memory");
}

void iw_association_watch_packet(void *user, const struct iw_tcp_segment *packet) {
    struct iw_association_watch *watch = user;
    struct iw_tcp_segment shown = *packet;

    if (watch->finished || packet->captured < IW_SCTP_OCTETS)
        return;
    if (watch->packets++ == 0)
        watch->own = watch->config.opener ? packet->source : packet->destination;
    shown.frame = watch->packets;
    if (watch->config.recorder != NULL) {
        if (watch->config.disguised)
            shown.time_ns += 1000 * iw_recorder_frames(watch->config.recorder);
        association_watch_record(watch, &shown);
        if (association_watch_frames_are_known(watch))
            shown.frame = iw_recorder_frames(watch->config.recorder);
    }
    shown = association_watch_skip_common_header(&shown);
    iw_sctp_judge_packet(watch->judge, &shown);
    association_watch_note_failure(watch);
}

struct iw_association_watch *iw_association_watch_new(const struct iw_association_watch_config *config) {
    static const struct iw_sctp_judge_handlers handlers = {.event = watch_take_event};
    struct iw_association_watch *watch = calloc(1, sizeof *watch);

    if (watch == NULL)
        return NULL;
    watch->config = *config;
    watch->monitor = (struct iw_monitor_config){.extensions = config->extensions};
    watch->judge = iw_sctp_judge_new(&watch->monitor, NULL, &handlers, watch);
    if (watch->judge == NULL) {
        free(watch);
        return NULL;
    }
    return watch;
}

void iw_association_watch_comment(
    struct iw_association_watch *watch, bool own, bool peers, const char *comment) {
    const bool wanted[] = {[OWN] = own, [PEERS] = peers};

    for (int whose = OWN; whose <= PEERS; whose++) {
        if (!wanted[whose] || (watch->comment[whose] != NULL && strcmp(watch->comment[whose], comment) == 0))
            continue;
        free(watch->comment[whose]);
        watch->comment[whose] = strdup(comment);
    }
}

void iw_association_watch_finish(struct iw_association_watch *watch) {
    if (watch->finished)
        return;
    watch->finished = true;
    iw_sctp_judge_finish(watch->judge);
    association_watch_note_failure(watch);
}

void iw_association_watch_free(struct iw_association_watch *watch) {
    if (watch == NULL)
        return;
    iw_sctp_judge_free(watch->judge);
    free(watch->comment[OWN]);
    free(watch->comment[PEERS]);
    free(watch);
}

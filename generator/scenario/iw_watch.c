#include "iw_watch.h"

#include <stdlib.h>
#include <string.h>

#include "iw_sctp_carrier.h"
#include "iw_sctp_monitor.h"

struct iw_watch {
    struct iw_port *port;               /* NULL: the user hands over the chunks */
    struct iw_tcp_address addresses[2]; /* without a port */
    struct iw_watch_config config;
    struct iw_watch_disguise disguise; /* copy that `config.disguise` points to */
    struct iw_monitor_config monitor_config;
    struct iw_recorder_flow *flow;
    struct iw_monitor *monitor;
    struct iw_sctp_carrier *carrier; /* over SCTP, with `sctp`; `flow` and `monitor` are then unused */
    struct iw_sctp_monitor *sctp;
    char *comment[2];            /* by enum iw_side */
    const char *current_comment; /* the comment last set in the recorder */
    struct iw_chunk reset[2];    /* by enum iw_side: its RST, which the monitor gets at the end */
    bool has_reset[2];
    bool finished;
};

static const struct iw_tcp_address *watch_addresses(const struct iw_watch *watch) {
    return watch->port != NULL ? iw_port_addresses(watch->port) : watch->addresses;
}

/* Begins the flow with the first chunk, when the addresses are known. */
static void watch_begin_flow(struct iw_watch *watch) {
    watch->flow = iw_recorder_flow(watch->config.recorder, watch_addresses(watch),
        watch->config.disguise != NULL ? watch->disguise.isn : NULL);
    if (watch->flow == NULL)
        iw_recorder_stop(watch->config.recorder, "out of memory");
    else if (watch->config.disguise != NULL)
        iw_recorder_segment(watch->flow, watch->disguise.segment_octets);
}

/* Makes the recorder use the comment of `side`, the sender of the next packet. */
static void watch_set_flow_comment(struct iw_watch *watch, enum iw_side side) {
    if (watch->current_comment == watch->comment[side])
        return;
    watch->current_comment = watch->comment[side];
    if (watch->carrier != NULL)
        iw_sctp_carrier_comment(watch->carrier, watch->current_comment);
    else if (watch->flow != NULL)
        iw_recorder_comment(watch->flow, watch->current_comment);
}

/* Stops the recording if the monitor failed: every recorded octet must be judged. */
static void watch_note_judged(struct iw_watch *watch, enum iw_status status) {
    if (status != IW_OK)
        iw_recorder_stop(watch->config.recorder, "out of memory");
}

static void watch_judge_message(void *user, const struct iw_sctp_message *message) {
    struct iw_watch *watch = user;

    if (!watch->finished)
        watch_note_judged(watch, iw_sctp_monitor_feed(watch->sctp, message));
}

static void watch_judge_end(
    void *user, enum iw_session_end end, enum iw_side side, uint64_t frame, uint64_t time_ns) {
    struct iw_watch *watch = user;

    if (!watch->finished)
        watch_note_judged(watch, iw_sctp_monitor_finish(watch->sctp, end, side, frame, time_ns));
    watch->finished = true;
}

static void watch_take_session_event(
    void *user, struct iw_judged_session *session, const struct iw_monitor_event *event) {
    struct iw_watch *watch = user;

    (void)session;
    watch->config.sink(watch->config.user, event);
}

static bool watch_begin_association(struct iw_watch *watch) {
    static const struct iw_judged_session_handlers sessions = {.event = watch_take_session_event};
    const struct iw_sctp_carrier_handlers handlers = {watch_judge_message, watch_judge_end, watch};

    watch->carrier =
        iw_sctp_carrier_new(watch->config.recorder, watch_addresses(watch), watch->disguise.isn, &handlers);
    if (watch->carrier == NULL)
        return false;
    watch->sctp =
        iw_sctp_monitor_new(&watch->monitor_config, iw_sctp_carrier_state(watch->carrier), &sessions, watch);
    return watch->sctp != NULL;
}

static void watch_carry(struct iw_watch *watch, const struct iw_chunk *chunk) {
    struct iw_chunk shown = *chunk;

    shown.time_ns += 1000 * iw_recorder_frames(watch->config.recorder);
    if (watch->carrier == NULL && !watch_begin_association(watch)) {
        iw_recorder_stop(watch->config.recorder, "out of memory");
        watch->finished = true;
    }
    watch_set_flow_comment(watch, chunk->side);
    if (watch->sctp != NULL)
        iw_sctp_carrier_chunk(watch->carrier, &shown);
}

/* A reader of the capture hands over a RST at its end, as later packets may show that it was ignored: the
 * monitor must get the same chunks in the same order. */
static void watch_judge(struct iw_watch *watch, const struct iw_chunk *chunk) {
    if (chunk->kind != IW_CHUNK_RST) {
        iw_monitor_feed(watch->monitor, chunk);
    } else if (!watch->has_reset[chunk->side]) {
        watch->has_reset[chunk->side] = true;
        watch->reset[chunk->side] = *chunk;
    }
}

static void watch_finish_monitor(struct iw_watch *watch) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        if (watch->has_reset[side])
            iw_monitor_feed(watch->monitor, &watch->reset[side]);
    iw_monitor_finish(watch->monitor);
}

/* Records the chunk, and gives it the number of its frame: the first, as the start of side B has two. */
static void watch_record(struct iw_watch *watch, struct iw_chunk *chunk) {
    uint64_t frames = iw_recorder_frames(watch->config.recorder);

    if (watch->config.disguise != NULL)
        chunk->time_ns += 1000 * frames;
    if (watch->flow == NULL)
        watch_begin_flow(watch);
    watch_set_flow_comment(watch, chunk->side);
    if (watch->flow != NULL)
        iw_recorder_chunk(watch->flow, chunk);
    chunk->frame = iw_recorder_last_frame(watch->config.recorder) > 0 ? frames + 1 : 0;
}

static void watch_take(struct iw_watch *watch, struct iw_chunk *chunk) {
    if (watch->config.recorder != NULL)
        watch_record(watch, chunk);
    watch_judge(watch, chunk);
}

/* Splits the chunk into packets, so that the monitor reports the frame in which each octet is recorded. The
 * capture ends with what is judged. */
void iw_watch_chunk(struct iw_watch *watch, const struct iw_chunk *chunk) {
    uint32_t largest = watch->config.disguise != NULL ? watch->disguise.segment_octets : IW_FRAME_SEGMENT_MAX;
    uint32_t done = 0;

    if (watch->finished)
        return;
    if (watch->disguise.sctp) {
        watch_carry(watch, chunk);
        return;
    }
    do {
        struct iw_chunk piece = *chunk;
        if (chunk->kind == IW_CHUNK_DATA) {
            piece.length = chunk->length - done < largest ? chunk->length - done : largest;
            piece.octets = chunk->octets + done;
            piece.offset = chunk->offset + done;
            done += piece.length;
        }
        watch_take(watch, &piece);
    } while (chunk->kind == IW_CHUNK_DATA && done < chunk->length);
}

static void watch_tap(void *user, const struct iw_chunk *chunk) {
    iw_watch_chunk(user, chunk);
}

static struct iw_watch *watch_new(const struct iw_watch_config *config) {
    struct iw_watch *watch = calloc(1, sizeof *watch);

    if (watch == NULL)
        return NULL;
    watch->config = *config;
    if (config->disguise != NULL) {
        watch->disguise = *config->disguise;
        watch->config.disguise = &watch->disguise;
    }
    watch->monitor_config =
        (struct iw_monitor_config){.extensions = config->extensions, .mpa = {.expected = !config->streaming}};
    if (!watch->disguise.sctp)
        watch->monitor = iw_monitor_new(&watch->monitor_config, config->sink, config->user);
    if (!watch->disguise.sctp && watch->monitor == NULL) {
        free(watch);
        return NULL;
    }
    return watch;
}

struct iw_watch *iw_watch_new(struct iw_port *port, const struct iw_watch_config *config) {
    struct iw_watch *watch = watch_new(config);

    if (watch == NULL)
        return NULL;
    watch->port = port;
    iw_port_set_tap(port, watch_tap, watch);
    return watch;
}

struct iw_watch *iw_watch_new_apart(
    const struct iw_tcp_address addresses[2], const struct iw_watch_config *config) {
    struct iw_watch *watch = watch_new(config);

    if (watch != NULL)
        memcpy(watch->addresses, addresses, sizeof watch->addresses);
    return watch;
}

void iw_watch_finish(struct iw_watch *watch) {
    if (!watch->finished && watch->sctp != NULL)
        watch_note_judged(watch, iw_sctp_monitor_finish(watch->sctp, IW_SESSION_END_INPUT, IW_SIDE_A, 0, 0));
    else if (!watch->finished && watch->monitor != NULL)
        watch_finish_monitor(watch);
    if (!watch->finished && watch->monitor != NULL && iw_monitor_failed(watch->monitor) &&
        watch->config.recorder != NULL)
        iw_recorder_stop(watch->config.recorder, "out of memory");
    watch->finished = true;
}

void iw_watch_free(struct iw_watch *watch) {
    if (watch == NULL)
        return;
    iw_sctp_monitor_free(watch->sctp);
    iw_sctp_carrier_free(watch->carrier);
    iw_monitor_free(watch->monitor);
    free(watch->comment[IW_SIDE_A]);
    free(watch->comment[IW_SIDE_B]);
    free(watch);
}

void iw_watch_comment(struct iw_watch *watch, const bool sides[2], const char *comment) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B && watch->config.recorder != NULL; side++) {
        if (!sides[side] || (watch->comment[side] != NULL && strcmp(watch->comment[side], comment) == 0))
            continue;
        if (watch->current_comment == watch->comment[side])
            watch->current_comment = NULL;
        free(watch->comment[side]);
        watch->comment[side] = strdup(comment);
    }
}

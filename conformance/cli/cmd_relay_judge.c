#define _GNU_SOURCE /* pipe2 */
#include "cmd_relay_judge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- who is judged ---- */

/* The device may have several addresses, of which the relay takes the first that answers. */
static bool judge_knows_device(const struct cmd_relay_judge *judge, const struct iw_tcp_address *address) {
    for (size_t i = 0; i < judge->device_count; i++)
        if (iw_tcp_address_equal(&judge->device[i], address))
            return true;
    return false;
}

/* Whether the relay has opened the connection: to the device. */
static bool judge_is_of_device(const struct cmd_relay_judge *judge, const struct iw_check_stream *stream) {
    return judge_knows_device(judge, &stream->address[IW_SIDE_B]);
}

static enum iw_side judge_relay_side(
    const struct cmd_relay_judge *judge, const struct iw_check_stream *stream) {
    return judge_is_of_device(judge, stream) ? IW_SIDE_A : IW_SIDE_B;
}

/* The relay is the responder of the initiator's connection, and the initiator of the device's. What it sends
 * comes from the other peer, or is impaired: so each peer is judged by its own connection. */
static const struct iw_waiver *judge_excuse(
    void *user, const struct iw_check_stream *stream, enum iw_side side) {
    const struct cmd_relay_judge *judge = user;

    return side == judge_relay_side(judge, stream) ? &judge->waiver[judge_is_of_device(judge, stream)] : NULL;
}

/* By who has opened the TCP connection: the MPA role of a side is what its frames suggest. */
static const char *judge_peer(void *user, const struct iw_check_stream *stream, enum iw_side side) {
    const struct cmd_relay_judge *judge = user;

    if (side == judge_relay_side(judge, stream))
        return "relay";
    return judge_is_of_device(judge, stream) ? "device" : "initiator";
}

static void judge_init_waivers(struct cmd_relay_judge *judge) {
    static char any[] = "*", clause[] = "";
    static char to_initiator[] = "sent by the relay: the device is judged by its own connection";
    static char to_device[] = "sent by the relay: the initiator is judged by its own connection";
    static char owner[] = "warpcheck";

    judge->waiver[0] =
        (struct iw_waiver){.pattern = any, .clause = clause, .reason = to_initiator, .owner = owner};
    judge->waiver[1] =
        (struct iw_waiver){.pattern = any, .clause = clause, .reason = to_device, .owner = owner};
    judge->waivers = (struct iw_waivers){.path = "relay", .list = judge->waiver, .count = 2};
    judge->report.waivers = &judge->waivers;
    judge->report.excuse = judge_excuse;
    judge->report.peer = judge_peer;
    judge->report.relay = judge;
    judge->report.threads = 1; /* so that `device` is read only while `printing` is held */
}

void cmd_relay_judge_opened(struct cmd_relay_judge *judge, const struct iw_relay_note *note) {
    cmd_relay_judge_lock(judge);
    if (!judge_knows_device(judge, &note->device[IW_SIDE_B]) && judge->device_count < CMD_RELAY_JUDGE_DEVICES)
        judge->device[judge->device_count++] = note->device[IW_SIDE_B];
    cmd_relay_judge_unlock(judge);
}

/* ---- the thread ---- */

void cmd_relay_judge_lock(struct cmd_relay_judge *judge) {
    pthread_mutex_lock(&judge->printing);
}

void cmd_relay_judge_unlock(struct cmd_relay_judge *judge) {
    pthread_mutex_unlock(&judge->printing);
}

static int judge_next(void *user, struct iw_packet *packet, char *error, size_t octets) {
    struct cmd_relay_judge *judge = user;
    int step;

    cmd_relay_judge_unlock(judge);
    step = judge->packets.next(judge->packets.user, packet, error, octets);
    cmd_relay_judge_lock(judge);
    return step;
}

static uint64_t judge_lost(void *user) {
    (void)user;
    return 0; /* the relay waits for the judge */
}

static void *judge_run(void *user) {
    struct cmd_relay_judge *judge = user;
    const struct iw_check_source source = {.user = judge, .next = judge_next, .lost = judge_lost};

    cmd_relay_judge_lock(judge);
    judge->code = iw_check_report_source(&judge->report, "relay", &source);
    cmd_relay_judge_unlock(judge);
    iw_live_source_close(judge->source); /* a relay that still records must not wait */
    close(judge->reader);
    return NULL;
}

static struct iw_recorder *judge_open_pipe(struct cmd_relay_judge *judge, char *text) {
    struct iw_recorder *recorder;
    char path[32];
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        snprintf(text, IW_RECORDER_TEXT_OCTETS, "pipe: %s", strerror(errno));
        return NULL;
    }
    judge->reader = ends[0];
    snprintf(judge->path, sizeof judge->path, "/dev/fd/%d", ends[0]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    recorder = iw_recorder_open(path, NULL, text);
    close(ends[1]); /* the recorder has opened the pipe itself */
    return recorder;
}

bool cmd_relay_judge_open(struct cmd_relay_judge *judge, char *text) {
    struct iw_live_source_config config = {.names = judge->paths, .count = 1};

    judge->recorder = judge_open_pipe(judge, text);
    if (judge->recorder == NULL)
        return false;
    judge->paths[0] = judge->path;
    judge->source = iw_live_source_open(&config, text);
    if (judge->source == NULL) {
        iw_recorder_close(judge->recorder, NULL);
        close(judge->reader);
        return false;
    }
    iw_live_source_init(judge->source, &judge->packets);
    judge_init_waivers(judge);
    pthread_mutex_init(&judge->printing, NULL);
    return true;
}

bool cmd_relay_judge_start(struct cmd_relay_judge *judge, char *text) {
    int error = pthread_create(&judge->thread, NULL, judge_run, judge);

    if (error != 0)
        snprintf(text, IW_RECORDER_TEXT_OCTETS, "thread: %s", strerror(error));
    judge->started = error == 0;
    return judge->started;
}

enum iw_exit cmd_relay_judge_end(struct cmd_relay_judge *judge) {
    iw_recorder_close(
        judge->recorder, NULL); /* the end of the pipe; the judge has reported an error itself */
    if (judge->started) {
        pthread_join(judge->thread, NULL);
    } else {
        iw_live_source_close(judge->source);
        close(judge->reader);
    }
    pthread_mutex_destroy(&judge->printing);
    judge->waivers.count = 0; /* it is no fault if the relay's octets had no findings */
    return judge->started ? iw_check_report_end(&judge->report, judge->code) : IW_EXIT_ENVIRONMENT;
}

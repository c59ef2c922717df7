#pragma once

#include <pthread.h>

#include "iw_check_report.h"
#include "iw_live_source.h"
#include "iw_recorder.h"
#include "iw_relay.h"

/* The judge of `relay`: a thread that reads what the relay records, from a pipe, as `watch` does. If it is
 * slower than the relay, the relay waits for it. */

enum { CMD_RELAY_JUDGE_DEVICES = 64 }; /* addresses of the name of the device, which is resolved once */

struct cmd_relay_judge {
    struct iw_check_report report; /* the caller sets out, form and the settings of the judgement */
    struct iw_recorder *recorder;  /* for the relay */
    struct iw_live_source *source;
    struct iw_check_source packets; /* of `source` */
    struct iw_waivers waivers;
    struct iw_waiver waiver[2]; /* of what the relay sends: to the initiator, and to the device */
    struct iw_tcp_address device[CMD_RELAY_JUDGE_DEVICES]; /* each address that the relay has connected to */
    size_t device_count;
    pthread_mutex_t printing; /* held while the judge may print */
    pthread_t thread;
    char path[32];
    const char *paths[1];
    int reader; /* the end of the pipe that `path` names */
    bool started;
    enum iw_exit code;
};

/* Opens the pipe; `start` then starts the thread. On failure they return false with a line in `text`, of
 * IW_RECORDER_TEXT_OCTETS octets. After a successful open, call cmd_relay_judge_end in any case. */
bool cmd_relay_judge_open(struct cmd_relay_judge *judge, char *text);
bool cmd_relay_judge_start(struct cmd_relay_judge *judge, char *text);

/* Tells the judge of a connection: the relay's octets in it are not judged as those of a peer. */
void cmd_relay_judge_opened(struct cmd_relay_judge *judge, const struct iw_relay_note *note);

/* The caller may print to report.out between these two. */
void cmd_relay_judge_lock(struct cmd_relay_judge *judge);
void cmd_relay_judge_unlock(struct cmd_relay_judge *judge);

/* After the relay: waits until everything is judged, and ends the report. Returns the exit code; without a
 * thread, IW_EXIT_ENVIRONMENT. */
enum iw_exit cmd_relay_judge_end(struct cmd_relay_judge *judge);

#pragma once

#include "iw_exit.h"
#include "iw_scenario.h"
#include "iw_text.h"

/* `warpcheck play`: runs one script, one conversation, over the network. */

/* 0 means the default in brackets. */
struct iw_play_options {
    const char *script;
    const char *host; /* of the global `peer`; NULL: no peer */
    uint16_t port;
    const struct iw_script_argument *arguments;
    size_t argument_count;
    const char *record; /* capture file, or NULL */
    const char *live;   /* network device whose packets are recorded unchanged, or NULL: packets are made from
                           the octets sent and received */
    bool trust;         /* gives the script all Lua libraries */
    bool quiet;         /* prints only errors and the verdict */
    bool at_once;       /* SIGINT and SIGTERM end the program immediately, without a verdict */
    bool has_extensions;  /* `extensions` is valid; otherwise IW_EXT_DEFAULT */
    unsigned extensions;  /* set of enum iw_extension that connections and monitors accept */
    uint32_t timeout_ms;  /* of a wait [5,000] */
    uint32_t deadline_ms; /* of the whole run [none] */
    /* Configures the endpoints beyond what scripts can, as in struct iw_scenario_config; may be NULL. */
    void (*configure)(const void *configure_user, struct iw_endpoint_config *config);
    const void *configure_user;
    FILE *out; /* [stdout] */
    FILE *err; /* [stderr] */
};

/* Runs the script; prints the conversation, the findings and the verdict. Returns VIOLATIONS if the script
 * failed or the peer violated a MUST; ENVIRONMENT if the peer is unreachable, the script has a mistake, or
 * the capture cannot be written; UNJUDGED if something could not be judged, or the run was interrupted;
 * INTERNAL if memory ran out. */
enum iw_exit iw_play(const struct iw_play_options *options);

/* What to print about a scenario while it runs; also used by iw_synth.c. It is the `user` of the hooks. */
struct iw_play_log {
    FILE *out;
    bool quiet;
    bool judges_peer; /* findings on the peer's side decide the exit code */
    bool peer;        /* a connection had a side that the script does not play */
    uint64_t start_ns;
    struct iw_live_capture *live; /* or NULL; its pending packets are recorded at every event */
    struct iw_text findings;      /* one line each; opened by the first finding */
    bool findings_lost;           /* out of memory: at least one was lost */
    uint64_t given_up;            /* octets not judged, because of a limit or lack of memory */
};

/* Whether the capture would overwrite the script; if so, reports it to `err`. Both names may be NULL. */
bool iw_play_overwrites(const char *capture, const char *script, FILE *err);

/* For iw_recorder_tell: reports to `err`, a FILE, that recording stopped. */
void iw_play_report_trouble(void *err, const char *text);

struct iw_scenario_hooks iw_play_log_hooks(struct iw_play_log *log);
void iw_play_log_dispose(struct iw_play_log *log);

/* Prints findings and outcome, and errors to `err`. Returns the exit code; INTERNAL if findings were lost. */
enum iw_exit iw_play_conclude(struct iw_play_log *log, const struct iw_scenario *scenario, FILE *err);

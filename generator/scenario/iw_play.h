#ifndef IW_PLAY_H
#define IW_PLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_exit.h"
#include "iw_scenario.h"
#include "iw_text.h"

/* `warpcheck play`: one script, one conversation, over the network. */

/* Values of 0 mean the default in brackets. */
struct iw_play_options {
    const char *script;
    const char *host; /* of the global `peer`; NULL: no peer is given */
    uint16_t port;
    const struct iw_script_argument *arguments;
    size_t argument_count;
    const char *record;   /* file for the capture, or NULL */
    const char *live;     /* network device whose packets are recorded as they are, or NULL: the capture is
                             made of the octets sent and received */
    bool trust;           /* all libraries of Lua */
    bool quiet;           /* only errors and the verdict */
    bool at_once;         /* SIGINT and SIGTERM end the program, without a verdict */
    bool has_extensions;  /* otherwise `extensions` is IW_EXT_DEFAULT */
    unsigned extensions;  /* set that connections accept and monitors know */
    uint32_t timeout_ms;  /* of a wait [5,000] */
    uint32_t deadline_ms; /* of the whole [none] */
    void (*configure)(const void *configure_user, struct iw_endpoint_config *config); /* of the scenario */
    const void *configure_user;
    FILE *out; /* [stdout] */
    FILE *err; /* [stderr] */
};

/* Plays the script and prints the conversation, the findings and the verdict. Returns VIOLATIONS if the
 * script failed or the peer violated a MUST, and ENVIRONMENT for mistakes in the script too. */
enum iw_exit iw_play(const struct iw_play_options *options);

/* ---- shared with iw_synth.c ---- */

/* What is printed about a scenario while it runs; its user is a struct iw_play_log. */
struct iw_play_log {
    FILE *out;
    bool quiet;
    bool judges_peer; /* findings on the peer's side make the exit code */
    bool peer;        /* a connection has had a side that the script does not play */
    uint64_t start_ns;
    struct iw_live_capture *live; /* takes in what has come, at every event; or NULL */
    struct iw_text findings;      /* a line each; not open before the first */
    bool findings_lost;           /* there was no memory to keep one */
    uint64_t given_up; /* octets that were not judged, because of a limit or because memory ran out */
};

/* Whether the capture would be written over the script; says so to `err`. Both may be NULL. */
bool iw_play_overwrites(const char *capture, const char *script, FILE *err);

/* For iw_recorder_tell: says to `err`, a FILE, that recording has stopped. */
void iw_play_tell_trouble(void *err, const char *text);

struct iw_scenario_hooks iw_play_log_hooks(struct iw_play_log *log);
void iw_play_log_dispose(struct iw_play_log *log);

/* Prints findings and outcome, and a line to `err` for what is no verdict. Returns the exit code: INTERNAL if
 * there was no memory for all findings. */
enum iw_exit iw_play_conclude(struct iw_play_log *log, const struct iw_scenario *scenario, FILE *err);

#endif

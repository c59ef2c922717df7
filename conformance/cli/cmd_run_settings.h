#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "cmd_agent.h"
#include "cmd_expect.h"
#include "cmd_option.h"
#include "cmd_starter.h"
#include "cmd_sweep.h"
#include "iw_listing.h"
#include "iw_origin.h"
#include "iw_prior_run.h"
#include "iw_profile.h"
#include "iw_run.h"
#include "iw_run_option.h"

/* The settings of `warpcheck run`, checked and converted to a struct iw_run_config. They come from the
 * command line and the environment or, with --resume, from the options of the earlier run. */

/* ---- --resume DIR: continues the run with results in DIR ---- */

enum { CMD_RESUME_WORDS_MAX = 256, CMD_RESUME_CLAIMS_MAX = 32 };

struct cmd_resume {
    const char *folder; /* NULL: no run to resume */
    struct iw_prior_run prior;
    const char *claims[CMD_RESUME_CLAIMS_MAX];
};

/* Reads the results of the earlier run into resume->prior. Sets argv[] to "run" and the options of that run,
 * and *argc to their number. `prior` owns the words. Returns 0, or an exit code after a line on stderr. */
int cmd_resume_read(
    const struct iw_usage *usage, struct cmd_resume *resume, int *argc, char *argv[CMD_RESUME_WORDS_MAX + 2]);

/* Adds the finished cases of the earlier run to `run` and `sweep`, and prints their number. Rejects a changed
 * version, profile or set of cases. Returns 0, or an exit code after a line on stderr. */
int cmd_resume_apply(const struct iw_usage *usage, struct cmd_resume *resume, struct iw_run_config *run,
    struct cmd_sweep *sweep);

/* ---- what is at --peer ---- */

struct cmd_run_settings;

/* Stops a run whose --peer has no iWARP responder: one line on stderr. Infers the profile of the device by
 * probing without --profile, or with --profile probe. A resumed run has the profile of its first part. Prints
 * what was found. With --list, does so only if the list depends on it, and prints on stderr. Call it before
 * the results begin. Returns 0 or an exit code. */
int cmd_run_device(struct cmd_run_settings *settings);

/* ---- --relay: two devices, with the relay between them ---- */

struct cmd_run_relay {
    bool given;
    struct cmd_address listen, to;  /* of the relay, and of the responder */
    char where[CMD_ADDRESS_OCTETS]; /* `listen` as HOST:PORT, for the results */
    const char *start;              /* command that starts the initiator; NULL: not given */
    uint32_t wait_ms;               /* for a connection of the initiator */
};

enum { CMD_RUN_RELAY_WAIT_MS = 60000 };

/* Checks the options, and sets what the run needs of them. Returns 0, or an exit code after a line on stderr.
 */
int cmd_run_relay_settle(struct cmd_run_settings *settings);

/* Runs the cases of the two devices, like iw_run. */
enum iw_status cmd_run_relay(
    struct cmd_run_settings *settings, struct iw_run_counts *counts, char *error, size_t error_octets);

/* ---- all settings ---- */

struct cmd_run_settings {
    struct iw_run_options options;
    struct iw_run_config run; /* complete except for catalogue and handlers; points to other members */
    const char *out;          /* folder of the results; NULL: none; or cmd_run_file_default */
    bool list;
    enum iw_listing_format format; /* for `list` */
    struct cmd_sweep sweep;
    struct cmd_resume resume;
    struct cmd_expect expect;
    struct iw_origin origin;
    json_t *words; /* JSON array: options of the command line, for --resume */

    /* Values that `run` points to, and values that are not converted yet. */
    struct iw_pattern *console_pattern;
    const char *console; /* path of --console; NULL: not given */
    struct iw_profile profile;
    struct cmd_address peer;
    struct cmd_sctp sctp;
    struct cmd_agent agent;
    struct cmd_starter starter;
    struct iw_network *network; /* of --network; NULL: none, or not made yet */
    struct cmd_run_relay relay;
    bool format_given;
    bool without_peer; /* the device is only an initiator, and has no address */
    bool verbose;      /* also print the cases that passed */
    bool force;        /* overwrite the results of an earlier run */
    unsigned given;    /* number of options given */
};

extern const struct iw_usage cmd_run_usage;

/* Makes the network of --network, if any; the process is then on its first host. Returns 0, or an exit code
 * after one line on stderr. Call it while the process has a single thread. */
int cmd_run_settings_make_network(struct cmd_run_settings *settings);

/* Reads the command line. Returns IW_OPTION_DONE if the run can start, otherwise the exit code. In both cases
 * call cmd_run_settings_dispose. *settings must not move. */
int cmd_run_settings_read(struct cmd_run_settings *settings, int argc, char **argv);
void cmd_run_settings_dispose(struct cmd_run_settings *settings);

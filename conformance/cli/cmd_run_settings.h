#ifndef CMD_RUN_SETTINGS_H
#define CMD_RUN_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>

#include "cmd_agent.h"
#include "cmd_expect.h"
#include "cmd_option.h"
#include "cmd_sweep.h"
#include "iw_listing.h"
#include "iw_pattern.h"
#include "iw_prior_run.h"
#include "iw_profile.h"
#include "iw_run.h"
#include "iw_shard.h"

/* The settings of `warpcheck run`, from the command line, the environment, or the options of the run that
 * it resumes: checks them and makes the configuration. */

/* `run --resume DIR`: resumes the run whose results are in the folder. All zero: no run to resume. */

enum { CMD_RESUME_WORDS_MAX = 256, CMD_RESUME_CLAIMS_MAX = 32 };

struct cmd_resume {
    const char *folder; /* or NULL */
    struct iw_prior_run prior;
    const char *claims[CMD_RESUME_CLAIMS_MAX];
};

/* Reads the results of the earlier run, and turns its options into a command line of `argc` words, "run"
 * first. The words are valid as long as `prior`. Returns 0, or an exit code with one line on stderr. */
int cmd_resume_read(
    const struct iw_usage *usage, struct cmd_resume *resume, int *argc, char *argv[CMD_RESUME_WORDS_MAX + 2]);

/* If version, profile and cases are those of the prior run, adds its finished cases to `run`, and prints
 * their number. Returns 0, or an exit code with one line on stderr. */
int cmd_resume_apply(const struct iw_usage *usage, struct cmd_resume *resume, struct iw_run_config *run,
    struct cmd_sweep *sweep);

/* --initiator: the command that makes a device without an agent connect. */

enum { CMD_STARTER_HOST_OCTETS = 256 };

struct cmd_starter {
    struct iw_dut_starter starter; /* its `command` is that of --initiator; NULL: not given */
    char host[CMD_STARTER_HOST_OCTETS];
};

/* Call after all options. Sets *found to the starter for the peer at `host`, or to NULL without --initiator.
 * The device reaches this host at `own_host` or, if that is NULL, at the address from which this host reaches
 * the peer. Returns 0, or the exit code with a line on stderr. */
int cmd_starter_find(const struct iw_usage *usage, struct cmd_starter *starter, const char *host,
    const char *own_host, const struct iw_dut_starter **found);

/* ---- all settings ---- */

enum { CMD_RUN_WITHOUT_MAX = 16 };

struct cmd_run_settings {
    struct iw_run_config run; /* has no catalogue and no result handlers; points to other members */
    const char *cases;        /* folder of the catalogue, or NULL: the built-in cases */
    const char *out;          /* folder of the results; NULL: do not write results */
    bool list;
    enum iw_listing_format format; /* for `list` */
    struct cmd_sweep sweep;
    struct cmd_resume resume;
    struct cmd_expect expect;
    json_t *words; /* array: the options of the command line except the folders, for --resume */

    /* What `run` points to, and values not yet converted. */
    struct iw_pattern *only, *skip, *console_pattern;
    const char *console; /* path, or NULL */
    const char *without[CMD_RUN_WITHOUT_MAX];
    struct iw_profile profile;
    struct cmd_address peer;
    struct cmd_sctp sctp;
    struct cmd_agent agent;
    struct cmd_starter starter;
    struct iw_shard shard;
    bool format_given;
    unsigned given; /* number of options given */
};

extern const struct iw_usage cmd_run_usage;

/* Reads the command line. Returns IW_OPTION_DONE, or the exit code of a finished command. Dispose of
 * `settings` in any case; it must not move. */
int cmd_run_settings_read(struct cmd_run_settings *settings, int argc, char **argv);
void cmd_run_settings_dispose(struct cmd_run_settings *settings);

#endif

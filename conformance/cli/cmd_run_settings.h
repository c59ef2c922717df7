#ifndef CMD_RUN_SETTINGS_H
#define CMD_RUN_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>

#include "cmd_agent.h"
#include "cmd_expect.h"
#include "cmd_option.h"
#include "cmd_resume.h"
#include "cmd_starter.h"
#include "cmd_sweep.h"
#include "iw_listing.h"
#include "iw_pattern.h"
#include "iw_profile.h"
#include "iw_run.h"
#include "iw_shard.h"

/* The settings of `warpcheck run`, from the command line, the environment, or the options of the run that
 * it resumes: checks them and makes the configuration. */

enum { CMD_RUN_WITHOUT_MAX = 16 };

struct cmd_run_settings {
    struct iw_run_config run; /* without catalogue and result handlers; points into the other members */
    const char *cases;        /* folder of the catalogue, or NULL: the built-in cases */
    const char *out;          /* folder of the results, or NULL */
    bool list;
    enum iw_listing_format format; /* for `list` */
    struct cmd_sweep sweep;
    struct cmd_resume resume;
    struct cmd_expect expect;
    json_t *words; /* the words of the command line that select what is run */

    /* What `run` points to, and values not yet converted. */
    struct iw_pattern *only, *skip;
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

#ifndef CMD_RESUME_H
#define CMD_RESUME_H

#include "cmd_sweep.h"
#include "iw_option.h"
#include "iw_prior_run.h"

/* `run --resume DIR`: resumes the run whose results are in the folder. All zero: no run to resume. */

enum { CMD_RESUME_WORDS_MAX = 256, CMD_RESUME_CLAIMS_MAX = 32 };

struct cmd_resume {
    const char *folder; /* or NULL */
    struct iw_prior_run prior;
    const char *claims[CMD_RESUME_CLAIMS_MAX];
};

/* Reads the results, and turns the options of that run into a command line: `argc` words after "run", valid
 * as long as `prior`. Returns 0, or an exit code with one line on stderr. */
int cmd_resume_read(
    const struct iw_usage *usage, struct cmd_resume *resume, int *argc, char *argv[CMD_RESUME_WORDS_MAX + 2]);

/* If the prior run has the same settings, makes `run` count its finished cases, and prints their number.
 * Returns 0, or an exit code with one line on stderr. */
int cmd_resume_count(const struct iw_usage *usage, struct cmd_resume *resume, struct iw_run_config *run,
    struct cmd_sweep *sweep);

void cmd_resume_dispose(struct cmd_resume *resume);

#endif

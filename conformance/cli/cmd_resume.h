#ifndef CMD_RESUME_H
#define CMD_RESUME_H

#include "cmd_sweep.h"
#include "iw_option.h"
#include "iw_prior_run.h"

/* `run --resume DIR`: goes on with the run whose results are in the folder. All zero: with none. */

enum { CMD_RESUME_WORDS_MAX = 256, CMD_RESUME_CLAIMS_MAX = 32 };

struct cmd_resume {
    const char *folder; /* or NULL */
    struct iw_prior_run past;
    struct iw_run_prior *cases;
    const char *claims[CMD_RESUME_CLAIMS_MAX];
};

/* Reads the results. Makes of the options of that run a command line, `argc` words behind "run", which stay
 * as long as `past`. Returns 0, or an exit code with one line on stderr. */
int cmd_resume_read(
    const struct iw_usage *usage, struct cmd_resume *resume, int *argc, char *argv[CMD_RESUME_WORDS_MAX + 2]);

/* Has `run` count what that run has finished, if it was one of the same, and tells how much that is. Returns
 * 0, or an exit code with one line on stderr. */
int cmd_resume_count(const struct iw_usage *usage, struct cmd_resume *resume, struct iw_run_config *run,
    struct cmd_sweep *sweep);

void cmd_resume_dispose(struct cmd_resume *resume);

#endif

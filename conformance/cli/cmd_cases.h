#ifndef CMD_CASES_H
#define CMD_CASES_H

#include "iw_option.h"
#include "iw_pattern.h"

/* Values of options, the same for every command that is told which cases to run. 0, or the exit code with a
 * line on stderr that names the option. */

/* `optarg` as a pattern, in place of an earlier one. */
int cmd_cases_pattern(const struct iw_usage *usage, const char *name, struct iw_pattern **pattern);

/* `optarg` as a number in these bounds. */
int cmd_cases_number(const struct iw_usage *usage, const char *name, unsigned long least, unsigned long most,
    unsigned long *number);

#endif

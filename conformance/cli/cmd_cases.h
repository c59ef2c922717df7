#ifndef CMD_CASES_H
#define CMD_CASES_H

#include "iw_option.h"
#include "iw_pattern.h"

/* Option values shared by the commands that select cases. Return 0, or the exit code with a line on stderr
 * that names the option. */

/* Replaces *pattern by `optarg`. */
int cmd_cases_pattern(const struct iw_usage *usage, const char *name, struct iw_pattern **pattern);

/* Reads `optarg` as a number from `least` to `most`. */
int cmd_cases_number(const struct iw_usage *usage, const char *name, unsigned long least, unsigned long most,
    unsigned long *number);

#endif

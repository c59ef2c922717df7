#pragma once

#include "iw_confine.h"

/* Shared by the parts of iw_confine. */

/* Landlock (iw_confine_files.c). The version of the kernel's interface; 0: none. */
int iw_confine_files_version(void);
int iw_confine_files_new(void); /* a ruleset that allows no path yet, or -1 */
bool iw_confine_files_enter(int ruleset);

/* seccomp (iw_confine_calls.c). */
bool iw_confine_calls_enter(const struct iw_confine *confine);
bool iw_confine_calls_available(void);

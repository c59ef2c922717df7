#pragma once

#include "iw_confine.h"
#include "iw_option.h"

/* The option --confine of the commands that read foreign files. */

enum cmd_confining { CMD_CONFINE_AUTO, CMD_CONFINE_REQUIRED, CMD_CONFINE_OFF };

#define CMD_OPTION_CONFINE                                                                                   \
    "confine", "auto|required|off", 0,                                                                       \
        "before reading, give up the right to open other files and to do\n"                                  \
        "anything else; auto: as far as the kernel can; required: or end [auto]",                            \
        cmd_option_confine

iw_option_take cmd_option_confine; /* sets an enum cmd_confining */

/* Confines the process as wanted, and consumes `confine`. Returns 0, or the exit code with a line on stderr.
 */
int cmd_confine(enum cmd_confining wanted, struct iw_confine *confine);

/* Loads what libcrypto reads at its first use, before iw_confine_enter. */
void cmd_confine_load_hashes(void);

/* Lets the process write in the folder, which must exist for that: creates it unless `wanted` is off. Returns
 * whether it did; the process can then remove the folder, too, while it is empty. */
bool cmd_confine_write_folder(struct iw_confine *confine, enum cmd_confining wanted, const char *folder);

/* Lets the process remove the folder once it is empty. */
void cmd_confine_remove_folder(struct iw_confine *confine, const char *folder);

/* Lets the process write in the folder of the file at `path`. */
void cmd_confine_write_beside(struct iw_confine *confine, const char *path);

#ifndef CMD_H
#define CMD_H

#include <stdbool.h>

#include "iw_exit.h"
#include "iw_text.h"

/* The subcommands of warpcheck. Their name is argv[0]; they return an exit code (iw_exit.h). */

typedef int cmd(int argc, char **argv);

cmd cmd_check, cmd_differential, cmd_extcap, cmd_list, cmd_load, cmd_play, cmd_probe, cmd_report, cmd_run,
    cmd_script, cmd_serve, cmd_synth, cmd_verify_bundle;

/* Prints "warpcheck: text" on stderr, and returns `code`. */
int cmd_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Like cmd_fail, for the file at `path`, which `error`, an errno, keeps from being written. */
enum iw_exit cmd_cannot_write(const char *path, int error);

/* Closes `diagnostics`, and prints each of its lines like cmd_fail. Returns false if memory ran out, also if
 * iw_text_open failed; then prints only that. */
bool cmd_print_diagnostics(struct iw_text *diagnostics);

#endif

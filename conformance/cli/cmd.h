#ifndef CMD_H
#define CMD_H

#include <stdbool.h>

#include "iw_text.h"

/* The subcommands of warpcheck. Their name is argv[0]; they return an exit code (iw_exit.h). */

int cmd_check(int argc, char **argv);
int cmd_differential(int argc, char **argv);
int cmd_extcap(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_load(int argc, char **argv);
int cmd_probe(int argc, char **argv);
int cmd_play(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_synth(int argc, char **argv);
int cmd_verify_bundle(int argc, char **argv);

/* Prints "warpcheck: text" on stderr, and returns `code`. */
int cmd_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Closes `diagnostics`, which may have failed to open, and prints each of its lines like cmd_fail. Returns
 * false, after reporting that, if memory ran out. */
bool cmd_tell(struct iw_text *diagnostics);

#endif

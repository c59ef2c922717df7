#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "iw_exit.h"
#include "iw_text.h"
#include "iw_waiver.h"

/* A subcommand of warpcheck. argv[0] is its name. Returns an exit code (iw_exit.h). */

typedef int cmd(int argc, char **argv);

cmd cmd_check, cmd_differential, cmd_doctor, cmd_explain, cmd_extcap, cmd_help, cmd_list, cmd_load,
    cmd_matrix, cmd_play, cmd_probe, cmd_relay, cmd_report, cmd_run, cmd_script, cmd_serve, cmd_split,
    cmd_synth, cmd_verify_bundle, cmd_watch;

struct cmd_command {
    const char *name;
    const char *summary;
    cmd *run;
    bool connects; /* the command uses sockets, so it ignores SIGPIPE */
};

/* All commands, in the order of the help text. */
extern const struct cmd_command cmd_commands[];
extern const size_t cmd_command_count;

/* Returns NULL for an unknown name. */
const struct cmd_command *cmd_find(const char *name);

/* Prints "warpcheck: text" on stderr, and returns `code`. */
int cmd_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints that the file at `path` cannot be written, and why (`error` is an errno). Returns the exit code. */
enum iw_exit cmd_cannot_write(const char *path, int error);

/* Closes `diagnostics`, and prints its lines on stderr, each after "warpcheck: ". If memory ran out, which
 * includes a failed iw_text_open, prints only that and returns false. */
bool cmd_print_diagnostics(struct iw_text *diagnostics);

/* Reads a file of waivers. Returns false after printing the errors on stderr. */
bool cmd_read_waivers(struct iw_waivers *waivers, const char *path);

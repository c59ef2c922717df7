#pragma once

#include "iw_check_report.h"
#include "iw_live_source.h"

/* The view of `warpcheck watch` on a terminal: a table of all connections, redrawn at ticks. */

/* Whether this program was built with the view. */
bool iw_live_screen_built(void);

struct iw_live_screen;

/* Prepares the terminal of standard output, with all that is read from files; the view takes it over at the
 * first tick. Keys come from standard input, or from /dev/tty if that is something else. `name` names the
 * interfaces. On failure returns NULL with one line in `text`, of IW_LIVE_SOURCE_TEXT_OCTETS octets. All
 * arguments but `text` must outlive the screen, of which there is one at a time. */
struct iw_live_screen *iw_live_screen_open(struct iw_live_source *source, const char *name, char *text);

/* Changes `check`: the terminal is restored before the source ends, so that errors are printed on it. */
void iw_live_screen_wrap(struct iw_live_screen *screen, struct iw_check_source *check);

/* Shows a line about trouble at the foot of the view, instead of the keys, until the view ends. */
void iw_live_screen_notice(struct iw_live_screen *screen, const char *line);

/* For report->form, with the screen as report->state. After the view, prints the report `text` of the
 * connections that the table has. */
extern const struct iw_check_report_form iw_live_screen_form;

/* Restores the terminal; frees the screen. NULL is allowed. */
void iw_live_screen_close(struct iw_live_screen *screen);

/* Restores the terminal in a handler of a signal that ends the process. */
void iw_live_screen_abandon(void);

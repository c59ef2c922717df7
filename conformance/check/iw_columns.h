#ifndef IW_COLUMNS_H
#define IW_COLUMNS_H

#include <stdint.h>
#include <stdio.h>

#include "iw_monitor.h"
#include "iw_status.h"

/* The table of field values that `warpcheck check --fields` prints and that a plain diff holds against
 *
 *     tshark -2 -r FILE -Y iwarp -T fields -e frame.number -e iwarp.X ... -E separator=/t -E occurrence=a -E
 * aggregator=,
 *
 * with the plugin: a row per capture frame, a column per filter name of iw_layout.def and iw_derived.def. */

/* Prints the filter name of each column but the frame number, "iwarp.mpa.rev", one per line, between `before`
 * and `behind`. */
void iw_columns_list(FILE *out, const char *before, const char *behind);

struct iw_columns;

/* NULL when there is no memory. */
struct iw_columns *iw_columns_new(void);
void iw_columns_free(struct iw_columns *columns);

/* Takes the values of an event. When there is no memory for them, the table is incomplete and
 * iw_columns_print says so. */
void iw_columns_event(struct iw_columns *columns, const struct iw_monitor_event *event);

/* Prints the rows in the order of frames: frame number, then the columns, tabs between them, and commas
 * between several values of one column, which stand in the order in which they came. IW_ERR_NOMEM: rows may
 * be missing. */
enum iw_status iw_columns_print(struct iw_columns *columns, FILE *out);

#endif

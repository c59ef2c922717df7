#ifndef IW_COLUMNS_H
#define IW_COLUMNS_H

#include <stdint.h>
#include <stdio.h>

#include "iw_monitor.h"
#include "iw_status.h"

/* The table of field values that `warpcheck check --fields` prints and that diff can compare with
 *
 *     tshark -2 -r FILE -Y iwarp -T fields -e frame.number -e iwarp.X ... -E separator=/t -E occurrence=a -E
 * aggregator=,
 *
 * with the plugin: a row per capture frame, a column per filter name of iw_layout.def and iw_derived.def. */

/* Prints the filter names of all columns except the frame number, each on a line between `before` and
 * `after`. */
void iw_columns_list(FILE *out, const char *before, const char *after);

struct iw_columns;

/* Returns NULL if memory runs out. */
struct iw_columns *iw_columns_new(void);
void iw_columns_free(struct iw_columns *columns);

/* Adds the values of an event. If memory runs out, iw_columns_print returns an error. */
void iw_columns_event(struct iw_columns *columns, const struct iw_monitor_event *event);

/* Prints the rows in the order of frames: frame number and columns, separated by tabs. Commas separate
 * several values of one column, in the order of the events. IW_ERR_NOMEM: rows may be missing. */
enum iw_status iw_columns_print(struct iw_columns *columns, FILE *out);

#endif

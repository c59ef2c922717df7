#pragma once

#include "iw_repeat.h"
#include "iw_selection.h"

/* The order of the cases of a run: all selected ones, as often as the run repeats them, without those that an
 * earlier run has finished. */

struct iw_order {
    const struct iw_run_config *config;
    struct iw_selection selection;
    struct iw_repeats repeats;
    size_t next;     /* index in the selection, of the case that iw_order_next looks at first */
    unsigned repeat; /* of that case, from 1 */
};

/* Selects the cases of `config`, which is borrowed. On failure returns the status, with a line in `error`,
 * and there is nothing to dispose of: see iw_selection_init and iw_repeats_init. */
enum iw_status iw_order_init(
    struct iw_order *order, const struct iw_run_config *config, char *error, size_t error_octets);
void iw_order_dispose(struct iw_order *order);

/* Finds the case that is next, whose repeat is then order->repeat. It stays the next one until iw_order_take.
 * Returns NULL after the last repeat. */
const struct iw_case *iw_order_next(struct iw_order *order);

/* Takes the case that iw_order_next has found. */
void iw_order_take(struct iw_order *order);

/* Takes all cases that are left, and returns their number; in an endless run, those of this repeat. */
unsigned iw_order_take_rest(struct iw_order *order);

/* Returns what the results have as the repeat of a case: `repeat`, or 0 if the run does not repeat. */
unsigned iw_order_number(const struct iw_order *order, unsigned repeat);

/* Writes the path of the capture of a case into `path`; "" if the run writes none. A repeat has its number in
 * it. */
void iw_order_name_capture(
    const struct iw_order *order, const struct iw_case *one, unsigned repeat, char path[512]);

/* Counts the result of a repeat of its case, if the trial has finished. If the verdict is that of the first
 * repeat, deletes the capture and the log of a later one, which then has no path. */
void iw_order_count(struct iw_order *order, struct iw_trial_result *result, unsigned repeat);

/* Reports the cases whose verdicts differ between repeats to the handler of the run. Returns their number. */
unsigned iw_order_report_flakes(const struct iw_order *order);

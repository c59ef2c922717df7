#pragma once

#include "iw_run.h"

/* The selected cases of a run, and whether each of them applies to the device. */

struct iw_selection {
    const struct iw_case **cases; /* selected cases of this shard, in the order of the catalogue */
    size_t count;
    size_t total;                     /* number of selected cases of all shards */
    bool about[IW_REQUIREMENT_COUNT]; /* requirements that the selected cases of all shards are about */
};

/* Selects the cases by `tiers`, `only` and `skip`. The shards get the selected cases in turn. Returns IW_OK,
 * or with nothing to dispose of: IW_ERR_NOMEM; IW_ERR_LIMIT if a pattern takes too long. */
enum iw_status iw_selection_init(struct iw_selection *selection, const struct iw_run_config *config);

/* Returns why iw_selection_init has failed. */
const char *iw_selection_failure(const struct iw_run_config *config);
void iw_selection_dispose(struct iw_selection *selection);

enum { IW_SELECTION_REASON_OCTETS = 96 };

/* Returns true if the suite can run the case on the device. Otherwise sets the verdict, writes the reason and
 * returns false: NOT_APPLICABLE if the device does not make a claim that the case needs; NOT_TESTED if the
 * suite lacks access to the device, or the case has a danger that is not allowed. */
bool iw_selection_can_run(const struct iw_run_config *config, const struct iw_case *one,
    enum iw_verdict *verdict, char reason[IW_SELECTION_REASON_OCTETS]);

#ifndef IW_SELECTION_H
#define IW_SELECTION_H

#include "iw_run.h"

/* Which cases of a catalogue a run has, and which of them apply to its device. */

struct iw_selection {
    const struct iw_case **cases; /* of this shard, in the order of the catalogue */
    size_t count;
    size_t total; /* of all shards */
};

/* What `tiers`, `only` and `skip` leave; of that each shard has every `shards`-th, the first one from the
 * first on. IW_ERR_NOMEM: there is then nothing to dispose. */
enum iw_status iw_selection_init(struct iw_selection *selection, const struct iw_run_config *config);
void iw_selection_dispose(struct iw_selection *selection);

enum { IW_SELECTION_REASON_OCTETS = 96 };

/* Whether the device can be asked, may be put in that danger, and does claim what the case needs; writes why
 * not otherwise. */
bool iw_selection_applies(
    const struct iw_run_config *config, const struct iw_case *one, char reason[IW_SELECTION_REASON_OCTETS]);

#endif

#ifndef IW_SELECTION_H
#define IW_SELECTION_H

#include "iw_run.h"

/* The cases of a catalogue that are part of a run, and which of them apply to its device. */

struct iw_selection {
    const struct iw_case **cases; /* of this shard, in the order of the catalogue */
    size_t count;
    size_t total; /* of all shards */
};

/* Selects by `tiers`, `only` and `skip`; each shard gets every `shards`-th selected case. IW_ERR_NOMEM: there
 * is then nothing to dispose. */
enum iw_status iw_selection_init(struct iw_selection *selection, const struct iw_run_config *config);
void iw_selection_dispose(struct iw_selection *selection);

enum { IW_SELECTION_REASON_OCTETS = 96 };

/* Whether the case can run on the device, its dangers are allowed, and the device makes the claims that
 * it needs. Otherwise writes the reason. */
bool iw_selection_applies(
    const struct iw_run_config *config, const struct iw_case *one, char reason[IW_SELECTION_REASON_OCTETS]);

#endif

#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "iw_loop.h"
#include "iw_matrix_file.h"

/* Runs a cell: starts the responder, then a relay to it, then the initiator, which connects to the relay. The
 * relay records and judges both. The folder of the cell gets the capture, the judgement, what each process
 * printed, and a page with the sequence diagram. */

struct iw_matrix_trial_config {
    struct iw_loop *loop; /* a real one */
    const struct iw_matrix_peer *peer[IW_MATRIX_ROLES];
    const struct iw_matrix_scenario *scenario;
    const char *folder;  /* exists; borrowed */
    const char *name;    /* of the folder where the files will be, for the results; borrowed */
    const char *program; /* path of warpcheck */
    uint32_t timeout_ms; /* of each step: the responder listens, the initiator ends, the judge ends */
    unsigned seconds;    /* of scenarios that have any: instead of theirs, and added to the timeout */
    bool every_evidence; /* keep the evidence of a cell that passes, too */
    /* Called once from the loop, with the result, which it takes over: "verdict" and what belongs to it. Not
     * after iw_matrix_trial_free. The trial may be freed in it. */
    void (*done)(void *user, json_t *result);
    void *user;
};

struct iw_matrix_trial;

/* Returns NULL if memory runs out. `config` is copied. */
struct iw_matrix_trial *iw_matrix_trial_new(const struct iw_matrix_trial_config *config);

/* Ends all processes of the trial. Run or free the loop afterwards. NULL is allowed. */
void iw_matrix_trial_free(struct iw_matrix_trial *trial);

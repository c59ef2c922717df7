#pragma once

#include "iw_outcome.h"
#include "iw_run_option.h"
#include "iw_selection.h"
#include "iw_sweep.h"

/* The settings of a run, made again from the header of its results, for iw_selection_can_run. */

enum { IW_BUNDLE_PLAN_CLAIMS_MAX = 64, IW_BUNDLE_PLAN_TEXT_OCTETS = 160 };

struct iw_bundle_plan {
    struct iw_catalogue builtin; /* the cases of this program, or of a folder */
    struct iw_sweep sweep;       /* cases generated from them, if the run did */
    struct iw_profile profile;
    const char *without[IW_BUNDLE_PLAN_CLAIMS_MAX]; /* claims that the device does not make */
    struct iw_run_options options;
    struct iw_dut_agent agent;
    struct iw_dut_starter starter;
    struct iw_run_config run; /* settings of selection, claims and access; points to other members */
    const char *denied[IW_BUNDLE_PLAN_CLAIMS_MAX]; /* arguments of --without */
    struct iw_claims stated; /* what the user stated of the device, which it may contradict */
    struct iw_selection selection;
    json_t *places; /* maps the id of a case of the run to its index in the catalogue */
    bool known;     /* the cases of the run are these cases */
    bool selected;  /* the header has the options that select cases */
    char unknown[IW_BUNDLE_PLAN_TEXT_OCTETS]; /* why not `known`, in a line that is not yet printable */
    char fault[IW_BUNDLE_PLAN_TEXT_OCTETS];   /* what is wrong with the options; "": nothing */
};

/* Makes the plan, with the cases in the folder `cases` (NULL: those of the program). Dispose of it in any
 * case. A lack of memory is noted (iw_bundle_note_no_memory). The plan borrows from `run`. */
void iw_bundle_plan_init(struct iw_bundle_plan *plan, const struct iw_outcome_run *run, const char *cases);
void iw_bundle_plan_dispose(struct iw_bundle_plan *plan);

/* Returns the case with this id; NULL: it is unknown, or was not selected. */
const struct iw_case *iw_bundle_plan_find(const struct iw_bundle_plan *plan, const char *id);

#pragma once

#include "iw_bundle_check.h"
#include "iw_bundle_texts.h"

/* What the capture of a case shows of the device, against what the results say. */

struct iw_bundle_seen {
    struct iw_bundle_texts findings; /* of both sides, as iw_bundle_finding_text writes them; sorted */
    struct iw_trial_result result;   /* findings, close and Terminate of the device */
    struct iw_contradictions contradictions;
};

/* Returns "STREAM FRAME SIDE REQUIREMENT LEVEL MESSAGE", which the caller frees; NULL if memory runs out.
 * `side` is the name of its role. */
char *iw_bundle_finding_text(uint64_t stream, uint64_t frame, const char *side, const char *requirement,
    const char *level, const char *message);

/* Adds a fault if the results lack findings of the capture, or the capture lacks findings of the results; if
 * the verdict is milder than the findings permit; if the close or the Terminate differs; or if the results
 * lack a claim that the device contradicts. */
void iw_bundle_device_check(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_bundle_seen *seen);

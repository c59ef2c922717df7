#pragma once

#include "iw_bundle_check.h"
#include "iw_bundle_texts.h"

/* What the capture of a case shows of the device, against what the results say. */

struct iw_bundle_seen {
    struct iw_bundle_texts findings; /* of both sides, as iw_bundle_finding_text writes them; sorted */
    struct iw_trial_result result;   /* findings, close and Terminate of the device */
    struct iw_contradictions contradictions;
    uint64_t device_events;        /* number of events of the device, its closes included */
    uint64_t first_ns, last_ns;    /* times of packets; 0: no packet */
    struct iw_tcp_address address; /* of the device, in its last connection; version 0: no TCP */
};

/* Returns the members of an object "finding" that its capture determines, as one line, which the caller
 * frees; NULL if memory runs out. */
char *iw_bundle_finding_text(const json_t *finding);

/* Adds a fault if the results lack findings of the capture, or the capture lacks findings of the results; if
 * the verdict is milder than the findings permit; if the close or the Terminate differs; or if the results
 * lack a claim that the device contradicts. */
void iw_bundle_device_check(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_bundle_seen *seen);

/* Adds a fault if the verdict is milder than the findings permit that are left in shortened evidence. */
void iw_bundle_device_check_shortened(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_bundle_seen *seen);

/* iw_bundle_origin.c. Adds a fault if the packets were captured before or after the run, or at an address
 * that is not that of the peer. */
void iw_bundle_origin_check(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_bundle_seen *seen);

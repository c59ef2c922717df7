#pragma once

#include "iw_impaired_facts.h"
#include "iw_trial_result.h"

/* The verdict of a case of tier relay about one device. */

/* Sets verdict and reason of `result`, whose case is of tier relay, from the facts of its conversation and
 * from those of a conversation of the same devices without impairment (`base`). Findings are not judged here
 * (iw_trial_result_judge).
 *
 * INCONCLUSIVE: nothing was impaired, or the order of the octets does not prove that the device has reacted
 * to the impaired unit. NOT_APPLICABLE: the devices do not use what the case needs. NOT_TESTED: the other
 * device did not do what the case is about. Without octets that prove a fault, no case fails. */
void iw_impaired_verdict(struct iw_trial_result *result, const struct iw_impaired_facts *facts,
    const struct iw_impaired_facts *base, const struct iw_verdict_rules *rules);

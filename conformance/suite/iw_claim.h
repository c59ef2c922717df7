#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "iw_monitor.h"
#include "iw_profile.h"

/* The claims of a device (what it says it supports), and its behaviour that contradicts them. A contradiction
 * violates no clause, but shows that the profile is wrong. */

struct iw_claims {
    const struct iw_profile *profile; /* NULL: the device makes all claims but those in `without` */
    const char *const *without;       /* claims that the device does not make, whatever `profile` says */
    size_t without_count;
    bool inferred; /* the suite made the profile by probing: nothing contradicts it */
};

/* Returns whether the device makes the claim. */
bool iw_claims_make(const struct iw_claims *claims, const char *claim);

enum { IW_CONTRADICTIONS_MAX = 8 };

struct iw_contradiction {
    const char *claim; /* name of the claim, such as "markers" or "ird" */
    char message[160]; /* what the device claims, and what it does instead */
};

/* The contradictions of a case: for each claim, only the first. */
struct iw_contradictions {
    struct iw_contradiction list[IW_CONTRADICTIONS_MAX];
    unsigned count;
};

/* Adds the claims that an event of the device contradicts to `found`; adds none if neither a profile nor
 * `without` is given. `settings` has the fields of all `configure` requests to the agent (docs/agent.md), or
 * is NULL: behaviour that these fields requested contradicts no claim. */
void iw_claims_check(const struct iw_claims *claims, struct iw_contradictions *found, const json_t *settings,
    const struct iw_monitor_event *event);

/* Call when the agent has rejected `request` as `unsupported`; `words` is its reason. If the device claims
 * what the request needs, adds that claim to `found`. */
void iw_claims_refused(const struct iw_claims *claims, struct iw_contradictions *found, const json_t *request,
    const char *words);

#ifndef IW_CLAIM_H
#define IW_CLAIM_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "iw_monitor.h"
#include "iw_profile.h"

/* What a device claims, and what contradicts its claims. A contradiction violates no clause; it shows
 * that the profile is wrong. */

struct iw_claims {
    const struct iw_profile *profile; /* NULL: all claims */
    const char *const *without;       /* claims excluded from the profile */
    size_t without_count;
};

/* Whether the device makes the claim: `without` does not exclude it, and the profile, if any, has it. */
bool iw_claims_make(const struct iw_claims *claims, const char *claim);

enum { IW_CONTRADICTIONS_MAX = 8 };

struct iw_contradiction {
    const char *claim; /* "markers", "no-crc", "ird", ... */
    char message[160]; /* the claim, and the contradicting behaviour */
};

/* The first contradiction of each claim. */
struct iw_contradictions {
    struct iw_contradiction list[IW_CONTRADICTIONS_MAX];
    unsigned count;
};

/* Checks an event of the device. `settings` are the fields of all `configure` requests to the agent
 * (docs/agent.md), an object or NULL: what they set contradicts no claim. */
void iw_claims_check(const struct iw_claims *claims, struct iw_contradictions *found, const json_t *settings,
    const struct iw_monitor_event *event);

/* The agent has rejected the request as `unsupported`, with this text. */
void iw_claims_refused(const struct iw_claims *claims, struct iw_contradictions *found, const json_t *request,
    const char *words);

#endif

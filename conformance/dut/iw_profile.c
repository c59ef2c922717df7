#include "iw_profile.h"

#include <string.h>

#include "iw_agent_state.h"

struct iw_profile iw_profile_default(void) {
    return (struct iw_profile){
        .roles = IW_PROFILE_RESPONDER | IW_PROFILE_INITIATOR,
        .revisions = IW_PROFILE_REVISION_1 | IW_PROFILE_REVISION_2,
        .markers = true,
        .crc_reports = true,
        .rtr = IW_RTR_SEND | IW_RTR_WRITE | IW_RTR_READ,
        .ird = 8,
        .ord = 8,
        .atomics = true,
        .swap = true,
        .immediate = true,
        .atomic_write = true,
        .sctp = true,
        .flush = IW_PROFILE_PERSIST | IW_PROFILE_EXPOSE,
        .hashes = (1u << (IW_HASH_COUNT - 1)) - 1,
        .limits = {.region = IW_AGENT_REGION_MAX, .message = UINT32_MAX, .private_data = 512},
        .startup_timeout_s = IW_PROFILE_STARTUP_TIMEOUT_S,
    };
}

/* ---- claims ---- */

enum claim {
    RESPONDER,
    INITIATOR,
    REV_1,
    REV_2,
    MARKERS,
    NO_CRC,
    CRC_REPORTS,
    RTR_SEND,
    RTR_WRITE,
    RTR_READ,
    ATOMIC,
    SWAP,
    IMMEDIATE,
    FLUSH_PERSIST,
    FLUSH_EXPOSE,
    VERIFY,
    VERIFY_CRC32C,
    VERIFY_SHA256,
    VERIFY_SHA512,
    ATOMIC_WRITE,
    SCTP,
    CLAIMS,
};

static const char *const claims[CLAIMS + 1] = {
    [RESPONDER] = "responder",
    [INITIATOR] = "initiator",
    [REV_1] = "rev-1",
    [REV_2] = "rev-2",
    [MARKERS] = "markers",
    [NO_CRC] = "no-crc",
    [CRC_REPORTS] = "crc-reports",
    [RTR_SEND] = "rtr-send",
    [RTR_WRITE] = "rtr-write",
    [RTR_READ] = "rtr-read",
    [ATOMIC] = "atomic",
    [SWAP] = "swap",
    [IMMEDIATE] = "immediate",
    [FLUSH_PERSIST] = "flush-persist",
    [FLUSH_EXPOSE] = "flush-expose",
    [VERIFY] = "verify",
    [VERIFY_CRC32C] = "verify-crc32c",
    [VERIFY_SHA256] = "verify-sha256",
    [VERIFY_SHA512] = "verify-sha512",
    [ATOMIC_WRITE] = "atomic-write",
    [SCTP] = "sctp",
};

const char *iw_profile_claim(size_t index) {
    return claims[index];
}

static bool makes(const struct iw_profile *profile, enum claim claim) {
    bool second = (profile->revisions & IW_PROFILE_REVISION_2) != 0;

    switch (claim) {
    case RESPONDER:
        return (profile->roles & IW_PROFILE_RESPONDER) != 0;
    case INITIATOR:
        return (profile->roles & IW_PROFILE_INITIATOR) != 0;
    case REV_1:
        return (profile->revisions & IW_PROFILE_REVISION_1) != 0;
    case REV_2:
        return second;
    case MARKERS:
        return profile->markers;
    case NO_CRC:
        return profile->crc_if_asked;
    case CRC_REPORTS:
        return profile->crc_reports;
    case RTR_SEND:
        return second && (profile->rtr & IW_RTR_SEND) != 0;
    case RTR_WRITE:
        return second && (profile->rtr & IW_RTR_WRITE) != 0;
    case RTR_READ:
        return second && (profile->rtr & IW_RTR_READ) != 0;
    case ATOMIC:
        return profile->atomics;
    case SWAP:
        return profile->swap;
    case IMMEDIATE:
        return profile->immediate;
    case FLUSH_PERSIST:
        return (profile->flush & IW_PROFILE_PERSIST) != 0;
    case FLUSH_EXPOSE:
        return (profile->flush & IW_PROFILE_EXPOSE) != 0;
    case VERIFY:
        return profile->hashes != 0;
    case VERIFY_CRC32C:
    case VERIFY_SHA256:
    case VERIFY_SHA512:
        return (profile->hashes & 1u << (claim - VERIFY_CRC32C)) != 0;
    case ATOMIC_WRITE:
        return profile->atomic_write;
    case SCTP:
        return profile->sctp;
    case CLAIMS:
        break;
    }
    return false;
}

bool iw_profile_claims(const struct iw_profile *profile, const char *claim, bool *known) {
    enum claim i = RESPONDER;

    while (i < CLAIMS && strcmp(claims[i], claim) != 0)
        i++;
    if (known)
        *known = i < CLAIMS;
    return i < CLAIMS && makes(profile, i);
}

/* ---- the reference ---- */

/* A document counts as supported if any of its messages is: opcodes cannot be enabled one by one. */
static unsigned extensions_of(const struct iw_profile *profile) {
    unsigned extensions = IW_EXT_BASE;

    if (profile->atomics || profile->immediate)
        extensions |= IW_EXT_RFC7306;
    if (profile->flush || profile->hashes || profile->atomic_write)
        extensions |= IW_EXT_COMMIT;
    if (profile->swap)
        extensions |= IW_EXT_STORM;
    return extensions;
}

void iw_profile_configure(const struct iw_profile *profile, struct iw_endpoint_config *config) {
    config->revision = profile->revisions & IW_PROFILE_REVISION_2 ? config->revision : 1;
    config->no_crc = profile->crc_if_asked;
    config->rtr = profile->rtr;
    config->ird = profile->ird;
    config->ord = profile->ord;
    config->extensions &= extensions_of(profile);
}

/* ---- as JSON ---- */

static json_t *limits(const struct iw_profile *profile) {
    return json_pack("{sIsIsi}", "region", (json_int_t)profile->limits.region, "message",
        (json_int_t)profile->limits.message, "private_data", (int)profile->limits.private_data);
}

static json_t *claims_of(const struct iw_profile *profile) {
    json_t *list = json_array();

    for (enum claim i = RESPONDER; i < CLAIMS; i++)
        if (makes(profile, i))
            json_array_append_new(list, json_string(claims[i]));
    return list;
}

json_t *iw_profile_json(const struct iw_profile *profile) {
    return json_pack("{sssssosisisosisi}", "profile", profile->name, "words", profile->words, "claims",
        claims_of(profile), "ird", (int)profile->ird, "ord", (int)profile->ord, "limits", limits(profile),
        "settle", (int)profile->settle_ms, "startup_timeout", (int)profile->startup_timeout_s);
}

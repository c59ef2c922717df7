#include "iw_profile.h"

#include <stdio.h>
#include <string.h>

#include "iw_agent.h"

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
        .service_timeout_s = IW_PROFILE_SERVICE_TIMEOUT_S,
    };
}

/* ---- claims ---- */

struct claim {
    const char *name;
    bool made;
};

/* The claim at `index`; after the last claim, the name is NULL. */
static struct claim profile_claim_at(const struct iw_profile *profile, size_t index) {
    bool second = profile->revisions & IW_PROFILE_REVISION_2;
    const struct claim claims[] = {
        {"responder", profile->roles & IW_PROFILE_RESPONDER},
        {"initiator", profile->roles & IW_PROFILE_INITIATOR},
        {"rev-1", profile->revisions & IW_PROFILE_REVISION_1},
        {"rev-2", second},
        {"markers", profile->markers},
        {"no-crc", profile->crc_if_asked},
        {"crc-reports", profile->crc_reports},
        {"rtr-send", second && profile->rtr & IW_RTR_SEND},
        {"rtr-write", second && profile->rtr & IW_RTR_WRITE},
        {"rtr-read", second && profile->rtr & IW_RTR_READ},
        {"atomic", profile->atomics},
        {"swap", profile->swap},
        {"immediate", profile->immediate},
        {"flush-persist", profile->flush & IW_PROFILE_PERSIST},
        {"flush-expose", profile->flush & IW_PROFILE_EXPOSE},
        {"verify", profile->hashes},
        {"verify-crc32c", profile->hashes & 1u << (IW_HASH_CRC32C - 1)},
        {"verify-sha256", profile->hashes & 1u << (IW_HASH_SHA256 - 1)},
        {"verify-sha512", profile->hashes & 1u << (IW_HASH_SHA512 - 1)},
        {"atomic-write", profile->atomic_write},
        {"sctp", profile->sctp},
        {NULL, false},
    };

    return claims[index];
}

const char *iw_profile_claim(size_t index) {
    return profile_claim_at(&(struct iw_profile){0}, index).name;
}

bool iw_profile_claims(const struct iw_profile *profile, const char *claim, bool *known) {
    size_t i = 0;

    while (iw_profile_claim(i) && strcmp(iw_profile_claim(i), claim) != 0)
        i++;
    if (known)
        *known = iw_profile_claim(i) != NULL;
    return profile_claim_at(profile, i).made;
}

/* ---- the reference ---- */

/* A document counts as supported if one of its messages is supported: opcodes cannot be enabled one by one.
 */
static unsigned profile_extensions_of(const struct iw_profile *profile) {
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
    config->extensions &= profile_extensions_of(profile);
}

/* ---- as JSON ---- */

static json_t *profile_claims_of(const struct iw_profile *profile) {
    json_t *list = json_array();

    for (size_t i = 0; iw_profile_claim(i); i++)
        if (profile_claim_at(profile, i).made)
            json_array_append_new(list, json_string(iw_profile_claim(i)));
    return list;
}

json_t *iw_profile_json(const struct iw_profile *profile) {
    return json_pack("{s:s, s:s, s:o, s:i, s:i, s:{s:I, s:I, s:i}, s:i, s:i, s:i}", "profile", profile->name,
        "words", profile->words, "claims", profile_claims_of(profile), "ird", (int)profile->ird, "ord",
        (int)profile->ord, "limits", "region", (json_int_t)profile->limits.region, "message",
        (json_int_t)profile->limits.message, "private_data", (int)profile->limits.private_data, "settle",
        (int)profile->settle_ms, "startup_timeout", (int)profile->startup_timeout_s, "service_timeout",
        (int)profile->service_timeout_s);
}

static bool profile_row_has(const json_t *claims, const char *name) {
    const json_t *claim;
    size_t i;

    json_array_foreach(claims, i, claim) if (strcmp(json_string_value(claim), name) == 0) return true;
    return false;
}

static unsigned profile_row_set(const json_t *claims, const char *const *names) {
    unsigned set = 0;

    for (unsigned i = 0; names[i]; i++)
        set |= profile_row_has(claims, names[i]) ? 1u << i : 0;
    return set;
}

static void profile_row_take_claims(struct iw_profile *profile, const json_t *claims) {
    static const char *const roles[] = {"responder", "initiator", NULL};
    static const char *const revisions[] = {"rev-1", "rev-2", NULL};
    static const char *const flushes[] = {"flush-persist", "flush-expose", NULL};
    static const char *const hashes[] = {"verify-crc32c", "verify-sha256", "verify-sha512", NULL};

    profile->roles = profile_row_set(claims, roles);
    profile->revisions = profile_row_set(claims, revisions);
    profile->markers = profile_row_has(claims, "markers");
    profile->crc_if_asked = profile_row_has(claims, "no-crc");
    profile->crc_reports = profile_row_has(claims, "crc-reports");
    profile->rtr = (profile_row_has(claims, "rtr-send") ? IW_RTR_SEND : 0u) |
                   (profile_row_has(claims, "rtr-write") ? IW_RTR_WRITE : 0u) |
                   (profile_row_has(claims, "rtr-read") ? IW_RTR_READ : 0u);
    profile->atomics = profile_row_has(claims, "atomic");
    profile->swap = profile_row_has(claims, "swap");
    profile->immediate = profile_row_has(claims, "immediate");
    profile->flush = profile_row_set(claims, flushes);
    profile->hashes = profile_row_set(claims, hashes);
    profile->atomic_write = profile_row_has(claims, "atomic-write");
    profile->sctp = profile_row_has(claims, "sctp");
}

bool iw_profile_of_json(struct iw_profile *profile, const json_t *row) {
    const char *name, *words;
    json_t *claims, *claim, *limits;
    json_int_t region, message;
    int ird, ord, private_data, settle, timeout, service = IW_PROFILE_SERVICE_TIMEOUT_S;
    size_t i;

    *profile = iw_profile_default();
    if (json_unpack((json_t *)row, "{s:s, s:s, s:o, s:i, s:i, s:o, s:i, s:i, s?i}", "profile", &name, "words",
            &words, "claims", &claims, "ird", &ird, "ord", &ord, "limits", &limits, "settle", &settle,
            "startup_timeout", &timeout, "service_timeout", &service) != 0 ||
        json_unpack(limits, "{s:I, s:I, s:i}", "region", &region, "message", &message, "private_data",
            &private_data) != 0 ||
        !json_is_array(claims))
        return false;
    json_array_foreach(claims, i, claim) if (!json_is_string(claim)) return false;
    snprintf(profile->name, sizeof profile->name, "%s", name);
    snprintf(profile->words, sizeof profile->words, "%s", words);
    profile_row_take_claims(profile, claims);
    profile->ird = (uint16_t)ird;
    profile->ord = (uint16_t)ord;
    profile->limits.region = (uint64_t)region;
    profile->limits.message = (uint64_t)message;
    profile->limits.private_data = (uint16_t)private_data;
    profile->settle_ms = (unsigned)settle;
    profile->startup_timeout_s = (unsigned)timeout;
    profile->service_timeout_s = (unsigned)service;
    return true;
}

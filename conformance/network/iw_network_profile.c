#include "iw_network_profile.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "iw_option.h"
#include "iw_percentage.h"

enum {
    DELAY_MS_MAX = 10000,
    RATE_MBIT_MAX = 100000,
    WAIT_MS_MAX = 600000,
    /* Five retransmissions in a row, at 0.2 s (Linux: TCP_RTO_MIN) and twice as long each time (RFC
     * 6298 5.5), take 6.2 s; three of a SYN, at 1 s (RFC 6298 2.1), take 7 s. */
    RETRANSMISSION_MS = 7000,
    QUEUE_PACKETS = 100000,    /* of netem: more than all connections have in flight */
    QUEUE_KBIT = 4 * 1024 * 8, /* 4 MiB, which the kernel takes from a program before it sends them */
};

const struct iw_network_named iw_network_names[] = {
#define NETWORK(name, values, about) {name, values, about},
#include "iw_network_profile.def"
#undef NETWORK
};
const size_t iw_network_name_count = sizeof iw_network_names / sizeof *iw_network_names;

/* ---- values ---- */

static bool profile_read_share(const char *text, uint32_t *millionths) {
    return iw_percentage_read(text, millionths) && *millionths < 1000000;
}

/* Reads a number with its unit. */
static bool profile_read_unit(
    const char *text, const char *unit, unsigned long low, unsigned long high, uint32_t *value) {
    size_t length = strlen(text), suffix = strlen(unit);
    char digits[16];
    unsigned long number;

    if (length <= suffix || length - suffix >= sizeof digits || strcmp(text + length - suffix, unit) != 0)
        return false;
    snprintf(digits, sizeof digits, "%.*s", (int)(length - suffix), text);
    if (!iw_option_read_number(digits, low, high, &number))
        return false;
    *value = (uint32_t)number;
    return true;
}

static bool profile_read_loss(const char *text, struct iw_network_profile *profile) {
    return profile_read_share(text, &profile->loss);
}

static bool profile_read_reorder(const char *text, struct iw_network_profile *profile) {
    return profile_read_share(text, &profile->reorder);
}

static bool profile_read_duplicate(const char *text, struct iw_network_profile *profile) {
    return profile_read_share(text, &profile->duplicate);
}

static bool profile_read_delay(const char *text, struct iw_network_profile *profile) {
    return profile_read_unit(text, "ms", 0, DELAY_MS_MAX, &profile->delay_ms);
}

static bool profile_read_rate(const char *text, struct iw_network_profile *profile) {
    bool good = profile_read_unit(text, "mbit", 1, RATE_MBIT_MAX, &profile->rate_kbit);

    profile->rate_kbit *= 1000;
    return good;
}

static bool profile_read_mtu(const char *text, struct iw_network_profile *profile) {
    return profile_read_unit(text, "", IW_NETWORK_MTU_MIN, IW_NETWORK_MTU_MAX, &profile->mtu);
}

static bool profile_read_seed(const char *text, struct iw_network_profile *profile) {
    return profile_read_unit(text, "", 1, INT32_MAX, &profile->seed);
}

static bool profile_read_wait(const char *text, struct iw_network_profile *profile) {
    uint32_t seconds;
    bool good = profile_read_unit(text, "s", 1, WAIT_MS_MAX / 1000, &seconds);

    if (good)
        profile->wait_ms = seconds * 1000;
    return good;
}

static const struct {
    const char *key;
    const char *takes;
    bool (*read)(const char *text, struct iw_network_profile *profile);
} profile_keys[] = {
    {"loss", "a percentage below 100%, such as 0.5%", profile_read_loss},
    {"reorder", "a percentage below 100%, such as 25%", profile_read_reorder},
    {"duplicate", "a percentage below 100%, such as 5%", profile_read_duplicate},
    {"delay", "0ms to 10000ms", profile_read_delay},
    {"rate", "1mbit to 100000mbit", profile_read_rate},
    {"mtu", "576 to 65535 octets", profile_read_mtu},
    {"seed", "1 to 2147483647", profile_read_seed},
    {"wait", "1s to 600s", profile_read_wait},
};

/* ---- a profile ---- */

/* How much later an answer can arrive than over a network that does nothing to packets. */
static uint32_t profile_wait_ms(const struct iw_network_profile *profile) {
    uint32_t wait_ms = 2 * profile->delay_ms;

    if (iw_network_profile_loses(profile))
        wait_ms += RETRANSMISSION_MS;
    if (profile->rate_kbit > 0)
        wait_ms += (uint32_t)((uint64_t)QUEUE_KBIT * 1000 / profile->rate_kbit);
    return wait_ms;
}

/* Reads one KEY=VALUE. */
static bool profile_read_pair(
    char *pair, struct iw_network_profile *profile, char *error, size_t error_octets) {
    char *value = strchr(pair, '=');

    if (value != NULL)
        *value++ = '\0';
    for (size_t i = 0; value != NULL && i < sizeof profile_keys / sizeof *profile_keys; i++) {
        if (strcmp(profile_keys[i].key, pair) != 0)
            continue;
        if (profile_keys[i].read(value, profile))
            return true;
        snprintf(error, error_octets, "%s takes %s, not %.60s", pair, profile_keys[i].takes, value);
        return false;
    }
    snprintf(error, error_octets,
        value != NULL ? "unknown key %.60s (known: loss, reorder, duplicate, delay, rate, mtu, seed, wait)"
                      : "unknown network %.60s (see warpcheck list networks)",
        pair);
    return false;
}

static bool profile_read_values(
    const char *values, struct iw_network_profile *profile, char *error, size_t error_octets) {
    char copy[IW_NETWORK_NAME_OCTETS], *rest = copy, *pair;

    snprintf(copy, sizeof copy, "%s", values);
    while ((pair = strsep(&rest, ",")) != NULL)
        if (*values != '\0' && !profile_read_pair(pair, profile, error, error_octets))
            return false;
    if (profile->reorder > 0 && profile->delay_ms == 0) {
        snprintf(error, error_octets, "reorder needs a delay: packets overtake those that are delayed");
        return false;
    }
    if (profile->wait_ms == 0)
        profile->wait_ms = profile_wait_ms(profile);
    return true;
}

bool iw_network_profile_read(
    const char *text, struct iw_network_profile *profile, char *error, size_t error_octets) {
    const char *values = text;

    *profile = (struct iw_network_profile){.mtu = IW_NETWORK_MTU, .seed = IW_NETWORK_SEED};
    if (text[0] == '\0' || strlen(text) >= sizeof profile->name) {
        snprintf(error, error_octets, "a network has 1 to %d characters", IW_NETWORK_NAME_OCTETS - 1);
        return false;
    }
    snprintf(profile->name, sizeof profile->name, "%s", text);
    for (size_t i = 0; i < iw_network_name_count; i++)
        if (strcmp(iw_network_names[i].name, text) == 0)
            values = iw_network_names[i].values;
    return profile_read_values(values, profile, error, error_octets);
}

bool iw_network_profile_loses(const struct iw_network_profile *profile) {
    return profile->loss > 0 || profile->reorder > 0;
}

bool iw_network_profile_changes_segments(const struct iw_network_profile *profile) {
    return iw_network_profile_loses(profile) || profile->mtu < IW_NETWORK_MTU;
}

bool iw_network_profile_needs_netem(const struct iw_network_profile *profile) {
    return iw_network_profile_loses(profile) || profile->duplicate > 0 || profile->delay_ms > 0;
}

/* ---- words ---- */

__attribute__((format(printf, 2, 3))) static void profile_add_words(
    char words[IW_NETWORK_WORDS_OCTETS], const char *format, ...) {
    size_t length = strlen(words);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(words + length, IW_NETWORK_WORDS_OCTETS - length, format, arguments);
    va_end(arguments);
}

void iw_network_profile_netem(const struct iw_network_profile *profile, char words[IW_NETWORK_WORDS_OCTETS]) {
    words[0] = '\0';
    if (!iw_network_profile_needs_netem(profile))
        return;
    profile_add_words(words, "limit %d", QUEUE_PACKETS);
    if (profile->delay_ms > 0)
        profile_add_words(words, " delay %" PRIu32 "ms", profile->delay_ms);
    if (profile->loss > 0)
        profile_add_words(words, " loss %g%%", profile->loss / 10000.0);
    if (profile->duplicate > 0)
        profile_add_words(words, " duplicate %g%%", profile->duplicate / 10000.0);
    if (profile->reorder > 0)
        profile_add_words(words, " reorder %g%%", profile->reorder / 10000.0);
    if (profile->rate_kbit > 0)
        profile_add_words(words, " rate %" PRIu32 "kbit", profile->rate_kbit);
}

void iw_network_profile_words(const struct iw_network_profile *profile, char words[IW_NETWORK_WORDS_OCTETS]) {
    const struct {
        const char *name;
        uint32_t share;
    } shares[] = {{"loss", profile->loss}, {"reorder", profile->reorder}, {"duplicate", profile->duplicate}};

    words[0] = '\0';
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (shares[i].share > 0)
            profile_add_words(words, "%s %g %%, ", shares[i].name, shares[i].share / 10000.0);
    if (profile->delay_ms > 0)
        profile_add_words(words, "delay %" PRIu32 " ms, ", profile->delay_ms);
    if (profile->rate_kbit > 0)
        profile_add_words(words, "rate %" PRIu32 " Mbit/s, ", profile->rate_kbit / 1000);
    profile_add_words(words, "MTU %" PRIu32, profile->mtu);
}

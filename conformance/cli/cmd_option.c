#include "cmd_option.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "iw_extensions.h"

enum { SECONDS_MAX = 1000000 };

int cmd_option_address(const struct iw_usage *usage, int option, char *host, size_t host_octets,
    unsigned short *port, const char **where) {
    *where = host;
    return iw_option_address(optarg, host, host_octets, port)
               ? 0
               : iw_option_error(usage, "--%s takes HOST:PORT, not %s", usage->options[option].name, optarg);
}

int cmd_option_sctp(const struct iw_usage *usage, struct iw_sctp_where *where, char *host, size_t host_octets,
    _Bool listens) {
    where->host = host;
    if (iw_option_sctp(optarg, host, host_octets, &where->port, &where->tunnelled, &where->tunnel) &&
        (listens || (where->port > 0 && (!where->tunnelled || where->tunnel > 0))))
        return 0;
    return iw_option_error(
        usage, "--sctp takes HOST:PORT, udp:HOST:PORT or udp/PORT:HOST:PORT, not %s", optarg);
}

int cmd_option_defect(const struct iw_usage *usage, const struct iw_defect **defect) {
    *defect = iw_defect_find(optarg);
    return *defect ? 0 : iw_option_error(usage, "unknown defect %s (see warpcheck list defects)", optarg);
}

int cmd_option_extensions(const struct iw_usage *usage, unsigned *extensions) {
    return iw_extensions_parse(optarg, extensions)
               ? 0
               : iw_option_error(usage, "--extensions takes %s, not %s", IW_EXTENSIONS_TAKES, optarg);
}

int cmd_option_seconds(const struct iw_usage *usage, int option, uint32_t *ms) {
    return iw_option_seconds(optarg, SECONDS_MAX, ms)
               ? 0
               : iw_option_error(
                     usage, "--%s takes a number of seconds, not %s", usage->options[option].name, optarg);
}

int cmd_option_number(const struct iw_usage *usage, const char *name, unsigned long low, unsigned long high,
    unsigned long *number) {
    if (iw_option_number(optarg, low, high, number))
        return 0;
    return iw_option_error(usage, "--%s takes a number from %lu to %lu, not %s", name, low, high, optarg);
}

int cmd_option_pattern(const struct iw_usage *usage, const char *name, struct iw_pattern **pattern) {
    char error[256];

    iw_pattern_free(*pattern);
    *pattern = iw_pattern_new(optarg, error, sizeof error);
    return *pattern ? 0 : iw_option_error(usage, "--%s: %s", name, error);
}

int cmd_option_not_listed(const struct iw_usage *usage, int option) {
    const char *word = usage->options[option].argument, *between = "";
    char words[128] = "";

    while (*word != '\0') {
        size_t length = strcspn(word, "|"), at = strlen(words);

        snprintf(words + at, sizeof words - at, "%s%.*s", between, (int)length, word);
        word += length + (word[length] == '|');
        between = strchr(word, '|') ? ", " : " or ";
    }
    return iw_option_error(usage, "--%s takes %s, not %s", usage->options[option].name, words, optarg);
}

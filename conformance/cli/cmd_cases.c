#include "cmd_cases.h"

#include <getopt.h>

int cmd_cases_pattern(const struct iw_usage *usage, const char *name, struct iw_pattern **pattern) {
    char error[256];

    iw_pattern_free(*pattern);
    *pattern = iw_pattern_new(optarg, error, sizeof error);
    return *pattern ? 0 : iw_option_error(usage, "--%s: %s", name, error);
}

int cmd_cases_number(const struct iw_usage *usage, const char *name, unsigned long least, unsigned long most,
    unsigned long *number) {
    if (iw_option_number(optarg, least, most, number))
        return 0;
    return iw_option_error(usage, "--%s takes a number from %lu to %lu, not %s", name, least, most, optarg);
}

#include "cmd_option.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "iw_argument.h"
#include "iw_check_group.h"
#include "iw_check_upper.h"
#include "iw_extensions.h"
#include "iw_pattern.h"
#include "iw_run_option.h"
#include "iw_sctp_address.h"
#include "iw_sctp_stack.h"
#include "iw_suggest.h"

int cmd_option_address(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    struct cmd_address *address = at;

    address->host = address->text;
    return iw_option_address(optarg, address->text, sizeof address->text, &address->port)
               ? 0
               : iw_option_refuse(usage, option, IW_OPTION_ADDRESS);
}

void cmd_address_name(const struct cmd_address *address, char name[CMD_ADDRESS_OCTETS]) {
    bool bare = strchr(address->host, ':') != NULL;

    snprintf(name, CMD_ADDRESS_OCTETS, bare ? "[%s]:%u" : "%s:%u", address->host, address->port);
}

static int option_sctp(const struct iw_usage *usage, struct cmd_sctp *sctp, bool listens) {
    struct iw_sctp_where *where = &sctp->where;

    if (!iw_sctp_stack_available())
        return iw_option_error(usage, "--sctp: " IW_SCTP_STACK_ABSENT);
    if (iw_sctp_address_read(optarg, sctp->text, sizeof sctp->text, where) &&
        (listens || (where->port > 0 && (!where->tunnelled || where->tunnel > 0))))
        return 0;
    return iw_option_error(
        usage, "--sctp takes HOST:PORT, udp:HOST:PORT or udp/PORT:HOST:PORT, not %s", optarg);
}

int cmd_option_sctp(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    (void)option;
    return option_sctp(usage, at, false);
}

int cmd_option_sctp_listen(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    (void)option;
    return option_sctp(usage, at, true);
}

int cmd_option_arg(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    struct iw_arguments *arguments = at;

    (void)option;
    return iw_arguments_add(arguments, optarg) ? 0 : iw_option_error(usage, "%s", arguments->error);
}

static int option_unknown_defect(const struct iw_usage *usage, const struct iw_option *option,
    const struct iw_defect *rows, size_t count) {
    struct iw_suggest suggest;

    iw_suggest_init(&suggest, optarg);
    for (size_t i = 0; i < count; i++)
        iw_suggest_consider(&suggest, rows[i].name);
    if (suggest.name != NULL)
        return iw_option_error(usage, "unknown %s %s (did you mean %s?)", option->name, optarg, suggest.name);
    return iw_option_error(
        usage, "unknown %s %s (see warpcheck list %ss)", option->name, optarg, option->name);
}

int cmd_option_defect(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    bool variant = strcmp(option->name, "variant") == 0;
    const struct iw_defect *defect = *(const struct iw_defect **)at =
        variant ? iw_variant_find(optarg) : iw_defect_find(optarg);

    if (defect != NULL)
        return 0;
    return variant ? option_unknown_defect(usage, option, iw_variants, iw_variant_count)
                   : option_unknown_defect(usage, option, iw_defects, iw_defect_count);
}

int cmd_option_extensions(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    return iw_extensions_parse(optarg, at) ? 0 : iw_option_refuse(usage, option, IW_EXTENSIONS_TAKES);
}

int cmd_option_seconds(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    return iw_option_read_seconds(optarg, IW_RUN_OPTION_SECONDS_MAX, at)
               ? 0
               : iw_option_refuse(usage, option, "a number of seconds");
}

int cmd_option_pattern(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    struct iw_pattern **pattern = at;
    char error[256];

    iw_pattern_free(*pattern);
    *pattern = iw_pattern_new(optarg, error, sizeof error);
    return *pattern ? 0 : iw_option_error(usage, "--%s: %s", option->name, error);
}

int cmd_option_run(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    const struct iw_run_option *shared = iw_run_option_find(option->name);
    char error[512];

    assert(shared != NULL && iw_run_option_has_argument(shared) == (option->argument != NULL));
    return iw_run_option_read(shared, optarg, at, error, sizeof error) ? 0
                                                                       : iw_option_error(usage, "%s", error);
}

int cmd_option_not_listed(const struct iw_usage *usage, const struct iw_option *option) {
    const char *word = option->argument, *between = "";
    char words[128] = "";

    while (*word != '\0') {
        size_t length = strcspn(word, "|"), at = strlen(words);

        snprintf(words + at, sizeof words - at, "%s%.*s", between, (int)length, word);
        word += length + (word[length] == '|');
        between = strchr(word, '|') ? ", " : " or ";
    }
    return iw_option_refuse(usage, option, words);
}

int cmd_option_grouping(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    static const char *const groupings[] = {
        [IW_CHECK_GROUP_AUTO] = "auto", [IW_CHECK_GROUP_ALL] = "all", [IW_CHECK_GROUP_NONE] = "none"};
    enum iw_check_grouping *grouping = at;

    for (size_t i = 0; i < sizeof groupings / sizeof *groupings; i++)
        if (strcmp(optarg, groupings[i]) == 0) {
            *grouping = (enum iw_check_grouping)i;
            return 0;
        }
    return cmd_option_not_listed(usage, option);
}

int cmd_option_memory(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    uint64_t *memory = at;

    if (iw_option_read_octets(optarg, UINT64_C(1) << 50, memory) && *memory >= 1 << 20)
        return 0;
    return iw_option_refuse(usage, option, "a number of octets from 1M, optionally with K, M or G");
}

int cmd_option_max_level(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    uint8_t *stricter = at;

    for (int severity = IW_SEVERITY_NOTE; severity <= IW_SEVERITY_ERROR; severity++)
        if (strcmp(optarg, iw_severity_name((enum iw_severity)severity)) == 0) {
            *stricter = (uint8_t)(IW_SEVERITY_ERROR - severity);
            return 0;
        }
    return iw_option_refuse(usage, option, "error, warning or note");
}

int cmd_option_upper(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    static const char *const modes[] = {
        [IW_CHECK_UPPER_OFF] = "off", [IW_CHECK_UPPER_WARN] = "warn", [IW_CHECK_UPPER_JUDGE] = "judge"};
    enum iw_check_upper_mode *mode = at;

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(optarg, modes[i]) == 0) {
            *mode = (enum iw_check_upper_mode)i;
            return 0;
        }
    return cmd_option_not_listed(usage, option);
}

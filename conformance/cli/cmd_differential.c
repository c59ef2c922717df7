#include <assert.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "cmd_agent.h"
#include "cmd_device.h"
#include "cmd_option.h"
#include "cmd_sweep.h"
#include "iw_differential.h"
#include "iw_plural.h"

enum { DIFFERENTIAL_CLAIMS_MAX = 32 };

struct device {
    struct iw_run_config run;
    struct iw_profile profile;                    /* of a device that was probed */
    const char *without[DIFFERENTIAL_CLAIMS_MAX]; /* claims that the other device does not make */
    size_t without_count;
    char host[256];
    struct cmd_agent agent;
};

struct settings {
    struct device devices[2];
    struct cmd_agent agent; /* values of --token-file and --own-host, for both devices */
    struct iw_run_options options;
    struct cmd_sweep sweep;
    unsigned jobs;
};

#define AT(member) .at = offsetof(struct settings, member)
static const struct iw_option options[] = {
    {CMD_OPTION_TOKEN_FILE, "file whose first line is the agents' token", cmd_agent_token, AT(agent)},
    CMD_AGENT_TLS_OPTIONS(struct settings, agent),
    {CMD_OPTION_OWN_HOST,
        "address of this host that the devices connect to\n"
        "[the one that their agents see]",
        iw_option_text, AT(agent.agent.own_host)},
    {"only", "REGEX", 0, "only cases whose id, title or requirements match", cmd_option_run, AT(options),
        .lists = "cases requirements"},
    {"skip", "REGEX", 0, "skip the cases that match", cmd_option_run, AT(options),
        .lists = "cases requirements"},
    {"random", "N", 0, "N random conversations, instead of the cases", cmd_option_run, AT(options)},
    {"strength", "N", 0, "combinations of factors, instead of the cases; as for 'run'", cmd_option_run,
        AT(options)},
    {"seed", "S", 0, "seed of --strength, and first seed of --random [1]", cmd_option_run, AT(options)},
    {"combination", "ID", 0, "only this combination", cmd_option_run, AT(options)},
    {"jobs", "N", 'j', "cases at a time [1]", IW_OPTION_NUMBER(struct settings, jobs, 1, 1000)},
};

static const struct iw_usage usage = {
    .command = "differential",
    .arguments = "[OPTION...] DEVICE DEVICE",
    .summary = "Holds the same conversations with two devices, and shows the differences.",
    .detail =
        "DEVICE is HOST:PORT, HOST:PORT,[HOST:]AGENTPORT for a device with an agent ('help agent'), or\n"
        "\"reference\". The comparison covers the verdict, how the device ended the connection, its\n"
        "Terminate, its startup frame, and the number and octets of its messages by kind. A difference\n"
        "need not be a violation: it shows where to look. The command probes each HOST:PORT first, as\n"
        "'run' does without --profile, and leaves out the cases that need what one of the devices lacks.\n"
        "'report --format matrix' compares whole runs.\n",
    IW_USAGE_OPTIONS(options),
    .operand = "device",
    .operands = true,
    .examples = "  warpcheck differential --random 1000 reference 192.0.2.7:20100,20101\n"
                "  warpcheck differential 192.0.2.7:20100 192.0.2.8:20100 --only '^mpa-'\n",
    .exits = "  0  no difference\n"
             "  1  at least one difference\n"
             "  2  no difference seen, but a case was inconclusive with one of the devices\n"
             "  3  usage; no case selected; a device cannot be reached\n",
};

/* Reads a device from the command line: HOST:PORT, HOST:PORT,[HOST:]AGENTPORT or "reference". */
static int differential_take_device(struct settings *settings, struct device *device, char *text) {
    char *comma = strchr(text, ',');

    device->run.jobs = settings->jobs;
    device->run.selection.only = settings->options.only;
    device->run.selection.skip = settings->options.skip;
    if (strcmp(text, "reference") == 0)
        return 0;
    if (comma)
        *comma = '\0';
    if (!iw_option_address(text, device->host, sizeof device->host, &device->run.target.port))
        return iw_option_error(
            &usage, "a device is HOST:PORT, HOST:PORT,[HOST:]AGENTPORT or reference, not %s", text);
    device->run.target.host = device->host;
    device->agent = settings->agent;
    device->agent.text = comma ? comma + 1 : NULL;
    if (!comma)
        return 0;
    return cmd_agent_find(&usage, &device->agent, device->host, false, &device->run.target.agent);
}

static const char *differential_shown(const char *text) {
    return text[0] ? text : "none";
}

static void differential_difference(void *user, const struct iw_difference *difference) {
    const struct iw_trial_result *a = difference->a, *b = difference->b;

    (void)user;
    printf("differs   %-23s %s\n", b->one->id, b->one->title);
    if (a->verdict != b->verdict)
        printf("          verdict   %s, %s\n", iw_verdict_name(a->verdict), iw_verdict_name(b->verdict));
    if (strcmp(a->close.how, b->close.how) != 0)
        printf("          close     %s, %s\n", differential_shown(a->close.how),
            differential_shown(b->close.how));
    if (strcmp(a->close.terminate, b->close.terminate) != 0)
        printf("          terminate %s, %s\n", differential_shown(a->close.terminate),
            differential_shown(b->close.terminate));
    if (difference->sent[0])
        printf("          messages  %s\n", difference->sent);
    fflush(stdout);
}

static int differential_compare(struct settings *settings) {
    const struct iw_differential_config config = {
        .a = &settings->devices[0].run, .b = &settings->devices[1].run, .result = differential_difference};
    struct iw_differential_counts counts;
    char error[512];

    if (iw_differential(&config, &counts, error, sizeof error) != IW_OK)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s", error);
    if (counts.cases + counts.unjudged == 0)
        return iw_option_error(
            &usage, "no selected case applies to both devices: most need an agent on each");
    printf("%s%u case%s: %u differ%s", counts.differing > 0 ? "\n" : "", counts.cases,
        iw_plural(counts.cases), counts.differing, counts.differing == 1 ? "s" : "");
    if (counts.unjudged > 0)
        printf("; %u could not be compared", counts.unjudged);
    putchar('\n');
    return counts.differing > 0  ? IW_EXIT_VIOLATIONS
           : counts.unjudged > 0 ? IW_EXIT_UNJUDGED
                                 : IW_EXIT_CONFORMS;
}

/* Infers what the device claims. The reference claims everything. */
static int differential_probe(struct device *device) {
    struct iw_run_config *run = &device->run;
    struct cmd_device probed = {.run = run, .profile = &device->profile, .out = stdout};

    if (!run->target.host)
        return 0;
    snprintf(probed.label, sizeof probed.label,
        strchr(device->host, ':') ? "[%s]:%u: " : "%s:%u: ", device->host, run->target.port);
    return cmd_device_infer(&probed);
}

/* Lists the claims that `other` does not make. */
static void differential_find_missing(struct device *device, const struct device *other) {
    for (size_t i = 0; iw_profile_claim(i); i++)
        if (!iw_claims_make(&other->run.claims, iw_profile_claim(i))) {
            assert(device->without_count < DIFFERENTIAL_CLAIMS_MAX);
            device->without[device->without_count++] = iw_profile_claim(i);
        }
}

/* Finds what both devices claim: only that is compared. */
static int differential_find_claims(struct device devices[2]) {
    int code = differential_probe(&devices[0]);

    if (code == 0)
        code = differential_probe(&devices[1]);
    for (int i = 0; i < 2; i++)
        differential_find_missing(&devices[i], &devices[1 - i]);
    for (int i = 0; i < 2; i++) {
        devices[i].run.claims.without = devices[i].without;
        devices[i].run.claims.without_count = devices[i].without_count;
    }
    return code;
}

/* Chooses the cases, and compares the devices. The combinations depend on the claims of both devices. */
static int differential_choose(struct settings *settings) {
    struct iw_catalogue catalogue;
    struct iw_run_config *a = &settings->devices[0].run;
    char error[512];
    int code;

    if (iw_catalogue_init(&catalogue, NULL, error, sizeof error) != IW_OK)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s", error);
    a->catalogue = &catalogue;
    code = differential_find_claims(settings->devices);
    if (code == 0)
        code = cmd_sweep_choose(&usage, &settings->sweep, &settings->options, a);
    settings->devices[1].run.catalogue = a->catalogue;
    if (code == 0)
        code = differential_compare(settings);
    iw_catalogue_dispose(&catalogue);
    return code;
}

int cmd_differential(int argc, char **argv) {
    struct settings settings = {.options = iw_run_options_default(), .jobs = 1};
    int code = iw_option_all(&usage, argc, argv, &settings);

    if (code == IW_OPTION_DONE) {
        code = argc - optind == 2
                   ? 0
                   : iw_option_error(&usage, "two devices are compared, not %d", argc - optind);
        for (int i = 0; i < 2 && code == 0; i++)
            code = differential_take_device(&settings, &settings.devices[i], argv[optind + i]);
        if (code == 0)
            code = differential_choose(&settings);
    }
    for (int i = 0; i < 2; i++)
        cmd_agent_dispose(&settings.devices[i].agent);
    iw_run_options_dispose(&settings.options);
    cmd_sweep_dispose(&settings.sweep);
    return code;
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "cmd_run_settings.h"
#include "iw_inferred.h"
#include "iw_preflight.h"
#include "iw_probe.h"

/* What `run` learns about --peer before the first case. */

static int device_check(const struct cmd_run_settings *settings) {
    char text[IW_PREFLIGHT_TEXT_OCTETS];

    if (settings->no_preflight || !iw_preflight_helps(&settings->run))
        return 0;
    if (!iw_preflight(&settings->run.target, text))
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s", text);
    if (text[0])
        printf("preflight: %s\n", text);
    return 0;
}

static void device_print_profile(const struct iw_profile *profile) {
    printf("profile inferred by probing:");
    for (size_t i = 0; iw_profile_claim(i); i++)
        if (iw_profile_claims(profile, iw_profile_claim(i), NULL))
            printf(" %s", iw_profile_claim(i));
    printf("\n");
}

/* Probes the device. Returns 0, or the exit code with one line in `error`. */
static int device_probe(struct cmd_run_settings *settings, char *error, size_t error_octets) {
    const struct iw_probe_config config = {.target = settings->run.target};
    struct iw_profile found;
    enum iw_exit failed = IW_EXIT_CONFORMS;
    char *text = iw_probe(&config, &failed, error, error_octets);

    if (!text)
        return (int)failed;
    if (iw_profile_load_text(&found, iw_inferred_name, text, strlen(text), error, error_octets) != IW_OK)
        failed = IW_EXIT_INTERNAL;
    else if (settings->probes)
        settings->profile = found;
    else
        iw_inferred_merge(&settings->profile, &found, strstr(text, "immediate is unclear") != NULL,
            config.target.agent != NULL);
    free(text);
    return (int)failed;
}

/* Returns why the device cannot be probed; NULL if it can. */
static const char *device_obstacle(const struct cmd_run_settings *settings) {
    if (settings->probes || settings->run.target.agent || iw_preflight_helps(&settings->run))
        return NULL;
    return settings->run.before ? "--before prepares the device for each case"
                                : "no selected case connects to --peer by TCP";
}

static void device_take_default(struct cmd_run_settings *settings, const char *why) {
    iw_inferred_default(&settings->profile);
    printf("no profile inferred: %s; assumed: everything but flush, verify, atomic-write and swap\n", why);
}

static int device_infer(struct cmd_run_settings *settings) {
    const char *obstacle = device_obstacle(settings);
    char error[512];
    int code = obstacle ? IW_EXIT_UNJUDGED : device_probe(settings, error, sizeof error);

    settings->run.claims.profile = &settings->profile;
    settings->run.claims.inferred = true;
    if (code == 0) {
        snprintf(settings->profile.words, sizeof settings->profile.words, "inferred by probing the device");
        device_print_profile(&settings->profile);
        return 0;
    }
    if (!obstacle && (settings->probes || code != IW_EXIT_UNJUDGED || strcmp(error, "interrupted") == 0))
        return cmd_fail(code, "%s", error);
    device_take_default(settings, obstacle ? obstacle : error);
    return 0;
}

/* A resumed run goes on with the profile of its first part. */
static void device_resume(struct cmd_run_settings *settings) {
    const json_t *kept = json_object_get(settings->resume.prior.run, "profile");

    if (settings->run.claims.profile || !kept || !iw_profile_of_json(&settings->profile, kept))
        return;
    settings->run.claims.profile = &settings->profile;
    settings->run.claims.inferred = true;
}

int cmd_run_device(struct cmd_run_settings *settings) {
    bool guesses = settings->run.target.host && !settings->no_preflight && !settings->run.claims.profile;
    int code;

    if (settings->resume.folder) {
        device_resume(settings);
        return 0;
    }
    code = device_check(settings);
    if (code == 0 && (settings->probes || guesses))
        code = device_infer(settings);
    return code;
}

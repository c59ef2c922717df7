#include <stdio.h>

#include "cmd_device.h"
#include "cmd_run_settings.h"
#include "iw_preflight.h"

/* What `run` learns about the device before the first case. */

/* Returns why the device cannot be probed; NULL if it can. */
static const char *run_device_obstacle(const struct cmd_run_settings *settings) {
    if (iw_run_options_probe(&settings->options) || settings->run.target.agent ||
        iw_preflight_helps(&settings->run))
        return NULL;
    return settings->run.before ? "--before prepares the device for each case"
                                : "no selected case connects to --peer by TCP";
}

/* A resumed run goes on with the profile of its first part. */
static void run_device_resume(struct cmd_run_settings *settings) {
    const json_t *kept = json_object_get(settings->resume.prior.run, "profile");

    if (settings->run.claims.profile || !kept || !iw_profile_of_json(&settings->profile, kept))
        return;
    settings->run.claims.profile = &settings->profile;
    settings->run.claims.inferred = true;
}

int cmd_run_device(struct cmd_run_settings *settings) {
    bool infers = iw_run_options_infer(&settings->options, settings->run.target.host != NULL);
    /* --list prints only the list on stdout, and connects only if the list depends on it. */
    const struct cmd_device device = {.run = &settings->run,
        .profile = &settings->profile,
        .obstacle = run_device_obstacle(settings),
        .exact = iw_run_options_probe(&settings->options),
        .out = settings->list ? stderr : stdout};
    int code = 0;

    if (settings->resume.folder) {
        run_device_resume(settings);
        return 0;
    }
    if (!settings->options.no_preflight && (infers || !settings->list))
        code = cmd_device_check(&device);
    if (code == 0 && infers)
        code = cmd_device_infer(&device);
    return code;
}

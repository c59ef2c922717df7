#include "cmd_device.h"

#include <string.h>

#include "cmd.h"
#include "iw_inference.h"
#include "iw_preflight.h"

int cmd_device_check(const struct cmd_device *device) {
    char text[IW_PREFLIGHT_TEXT_OCTETS];

    if (!iw_preflight_helps(device->run))
        return 0;
    if (!iw_preflight(&device->run->target, text))
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s", text);
    if (text[0])
        fprintf(device->out, "preflight: %s\n", text);
    return 0;
}

static void device_print_profile(const struct cmd_device *device, bool adds_revision_1) {
    fprintf(device->out, "%sprofile inferred by probing:", device->label);
    for (size_t i = 0; iw_profile_claim(i); i++)
        if (iw_profile_claims(device->profile, iw_profile_claim(i), NULL))
            fprintf(device->out, " %s", iw_profile_claim(i));
    fprintf(device->out, "\n");
    if (adds_revision_1)
        fprintf(device->out,
            "%srev-1 is added: the device accepted no Request of revision 1, but every device must\n",
            device->label);
}

static void device_assume(const struct cmd_device *device, const char *why) {
    *device->profile = iw_inference_assume();
    fprintf(device->out,
        "%sno profile inferred: %s; assumed: everything but flush, verify, atomic-write and swap\n",
        device->label, why);
}

int cmd_device_infer(const struct cmd_device *device) {
    bool adds_revision_1;
    char error[512];
    enum iw_exit code;

    device->run->claims.profile = device->profile;
    device->run->claims.inferred = true;
    if (device->obstacle) {
        device_assume(device, device->obstacle);
        return 0;
    }
    code = iw_inference_probe(
        &device->run->target, device->exact, device->profile, &adds_revision_1, error, sizeof error);
    if (code == IW_EXIT_CONFORMS)
        device_print_profile(device, adds_revision_1);
    else if (device->exact || code != IW_EXIT_UNJUDGED || strcmp(error, "interrupted") == 0)
        return cmd_fail((int)code, "%s", error);
    else
        device_assume(device, error);
    return 0;
}

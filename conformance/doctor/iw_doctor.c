#include "iw_doctor_part.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct iw_doctor_check iw_doctor_checks[] = {
    {"program", "all commands", iw_doctor_program},
    {"crc", "speed of all commands", iw_doctor_crc},
    {"confine", "check, explain, watch, relay, script, split, report, verify-bundle", iw_doctor_confine},
    {"tshark", "captures in Wireshark", iw_doctor_tshark},
    {"plugin", "iWARP in Wireshark", iw_doctor_plugin},
    {"extcap", "scripts among Wireshark's interfaces", iw_doctor_extcap},
    {"dumpcap", "captures by Wireshark", iw_doctor_dumpcap},
    {"live", "watch, play --live", iw_doctor_live},
    {"sctp", "--sctp in IP", iw_doctor_sctp},
    {"memlock", "warpcheck-agent", iw_doctor_memlock},
    {"rdma", "warpcheck-agent", iw_doctor_rdma},
    {"siw", "the software device of Linux", iw_doctor_siw},
    {"port", "serve", iw_doctor_port},
    {"network", "run --network", iw_doctor_network},
    {"netem", "run --network with loss, delay, reordering or duplicates", iw_doctor_netem},
    {"clock", "times in results, dates of waivers", iw_doctor_clock},
    {"ssh-keygen", "report --sign, verify-bundle --key", iw_doctor_ssh_keygen},
};
const size_t iw_doctor_check_count = sizeof iw_doctor_checks / sizeof *iw_doctor_checks;

const char *iw_doctor_status_name(enum iw_doctor_status status) {
    static const char *const names[] = {"ok", "missing", "wrong"};

    return names[status];
}

__attribute__((format(printf, 4, 0))) static void doctor_set(struct iw_doctor_finding *finding,
    enum iw_doctor_status status, const char *advice, const char *format, va_list arguments) {
    finding->status = status;
    snprintf(finding->advice, sizeof finding->advice, "%s", advice);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
}

void iw_doctor_ok(struct iw_doctor_finding *finding, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    doctor_set(finding, IW_DOCTOR_OK, "", format, arguments);
    va_end(arguments);
}

void iw_doctor_missing(struct iw_doctor_finding *finding, const char *advice, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    doctor_set(finding, IW_DOCTOR_MISSING, advice, format, arguments);
    va_end(arguments);
}

void iw_doctor_wrong(struct iw_doctor_finding *finding, const char *advice, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    doctor_set(finding, IW_DOCTOR_WRONG, advice, format, arguments);
    va_end(arguments);
}

bool iw_doctor_find_program(const char *name, char path[IW_DOCTOR_PATH_OCTETS]) {
    const char *folders = getenv("PATH");
    char candidate[IW_DOCTOR_PATH_OCTETS];

    path[0] = '\0';
    for (size_t length; folders != NULL && *folders != '\0'; folders += length + (folders[length] == ':')) {
        struct stat status;

        length = strcspn(folders, ":");
        if ((size_t)snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, folders, name) >=
                sizeof candidate ||
            stat(candidate, &status) != 0 || !S_ISREG(status.st_mode))
            continue;
        if (path[0] == '\0' || access(candidate, X_OK) == 0)
            memcpy(path, candidate, sizeof candidate);
        if (access(candidate, X_OK) == 0)
            return true;
    }
    return false;
}

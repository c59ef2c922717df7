#include "iw_confine_part.h"

#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

/* What the C library reads on its own: time zones, and the number of processors. */
static const char *const common_paths[] = {
    "/etc/localtime", "/usr/share/zoneinfo", "/sys/devices/system/cpu", "/proc/stat", "/proc/meminfo"};

void iw_confine_begin(struct iw_confine *confine) {
    *confine = (struct iw_confine){.ruleset = iw_confine_files_new()};
    for (size_t i = 0; i < sizeof common_paths / sizeof *common_paths; i++)
        iw_confine_read(confine, common_paths[i]);
}

void iw_confine_cancel(struct iw_confine *confine) {
    if (confine->ruleset >= 0)
        close(confine->ruleset);
    confine->ruleset = -1;
}

/* Without new privileges: otherwise a confined process could start a set-user-ID program, and the kernel
 * rejects both mechanisms. Landlock comes first, as seccomp rejects its calls. */
bool iw_confine_enter(struct iw_confine *confine, char text[IW_CONFINE_TEXT_OCTETS]) {
    bool privileges = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    bool files = privileges && confine->ruleset >= 0 && iw_confine_files_enter(confine->ruleset);
    bool calls;

    iw_confine_cancel(confine);
    calls = privileges && iw_confine_calls_enter(confine);
    snprintf(text, IW_CONFINE_TEXT_OCTETS, "%s%s%s", files && calls ? "" : "the kernel does not confine ",
        files ? "" : "files (Landlock)",
        calls ? "" : (files ? "system calls (seccomp)" : " and system calls (seccomp)"));
    return files && calls;
}

bool iw_confine_state(char text[IW_CONFINE_TEXT_OCTETS]) {
    int version = iw_confine_files_version();
    bool calls = iw_confine_calls_available();
    char files[64] = "not files: the kernel has no Landlock";

    if (version > 0)
        snprintf(files, sizeof files, "files by Landlock version %d", version);
    snprintf(text, IW_CONFINE_TEXT_OCTETS, "%s, %s",
        calls ? "system calls by seccomp" : "not system calls: the kernel has no seccomp", files);
    return calls && version > 0;
}

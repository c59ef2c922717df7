#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "iw_doctor_part.h"

/* Wireshark: which one, its plugins, its capture programs. tshark itself says where it looks. */

enum { WIRESHARK_LINE_OCTETS = 1024 };

#define WIRESHARK_INSTALL "install the package wireshark-iwarp, or run scripts/install-plugin.sh"

/* Copies the rest of the first line of the command's output that begins with `prefix`, without the blanks
 * around it. */
static bool wireshark_line(const char *command, const char *prefix, char rest[IW_DOCTOR_PATH_OCTETS]) {
    FILE *output = popen(command, "r");
    char line[WIRESHARK_LINE_OCTETS];
    bool found = false;

    rest[0] = '\0';
    while (output != NULL && fgets(line, sizeof line, output) != NULL) {
        const char *from = line + strlen(prefix);

        if (found || strncmp(line, prefix, strlen(prefix)) != 0)
            continue; /* reads on, so that the command gets no SIGPIPE */
        from += strspn(from, " \t");
        snprintf(rest, IW_DOCTOR_PATH_OCTETS, "%.*s", (int)strcspn(from, "\n"), from);
        found = true;
    }
    if (output != NULL)
        pclose(output);
    return found && rest[0] != '\0';
}

/* The version of tshark, such as "4.0.17". */
static bool wireshark_version(char version[IW_DOCTOR_PATH_OCTETS]) {
    char path[IW_DOCTOR_PATH_OCTETS];

    if (!iw_doctor_find_program("tshark", path) ||
        !wireshark_line("tshark --version 2>/dev/null", "TShark (Wireshark) ", version))
        return false;
    version[strspn(version, "0123456789.")] = '\0';
    return version[0] != '\0';
}

void iw_doctor_tshark(const struct iw_doctor_place *place, struct iw_doctor_finding *finding) {
    char path[IW_DOCTOR_PATH_OCTETS], version[IW_DOCTOR_PATH_OCTETS];

    (void)place;
    if (!iw_doctor_find_program("tshark", path))
        iw_doctor_missing(finding, "install the package tshark or wireshark", "no tshark in PATH");
    else if (!wireshark_version(version))
        iw_doctor_wrong(finding, "run it: it should print its version", "%s --version fails", path);
    else
        iw_doctor_ok(finding, "Wireshark %s, %s", version, path);
}

/* Returns true also for a link that points nowhere. */
static bool wireshark_has(const char *folder, const char *file, char path[IW_DOCTOR_PATH_OCTETS]) {
    struct stat status;

    return (size_t)snprintf(path, IW_DOCTOR_PATH_OCTETS, "%s/%s", folder, file) < IW_DOCTOR_PATH_OCTETS &&
           lstat(path, &status) == 0;
}

/* Reports a link that points nowhere, such as to a build folder that was deleted. */
static bool wireshark_is_dangling(struct iw_doctor_finding *finding, const char *path) {
    if (access(path, F_OK) == 0)
        return false;
    iw_doctor_wrong(
        finding, "delete the link, then " WIRESHARK_INSTALL, "%s is a link that points nowhere", path);
    return true;
}

/* Finds the plugin for another version of Wireshark: plugin folders are .../plugins/4.0, one for each minor
 * version. */
static bool wireshark_find_other(const char *plugins, char path[IW_DOCTOR_PATH_OCTETS]) {
    const char *end = strrchr(plugins, '/');
    char folder[IW_DOCTOR_PATH_OCTETS];
    struct dirent *entry;
    bool found = false;
    DIR *versions;

    if (end == NULL)
        return false;
    snprintf(folder, sizeof folder, "%.*s", (int)(end - plugins), plugins);
    versions = opendir(folder);
    while (versions != NULL && !found && (entry = readdir(versions)) != NULL)
        found = entry->d_name[0] != '.' && strcmp(entry->d_name, end + 1) != 0 &&
                (size_t)snprintf(path, IW_DOCTOR_PATH_OCTETS, "%s/%s/epan/iwarp.so", folder, entry->d_name) <
                    IW_DOCTOR_PATH_OCTETS &&
                access(path, F_OK) == 0;
    if (versions != NULL)
        closedir(versions);
    return found;
}

/* The plugin's version and file as tshark has loaded it: "0.1.0", "/usr/lib/...". */
static bool wireshark_loaded(char version[IW_DOCTOR_PATH_OCTETS], char path[IW_DOCTOR_PATH_OCTETS]) {
    char line[IW_DOCTOR_PATH_OCTETS], *file;

    if (!wireshark_line("tshark -G plugins 2>/dev/null", "iwarp.so", line) ||
        (file = strchr(line, '/')) == NULL)
        return false;
    snprintf(path, IW_DOCTOR_PATH_OCTETS, "%s", file);
    line[strcspn(line, " \t")] = '\0';
    snprintf(version, IW_DOCTOR_PATH_OCTETS, "%s", line);
    return true;
}

static void plugin_not_loaded(
    struct iw_doctor_finding *finding, const char *wireshark, const char *global, const char *personal) {
    char path[IW_DOCTOR_PATH_OCTETS];

    if ((wireshark_has(global, "epan/iwarp.so", path) || wireshark_has(personal, "epan/iwarp.so", path)) &&
        wireshark_is_dangling(finding, path))
        return;
    if (wireshark_has(global, "epan/iwarp.so", path))
        iw_doctor_wrong(finding, "install the plugin of this build again: " WIRESHARK_INSTALL,
            "Wireshark %s does not load %s", wireshark, path);
    else if (wireshark_has(personal, "epan/iwarp.so", path) && geteuid() == 0)
        iw_doctor_missing(finding,
            "start Wireshark as another user, or use scripts/tshark.sh: run as root, it loads no personal "
            "plugins",
            "%s, but this is root", path);
    else if (wireshark_has(personal, "epan/iwarp.so", path))
        iw_doctor_wrong(finding, "install the plugin of this build again: " WIRESHARK_INSTALL,
            "Wireshark %s does not load %s", wireshark, path);
    else if (wireshark_find_other(global, path) || wireshark_find_other(personal, path))
        iw_doctor_wrong(finding,
            "install the plugin for the installed Wireshark: each minor version needs one of its own",
            "Wireshark is %s, but the plugin is %s", wireshark, path);
    else
        iw_doctor_missing(finding, WIRESHARK_INSTALL, "Wireshark %s has no plugin iwarp.so", wireshark);
}

void iw_doctor_plugin(const struct iw_doctor_place *place, struct iw_doctor_finding *finding) {
    char wireshark[IW_DOCTOR_PATH_OCTETS], global[IW_DOCTOR_PATH_OCTETS], personal[IW_DOCTOR_PATH_OCTETS];
    char version[IW_DOCTOR_PATH_OCTETS], path[IW_DOCTOR_PATH_OCTETS], other[IW_DOCTOR_PATH_OCTETS];

    (void)place;
    if (!wireshark_version(wireshark)) {
        iw_doctor_missing(finding, "install Wireshark first", "no tshark that says where plugins are");
        return;
    }
    wireshark_line("tshark -G folders 2>/dev/null", "Global Plugins:", global);
    wireshark_line("tshark -G folders 2>/dev/null", "Personal Plugins:", personal);
    if (!wireshark_loaded(version, path))
        plugin_not_loaded(finding, wireshark, global, personal);
    else if (strcmp(version, WARPCHECK_VERSION) != 0)
        iw_doctor_wrong(finding, "install the program and the plugin of one version",
            "%s has version %s, the program " WARPCHECK_VERSION, path, version);
    else if (wireshark_has(global, "epan/iwarp.so", path) &&
             wireshark_has(personal, "epan/iwarp.so", other) && geteuid() != 0)
        iw_doctor_wrong(finding, "delete one of them", "two plugins: %.200s and %.200s", path, other);
    else
        iw_doctor_ok(finding, "%s, loaded by Wireshark %s", path, wireshark);
}

void iw_doctor_extcap(const struct iw_doctor_place *place, struct iw_doctor_finding *finding) {
    static const char *const names[] = {"Extcap path:", "Personal Extcap path:"};
    char folder[IW_DOCTOR_PATH_OCTETS], path[IW_DOCTOR_PATH_OCTETS];
    const char *chosen = getenv("WIRESHARK_EXTCAP_DIR");

    (void)place;
    if (!wireshark_version(path)) {
        iw_doctor_missing(
            finding, "install Wireshark first", "no tshark that says where extcap programs are");
        return;
    }
    if (chosen != NULL && wireshark_has(chosen, "warpcheck-extcap", path)) {
        if (!wireshark_is_dangling(finding, path))
            iw_doctor_ok(finding, "%s", path);
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (wireshark_line("tshark -G folders 2>/dev/null", names[i], folder) &&
            wireshark_has(folder, "warpcheck-extcap", path)) {
            if (access(path, X_OK) == 0)
                iw_doctor_ok(finding, "%s", path);
            else if (!wireshark_is_dangling(finding, path))
                iw_doctor_wrong(finding, "install it again: it is not executable", "%s cannot be run", path);
            return;
        }
    iw_doctor_missing(finding, WIRESHARK_INSTALL, "Wireshark has no warpcheck-extcap");
}

void iw_doctor_dumpcap(const struct iw_doctor_place *place, struct iw_doctor_finding *finding) {
    char path[IW_DOCTOR_PATH_OCTETS];
    struct stat status;

    (void)place;
    if (!iw_doctor_find_program("dumpcap", path) && path[0] == '\0')
        iw_doctor_missing(
            finding, "install the package wireshark-common, or capture with tcpdump", "no dumpcap in PATH");
    else if (access(path, X_OK) != 0)
        iw_doctor_missing(finding, "add this user to the group wireshark, and log in again",
            "%s may not be run by this user", path);
    else if (geteuid() == 0)
        iw_doctor_ok(finding, "%s, as root", path);
    else if (getxattr(path, "security.capability", NULL, 0) > 0 ||
             (stat(path, &status) == 0 && status.st_uid == 0 && (status.st_mode & S_ISUID) != 0))
        iw_doctor_ok(finding, "%s, with the capabilities that it needs", path);
    else
        iw_doctor_missing(finding,
            "let dumpcap capture: dpkg-reconfigure wireshark-common, and join the group wireshark",
            "%s has no capability for live captures", path);
}

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "iw_doctor_part.h"

/* The host: its devices, ports, clock and programs. */

enum {
    HOST_PORT = 20100, /* where `serve` listens by default */
    HOST_LIST_OCTETS = 200,
};

/* Whether the file's first line begins with `text`. */
static bool host_begins(const char *path, const char *text) {
    char line[64] = "";
    FILE *file = fopen(path, "r");

    if (file == NULL)
        return false;
    if (fgets(line, sizeof line, file) == NULL)
        line[0] = '\0';
    fclose(file);
    return strncmp(line, text, strlen(text)) == 0;
}

/* Adds a name to a list with commas; leaves out what exceeds it. */
static void host_add(char list[HOST_LIST_OCTETS], const char *name) {
    size_t length = strlen(list);

    if ((size_t)snprintf(list + length, HOST_LIST_OCTETS - length, "%s%s", length > 0 ? ", " : "", name) >=
        HOST_LIST_OCTETS - length)
        list[length] = '\0';
}

void iw_doctor_rdma(const struct iw_doctor_place *place, struct iw_doctor_finding *finding) {
    char folder[IW_DOCTOR_PATH_OCTETS], path[2 * IW_DOCTOR_PATH_OCTETS];
    char iwarp[HOST_LIST_OCTETS] = "", others[HOST_LIST_OCTETS] = "";
    struct dirent *entry;
    DIR *devices;

    snprintf(folder, sizeof folder, "%s/sys/class/infiniband", place->root);
    devices = opendir(folder);
    while (devices != NULL && (entry = readdir(devices)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s/node_type", folder, entry->d_name);
        host_add(host_begins(path, "4:") ? iwarp : others, entry->d_name); /* 4: RNIC, an iWARP device */
    }
    if (devices != NULL)
        closedir(devices);
    if (iwarp[0] != '\0')
        iw_doctor_ok(finding, "iWARP: %s%s%s", iwarp, others[0] ? "; others: " : "", others);
    else
        iw_doctor_missing(finding,
            "on the device's host: install rdma-core and its driver; or make a software device: rdma link "
            "add "
            "siw0 type siw netdev eth0",
            "no iWARP device%s%s", others[0] ? ", only " : "", others);
}

void iw_doctor_siw(const struct iw_doctor_place *place, struct iw_doctor_finding *finding) {
    char path[IW_DOCTOR_PATH_OCTETS], line[1024];
    struct utsname system;
    bool found = false;
    FILE *file;

    snprintf(path, sizeof path, "%s/sys/module/siw", place->root);
    if (access(path, F_OK) == 0) {
        iw_doctor_ok(finding, "the module siw is loaded");
        return;
    }
    if (uname(&system) != 0)
        memset(&system, 0, sizeof system);
    snprintf(path, sizeof path, "%s/lib/modules/%s/modules.dep", place->root, system.release);
    file = fopen(path, "r");
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL)
        found = strstr(line, "/siw.ko") != NULL && strstr(line, "/siw.ko") < line + strcspn(line, ":");
    if (file != NULL)
        fclose(file);
    if (found)
        iw_doctor_ok(finding, "the kernel %s has the module siw: modprobe siw", system.release);
    else
        iw_doctor_missing(finding, "use a kernel with the module siw, or the guest of conformance/dut/siw",
            "the kernel %s has no module siw", system.release);
}

void iw_doctor_port(const struct iw_doctor_place *place, struct iw_doctor_finding *finding) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(HOST_PORT)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

    (void)place;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on); /* as `serve` does */
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 1) == 0)
        iw_doctor_ok(finding, "TCP port %d of 127.0.0.1 is free", HOST_PORT);
    else
        iw_doctor_missing(finding, "end the program that uses it, or choose another port: serve --listen",
            "TCP port %d of 127.0.0.1: %s", HOST_PORT, strerror(errno));
    if (fd >= 0)
        close(fd);
}

void iw_doctor_clock(const struct iw_doctor_place *place, struct iw_doctor_finding *finding) {
    struct timex state = {.modes = 0};
    char now[sizeof "2026-01-31"] = "";
    time_t seconds = time(NULL);
    struct tm utc;

    (void)place;
    if (gmtime_r(&seconds, &utc) == NULL || strftime(now, sizeof now, "%Y-%m-%d", &utc) == 0)
        now[0] = '\0';
    if (strcmp(now, WARPCHECK_DATE) < 0)
        iw_doctor_wrong(finding, "set the clock: timedatectl set-ntp true",
            "the clock says %s, before this version was made (" WARPCHECK_DATE ")", now);
    else if (adjtimex(&state) < 0 || (state.status & STA_UNSYNC) != 0)
        iw_doctor_missing(finding, "synchronise the clock: timedatectl set-ntp true",
            "%s UTC, but the clock is not synchronised", now);
    else
        iw_doctor_ok(finding, "%s UTC, synchronised", now);
}

void iw_doctor_ssh_keygen(const struct iw_doctor_place *place, struct iw_doctor_finding *finding) {
    char path[IW_DOCTOR_PATH_OCTETS];

    (void)place;
    if (iw_doctor_find_program("ssh-keygen", path))
        iw_doctor_ok(finding, "%s", path);
    else
        iw_doctor_missing(finding, "install the package openssh-client", "no ssh-keygen in PATH");
}

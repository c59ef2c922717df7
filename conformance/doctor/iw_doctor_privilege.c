#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "iw_doctor_part.h"

/* What the kernel lets this user do. */

enum { PRIVILEGE_NET_RAW = 13, PRIVILEGE_IPC_LOCK = 14 }; /* CAP_NET_RAW, CAP_IPC_LOCK of capability.h */

/* A region of the protocol has up to 16 MiB, all of a session 256 MiB (docs/agent.md). */
#define PRIVILEGE_MEMLOCK ((rlim_t)256 << 20)

/* Whether this process has the capability. */
static bool privilege_has(const struct iw_doctor_place *place, unsigned capability) {
    char path[IW_DOCTOR_PATH_OCTETS], line[256];
    uint64_t set = 0;
    FILE *file;

    snprintf(path, sizeof path, "%s/proc/self/status", place->root);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "CapEff: %" SCNx64, &set) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return (set >> capability & 1) != 0;
}

void iw_doctor_live(const struct iw_doctor_place *place, struct iw_doctor_finding *finding) {
    if (privilege_has(place, PRIVILEGE_NET_RAW))
        iw_doctor_ok(finding, "this process has CAP_NET_RAW");
    else
        iw_doctor_missing(finding, "run as root, or: setcap cap_net_raw,cap_net_admin+ep on the program",
            "this process lacks CAP_NET_RAW");
}

void iw_doctor_sctp(const struct iw_doctor_place *place, struct iw_doctor_finding *finding) {
    int fd;

    if (!place->sctp) {
        iw_doctor_missing(
            finding, "install libusrsctp-dev and build with -D WARPCHECK_SCTP=ON", "this build has no SCTP");
        return;
    }
    fd = socket(AF_INET, SOCK_RAW, IPPROTO_SCTP);
    if (fd >= 0) {
        close(fd);
        iw_doctor_ok(finding, "raw sockets for SCTP can be opened");
        return;
    }
    iw_doctor_missing(finding, "run as root, or use SCTP in UDP: --sctp udp:HOST:PORT",
        "no raw sockets for SCTP: %s", strerror(errno));
}

void iw_doctor_memlock(const struct iw_doctor_place *place, struct iw_doctor_finding *finding) {
    struct rlimit limit = {0, 0};

    getrlimit(RLIMIT_MEMLOCK, &limit);
    if (privilege_has(place, PRIVILEGE_IPC_LOCK))
        iw_doctor_ok(finding, "no limit: this process has CAP_IPC_LOCK");
    else if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max >= PRIVILEGE_MEMLOCK)
        iw_doctor_ok(finding, "the hard limit of locked memory is enough");
    else
        iw_doctor_missing(finding,
            "run warpcheck-agent as root, or raise memlock to 256 MiB (/etc/security/limits.conf)",
            "memory that can be registered: %" PRIu64 " KiB", (uint64_t)(limit.rlim_max >> 10));
}

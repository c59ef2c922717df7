#define _GNU_SOURCE /* close_range, dup3 */
#include "iw_network_place.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iw_network_link.h"
#include "iw_network_namespace.h"

struct iw_network_place {
    pid_t child;
    int child_end; /* of a pair of sockets: the child ends when this closes, also if this process is killed */
    bool user;     /* the child is also in a user namespace */
};

/* What the child says once: that it is ready, or why not. */
struct place_report {
    bool good, user;
    char error[IW_NETWORK_TEXT_OCTETS];
};

/* ---- the child ---- */

enum { PLACE_END = 3 };

/* Keeps only the end of its socket: connections and pipes of the parent are not the child's. */
static bool place_keep_only(int end) {
    return (end == PLACE_END || dup3(end, PLACE_END, O_CLOEXEC) == PLACE_END) &&
           close_range(PLACE_END + 1, ~0U, 0) == 0;
}

_Noreturn static void place_hold(const struct iw_network_profile *profile, int end) {
    struct place_report report = {0};
    char octet;

    signal(SIGINT, SIG_IGN); /* from the terminal: for the parent, which then ends this process */
    signal(SIGTERM, SIG_DFL);
    signal(SIGCHLD, SIG_DFL); /* of programs that this process starts: not for the loop of the parent */
    if (!place_keep_only(end))
        _exit(1);
    if (iw_network_namespace_make(&report.user) < 0)
        iw_network_namespace_explain(report.error);
    else
        report.good = iw_network_link_set_up_loopback(profile, report.error);
    if (send(PLACE_END, &report, sizeof report, MSG_NOSIGNAL) == sizeof report && report.good)
        while (read(PLACE_END, &octet, 1) < 0 && errno == EINTR)
            ;
    _exit(0);
}

/* ---- the parent ---- */

static bool place_start(
    struct iw_network_place *place, const struct iw_network_profile *profile, struct place_report *report) {
    ssize_t length;
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    place->child_end = ends[0];
    place->child = fork();
    if (place->child == 0)
        place_hold(profile, ends[1]);
    close(ends[1]);
    if (place->child < 0)
        return false;
    while ((length = read(ends[0], report, sizeof *report)) < 0 && errno == EINTR)
        ;
    place->user = report->user;
    return length == sizeof *report;
}

struct iw_network_place *iw_network_place_new(
    const struct iw_network_profile *profile, char error[IW_NETWORK_TEXT_OCTETS]) {
    struct iw_network_place *place = malloc(sizeof *place);
    struct place_report report = {0};

    snprintf(error, IW_NETWORK_TEXT_OCTETS, "out of memory");
    if (place == NULL)
        return NULL;
    *place = (struct iw_network_place){.child = -1, .child_end = -1};
    if (!place_start(place, profile, &report))
        snprintf(error, IW_NETWORK_TEXT_OCTETS, "no process can be started");
    else if (report.good)
        return place;
    else
        memcpy(error, report.error, sizeof report.error);
    iw_network_place_free(place);
    return NULL;
}

void iw_network_place_free(struct iw_network_place *place) {
    if (place == NULL)
        return;
    if (place->child_end >= 0)
        close(place->child_end);
    if (place->child > 0)
        while (waitpid(place->child, NULL, 0) < 0 && errno == EINTR)
            ;
    free(place);
}

void iw_network_place_prefix(
    const struct iw_network_place *place, char prefix[IW_NETWORK_PLACE_PREFIX_OCTETS]) {
    snprintf(prefix, IW_NETWORK_PLACE_PREFIX_OCTETS, "nsenter --target %d%s --net --", (int)place->child,
        place->user ? " --user --preserve-credentials" : "");
}

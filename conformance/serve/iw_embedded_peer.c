#include "iw_embedded_peer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The only message that the child process writes to the pipe. */
struct report {
    bool listens;
    struct iw_embedded_peer peer;
    char error[512];
};

static void embedded_peer_send_report(int pipe, const struct report *report) {
    ssize_t written = write(pipe, report, sizeof *report);

    (void)written; /* fails only if the parent has ended */
    close(pipe);
}

static void embedded_peer_report_ready(void *user, uint16_t port, const struct iw_region *region) {
    struct report report = {.listens = true,
        .peer = {.process = getpid(), .port = port, .stag = region->stag, .to = region->base}};

    embedded_peer_send_report(*(int *)user, &report);
}

static void embedded_peer_run_child(const struct iw_serve_config *wanted, pid_t parent, int pipe) {
    struct iw_serve_config config = *wanted;
    struct report report = {.listens = false};

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    config.ready = embedded_peer_report_ready;
    config.user = &pipe;
    config.out = fopen("/dev/null", "w");
    if (getppid() == parent && config.out && iw_serve(&config, report.error, sizeof report.error) != IW_OK)
        embedded_peer_send_report(pipe, &report);
    _exit(0);
}

enum iw_status iw_embedded_peer_start(
    struct iw_embedded_peer *peer, const struct iw_serve_config *config, char *error, size_t error_octets) {
    struct report report = {.listens = false, .error = "the responder's process has ended"};
    pid_t parent = getpid();
    int ends[2] = {-1, -1};
    pid_t child;

    peer->process = 0;
    fflush(NULL);
    if (pipe(ends) != 0 || (child = fork()) < 0) {
        snprintf(error, error_octets, "the responder's process: %s", strerror(errno));
        close(ends[0]);
        close(ends[1]);
        return IW_ERR_IO;
    }
    if (child == 0) {
        close(ends[0]);
        embedded_peer_run_child(config, parent, ends[1]);
    }
    close(ends[1]);
    /* One read is enough: the kernel writes up to PIPE_BUF octets at once. */
    while (read(ends[0], &report, sizeof report) < 0 && errno == EINTR)
        continue;
    close(ends[0]);
    *peer = report.peer;
    peer->process = child;
    if (report.listens)
        return IW_OK;
    iw_embedded_peer_end(peer);
    snprintf(error, error_octets, "%s", report.error);
    return IW_ERR_IO;
}

void iw_embedded_peer_end(struct iw_embedded_peer *peer) {
    if (peer->process <= 0)
        return;
    kill(peer->process, SIGTERM);
    while (waitpid(peer->process, NULL, 0) < 0 && errno == EINTR)
        continue;
    peer->process = 0;
}

#include "iw_embedded_peer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the process tells through a pipe, once. */
struct word {
    bool listens;
    struct iw_embedded_peer companion;
    char error[512];
};

static void tell(int pipe, const struct word *word) {
    ssize_t written = write(pipe, word, sizeof *word);

    (void)written; /* if nobody hears it, nobody is there to be served either */
    close(pipe);
}

static void take_ready(void *user, uint16_t port, const struct iw_region *region) {
    struct word word = {.listens = true,
        .companion = {.process = getpid(), .port = port, .stag = region->stag, .to = region->base}};

    tell(*(int *)user, &word);
}

static void serve(const struct iw_serve_config *wanted, pid_t parent, int pipe) {
    struct iw_serve_config config = *wanted;
    struct word word = {.listens = false};

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    config.ready = take_ready;
    config.user = &pipe;
    config.out = fopen("/dev/null", "w");
    if (getppid() == parent && config.out && iw_serve(&config, word.error, sizeof word.error) != IW_OK)
        tell(pipe, &word);
    _exit(0);
}

/* One write of less than PIPE_BUF octets comes whole or not at all. */
static bool hear(int pipe, struct word *word) {
    ssize_t got;

    do
        got = read(pipe, word, sizeof *word);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *word;
}

enum iw_status iw_embedded_peer_start(struct iw_embedded_peer *companion,
    const struct iw_serve_config *config, char *error, size_t error_octets) {
    struct word word = {.listens = false, .error = "the responder's process has ended"};
    pid_t parent = getpid();
    int ends[2];
    pid_t child;

    companion->process = 0;
    fflush(NULL);
    if (pipe(ends) != 0 || (child = fork()) < 0) {
        snprintf(error, error_octets, "the responder's process: %s", strerror(errno));
        return IW_ERR_IO;
    }
    if (child == 0) {
        close(ends[0]);
        serve(config, parent, ends[1]);
    }
    close(ends[1]);
    hear(ends[0], &word);
    close(ends[0]);
    *companion = word.companion;
    companion->process = child;
    if (word.listens)
        return IW_OK;
    iw_embedded_peer_end(companion);
    snprintf(error, error_octets, "%s", word.error);
    return IW_ERR_IO;
}

void iw_embedded_peer_end(struct iw_embedded_peer *companion) {
    if (companion->process <= 0)
        return;
    kill(companion->process, SIGTERM);
    while (waitpid(companion->process, NULL, 0) < 0 && errno == EINTR)
        continue;
    companion->process = 0;
}

#include "iw_whole_file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iw_text.h"

static bool whole_file_is_replaced(const char *path) {
    struct stat there;

    return lstat(path, &there) != 0 || S_ISREG(there.st_mode);
}

int iw_whole_file_open(struct iw_whole_file *file, const char *path) {
    bool replaced = whole_file_is_replaced(path);
    int error;

    *file = (struct iw_whole_file){.path = path, .part = replaced ? iw_text_format("%s.part", path) : NULL};
    if (replaced && file->part == NULL)
        return ENOMEM;
    file->out = fopen(replaced ? file->part : path, "w");
    if (file->out != NULL)
        return 0;
    error = errno;
    free(file->part);
    return error;
}

/* stdio does not keep the errno of an earlier failed write. So this function writes one more octet, which
 * usually fails with the same errno; if it does not fail, the error is EIO. */
int iw_whole_file_flush(FILE *out) {
    if (fflush(out) != 0)
        return errno;
    if (!ferror(out))
        return 0;
    return fputc('\n', out) == EOF || fflush(out) != 0 ? errno : EIO;
}

/* Replaces or removes. Returns 0, or an errno. */
static int whole_file_finish(const struct iw_whole_file *file, bool complete) {
    int error = complete && rename(file->part, file->path) != 0 ? errno : 0;

    if (error != 0 || !complete)
        unlink(file->part);
    return error;
}

/* The process of iw_whole_file_detach: waits for one octet, whether the file is complete, or for the end of
 * the other process. Signals of the terminal are for that one: this must outlive it. */
static void whole_file_help(const struct iw_whole_file *file, int orders) {
    char complete = 0;
    int error;

    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    /* So that who reads a pipe from the other process sees its end. */
    for (int standard = STDIN_FILENO; standard <= STDERR_FILENO; standard++)
        close(standard);
    while (read(orders, &complete, 1) < 0 && errno == EINTR)
        ;
    error = whole_file_finish(file, complete == 1);
    if (write(orders, &error, sizeof error) < 0)
        _exit(1);
    _exit(0);
}

int iw_whole_file_detach(struct iw_whole_file *file) {
    int ends[2];

    if (file->part == NULL)
        return 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return errno;
    file->helper = fork();
    if (file->helper == 0) {
        close(ends[0]);
        whole_file_help(file, ends[1]);
    }
    close(ends[1]);
    file->orders = ends[0];
    if (file->helper > 0)
        return 0;
    file->helper = 0;
    close(ends[0]);
    return EAGAIN;
}

static int whole_file_order(const struct iw_whole_file *file, bool complete) {
    char octet = complete ? 1 : 0;
    int error = EPIPE;

    if (write(file->orders, &octet, 1) != 1 || read(file->orders, &error, sizeof error) != sizeof error)
        error = EPIPE; /* the helper was killed */
    close(file->orders);
    waitpid(file->helper, NULL, 0);
    return error;
}

int iw_whole_file_close(struct iw_whole_file *file, bool complete) {
    int error = iw_whole_file_flush(file->out), finished;

    if (fclose(file->out) != 0 && error == 0)
        error = errno;
    if (file->part == NULL)
        return error;
    complete = complete && error == 0;
    finished = file->helper > 0 ? whole_file_order(file, complete) : whole_file_finish(file, complete);
    free(file->part);
    return error != 0 ? error : finished;
}

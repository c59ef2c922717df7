#include "iw_helper.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Waits for one octet, or for the end of the other process. Signals of the terminal are for that one: the
 * helper must outlive it. */
static void helper_run(int orders, int (*work)(void *user, bool complete), void *user) {
    static const int ignored[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE};
    char complete = 0;
    int error;

    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    /* So that who reads a pipe from the other process sees its end. */
    for (int standard = STDIN_FILENO; standard <= STDERR_FILENO; standard++)
        close(standard);
    while (read(orders, &complete, 1) < 0 && errno == EINTR)
        ;
    error = work(user, complete == 1);
    _exit(write(orders, &error, sizeof error) < 0);
}

int iw_helper_start(struct iw_helper *helper, int (*work)(void *user, bool complete), void *user) {
    int ends[2];

    *helper = (struct iw_helper){0};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return errno;
    helper->process = fork();
    if (helper->process == 0) {
        close(ends[0]);
        helper_run(ends[1], work, user);
    }
    close(ends[1]);
    helper->orders = ends[0];
    if (helper->process > 0)
        return 0;
    helper->process = 0;
    close(ends[0]);
    return EAGAIN;
}

int iw_helper_order(struct iw_helper *helper, bool complete) {
    char octet = complete ? 1 : 0;
    int error = EPIPE;

    if (write(helper->orders, &octet, 1) != 1 || read(helper->orders, &error, sizeof error) != sizeof error)
        error = EPIPE;
    close(helper->orders);
    waitpid(helper->process, NULL, 0);
    helper->process = 0;
    return error;
}

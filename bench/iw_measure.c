/* Runs a command without its output and prints its elapsed seconds, its processor seconds, and its largest
 * resident memory in KiB. */

#define _GNU_SOURCE /* wait4 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double clock_seconds(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void run_command(char **command) {
    int nowhere = open("/dev/null", O_RDWR);

    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execvp(command[0], command);
    _exit(127);
}

int main(int count, char **arguments) {
    struct rusage usage;
    double started = clock_seconds();
    int status;
    pid_t child;

    if (count < 2) {
        fputs("Usage: iw_measure COMMAND [ARGUMENT...]\n", stderr);
        return 3;
    }
    child = fork();
    if (child == 0)
        run_command(arguments + 1);
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        perror(arguments[1]);
        return 3;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 2) {
        fprintf(stderr, "%s: failed\n", arguments[1]);
        return 3;
    }
    printf("%.3f %.3f %ld\n", clock_seconds() - started, seconds(usage.ru_utime) + seconds(usage.ru_stime),
        usage.ru_maxrss);
    return 0;
}

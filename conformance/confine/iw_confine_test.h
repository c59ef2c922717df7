#pragma once

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "iw_confine.h"

/* Child processes confine themselves and then do something, among files of the test. */

enum { STOPPED = 0, BROKE_OUT = 1, OTHER = 2 }; /* exit codes of a child */

static char folder[] = "/tmp/iw_confine_test.XXXXXX";
static char given[64], other[64], output[64], outside[64];
static bool has_landlock, has_landlock_tcp;
static int a_pipe[2];

static inline bool opens(const char *path, int flags) {
    int file = open(path, flags | O_CLOEXEC, 0600);

    if (file >= 0)
        close(file);
    return file >= 0;
}

static inline bool read_passwords(void) {
    return opens("/etc/passwd", O_RDONLY);
}

enum mode { FREE, CONFINED, CONFINED_WRITER, CONFINED_RELAY };

enum { PORT_OF_DEVICE = 9 }; /* that the confined relay may connect to */

static inline void enter(enum mode mode) {
    struct iw_confine confine;
    char text[IW_CONFINE_TEXT_OCTETS];

    iw_confine_begin(&confine);
    iw_confine_read(&confine, given);
    if (mode == CONFINED_WRITER)
        iw_confine_write(&confine, output);
    if (mode == CONFINED_RELAY)
        iw_confine_connect(&confine, PORT_OF_DEVICE);
    confine.relays = mode == CONFINED_RELAY;
    if (!iw_confine_enter(&confine, text) && has_landlock)
        _exit(OTHER);
}

/* Runs the attempt in a child process, and returns its exit code. */
static inline int run(bool (*attempt)(void), enum mode mode) {
    pid_t child = fork();
    int status;

    if (child == 0) {
        if (mode != FREE)
            enter(mode);
        errno = 0;
        if (attempt())
            _exit(BROKE_OUT);
        _exit(mode == FREE || errno == EPERM || errno == EACCES || errno == ENOSYS || errno == EXDEV ? STOPPED
                                                                                                     : OTHER);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : OTHER;
}

static inline void make_file(const char *path) {
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs("text", file);
    fclose(file);
}

static inline int begin(void **state) {
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(given, sizeof given, "%s/given", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    snprintf(output, sizeof output, "%s/output", folder);
    snprintf(outside, sizeof outside, "%s/outside", folder);
    make_file(given);
    make_file(other);
    assert_int_equal(mkdir(output, 0700), 0);
    assert_int_equal(pipe(a_pipe), 0);
    has_landlock = syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0;
    has_landlock_tcp = syscall(SYS_landlock_create_ruleset, NULL, 0, 1) >= 4;
    return 0;
}

static inline int end(void **state) {
    (void)state;
    unlink(given);
    unlink(other);
    unlink(outside);
    rmdir(output);
    return rmdir(folder);
}

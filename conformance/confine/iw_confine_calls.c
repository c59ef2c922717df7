#define _GNU_SOURCE /* CLONE_THREAD, F_SETPIPE_SZ */
#include "iw_confine_part.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* seccomp: the calls that reading, judging and writing need. All others fail with EPERM: among them sockets
 * (but for a relay), programs, tracing, namespaces, io_uring (which would do calls that seccomp does not
 * see), and new executable memory. */

static const int calls_of_readers[] = {
    /* open files, and their octets */
    SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(preadv), SCMP_SYS(write), SCMP_SYS(writev),
    SCMP_SYS(lseek), SCMP_SYS(_llseek), SCMP_SYS(close), SCMP_SYS(dup), SCMP_SYS(fadvise64), SCMP_SYS(fstat),
    SCMP_SYS(fstat64), SCMP_SYS(fsync), SCMP_SYS(fdatasync), SCMP_SYS(poll), SCMP_SYS(ppoll),
    SCMP_SYS(select), SCMP_SYS(pselect6), SCMP_SYS(getdents64), /* fcntl has conditions */
    /* names of files; Landlock limits what is opened */
    SCMP_SYS(stat), SCMP_SYS(stat64), SCMP_SYS(lstat), SCMP_SYS(lstat64), SCMP_SYS(newfstatat),
    SCMP_SYS(fstatat64), SCMP_SYS(statx), SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2),
    SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getcwd),
    /* memory: mmap and mprotect have conditions */
    SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
    /* threads: clone has a condition */
    SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity), SCMP_SYS(gettid), SCMP_SYS(exit), SCMP_SYS(restart_syscall),
    /* time, signals, the process itself */
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep),
    SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(getuid),
    SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(getrandom), SCMP_SYS(getrusage),
    SCMP_SYS(uname), SCMP_SYS(sysinfo), SCMP_SYS(wait4), SCMP_SYS(exit_group)};

static const int calls_of_writers[] = {SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(mkdir), SCMP_SYS(mkdirat),
    SCMP_SYS(rename), SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(link), SCMP_SYS(linkat),
    SCMP_SYS(unlink), SCMP_SYS(unlinkat), SCMP_SYS(rmdir), SCMP_SYS(ftruncate), SCMP_SYS(pwrite64),
    SCMP_SYS(umask)};

/* The arguments of clone differ in order on s390x. */
#ifdef __s390x__
enum { CLONE_FLAGS = 1 };
#else
enum { CLONE_FLAGS = 0 };
#endif

static int calls_allow(scmp_filter_ctx filter, const int *calls, size_t count) {
    int error = 0;

    for (size_t i = 0; i < count; i++)
        error |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
    return error;
}

/* Allows the call if `argument` has none of the bits. */
static int calls_allow_without(scmp_filter_ctx filter, int call, unsigned argument, uint64_t bits) {
    return seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, call, 1, SCMP_CMP64(argument, SCMP_CMP_MASKED_EQ, bits, 0));
}

static int calls_allow_value(scmp_filter_ctx filter, int call, unsigned argument, uint64_t value) {
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, SCMP_CMP64(argument, SCMP_CMP_EQ, value, 0));
}

/* fcntl on descriptors of this process. With F_SETOWN, F_SETSIG and O_ASYNC, a pipe or a terminal would send
 * any signal to any process of the user. */
static int calls_allow_descriptors(scmp_filter_ctx filter) {
    static const int calls[] = {SCMP_SYS(fcntl), SCMP_SYS(fcntl64)};
    static const uint64_t commands[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL};
    int error = 0;

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        for (size_t j = 0; j < sizeof commands / sizeof *commands; j++)
            error |= calls_allow_value(filter, calls[i], 1, commands[j]);
        error |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 2, SCMP_CMP64(1, SCMP_CMP_EQ, F_SETFL, 0),
            SCMP_CMP64(2, SCMP_CMP_MASKED_EQ, O_ASYNC, 0));
    }
    return error;
}

/* Threads of this process, which never leave its namespaces. seccomp cannot see the arguments of clone3:
 * without it, the C library takes clone. */
static int calls_allow_threads(scmp_filter_ctx filter) {
    const uint64_t needs = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND;
    const uint64_t excludes = CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                              CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_PTRACE;

    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
               SCMP_CMP64(CLONE_FLAGS, SCMP_CMP_MASKED_EQ, needs | excludes, needs)) |
           seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
}

/* Signals of this process to itself, as by abort and raise; the limits, but no change of them. */
static int calls_allow_conditions(scmp_filter_ctx filter) {
    return calls_allow_without(filter, SCMP_SYS(mmap), 2, PROT_EXEC) |
           calls_allow_without(filter, SCMP_SYS(mmap2), 2, PROT_EXEC) |
           calls_allow_without(filter, SCMP_SYS(mprotect), 2, PROT_EXEC) |
           calls_allow_value(filter, SCMP_SYS(tgkill), 0, (uint64_t)getpid()) |
           calls_allow_value(filter, SCMP_SYS(prlimit64), 2, 0) |
           calls_allow_value(filter, SCMP_SYS(prctl), 0, PR_SET_NAME) |
           calls_allow_value(filter, SCMP_SYS(ioctl), 1, TCGETS) |
           calls_allow_value(filter, SCMP_SYS(ioctl), 1, TIOCGWINSZ) |
           calls_allow_value(filter, SCMP_SYS(ioctl), 1, FIONREAD);
}

static int calls_allow_opening(scmp_filter_ctx filter, const struct iw_confine *confine) {
    const uint64_t changes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;

    if (confine->writes)
        return calls_allow(filter, calls_of_writers, sizeof calls_of_writers / sizeof *calls_of_writers);
    return calls_allow_without(filter, SCMP_SYS(open), 1, changes) |
           calls_allow_without(filter, SCMP_SYS(openat), 2, changes);
}

/* Packets of open sockets, and how many of them were dropped. */
static int calls_allow_receiving(scmp_filter_ctx filter, const struct iw_confine *confine) {
    static const int calls[] = {SCMP_SYS(recvfrom), SCMP_SYS(recvmsg), SCMP_SYS(getsockopt)};

    return confine->receives ? calls_allow(filter, calls, sizeof calls / sizeof *calls) : 0;
}

/* Connections of open listening sockets; but no new sockets, and so no connection to others. MSG_FASTOPEN
 * would connect a new socket without connect, which Landlock does not see. */
static int calls_allow_serving(scmp_filter_ctx filter, const struct iw_confine *confine) {
    static const int calls[] = {SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(recvfrom), SCMP_SYS(shutdown),
        SCMP_SYS(setsockopt), SCMP_SYS(getsockopt), SCMP_SYS(getsockname)};

    if (!confine->serves && !confine->relays)
        return 0;
    return calls_allow(filter, calls, sizeof calls / sizeof *calls) |
           calls_allow_without(filter, SCMP_SYS(sendto), 3, MSG_FASTOPEN) |
           calls_allow_without(filter, SCMP_SYS(sendmsg), 2, MSG_FASTOPEN);
}

/* New sockets, but only of TCP, which connect and do not listen; pipes, and the wait for all of them. A
 * capture loses its incomplete last block if the disk is full: ftruncate. */
static int calls_allow_relaying(scmp_filter_ctx filter, const struct iw_confine *confine) {
    static const int calls[] = {SCMP_SYS(connect), SCMP_SYS(getpeername), SCMP_SYS(recvmsg), SCMP_SYS(pipe2),
        SCMP_SYS(splice), SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait),
        SCMP_SYS(ftruncate), SCMP_SYS(ftruncate64)};
    static const int families[] = {AF_INET, AF_INET6};
    const uint64_t kind = ~(uint64_t)(SOCK_NONBLOCK | SOCK_CLOEXEC) & UINT32_MAX;
    int error = 0;

    if (!confine->relays)
        return 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        error |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 3,
            SCMP_CMP64(0, SCMP_CMP_EQ, (uint64_t)families[i], 0),
            SCMP_CMP64(1, SCMP_CMP_MASKED_EQ, kind, SOCK_STREAM), SCMP_CMP64(2, SCMP_CMP_EQ, 0, 0));
    error |= calls_allow_value(filter, SCMP_SYS(ioctl), 1, FIONBIO);
    error |= calls_allow_value(filter, SCMP_SYS(fcntl), 1, F_SETPIPE_SZ);
    error |= calls_allow_value(filter, SCMP_SYS(fcntl64), 1, F_SETPIPE_SZ);
    return error | calls_allow(filter, calls, sizeof calls / sizeof *calls);
}

/* tcsetattr; but not TIOCSTI, which types into a terminal what its shell would run. */
static int calls_allow_terminal(scmp_filter_ctx filter, const struct iw_confine *confine) {
    static const uint64_t requests[] = {TCSETS, TCSETSW, TCSETSF};
    int error = 0;

    for (size_t i = 0; confine->terminal && i < sizeof requests / sizeof *requests; i++)
        error |= calls_allow_value(filter, SCMP_SYS(ioctl), 1, requests[i]);
    return error;
}

/* For all threads, although there should be only one. */
bool iw_confine_calls_enter(const struct iw_confine *confine) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    bool done =
        filter && seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 &&
        seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0 &&
        calls_allow(filter, calls_of_readers, sizeof calls_of_readers / sizeof *calls_of_readers) == 0 &&
        calls_allow_conditions(filter) == 0 && calls_allow_descriptors(filter) == 0 &&
        calls_allow_threads(filter) == 0 && calls_allow_receiving(filter, confine) == 0 &&
        calls_allow_serving(filter, confine) == 0 && calls_allow_relaying(filter, confine) == 0 &&
        calls_allow_terminal(filter, confine) == 0 && calls_allow_opening(filter, confine) == 0 &&
        seccomp_load(filter) == 0;

    if (filter)
        seccomp_release(filter);
    return done;
}

bool iw_confine_calls_available(void) {
    return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
}

#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "iw_confine_test.h"

/* Attempts to break out. Each also runs without confinement, to show that it is the confinement that stops
 * it; some need root for that, and are then only tried confined. */

/* ---- attempts: each returns whether it succeeded, with errno ---- */

static bool read_other_file(void) {
    return opens(other, O_RDONLY);
}

static bool list_root(void) {
    return opens("/", O_RDONLY | O_DIRECTORY);
}

static bool read_other_memory(void) {
    return opens("/proc/self/environ", O_RDONLY);
}

static bool write_outside(void) {
    return opens(outside, O_WRONLY | O_CREAT | O_EXCL) && unlink(outside) == 0;
}

static bool write_given(void) {
    return opens(given, O_WRONLY);
}

static bool truncate_given(void) {
    return truncate(given, 0) == 0;
}

static bool change_mode(void) {
    return chmod(given, 0600) == 0;
}

static bool rename_given(void) {
    return rename(given, outside) == 0 && rename(outside, given) == 0;
}

static bool link_given(void) {
    return link(given, outside) == 0 && unlink(outside) == 0;
}

static bool make_link(void) {
    return symlink("/etc/passwd", outside) == 0 && unlink(outside) == 0;
}

static bool make_pipe(void) {
    return mkfifo(outside, 0600) == 0 && unlink(outside) == 0;
}

static bool make_folder(void) {
    return mkdir(outside, 0700) == 0 && rmdir(outside) == 0;
}

static bool open_socket(int family, int kind) {
    int made = socket(family, kind, 0);

    if (made >= 0)
        close(made);
    return made >= 0;
}

static bool open_tcp(void) {
    return open_socket(AF_INET, SOCK_STREAM);
}

static bool open_unix(void) {
    return open_socket(AF_UNIX, SOCK_STREAM);
}

static bool open_netlink(void) {
    return open_socket(AF_NETLINK, SOCK_RAW);
}

static bool open_udp(void) {
    return open_socket(AF_INET, SOCK_DGRAM);
}

static bool open_multipath(void) {
    int made = socket(AF_INET, SOCK_STREAM, 262 /* IPPROTO_MPTCP */);

    if (made >= 0)
        close(made);
    return made >= 0 || errno == EPROTONOSUPPORT || errno == ENOPROTOOPT;
}

/* Without bind, listen takes any port, and Landlock does not see it. */
static bool listen_unbound(void) {
    return listen(socket(AF_INET, SOCK_STREAM, 0), 1) == 0;
}

static bool bind_port(void) {
    struct sockaddr_in address = {.sin_family = AF_INET};

    return bind(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address) == 0;
}

/* Connects to a port that is not that of the relay's device; nothing needs to listen there. */
static bool connect_elsewhere(void) {
    struct sockaddr_in address = {.sin_family = AF_INET,
        .sin_port = htons(PORT_OF_DEVICE + 1),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    return connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address) == 0 ||
           errno == ECONNREFUSED;
}

/* A connection without connect, which Landlock does not see. */
static bool connect_by_sending(void) {
    struct sockaddr_in address = {.sin_family = AF_INET,
        .sin_port = htons(PORT_OF_DEVICE + 1),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    return sendto(socket(AF_INET, SOCK_STREAM, 0), "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL,
               (struct sockaddr *)&address, sizeof address) == 1 ||
           errno == ECONNREFUSED;
}

static bool pair_sockets(void) {
    int pair[2];

    return socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0;
}

static bool execute_directly(void) {
    char *const fails[] = {"sh", "-c", "exit 1", NULL}; /* BROKE_OUT */

    execv("/bin/sh", fails);
    return false;
}

static bool execute_descriptor(void) {
    char *const fails[] = {"sh", "-c", "exit 1", NULL};
    int file = open("/bin/sh", O_PATH);

    syscall(SYS_execveat, file, "", fails, NULL, 0x1000 /* AT_EMPTY_PATH */);
    return false;
}

static bool fork_process(void) {
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

    if (child == 0)
        _exit(0);
    return child > 0 && waitpid(child, NULL, 0) == child;
}

static bool clone_namespace(void) {
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD | CLONE_NEWUSER, 0, 0, 0, 0);

    if (child == 0)
        _exit(0);
    return child > 0;
}

static bool clone_by_structure(void) {
    struct {
        uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
    } arguments = {.exit_signal = SIGCHLD};
    pid_t child = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);

    if (child == 0)
        _exit(0);
    return child > 0;
}

static bool leave_namespace(void) {
    return unshare(CLONE_NEWUSER) == 0;
}

static bool trace_parent(void) {
    return ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) == 0 &&
           (ptrace(PTRACE_INTERRUPT, getppid(), NULL, NULL), true);
}

static bool be_traced(void) {
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0;
}

static bool read_parent_memory(void) {
    char octet;
    struct {
        void *base;
        size_t length;
    } to = {&octet, 1}, from = {&octet, 1};

    return syscall(SYS_process_vm_readv, getppid(), &to, 1, &from, 1, 0) == 1;
}

static bool signal_parent(void) {
    return kill(getppid(), 0) == 0;
}

/* A file can send its owner a signal of choice at its next octet, SIGKILL included. */
static bool own_file_for_parent(void) {
    return fcntl(open(given, O_RDONLY), F_SETOWN, getppid()) == 0;
}

static bool own_file_by_structure(void) {
    int owner[2] = {1 /* F_OWNER_PID */, getppid()};

    return fcntl(open(given, O_RDONLY), 15 /* F_SETOWN_EX */, owner) == 0;
}

static bool choose_signal_of_file(void) {
    return fcntl(open(given, O_RDONLY), 10 /* F_SETSIG */, SIGKILL) == 0;
}

/* Without an owner, a terminal sends the signal to its foreground processes. */
static bool send_signals_of_pipe(void) {
    return fcntl(a_pipe[0], F_SETFL, O_ASYNC) == 0;
}

static bool map_code(void) {
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
           MAP_FAILED;
}

static bool make_code(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return page != MAP_FAILED && mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0;
}

static bool make_memory_file(void) {
    return syscall(SYS_memfd_create, "x", 0) >= 0;
}

static bool set_up_ring(void) {
    char parameters[120] = {0};

    return syscall(SYS_io_uring_setup, 4, parameters) >= 0;
}

static bool open_by_structure(void) {
    struct {
        uint64_t flags, mode, resolve;
    } how = {.flags = O_RDONLY};

    return syscall(SYS_openat2, AT_FDCWD, given, &how, sizeof how) >= 0;
}

static bool raise_limit(void) {
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static bool inject_input(void) {
    int terminal = 0;

    /* TIOCSTI types into the shell of the terminal; ENOTTY means that the kernel has looked at it. */
    return syscall(SYS_ioctl, terminal, 0x5412, "x") == 0 || errno == ENOTTY || errno == EIO;
}

static bool load_program(void) {
    char attributes[128] = {0};

    return syscall(SYS_bpf, 5, attributes, sizeof attributes) >= 0 || errno == EINVAL;
}

static bool mount_something(void) {
    return syscall(SYS_mount, "none", folder, "tmpfs", 0, NULL) == 0;
}

static bool change_user(void) {
    return setuid(getuid()) == 0;
}
/* ---- running them ---- */

#define ATTEMPT(name)                                                                                        \
    { #name, name, false }
#define ATTEMPT_ON_FILES(name)                                                                               \
    { #name, name, true }

static void no_attempt_breaks_out(void **state) {
    static const struct {
        const char *name;
        bool (*attempt)(void);
        bool by_landlock; /* seccomp does not stop a reader of files */
    } attempts[] = {ATTEMPT_ON_FILES(read_other_file), ATTEMPT_ON_FILES(read_passwords),
        ATTEMPT_ON_FILES(list_root), ATTEMPT_ON_FILES(read_other_memory), ATTEMPT(write_outside),
        ATTEMPT(write_given), ATTEMPT(truncate_given), ATTEMPT(change_mode), ATTEMPT(rename_given),
        ATTEMPT(link_given), ATTEMPT(make_link), ATTEMPT(make_pipe), ATTEMPT(make_folder), ATTEMPT(open_tcp),
        ATTEMPT(open_unix), ATTEMPT(open_netlink), ATTEMPT(open_udp), ATTEMPT(open_multipath),
        ATTEMPT(listen_unbound), ATTEMPT(bind_port), ATTEMPT(connect_elsewhere), ATTEMPT(connect_by_sending),
        ATTEMPT(pair_sockets), ATTEMPT(execute_directly), ATTEMPT(execute_descriptor), ATTEMPT(fork_process),
        ATTEMPT(clone_namespace), ATTEMPT(clone_by_structure), ATTEMPT(leave_namespace),
        ATTEMPT(trace_parent), ATTEMPT(be_traced), ATTEMPT(read_parent_memory), ATTEMPT(signal_parent),
        ATTEMPT(own_file_for_parent), ATTEMPT(own_file_by_structure), ATTEMPT(choose_signal_of_file),
        ATTEMPT(send_signals_of_pipe), ATTEMPT(map_code), ATTEMPT(make_code), ATTEMPT(make_memory_file),
        ATTEMPT(set_up_ring), ATTEMPT(open_by_structure), ATTEMPT(raise_limit), ATTEMPT(inject_input),
        ATTEMPT(load_program), ATTEMPT(mount_something), ATTEMPT(change_user)};
    unsigned shown = 0, count = sizeof attempts / sizeof *attempts;

    (void)state;
    for (size_t i = 0; i < count; i++) {
        bool stops = has_landlock || !attempts[i].by_landlock;

        for (int mode = CONFINED; mode <= CONFINED_RELAY && stops; mode++) {
            /* A writer without Landlock may write anywhere. */
            if (mode == CONFINED_WRITER && !has_landlock)
                continue;
            /* A relay opens TCP sockets; which ports it connects to, only Landlock limits. */
            if (mode == CONFINED_RELAY &&
                (attempts[i].attempt == open_tcp ||
                    (attempts[i].attempt == connect_elsewhere && !has_landlock_tcp)))
                continue;
            if (run(attempts[i].attempt, (enum mode)mode) != STOPPED)
                fail_msg("%s (%d)", attempts[i].name, mode);
        }
        /* These need root, or a kernel that has them; those that change the parent are not tried. */
        if (attempts[i].attempt != mount_something && attempts[i].attempt != trace_parent)
            shown += run(attempts[i].attempt, FREE) == BROKE_OUT;
    }
    /* Without confinement nearly all work: otherwise the test would show nothing. */
    if (shown < count - 8)
        fail_msg("only %u of %u attempts work without confinement", shown, count);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_attempt_breaks_out)};

    return cmocka_run_group_tests(tests, begin, end);
}

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "iw_confine.h"

/* Child processes confine themselves and then try to break out. Each attempt also runs without confinement,
 * to show that it is the confinement that stops it; some need root for that, and are then only tried
 * confined. */

enum { STOPPED = 0, BROKE_OUT = 1, OTHER = 2 }; /* exit codes of a child */

static char folder[] = "/tmp/iw_confine_test.XXXXXX";
static char given[64], other[64], output[64], outside[64];
static bool has_landlock;
static int a_pipe[2];

/* ---- attempts: each returns whether it succeeded, with errno ---- */

static bool opens(const char *path, int flags) {
    int file = open(path, flags | O_CLOEXEC, 0600);

    if (file >= 0)
        close(file);
    return file >= 0;
}

static bool read_other_file(void) {
    return opens(other, O_RDONLY);
}

static bool read_passwords(void) {
    return opens("/etc/passwd", O_RDONLY);
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

static void enter(bool writes) {
    struct iw_confine confine;
    char text[IW_CONFINE_TEXT_OCTETS];

    iw_confine_begin(&confine);
    iw_confine_read(&confine, given);
    if (writes)
        iw_confine_write(&confine, output);
    if (!iw_confine_enter(&confine, text) && has_landlock)
        _exit(OTHER);
}

enum mode { FREE, CONFINED, CONFINED_WRITER };

static int run(bool (*attempt)(void), enum mode mode) {
    pid_t child = fork();
    int status;

    if (child == 0) {
        if (mode != FREE)
            enter(mode == CONFINED_WRITER);
        errno = 0;
        if (attempt())
            _exit(BROKE_OUT);
        _exit(mode == FREE || errno == EPERM || errno == EACCES || errno == ENOSYS || errno == EXDEV ? STOPPED
                                                                                                     : OTHER);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : OTHER;
}

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
        ATTEMPT(open_unix), ATTEMPT(open_netlink), ATTEMPT(pair_sockets), ATTEMPT(execute_directly),
        ATTEMPT(execute_descriptor), ATTEMPT(fork_process), ATTEMPT(clone_namespace),
        ATTEMPT(clone_by_structure), ATTEMPT(leave_namespace), ATTEMPT(trace_parent), ATTEMPT(be_traced),
        ATTEMPT(read_parent_memory), ATTEMPT(signal_parent), ATTEMPT(own_file_for_parent),
        ATTEMPT(own_file_by_structure), ATTEMPT(choose_signal_of_file), ATTEMPT(send_signals_of_pipe),
        ATTEMPT(map_code), ATTEMPT(make_code), ATTEMPT(make_memory_file), ATTEMPT(set_up_ring),
        ATTEMPT(open_by_structure), ATTEMPT(raise_limit), ATTEMPT(inject_input), ATTEMPT(load_program),
        ATTEMPT(mount_something), ATTEMPT(change_user)};
    unsigned shown = 0, count = sizeof attempts / sizeof *attempts;

    (void)state;
    for (size_t i = 0; i < count; i++) {
        bool stops = has_landlock || !attempts[i].by_landlock;

        for (int mode = CONFINED; mode <= CONFINED_WRITER && stops; mode++) {
            /* A writer without Landlock may write anywhere. */
            if (mode == CONFINED_WRITER && !has_landlock)
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

static void make_file(const char *path) {
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs("text", file);
    fclose(file);
}

/* ---- what a confined process can do ---- */

static void *thread(void *user) {
    *(int *)user = opens(given, O_RDONLY) ? 1 : 2;
    return NULL;
}

static bool work(void) {
    pthread_t threads[4];
    int done[4] = {0};
    char octets[4];
    void *memory;
    int file = open(given, O_RDONLY);

    if (file < 0 || read(file, octets, sizeof octets) != 4 || memcmp(octets, "text", 4) != 0)
        return false;
    if (fcntl(file, F_SETFD, FD_CLOEXEC) != 0 || fcntl(file, F_GETFL) < 0 ||
        fcntl(a_pipe[0], F_SETFL, O_NONBLOCK) != 0)
        return false;
    close(file);
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, thread, &done[i]) != 0)
            return false;
    for (int i = 0; i < 4; i++)
        if (pthread_join(threads[i], NULL) != 0 || done[i] != 1)
            return false;
    memory = malloc(1 << 24); /* more than brk gives: mmap */
    free(memory);
    return sysconf(_SC_NPROCESSORS_ONLN) > 0 && memory;
}

static bool work_of_writer(void) {
    char path[96], renamed[96];

    snprintf(path, sizeof path, "%s/file", output);
    snprintf(renamed, sizeof renamed, "%s/renamed", output);
    return work() && opens(path, O_WRONLY | O_CREAT | O_EXCL) && rename(path, renamed) == 0 &&
           truncate(renamed, 0) != 0 && unlink(renamed) == 0;
}

static void what_is_needed_works(void **state) {
    (void)state;
    make_file(given); /* an attempt without confinement has truncated it */
    assert_int_equal(run(work, CONFINED), BROKE_OUT);
    assert_int_equal(run(work_of_writer, CONFINED_WRITER), BROKE_OUT);
    assert_int_equal(run(work_of_writer, CONFINED), STOPPED);
}

/* abort still ends the process by its signal, so that a bug is seen. */
static void abort_still_works(void **state) {
    pid_t child = fork();
    int status;

    (void)state;
    if (child == 0) {
        enter(false);
        abort();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/* A pipe by its name in /dev/fd, as a shell passes it for <(command). */
static bool read_pipe(void) {
    char path[32], octet;
    int ends[2], again;
    struct iw_confine confine;
    char text[IW_CONFINE_TEXT_OCTETS];

    if (pipe(ends) != 0 || write(ends[1], "x", 1) != 1)
        return false;
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    iw_confine_begin(&confine);
    iw_confine_read(&confine, path);
    iw_confine_enter(&confine, text);
    again = open(path, O_RDONLY);
    return again >= 0 && read(again, &octet, 1) == 1 && octet == 'x' && !read_passwords() == has_landlock;
}

static void a_pipe_is_read_by_its_name(void **state) {
    (void)state;
    assert_int_equal(run(read_pipe, FREE), BROKE_OUT);
}

/* The modes of a terminal that was open before; it never gets octets as if they were typed. */
static bool set_terminal(bool wanted) {
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    struct iw_confine confine;
    char text[IW_CONFINE_TEXT_OCTETS];
    struct termios modes;

    if (master < 0 || tcgetattr(master, &modes) != 0)
        return false;
    iw_confine_begin(&confine);
    confine.terminal = wanted;
    iw_confine_enter(&confine, text);
    if (ioctl(master, TIOCSTI, "x") == 0 || errno != EPERM)
        return false;
    return tcsetattr(master, TCSADRAIN, &modes) == 0 && tcsetattr(master, TCSANOW, &modes) == 0;
}

static bool set_wanted_terminal(void) {
    return set_terminal(true);
}

static bool set_other_terminal(void) {
    return set_terminal(false);
}

static void modes_of_a_terminal_are_set_if_wanted(void **state) {
    (void)state;
    assert_int_equal(run(set_wanted_terminal, FREE), BROKE_OUT);
    assert_int_equal(run(set_other_terminal, FREE), STOPPED);
}

/* ---- a server ---- */

/* A listening socket of loopback, and a client of it that has sent "x". */
static bool open_server(int *listener, int *client) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;

    *listener = socket(AF_INET, SOCK_STREAM, 0);
    *client = socket(AF_INET, SOCK_STREAM, 0);
    return bind(*listener, (struct sockaddr *)&address, length) == 0 && listen(*listener, 1) == 0 &&
           getsockname(*listener, (struct sockaddr *)&address, &length) == 0 &&
           connect(*client, (struct sockaddr *)&address, length) == 0 && write(*client, "x", 1) == 1;
}

static void enter_server(bool serves) {
    struct iw_confine confine;
    char text[IW_CONFINE_TEXT_OCTETS];

    iw_confine_begin(&confine);
    confine.serves = serves;
    iw_confine_enter(&confine, text);
}

static bool answer_client(bool serves) {
    int listener, client, server;
    char octet;

    if (!open_server(&listener, &client))
        _exit(OTHER);
    enter_server(serves);
    server = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return server >= 0 && recv(server, &octet, 1, 0) == 1 && send(server, "y", 1, MSG_NOSIGNAL) == 1 &&
           read(client, &octet, 1) == 1 && octet == 'y' && shutdown(server, SHUT_WR) == 0;
}

static bool answer_as_server(void) {
    return answer_client(true);
}

static bool answer_without_right(void) {
    return answer_client(false);
}

/* The right to serve opens no socket, and so connects to nothing. */
static bool open_socket_as_server(void) {
    enter_server(true);
    return socket(AF_INET, SOCK_STREAM, 0) >= 0;
}

static void a_server_answers_and_opens_no_socket(void **state) {
    (void)state;
    assert_int_equal(run(answer_as_server, FREE), BROKE_OUT);
    assert_int_equal(run(answer_without_right, FREE), STOPPED);
    assert_int_equal(run(open_socket_as_server, FREE), STOPPED);
}

static void the_state_is_told(void **state) {
    char text[IW_CONFINE_TEXT_OCTETS];

    (void)state;
    assert_int_equal(iw_confine_state(text), has_landlock);
    assert_non_null(strstr(text, "system calls by seccomp, "));
    assert_non_null(strstr(text, has_landlock ? "files by Landlock version " : "the kernel has no Landlock"));
}

static int begin(void **state) {
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
    return 0;
}

static int end(void **state) {
    (void)state;
    unlink(given);
    unlink(other);
    unlink(outside);
    rmdir(output);
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_attempt_breaks_out),
        cmocka_unit_test(what_is_needed_works), cmocka_unit_test(abort_still_works),
        cmocka_unit_test(a_pipe_is_read_by_its_name), cmocka_unit_test(modes_of_a_terminal_are_set_if_wanted),
        cmocka_unit_test(a_server_answers_and_opens_no_socket), cmocka_unit_test(the_state_is_told)};

    return cmocka_run_group_tests(tests, begin, end);
}

#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>

#include "iw_confine_test.h"

/* What a confined process can do. */

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
        enter(CONFINED);
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

/* ---- a relay ---- */

static bool connect_to_port(uint16_t port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int made = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;

    return made >= 0 && ioctl(made, FIONBIO, &on) == 0 &&
           (connect(made, (struct sockaddr *)&address, sizeof address) == 0 || errno == EINPROGRESS);
}

/* The client has sent "x": it goes through a pipe to a file that is open. */
static bool relay_octet(int listener, int client) {
    int ends[2], server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    char octet;

    return server >= 0 && pipe2(ends, O_CLOEXEC) == 0 &&
           splice(server, NULL, ends[1], NULL, 1, SPLICE_F_MOVE) == 1 &&
           splice(ends[0], NULL, server, NULL, 1, SPLICE_F_MOVE) == 1 && read(client, &octet, 1) == 1 &&
           octet == 'x';
}

/* `offset`: 0 connects to the port that is allowed. */
static bool work_as_relay(uint16_t offset) {
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    struct iw_confine confine;
    char text[IW_CONFINE_TEXT_OCTETS];
    int listener, client;

    if (!open_server(&listener, &client) || getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        _exit(OTHER);
    iw_confine_begin(&confine);
    confine.relays = true;
    iw_confine_connect(&confine, ntohs(address.sin_port));
    iw_confine_enter(&confine, text);
    return relay_octet(listener, client) && connect_to_port((uint16_t)(ntohs(address.sin_port) ^ offset));
}

static bool work_with_device(void) {
    return work_as_relay(0);
}

static bool connect_elsewhere(void) {
    return work_as_relay(1);
}

static void a_relay_connects_to_its_device_only(void **state) {
    (void)state;
    assert_int_equal(run(work_with_device, FREE), BROKE_OUT);
    if (has_landlock_tcp)
        assert_int_equal(run(connect_elsewhere, FREE), STOPPED);
}

static void the_state_is_told(void **state) {
    char text[IW_CONFINE_TEXT_OCTETS];

    (void)state;
    assert_int_equal(iw_confine_state(text), has_landlock);
    assert_non_null(strstr(text, "system calls by seccomp, "));
    assert_non_null(strstr(text, has_landlock ? "files by Landlock version " : "the kernel has no Landlock"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_needed_works),
        cmocka_unit_test(abort_still_works), cmocka_unit_test(a_pipe_is_read_by_its_name),
        cmocka_unit_test(modes_of_a_terminal_are_set_if_wanted),
        cmocka_unit_test(a_server_answers_and_opens_no_socket),
        cmocka_unit_test(a_relay_connects_to_its_device_only), cmocka_unit_test(the_state_is_told)};

    return cmocka_run_group_tests(tests, begin, end);
}

/* Measures a TCP relay on the loopback, with one connection. `send OCTETS SECONDS [RELAY...]` prints the
 * octets per second of a loop of send() through the relay; `echo OCTETS COUNT [RELAY...]` the median
 * round-trip time of a message in microseconds. RELAY is a command that gets "--to 127.0.0.1:PORT" in
 * addition, and says "relaying 127.0.0.1:PORT ..." first. Without it, the relay is a bare one: poll() and
 * splice() through a pipe. */

#define _GNU_SOURCE
#include <netinet/in.h>
#include <poll.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iw_blocking.h"

enum { PIPE_OCTETS = 1 << 18, ARGUMENTS_MAX = 32 };

/* ---- sockets ---- */

static int listen_on(uint16_t *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) != 0 ||
        listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        iw_blocking_fail("listen");
    *port = ntohs(address.sin_port);
    return listener;
}

static int connect_to(uint16_t port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (end < 0 || connect(end, (struct sockaddr *)&address, sizeof address) != 0)
        iw_blocking_fail("connect");
    return iw_blocking_without_delay(end);
}

/* ---- the other processes ---- */

/* Echoes messages of `octets`; or, with 0, reads everything and then says so with one octet. */
static pid_t start_device(int listener, size_t octets) {
    pid_t child = fork();

    if (child != 0)
        return child;
    int end = iw_blocking_without_delay(accept(listener, NULL, NULL));
    if (octets > 0)
        iw_blocking_echo(end, octets);
    else
        iw_blocking_drain(end);
    send(end, "", 1, MSG_NOSIGNAL);
    _exit(0);
}

/* Moves what is there, and waits until the other end has taken it. Returns false at the end of the stream. */
static bool splice_once(int from, int to, const int pipe_ends[2]) {
    ssize_t octets = splice(from, NULL, pipe_ends[1], NULL, PIPE_OCTETS, SPLICE_F_MOVE);

    if (octets <= 0)
        return false;
    while (octets > 0) {
        ssize_t moved = splice(pipe_ends[0], NULL, to, NULL, (size_t)octets, SPLICE_F_MOVE);

        if (moved <= 0)
            return false;
        octets -= moved;
    }
    return true;
}

static pid_t start_bare_relay(uint16_t device, uint16_t *port) {
    int listener = listen_on(port);
    pid_t child = fork();

    if (child != 0) {
        close(listener);
        return child;
    }
    int ends[2] = {iw_blocking_without_delay(accept(listener, NULL, NULL)), connect_to(device)};
    struct pollfd wanted[2] = {{.fd = ends[0], .events = POLLIN}, {.fd = ends[1], .events = POLLIN}};
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0)
        iw_blocking_fail("pipe");
    fcntl(pipe_ends[1], F_SETPIPE_SZ, PIPE_OCTETS);
    while (poll(wanted, 2, -1) > 0)
        for (int i = 0; i < 2; i++)
            if (wanted[i].revents != 0 && !splice_once(ends[i], ends[1 - i], pipe_ends)) {
                shutdown(ends[1 - i], SHUT_WR);
                wanted[i].fd = -1;
            }
    _exit(0);
}

static pid_t start_relay(char **command, uint16_t device, uint16_t *port) {
    char *arguments[ARGUMENTS_MAX + 3] = {0}, to[32], line[256];
    unsigned found = 0;
    int ends[2], count = 0;
    FILE *said;

    snprintf(to, sizeof to, "127.0.0.1:%u", device);
    for (; count < ARGUMENTS_MAX && command[count] != NULL; count++)
        arguments[count] = command[count];
    arguments[count] = "--to";
    arguments[count + 1] = to;
    if (pipe(ends) != 0)
        iw_blocking_fail("pipe");
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execv(arguments[0], arguments);
        iw_blocking_fail(arguments[0]);
    }
    close(ends[1]);
    said = fdopen(ends[0], "r");
    if (said == NULL || fgets(line, sizeof line, said) == NULL ||
        sscanf(line, "relaying 127.0.0.1:%u", &found) != 1) {
        fprintf(stderr, "iw_relayed: %s does not say where it listens\n", arguments[0]);
        exit(3);
    }
    *port = (uint16_t)found;
    return child;
}

/* ---- measurements ---- */

/* Until the device has read everything. */
static void measure_send(int end, size_t octets, double seconds) {
    double begin = iw_blocking_seconds();
    uint64_t sent = 0;

    while (iw_blocking_seconds() - begin < seconds) {
        iw_blocking_send(end, octets);
        sent += octets;
    }
    shutdown(end, SHUT_WR);
    if (!iw_blocking_receive(end, 1))
        iw_blocking_fail("send");
    printf("%.0f\n", (double)sent / (iw_blocking_seconds() - begin));
}

static void end_process(pid_t process) {
    kill(process, SIGINT);
    waitpid(process, NULL, 0);
}

int main(int argc, char **argv) {
    bool echoes = argc > 3 && strcmp(argv[1], "echo") == 0;
    size_t octets = argc > 3 ? strtoul(argv[2], NULL, 10) : 0;
    double amount = argc > 3 ? strtod(argv[3], NULL) : 0;
    uint16_t device_port, relay_port;

    if (argc < 4 || (!echoes && strcmp(argv[1], "send") != 0) || octets == 0 || octets > IW_BLOCKING_OCTETS ||
        amount <= 0 || amount > IW_BLOCKING_ROUNDS_MAX) {
        fputs("usage: iw_relayed send OCTETS SECONDS [RELAY...] | echo OCTETS COUNT [RELAY...]\n", stderr);
        return 3;
    }
    int listener = listen_on(&device_port);
    pid_t device = start_device(listener, echoes ? octets : 0);
    pid_t relay = argc > 4 ? start_relay(argv + 4, device_port, &relay_port)
                           : start_bare_relay(device_port, &relay_port);
    int end = connect_to(relay_port);
    if (echoes)
        printf("%.2f\n", iw_blocking_round_trip(end, octets, (size_t)amount));
    else
        measure_send(end, octets, amount);
    close(end);
    end_process(relay);
    end_process(device);
    return 0;
}

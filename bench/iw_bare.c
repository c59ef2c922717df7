/* Measures plain TCP on the loopback with blocking sockets. `send OCTETS SECONDS` prints the octets per
 * second of a loop of send(); `echo OCTETS COUNT` the median round-trip time of a message in microseconds.
 * The other end is a separate process. */

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_OCTETS = 1 << 20, ROUNDS_MAX = 10000000 };

static uint8_t buffer[BUFFER_OCTETS];

static double clock_seconds(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const char *what) {
    perror(what);
    exit(3);
}

/* Connects two sockets. */
static void connect_pair(int ends[2]) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    int on = 1;

    ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || ends[0] < 0 || bind(listener, (struct sockaddr *)&address, length) != 0 ||
        listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr *)&address, &length) != 0 ||
        connect(ends[0], (struct sockaddr *)&address, length) != 0 ||
        (ends[1] = accept(listener, NULL, NULL)) < 0)
        fail("loopback");
    for (int i = 0; i < 2; i++)
        setsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    close(listener);
}

static bool receive_all(int end, size_t octets) {
    for (size_t have = 0; have < octets;) {
        ssize_t got = recv(end, buffer + have, octets - have, 0);

        if (got <= 0)
            return false;
        have += (size_t)got;
    }
    return true;
}

static void send_all(int end, size_t octets) {
    for (size_t sent = 0; sent < octets;) {
        ssize_t taken = send(end, buffer + sent, octets - sent, MSG_NOSIGNAL);

        if (taken <= 0)
            fail("send");
        sent += (size_t)taken;
    }
}

/* The other end: reads everything, or echoes it. */
static void be_peer(int end, size_t octets, bool echoes) {
    if (echoes)
        while (receive_all(end, octets))
            send_all(end, octets);
    else
        while (recv(end, buffer, sizeof buffer, 0) > 0)
            continue;
    _exit(0);
}

static double send_for(int end, size_t octets, double seconds) {
    double begun = clock_seconds(), passed = 0;
    double sent = 0;

    while (passed < seconds) {
        for (int i = 0; i < 256; i++)
            send_all(end, octets);
        sent += 256 * (double)octets;
        passed = clock_seconds() - begun;
    }
    return sent / passed;
}

static int by_time(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static double round_trip(int end, size_t octets, size_t count) {
    double *times = malloc(count * sizeof *times);

    if (times == NULL)
        fail("round trips");
    for (size_t i = 0; i < count; i++) {
        double begun = clock_seconds();

        send_all(end, octets);
        if (!receive_all(end, octets))
            fail("echo");
        times[i] = (clock_seconds() - begun) * 1e6;
    }
    qsort(times, count, sizeof *times, by_time);
    return times[count / 2];
}

int main(int count, char **arguments) {
    bool echoes = count == 4 && strcmp(arguments[1], "echo") == 0;
    size_t octets = count == 4 ? strtoul(arguments[2], NULL, 10) : 0;
    double amount = count == 4 ? strtod(arguments[3], NULL) : 0;
    int ends[2];
    pid_t peer;

    if (octets == 0 || octets > BUFFER_OCTETS || amount <= 0 || (echoes && amount > ROUNDS_MAX) ||
        (!echoes && strcmp(arguments[1], "send") != 0)) {
        fputs("Usage: iw_bare send OCTETS SECONDS\n       iw_bare echo OCTETS COUNT\n", stderr);
        return 3;
    }
    connect_pair(ends);
    peer = fork();
    if (peer < 0)
        fail("fork");
    if (peer == 0) {
        close(ends[0]);
        be_peer(ends[1], octets, echoes);
    }
    close(ends[1]);
    if (echoes)
        printf("%.2f\n", round_trip(ends[0], octets, (size_t)amount));
    else
        printf("%.0f\n", send_for(ends[0], octets, amount));
    close(ends[0]);
    waitpid(peer, NULL, 0);
    return 0;
}

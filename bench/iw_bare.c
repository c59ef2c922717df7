/* Measures plain TCP on the loopback with blocking sockets. `send OCTETS SECONDS` prints the octets per
 * second of a loop of send(); `echo OCTETS COUNT` the median round-trip time of a message in microseconds.
 * The other end is a separate process. */

#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iw_blocking.h"

/* Connects two sockets. */
static void connect_pair(int ends[2]) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);

    ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || ends[0] < 0 || bind(listener, (struct sockaddr *)&address, length) != 0 ||
        listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr *)&address, &length) != 0 ||
        connect(ends[0], (struct sockaddr *)&address, length) != 0 ||
        (ends[1] = accept(listener, NULL, NULL)) < 0)
        iw_blocking_fail("loopback");
    for (int i = 0; i < 2; i++)
        iw_blocking_without_delay(ends[i]);
    close(listener);
}

/* The other end: reads everything, or echoes it. */
static void be_peer(int end, size_t octets, bool echoes) {
    if (echoes)
        iw_blocking_echo(end, octets);
    else
        iw_blocking_drain(end);
    _exit(0);
}

static double send_for(int end, size_t octets, double seconds) {
    double begun = iw_blocking_seconds(), passed = 0;
    double sent = 0;

    while (passed < seconds) {
        for (int i = 0; i < 256; i++)
            iw_blocking_send(end, octets);
        sent += 256 * (double)octets;
        passed = iw_blocking_seconds() - begun;
    }
    return sent / passed;
}

int main(int count, char **arguments) {
    bool echoes = count == 4 && strcmp(arguments[1], "echo") == 0;
    size_t octets = count == 4 ? strtoul(arguments[2], NULL, 10) : 0;
    double amount = count == 4 ? strtod(arguments[3], NULL) : 0;
    int ends[2];
    pid_t peer;

    if (octets == 0 || octets > IW_BLOCKING_OCTETS || amount <= 0 ||
        (echoes && amount > IW_BLOCKING_ROUNDS_MAX) || (!echoes && strcmp(arguments[1], "send") != 0)) {
        fputs("Usage: iw_bare send OCTETS SECONDS\n       iw_bare echo OCTETS COUNT\n", stderr);
        return 3;
    }
    connect_pair(ends);
    peer = fork();
    if (peer < 0)
        iw_blocking_fail("fork");
    if (peer == 0) {
        close(ends[0]);
        be_peer(ends[1], octets, echoes);
    }
    close(ends[1]);
    if (echoes)
        printf("%.2f\n", iw_blocking_round_trip(ends[0], octets, (size_t)amount));
    else
        printf("%.0f\n", send_for(ends[0], octets, amount));
    close(ends[0]);
    waitpid(peer, NULL, 0);
    return 0;
}

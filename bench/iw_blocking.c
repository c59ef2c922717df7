#include "iw_blocking.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static uint8_t buffer[IW_BLOCKING_OCTETS];

double iw_blocking_seconds(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void iw_blocking_fail(const char *what) {
    perror(what);
    exit(3);
}

int iw_blocking_without_delay(int end) {
    int on = 1;

    if (end < 0)
        iw_blocking_fail("connection");
    setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return end;
}

bool iw_blocking_receive(int end, size_t octets) {
    for (size_t have = 0; have < octets;) {
        ssize_t got = recv(end, buffer + have, octets - have, 0);

        if (got <= 0)
            return false;
        have += (size_t)got;
    }
    return true;
}

void iw_blocking_send(int end, size_t octets) {
    for (size_t sent = 0; sent < octets;) {
        ssize_t taken = send(end, buffer + sent, octets - sent, MSG_NOSIGNAL);

        if (taken <= 0)
            iw_blocking_fail("send");
        sent += (size_t)taken;
    }
}

void iw_blocking_drain(int end) {
    while (recv(end, buffer, sizeof buffer, 0) > 0)
        continue;
}

void iw_blocking_echo(int end, size_t octets) {
    while (iw_blocking_receive(end, octets))
        iw_blocking_send(end, octets);
}

static int blocking_by_time(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

double iw_blocking_round_trip(int end, size_t octets, size_t count) {
    double *times = malloc(count * sizeof *times), median;

    if (times == NULL)
        iw_blocking_fail("round trips");
    for (size_t i = 0; i < count; i++) {
        double begun = iw_blocking_seconds();

        iw_blocking_send(end, octets);
        if (!iw_blocking_receive(end, octets))
            iw_blocking_fail("echo");
        times[i] = (iw_blocking_seconds() - begun) * 1e6;
    }
    qsort(times, count, sizeof *times, blocking_by_time);
    median = times[count / 2];
    free(times);
    return median;
}

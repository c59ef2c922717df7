/* Sends the packets of a capture (pcap) on a network interface at a given rate, as fast as a packet socket
 * can: many with one call, past the queue of the interface. Prints the packets sent, their octets, and the
 * rate that was reached. */

#define _GNU_SOURCE /* sendmmsg */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 32, FILE_HEADER_OCTETS = 24, PACKET_HEADER_OCTETS = 16, LENGTH_AT = 8 };

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "iw_replay: %s: %s\n", what, strerror(errno));
    exit(3);
}

static double clock_seconds(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int open_interface(const char *name) {
    struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(name)};
    int yes = 1, packets = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

    if (packets < 0 || address.sll_ifindex == 0 ||
        bind(packets, (const struct sockaddr *)&address, sizeof address) != 0 ||
        setsockopt(packets, SOL_PACKET, PACKET_QDISC_BYPASS, &yes, sizeof yes) != 0)
        fail(name);
    return packets;
}

static uint8_t *read_capture(const char *name, size_t *octets) {
    int file = open(name, O_RDONLY | O_CLOEXEC);
    struct stat facts;
    uint8_t *capture;

    if (file < 0 || fstat(file, &facts) != 0)
        fail(name);
    *octets = (size_t)facts.st_size;
    capture = mmap(NULL, *octets, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (capture == MAP_FAILED)
        fail(name);
    close(file);
    return capture;
}

/* Takes up to BATCH packets from the capture at `at`. Returns how many. */
static unsigned take(uint8_t *capture, size_t octets, size_t *at, struct iovec *packets) {
    unsigned count = 0;

    while (count < BATCH && octets - *at > PACKET_HEADER_OCTETS) {
        uint32_t length;

        memcpy(&length, capture + *at + LENGTH_AT, sizeof length);
        if (length > octets - *at - PACKET_HEADER_OCTETS)
            break;
        packets[count++] = (struct iovec){capture + *at + PACKET_HEADER_OCTETS, length};
        *at += PACKET_HEADER_OCTETS + length;
    }
    return count;
}

static void send_all(int interface, const struct iovec *packets, unsigned count) {
    struct mmsghdr messages[BATCH] = {0};
    int sent;

    for (unsigned i = 0; i < count; i++)
        messages[i].msg_hdr =
            (struct msghdr){.msg_iov = (struct iovec *)(uintptr_t)&packets[i], .msg_iovlen = 1};
    for (unsigned i = 0; i<count; i += sent> 0 ? (unsigned)sent : 0) {
        sent = sendmmsg(interface, messages + i, count - i, 0);
        if (sent < 0 && errno != ENOBUFS && errno != EINTR)
            fail("sendmmsg");
    }
}

int main(int count, char **arguments) {
    struct iovec packets[BATCH];
    double begun, rate, seconds = 0;
    uint64_t all = 0, all_octets = 0;
    size_t octets, at = FILE_HEADER_OCTETS;
    uint8_t *capture;
    unsigned taken;
    int interface;

    if (count != 4 || (rate = strtod(arguments[3], NULL)) <= 0) {
        fputs("Usage: iw_replay INTERFACE CAPTURE MBIT/S\n", stderr);
        return 3;
    }
    interface = open_interface(arguments[1]);
    capture = read_capture(arguments[2], &octets);
    begun = clock_seconds();
    while ((taken = take(capture, octets, &at, packets)) > 0) {
        while ((double)all_octets * 8 / 1e6 > rate * seconds)
            seconds = clock_seconds() - begun;
        send_all(interface, packets, taken);
        for (unsigned i = 0; i < taken; i++)
            all_octets += packets[i].iov_len;
        all += taken;
    }
    seconds = clock_seconds() - begun;
    printf("%llu %llu %.0f\n", (unsigned long long)all, (unsigned long long)all_octets,
        (double)all_octets * 8 / 1e6 / seconds);
    return 0;
}

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_network.h"

/* Real networks, by the kernel of this machine. Each is made in a child process, which keeps it. */

enum { SKIPPED = 77, NOBODY = 65534 };

static struct iw_network *make(const char *text) {
    struct iw_network_profile profile;
    char error[IW_NETWORK_TEXT_OCTETS];
    struct iw_network *network = NULL;

    if (iw_network_profile_read(text, &profile, error, sizeof error))
        network = iw_network_new(&profile, error);
    if (network == NULL)
        fprintf(stderr, "%s: %s\n", text, error);
    return network;
}

/* Runs the check in a child process: it returns whether it succeeds. */
static void in_child(bool (*check)(void)) {
    pid_t child = fork();
    int status = 0;

    assert_true(child >= 0);
    if (child == 0)
        _exit(check() ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static struct sockaddr_in address_of(enum iw_network_host host, uint32_t chance) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    char text[IW_NETWORK_ADDRESS_OCTETS];

    iw_network_address(host, chance, text);
    inet_pton(AF_INET, text, &address.sin_addr);
    return address;
}

/* A connection from host A to host B; false with errno. */
static bool connect_hosts(const struct iw_network *network, int ends[2]) {
    struct sockaddr_in address = address_of(IW_NETWORK_B, arc4random());
    socklen_t length = sizeof address;
    int listener;

    iw_network_enter(network, IW_NETWORK_B);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    iw_network_enter(network, IW_NETWORK_A);
    ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0 ||
        connect(ends[0], (struct sockaddr *)&address, sizeof address) != 0)
        return false;
    ends[1] = accept(listener, NULL, NULL);
    return ends[1] >= 0;
}

static bool mss_is(const char *text, int wanted) {
    struct iw_network *network = make(text);
    int ends[2], mss = 0;
    socklen_t length = sizeof mss;

    if (network == NULL || !connect_hosts(network, ends) ||
        getsockopt(ends[0], IPPROTO_TCP, TCP_MAXSEG, &mss, &length) != 0)
        return false;
    printf("%s: MSS %d\n", text, mss);
    iw_network_free(network);
    return mss == wanted;
}

/* 20 octets of IP, 20 of TCP, and 12 of the timestamp option (RFC 7323) are not payload. */
static bool small_mtu_gives_small_segments(void) {
    return mss_is("mtu=576", 576 - 52);
}

static bool large_mtu_gives_large_segments(void) {
    return mss_is("mtu=9000", 9000 - 52);
}

static void mtu_is_that_of_the_profile(void **state) {
    (void)state;
    in_child(small_mtu_gives_small_segments);
    in_child(large_mtu_gives_large_segments);
}

static double seconds(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Sends the octets from A to B; returns whether B gets all of them. */
static bool transfers(int ends[2], size_t octets) {
    char *data = calloc(1, octets);
    pid_t sender = fork();
    size_t got = 0;
    ssize_t count = 1;

    if (data == NULL || sender < 0)
        return false;
    if (sender == 0)
        _exit(write(ends[0], data, octets) == (ssize_t)octets ? 0 : 1);
    while (got < octets && count > 0)
        got += (size_t)(count = read(ends[1], data, octets));
    free(data);
    return waitpid(sender, NULL, 0) == sender && got == octets;
}

/* 1 MiB takes 0.84 s at 10 Mbit/s; the first burst, 17 KiB, is free. Load only makes it slower. */
static bool rate_is_limited(void) {
    struct iw_network *network = make("rate=10mbit");
    double begun = seconds();
    int ends[2];
    bool good = network != NULL && connect_hosts(network, ends) && transfers(ends, 1 << 20);

    printf("1 MiB in %.2f s\n", seconds() - begun);
    iw_network_free(network);
    return good && seconds() - begun > 0.8;
}

static void rate_is_that_of_the_profile(void **state) {
    (void)state;
    in_child(rate_is_limited);
}

/* The loopback device of a host, and its addresses, are not those of the other. */
static bool hosts_are_apart(void) {
    struct iw_network *network = make("lan");
    struct sockaddr_in address = address_of(IW_NETWORK_B, 7);
    int s;

    if (network == NULL)
        return false;
    s = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(s, (struct sockaddr *)&address, sizeof address) == 0 || errno != EADDRNOTAVAIL)
        return false;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(4791);
    if (bind(s, (struct sockaddr *)&address, sizeof address) != 0 || listen(s, 1) != 0)
        return false;
    iw_network_enter(network, IW_NETWORK_B);
    s = socket(AF_INET, SOCK_STREAM, 0);
    return connect(s, (struct sockaddr *)&address, sizeof address) != 0 && errno == ECONNREFUSED &&
           if_nametoindex("wcA") == 0;
}

static bool process_has_two_networks(void) {
    struct iw_network *one = make("lan"), *other = make("mtu=576");
    int first[2], second[2];

    return one != NULL && other != NULL && connect_hosts(one, first) && connect_hosts(other, second) &&
           transfers(first, 100) && transfers(second, 100);
}

static void namespaces_are_private(void **state) {
    (void)state;
    in_child(hosts_are_apart);
    in_child(process_has_two_networks);
}

/* A process that changes its user no longer owns its files in /proc, unless it is dumpable. */
static bool user_can_make_one(void) {
    return (getuid() != 0 || (setgid(NOBODY) == 0 && setuid(NOBODY) == 0)) &&
           prctl(PR_SET_DUMPABLE, 1) == 0 && mss_is("lan", 1448);
}

/* Some systems forbid user namespaces: then the error must say so. */
static void no_privilege_is_needed(void **state) {
    FILE *file = fopen("/proc/sys/user/max_user_namespaces", "r");
    int most = 0;

    (void)state;
    if (file == NULL || fscanf(file, "%d", &most) != 1 || most == 0)
        skip();
    fclose(file);
    in_child(user_can_make_one);
}

static void what_is_possible_is_known(void **state) {
    struct iw_network_profile profile;
    char error[IW_NETWORK_TEXT_OCTETS];

    (void)state;
    assert_true(iw_network_profile_read("lan", &profile, error, sizeof error));
    assert_true(iw_network_is_possible(&profile, error));
    assert_string_equal(error, "");
    assert_true(iw_network_profile_read("loss-1", &profile, error, sizeof error));
    if (!iw_network_is_possible(&profile, error))
        assert_string_equal(
            error, "this kernel has no netem; load it (modprobe sch_netem) or use a kernel that has it");
}

static bool is_possible(void) {
    struct iw_network_profile profile;
    char error[IW_NETWORK_TEXT_OCTETS];

    if (!iw_network_profile_read("rate=10mbit", &profile, error, sizeof error))
        return false;
    if (iw_network_is_possible(&profile, error))
        return true;
    printf("not tested: %s\n", error);
    return false;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mtu_is_that_of_the_profile),
        cmocka_unit_test(rate_is_that_of_the_profile),
        cmocka_unit_test(namespaces_are_private),
        cmocka_unit_test(no_privilege_is_needed),
        cmocka_unit_test(what_is_possible_is_known),
    };

    return is_possible() ? cmocka_run_group_tests(tests, NULL, NULL) : SKIPPED;
}

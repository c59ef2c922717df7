#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_network_place.h"

/* Real networks, by the kernel of this machine. */

enum { SKIPPED = 77, NOBODY = 65534 };

static struct iw_network_place *make(const char *text, char error[IW_NETWORK_TEXT_OCTETS]) {
    struct iw_network_profile profile;

    return iw_network_profile_read(text, &profile, error, IW_NETWORK_TEXT_OCTETS)
               ? iw_network_place_new(&profile, error)
               : NULL;
}

/* Whether the command prints a line with the words in the network. */
static bool prints(const struct iw_network_place *place, const char *command, const char *words) {
    char prefix[IW_NETWORK_PLACE_PREFIX_OCTETS], text[256], line[512];
    bool found = false;
    FILE *output;

    iw_network_place_prefix(place, prefix);
    snprintf(text, sizeof text, "PATH=$PATH:/usr/sbin:/sbin; exec %s %s", prefix, command);
    output = popen(text, "r");
    while (output != NULL && fgets(line, sizeof line, output) != NULL) {
        printf("%s: %s", command, line);
        found |= strstr(line, words) != NULL;
    }
    return output != NULL && pclose(output) == 0 && found;
}

static void loopback_has_the_mtu(void **state) {
    char error[IW_NETWORK_TEXT_OCTETS];
    struct iw_network_place *place = make("mtu=576", error);

    (void)state;
    assert_non_null(place);
    assert_true(prints(place, "ip link show lo", "mtu 576"));
    assert_true(prints(place, "ip -4 addr show lo", "127.0.0.1/8"));
    iw_network_place_free(place);
}

static void loopback_has_the_rate(void **state) {
    char error[IW_NETWORK_TEXT_OCTETS];
    struct iw_network_place *place = make("rate=10mbit", error);

    (void)state;
    assert_non_null(place);
    assert_true(prints(place, "tc qdisc show dev lo", "rate 10Mbit"));
    iw_network_place_free(place);
}

static void networks_are_apart(void **state) {
    char error[IW_NETWORK_TEXT_OCTETS];
    struct iw_network_place *small = make("mtu=576", error), *large = make("mtu=9000", error);

    (void)state;
    assert_true(small != NULL && large != NULL);
    assert_true(prints(small, "ip link show lo", "mtu 576"));
    assert_true(prints(large, "ip link show lo", "mtu 9000"));
    iw_network_place_free(small);
    iw_network_place_free(large);
}

/* Nothing of it remains: not the process, and not a child to wait for. */
static void its_process_ends_with_it(void **state) {
    char error[IW_NETWORK_TEXT_OCTETS], prefix[IW_NETWORK_PLACE_PREFIX_OCTETS];
    struct iw_network_place *place = make("lan", error);
    int child = 0;

    (void)state;
    assert_non_null(place);
    iw_network_place_prefix(place, prefix);
    assert_int_equal(sscanf(prefix, "nsenter --target %d", &child), 1);
    assert_int_equal(kill(child, 0), 0);
    iw_network_place_free(place);
    assert_int_equal(kill(child, 0), -1);
    assert_int_equal(errno, ESRCH);
    assert_int_equal(wait(NULL), -1);
    assert_int_equal(errno, ECHILD);
}

/* A process that changes its user no longer owns its files in /proc, unless it is dumpable. */
static int as_nobody(void) {
    char error[IW_NETWORK_TEXT_OCTETS] = "";
    struct iw_network_place *place = NULL;
    bool good = (getuid() != 0 || (setgid(NOBODY) == 0 && setuid(NOBODY) == 0)) &&
                prctl(PR_SET_DUMPABLE, 1) == 0 && (place = make("mtu=576", error)) != NULL &&
                prints(place, "ip link show lo", "mtu 576");

    fprintf(stderr, "%s\n", error);
    iw_network_place_free(place);
    return good ? 0 : 1;
}

/* Some systems forbid user namespaces: then the error must say so. */
static void no_privilege_is_needed(void **state) {
    FILE *file = fopen("/proc/sys/user/max_user_namespaces", "r");
    int most = 0, status = 0;
    pid_t child;

    (void)state;
    if (file == NULL || fscanf(file, "%d", &most) != 1 || most == 0)
        skip();
    fclose(file);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(as_nobody());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static pid_t parent;

static void end_a_child(int number) {
    (void)number;
    if (getpid() != parent)
        _exit(9);
}

/* The programs that its process starts end without a signal to the handler of the parent. */
static void its_process_leaves_handlers_to_the_parent(void **state) {
    char error[IW_NETWORK_TEXT_OCTETS];
    struct iw_network_place *place;

    (void)state;
    parent = getpid();
    signal(SIGCHLD, end_a_child);
    place = make("mtu=576", error);
    signal(SIGCHLD, SIG_DFL);
    assert_non_null(place);
    iw_network_place_free(place);
}

static void what_is_missing_is_said(void **state) {
    char error[IW_NETWORK_TEXT_OCTETS] = "";
    struct iw_network_place *place = make("loss-5", error);

    (void)state;
    if (place == NULL)
        assert_string_equal(
            error, "this kernel has no netem; load it (modprobe sch_netem) or use a kernel that has it");
    else
        assert_true(prints(place, "tc qdisc show dev lo", "loss 5%"));
    iw_network_place_free(place);
}

static bool is_possible(void) {
    char error[IW_NETWORK_TEXT_OCTETS] = "";
    struct iw_network_place *place = make("rate=10mbit", error);

    if (place == NULL)
        printf("not tested: %s\n", error);
    iw_network_place_free(place);
    return place != NULL;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loopback_has_the_mtu),
        cmocka_unit_test(loopback_has_the_rate),
        cmocka_unit_test(networks_are_apart),
        cmocka_unit_test(its_process_ends_with_it),
        cmocka_unit_test(its_process_leaves_handlers_to_the_parent),
        cmocka_unit_test(no_privilege_is_needed),
        cmocka_unit_test(what_is_missing_is_said),
    };

    return is_possible() ? cmocka_run_group_tests(tests, NULL, NULL) : SKIPPED;
}

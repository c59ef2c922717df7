#define _GNU_SOURCE /* unshare, setns */
#include "iw_network.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iw_network_link.h"
#include "iw_network_namespace.h"

struct iw_network {
    int namespaces[2]; /* by enum iw_network_host */
    bool seeded;
};

static bool network_make_namespaces(struct iw_network *network, char error[IW_NETWORK_TEXT_OCTETS]) {
    bool user;

    for (enum iw_network_host host = IW_NETWORK_A; host <= IW_NETWORK_B; host++) {
        network->namespaces[host] = iw_network_namespace_make(host == IW_NETWORK_A ? &user : NULL);
        if (network->namespaces[host] >= 0)
            continue;
        iw_network_namespace_explain(error);
        return false;
    }
    return true;
}

static bool network_set_up(struct iw_network *network, const struct iw_network_profile *profile,
    char error[IW_NETWORK_TEXT_OCTETS]) {
    bool seeded[2];

    iw_network_enter(network, IW_NETWORK_A);
    if (!iw_network_link_make(profile, network->namespaces[IW_NETWORK_B], error) ||
        !iw_network_link_set_up(profile, IW_NETWORK_A, &seeded[IW_NETWORK_A], error))
        return false;
    iw_network_enter(network, IW_NETWORK_B);
    if (!iw_network_link_set_up(profile, IW_NETWORK_B, &seeded[IW_NETWORK_B], error))
        return false;
    iw_network_enter(network, IW_NETWORK_A);
    network->seeded = seeded[IW_NETWORK_A] && seeded[IW_NETWORK_B];
    return true;
}

struct iw_network *iw_network_new(
    const struct iw_network_profile *profile, char error[IW_NETWORK_TEXT_OCTETS]) {
    struct iw_network *network = malloc(sizeof *network);

    snprintf(error, IW_NETWORK_TEXT_OCTETS, "out of memory");
    if (network == NULL)
        return NULL;
    *network = (struct iw_network){.namespaces = {-1, -1}};
    if (network_make_namespaces(network, error) && network_set_up(network, profile, error))
        return network;
    iw_network_free(network);
    return NULL;
}

void iw_network_free(struct iw_network *network) {
    for (size_t i = 0; network != NULL && i < 2; i++)
        if (network->namespaces[i] >= 0)
            close(network->namespaces[i]);
    free(network);
}

/* It fails only if the process has given up the capability with which it made the network. */
void iw_network_enter(const struct iw_network *network, enum iw_network_host host) {
    int result = network != NULL ? setns(network->namespaces[host], CLONE_NEWNET) : 0;

    assert(result == 0);
    (void)result;
}

bool iw_network_is_seeded(const struct iw_network *network) {
    return network->seeded;
}

/* ---- whether it is possible ---- */

/* The child: writes why no network can be made, or nothing. */
_Noreturn static void network_try(const struct iw_network_profile *profile, int output) {
    char error[IW_NETWORK_TEXT_OCTETS];
    struct iw_network *network;

    signal(SIGCHLD, SIG_DFL); /* of programs that this process starts: not for the loop of the parent */
    network = iw_network_new(profile, error);

    _exit(network != NULL || write(output, error, strlen(error)) < 0 ? 0 : 1);
}

bool iw_network_is_possible(const struct iw_network_profile *profile, char error[IW_NETWORK_TEXT_OCTETS]) {
    ssize_t length = 0;
    int ends[2];
    pid_t child;

    snprintf(error, IW_NETWORK_TEXT_OCTETS, "no process can be started");
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    child = fork();
    if (child == 0)
        network_try(profile, ends[1]);
    close(ends[1]);
    if (child > 0)
        length = read(ends[0], error, IW_NETWORK_TEXT_OCTETS - 1);
    close(ends[0]);
    if (child < 0)
        return false;
    error[length > 0 ? length : 0] = '\0';
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return length == 0;
}

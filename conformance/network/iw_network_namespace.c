#define _GNU_SOURCE /* unshare */
#include "iw_network_namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool namespace_write(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    size_t length = strlen(text);
    bool good = file >= 0 && write(file, text, length) == (ssize_t)length;

    if (file >= 0)
        close(file);
    return good;
}

/* Becomes root of a user namespace with a network of its own. Files still belong to the user. */
static bool namespace_enter_user(void) {
    unsigned user = getuid(), group = getgid();
    char users[32], groups[32];

    snprintf(users, sizeof users, "0 %u 1", user);
    snprintf(groups, sizeof groups, "0 %u 1", group);
    return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 && namespace_write("/proc/self/setgroups", "deny") &&
           namespace_write("/proc/self/uid_map", users) && namespace_write("/proc/self/gid_map", groups);
}

int iw_network_namespace_make(bool *user) {
    bool made = unshare(CLONE_NEWNET) == 0;

    if (user != NULL)
        *user = !made && errno == EPERM && namespace_enter_user();
    if (!made && (user == NULL || !*user))
        return -1;
    return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
}

void iw_network_namespace_explain(char error[IW_NETWORK_TEXT_OCTETS]) {
    snprintf(error, IW_NETWORK_TEXT_OCTETS,
        "no private network is permitted: %s; run as root, or allow user namespaces (sysctl "
        "kernel.unprivileged_userns_clone and user.max_user_namespaces; in a container: its profile)",
        strerror(errno));
}

#include "iw_nic.h"

#include <ifaddrs.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- what the system says of an interface ---- */

/* Reads an id such as 0x15b3 and appends it as " 15b3" or ":15b3". */
static void nic_add_id(
    const char *folder, const char *name, const char *file, char between, char text[IW_NIC_OCTETS]) {
    char path[PATH_MAX];
    unsigned id;
    FILE *in;

    snprintf(path, sizeof path, "%s/%s/device/%s", folder, name, file);
    in = fopen(path, "re");
    if (in == NULL)
        return;
    if (fscanf(in, "0x%8x", &id) == 1)
        snprintf(text + strlen(text), IW_NIC_OCTETS - strlen(text), "%c%04x", between, id);
    fclose(in);
}

void iw_nic_describe(const char *folder, const char *name, char text[IW_NIC_OCTETS]) {
    char path[PATH_MAX], driver[PATH_MAX];
    const char *slash;
    ssize_t length;

    snprintf(text, IW_NIC_OCTETS, "%s", name);
    snprintf(path, sizeof path, "%s/%s/device/driver", folder, name);
    length = readlink(path, driver, sizeof driver - 1);
    if (length > 0) {
        driver[length] = '\0';
        slash = strrchr(driver, '/');
        snprintf(
            text + strlen(text), IW_NIC_OCTETS - strlen(text), " %.64s", slash != NULL ? slash + 1 : driver);
    }
    nic_add_id(folder, name, "vendor", ' ', text);
    nic_add_id(folder, name, "device", ':', text);
}

/* ---- the interface towards a host ---- */

static bool nic_same_address(const struct sockaddr *one, const struct sockaddr *other) {
    if (one == NULL || one->sa_family != other->sa_family)
        return false;
    if (one->sa_family == AF_INET)
        return memcmp(&((const struct sockaddr_in *)(const void *)one)->sin_addr,
                   &((const struct sockaddr_in *)(const void *)other)->sin_addr, sizeof(struct in_addr)) == 0;
    return one->sa_family == AF_INET6 &&
           memcmp(&((const struct sockaddr_in6 *)(const void *)one)->sin6_addr,
               &((const struct sockaddr_in6 *)(const void *)other)->sin6_addr, sizeof(struct in6_addr)) == 0;
}

static void nic_find(const struct sockaddr *own, char text[IW_NIC_OCTETS]) {
    struct ifaddrs *all = NULL;

    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next)
        if (nic_same_address(one->ifa_addr, own)) {
            iw_nic_describe("/sys/class/net", one->ifa_name, text);
            break;
        }
    freeifaddrs(all);
}

/* Connecting a UDP socket selects the route and the own address, and sends nothing. */
static void nic_route(const struct addrinfo *to, char text[IW_NIC_OCTETS]) {
    int s = socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_storage own;
    socklen_t octets = sizeof own;

    if (s < 0)
        return;
    if (connect(s, to->ai_addr, to->ai_addrlen) == 0 && getsockname(s, (struct sockaddr *)&own, &octets) == 0)
        nic_find((const struct sockaddr *)&own, text);
    close(s);
}

void iw_nic_towards(const char *host, char text[IW_NIC_OCTETS]) {
    const struct addrinfo wanted = {.ai_socktype = SOCK_DGRAM};
    struct addrinfo *found;

    text[0] = '\0';
    if (getaddrinfo(host, "9", &wanted, &found) != 0)
        return;
    nic_route(found, text);
    freeaddrinfo(found);
}

#include "cmd_starter.h"

#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmd.h"
#include "iw_exit.h"

/* Writes the source address of datagrams to `to`, without sending any. */
static bool starter_local_address(const struct addrinfo *to, char *text) {
    int s = socket(to->ai_family, to->ai_socktype, to->ai_protocol);
    struct sockaddr_storage own;
    socklen_t octets = sizeof own;
    bool known = s >= 0 && connect(s, to->ai_addr, to->ai_addrlen) == 0 &&
                 getsockname(s, (struct sockaddr *)&own, &octets) == 0 &&
                 getnameinfo((struct sockaddr *)&own, octets, text, CMD_STARTER_HOST_OCTETS, NULL, 0,
                     NI_NUMERICHOST) == 0;

    if (s >= 0)
        close(s);
    return known;
}

static bool starter_find_address(const char *host, char *text) {
    const struct addrinfo hints = {.ai_socktype = SOCK_DGRAM};
    struct addrinfo *list = NULL;
    bool known = getaddrinfo(host, "1", &hints, &list) == 0 && starter_local_address(list, text);

    if (list)
        freeaddrinfo(list);
    return known;
}

int cmd_starter_find(const struct iw_usage *usage, struct cmd_starter *starter, const char *host,
    const char *own_host, const struct iw_dut_starter **found) {
    *found = NULL;
    if (!starter->starter.command)
        return 0;
    if (!host)
        return iw_option_error(
            usage, "--initiator goes with --peer, or with --role initiator and --own-host");
    if (!strstr(starter->starter.command, "{port}"))
        return iw_option_error(
            usage, "--initiator takes a command that contains {host} and {port}, the destination");
    *found = &starter->starter;
    if (own_host) {
        starter->starter.host = own_host;
        starter->starter.listen = strchr(own_host, ':') ? "::" : "0.0.0.0";
        return 0;
    }
    starter->starter.host = starter->starter.listen = starter->host;
    if (starter_find_address(host, starter->host))
        return 0;
    return cmd_fail(
        IW_EXIT_ENVIRONMENT, "no address of this host to reach %s from: give it with --own-host", host);
}

#include "cmd_sctp.h"

#include <getopt.h>

int cmd_sctp(const struct iw_usage *usage, struct iw_sctp_where *where, char *host, size_t host_octets,
    _Bool listens) {
    where->host = host;
    if (iw_option_sctp(optarg, host, host_octets, &where->port, &where->tunnelled, &where->tunnel) &&
        (listens || (where->port > 0 && (!where->tunnelled || where->tunnel > 0))))
        return 0;
    return iw_option_error(
        usage, "--sctp takes HOST:PORT, udp:HOST:PORT or udp/PORT:HOST:PORT, not %s", optarg);
}

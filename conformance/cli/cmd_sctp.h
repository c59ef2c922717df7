#ifndef CMD_SCTP_H
#define CMD_SCTP_H

#include "iw_option.h"
#include "iw_sctp_link.h"

/* --sctp, the same for every command: where a device takes associations, or is to take them with `listens`,
 * for whom 0 lets somebody choose a port. The host goes into `host`. 0, or the exit code with a line on
 * stderr. */
int cmd_sctp(
    const struct iw_usage *usage, struct iw_sctp_where *where, char *host, size_t host_octets, _Bool listens);

#endif

#ifndef CMD_SCTP_H
#define CMD_SCTP_H

#include "iw_option.h"
#include "iw_sctp_link.h"

/* --sctp, for all commands: where a device accepts associations, or, with `listens`, where to accept them;
 * port 0 then lets the system choose. The host goes into `host`. Returns 0, or the exit code with a line on
 * stderr. */
int cmd_sctp(
    const struct iw_usage *usage, struct iw_sctp_where *where, char *host, size_t host_octets, _Bool listens);

#endif

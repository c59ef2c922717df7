#ifndef CMD_STARTER_H
#define CMD_STARTER_H

#include "iw_dut.h"
#include "iw_option.h"

/* --initiator: the command that makes a device connect which has no agent. */

enum { CMD_STARTER_HOST_OCTETS = 256 };

struct cmd_starter {
    struct iw_dut_starter starter; /* `command` of --initiator, or NULL */
    char host[CMD_STARTER_HOST_OCTETS];
};

/* When all options are there: the starter for the peer at `host`, which may be NULL, or NULL in `found`. The
 * device reaches this host as `own_host` or, if that is NULL, at the address from which this host reaches the
 * peer. 0, or the exit code with a line on stderr. */
int cmd_starter_find(const struct iw_usage *usage, struct cmd_starter *starter, const char *host,
    const char *own_host, const struct iw_dut_starter **found);

#endif

#ifndef CMD_STARTER_H
#define CMD_STARTER_H

#include "iw_dut.h"
#include "iw_option.h"

/* --initiator: the command that makes a device without an agent connect. */

enum { CMD_STARTER_HOST_OCTETS = 256 };

struct cmd_starter {
    struct iw_dut_starter starter; /* `command` of --initiator, or NULL */
    char host[CMD_STARTER_HOST_OCTETS];
};

/* After all options: sets *found to the starter for the peer at `host`, or to NULL without --initiator. The
 * device reaches this host at `own_host` or, if that is NULL, at the address from which this host reaches
 * the peer. Returns 0, or the exit code with a line on stderr. */
int cmd_starter_find(const struct iw_usage *usage, struct cmd_starter *starter, const char *host,
    const char *own_host, const struct iw_dut_starter **found);

#endif

#pragma once

#include "iw_dut.h"
#include "iw_option.h"

/* --initiator COMMAND: makes the device connect. */

enum { CMD_STARTER_HOST_OCTETS = 256 };

struct cmd_starter {
    struct iw_dut_starter starter; /* command NULL: --initiator is not given */
    char host[CMD_STARTER_HOST_OCTETS];
};

/* Call after all options are read. Sets *found to the starter for the peer at `host`, or to NULL without
 * --initiator. The device connects to `own_host`; if NULL, to the address from which this host reaches the
 * peer. Returns 0, or the exit code after one line on stderr. */
int cmd_starter_find(const struct iw_usage *usage, struct cmd_starter *starter, const char *host,
    const char *own_host, const struct iw_dut_starter **found);

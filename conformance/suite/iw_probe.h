#ifndef IW_PROBE_H
#define IW_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "iw_dut.h"
#include "iw_exit.h"

/* `warpcheck probe`: finds out by itself what a device does, and writes the profile (docs/profile.md). */

struct iw_probe_config {
    const char *host; /* of a foreign device, or NULL: the embedded reference, in memory */
    uint16_t port;
    struct iw_sctp_where sctp;        /* where that takes associations; host NULL: nobody has said */
    const struct iw_dut_agent *agent; /* beside that, or NULL */
    const struct iw_profile *profile; /* of the embedded reference, or NULL: everything */
};

/* The profile as a text, which the caller frees. Otherwise NULL with one line in `error`, and in `exit`
 * UNJUDGED if the device did not let it be found out, or ENVIRONMENT. */
char *iw_probe(const struct iw_probe_config *config, enum iw_exit *exit, char *error, size_t error_octets);

#endif

#ifndef IW_SERVE_H
#define IW_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "iw_ddp_reference.h"
#include "iw_defect.h"
#include "iw_memory.h"
#include "iw_status.h"

/* `warpcheck serve`: the reference endpoint alone, until a signal ends it. */

struct iw_serve_config {
    const char *host;
    unsigned short port;
    struct iw_sctp_where sctp; /* address for SCTP associations; host NULL: no SCTP */
    const char *agent_host;    /* address of the agent; NULL: no agent */
    unsigned short agent_port;
    const char *token;              /* required from the agent's sessions; NULL: no token */
    const struct iw_defect *defect; /* or NULL */
    const char *record;             /* file for the capture; NULL: no capture */
    bool quiet;                     /* prints only the listening addresses and the region, no events */
    uint64_t region_octets;         /* size of the offered region */
    unsigned extensions; /* set of enum iw_extension: accepted by the responder and applied by the monitor */
    uint32_t receive_octets; /* size of a receive buffer; 0: the default of the reference endpoint */
    bool no_crc;             /* does not request CRC */
    bool echo;               /* answers each Send with a Send of the same payload */
    bool rping;              /* acts as rping server (iw_rping.h) */
    uint32_t rping_octets;   /* of its buffers; 0: IW_RPING_SIZE */
    bool bulk;               /* for throughput: FPDUs as large as a TCP segment, several in one write */
    FILE *out;
    FILE *err; /* a failure to write the capture is reported here at once; serving continues */
    /* Called when the responder listens, with the offered region; may be NULL. */
    void (*ready)(void *user, uint16_t port, const struct iw_region *region);
    void *user;
};

/* Listens, prints the addresses, and serves until SIGINT or SIGTERM. Returns IW_ERR_IO or IW_ERR_NOMEM with
 * one line in `error` if the responder cannot listen or record; `error` is empty if `err` has the message
 * already. */
enum iw_status iw_serve(const struct iw_serve_config *config, char *error, size_t error_octets);

#endif

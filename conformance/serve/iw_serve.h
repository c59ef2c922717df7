#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "iw_ddp_reference.h"
#include "iw_defect.h"
#include "iw_memory.h"
#include "iw_status.h"

/* `warpcheck serve`: runs the reference endpoint as responder until a signal ends it. */

enum { IW_SERVE_REGION_OCTETS = 65536 };

struct iw_serve_config {
    const char *host;
    unsigned short port;
    struct iw_sctp_where sctp; /* address at which to accept associations; host NULL: no SCTP */
    const char *agent_host;    /* address of the agent; NULL: no agent */
    unsigned short agent_port;
    const char *token;                /* token that clients of the agent need; NULL: none */
    const struct iw_tls_context *tls; /* of the agent; NULL: no TLS */
    const struct iw_defect *defect;   /* or NULL */
    const char *record;               /* file for the capture; NULL: no capture */
    bool quiet;                       /* print only the addresses and the region, no events */
    uint64_t region_octets;  /* size of the offered region; 0: that of `file`, or IW_SERVE_REGION_OCTETS */
    const char *file;        /* medium of the region; NULL: it is lost at the end */
    unsigned extensions;     /* set of enum iw_extension that the responder accepts and the monitor applies */
    uint32_t receive_octets; /* size of a receive buffer; 0: the default of the reference endpoint */
    bool no_crc;             /* does not request CRC */
    bool echo;               /* answers each Send with a Send of the same payload */
    bool rping;              /* acts as rping server (iw_rping.h) */
    uint32_t rping_octets;   /* of its buffers; 0: IW_RPING_SIZE */
    bool bulk;               /* for throughput: FPDUs as large as a TCP segment, several in one write */
    FILE *out;
    FILE *err; /* a failed write of the capture is printed here at once; serving continues */
    /* Called when the responder listens; `region` is the offered region. May be NULL. */
    void (*ready)(void *user, uint16_t port, const struct iw_region *region);
    void *user;
};

/* Listens, prints the addresses, and serves until SIGINT or SIGTERM. On failure returns IW_ERR_IO or
 * IW_ERR_NOMEM with one line in `error`, or "" if `err` already has the message. */
enum iw_status iw_serve(const struct iw_serve_config *config, char *error, size_t error_octets);

#ifndef IW_SERVE_H
#define IW_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "iw_ddp_reference.h"
#include "iw_defect.h"
#include "iw_memory.h"
#include "iw_status.h"

/* `warpcheck serve`: the reference responder by itself, until a signal ends it. */

struct iw_serve_config {
    const char *host;
    unsigned short port;
    struct iw_sctp_where sctp; /* where it takes associations, too; host NULL: nowhere */
    const char *agent_host;    /* where the agent listens, or NULL: there is none */
    unsigned short agent_port;
    const char *token;              /* that the agent's sessions have to name, or NULL */
    const struct iw_defect *defect; /* or NULL */
    const char *record;             /* file for the capture, or NULL */
    bool quiet;                     /* says only where it listens and what it offers */
    uint64_t region_octets;         /* of the region it offers */
    unsigned extensions; /* set of enum iw_extension that the responder accepts and that both sides are judged
                            by */
    uint32_t receive_octets; /* size of a receive buffer; 0: as in the reference endpoint */
    bool no_crc;             /* does not ask for CRC */
    bool echo;               /* answers each Send with a Send of the same octets */
    bool rping;              /* does to its peers what rping does (iw_rping.h) */
    bool bulk; /* FPDUs as large as TCP's segments, several in a write: for speed, not for being looked at */
    FILE *out;
    FILE *err; /* is told at once when the capture takes no more; the serving goes on */
    /* It listens, and this is what it offers; may be NULL. */
    void (*ready)(void *user, uint16_t port, const struct iw_region *region);
    void *user;
};

/* Listens, says so, and serves until SIGINT or SIGTERM. Returns IW_ERR_IO or IW_ERR_NOMEM with one line in
 * `error` if it could not listen or record; it is empty if `err` has been told. */
enum iw_status iw_serve(const struct iw_serve_config *config, char *error, size_t error_octets);

#endif

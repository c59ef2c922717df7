#include "iw_ddp_session.h"

#include <stdlib.h>
#include <string.h>

bool iw_ddp_early_keep(
    struct iw_ddp_early *early, size_t *octets, const struct iw_sctp_message *message, uint16_t ssn) {
    struct iw_ddp_early_chunk **place;

    if (early->chunks == NULL)
        early->chunks = calloc(IW_DDP_SSNS_AHEAD, sizeof early->chunks[0]);
    if (early->chunks == NULL)
        return false;
    place = &early->chunks[ssn % IW_DDP_SSNS_AHEAD];
    if (*place != NULL)
        return true; /* SCTP delivers each chunk once, but a peer may use a DDP-SSN twice */
    if (*octets + message->captured > IW_DDP_EARLY_OCTETS_MAX)
        return false;
    struct iw_ddp_early_chunk *chunk = malloc(sizeof *chunk + message->captured);
    if (chunk == NULL)
        return false;
    chunk->ppid = message->ppid;
    chunk->length = message->captured;
    memcpy(chunk->octets, message->octets, message->captured);
    *place = chunk;
    *octets += message->captured;
    return true;
}

struct iw_ddp_early_chunk *iw_ddp_early_take(struct iw_ddp_early *early, size_t *octets, uint16_t ssn) {
    struct iw_ddp_early_chunk *chunk = early->chunks == NULL ? NULL : early->chunks[ssn % IW_DDP_SSNS_AHEAD];

    if (chunk == NULL)
        return NULL;
    early->chunks[ssn % IW_DDP_SSNS_AHEAD] = NULL;
    *octets -= chunk->length;
    return chunk;
}

void iw_ddp_early_drop(struct iw_ddp_early *early, size_t *octets) {
    for (unsigned ssn = 0; early->chunks != NULL && ssn < IW_DDP_SSNS_AHEAD; ssn++)
        free(iw_ddp_early_take(early, octets, (uint16_t)ssn));
    free(early->chunks);
    early->chunks = NULL;
}

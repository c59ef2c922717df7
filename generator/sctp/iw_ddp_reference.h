#ifndef IW_DDP_REFERENCE_H
#define IW_DDP_REFERENCE_H

#include "iw_ddp_association.h"
#include "iw_reference.h"

/* The reference implementation over SCTP (RFC 5043, RFC 6581 7): it takes and opens associations, and each
 * DDP Stream Session of them is a connection of an iw_reference, with that one's settings and memory. It asks
 * for neither CRC nor Markers, which SCTP has no use for, rejects an Initiate of whose RTR types it has none,
 * and sends without waiting for the initiator (RFC 6581 7). */

struct iw_ddp_reference;

struct iw_ddp_reference_config {
    struct iw_reference *reference;
    struct iw_sctp_stack *stack;
    struct iw_sctp_where where; /* to listen */
    struct iw_ddp_association_config association;
};

/* Listens. NULL with one line in `text`, of IW_SCTP_LINK_TEXT_OCTETS octets, if that cannot be. `config` is
 * copied. */
struct iw_ddp_reference *iw_ddp_reference_new(const struct iw_ddp_reference_config *config, char *text);
/* Aborts all associations. The iw_reference must have been freed. NULL is allowed. */
void iw_ddp_reference_free(struct iw_ddp_reference *reference);

struct iw_sctp_where iw_ddp_reference_where(const struct iw_ddp_reference *reference);

/* Begins a session as initiator on that stream of an association with the peer: of one that it has opened
 * before, if there is one, or else of a new one. Returns the number of the connection, as of
 * iw_reference_connection, or 0 with a line in `text`. */
unsigned iw_ddp_reference_connect(
    struct iw_ddp_reference *reference, const struct iw_sctp_where *peer, uint16_t stream, char *text);

#endif

#pragma once

#include "iw_ddp_association.h"
#include "iw_reference.h"

/* The reference implementation over SCTP (RFC 5043, RFC 6581 7): it accepts and opens associations; each
 * DDP Stream Session is a connection of an iw_reference, with its settings and memory. It requests neither
 * CRC nor Markers, which SCTP does not need, rejects an Initiate without a common RTR type, and sends
 * without waiting for the initiator (RFC 6581 7). */

struct iw_ddp_reference;

struct iw_ddp_reference_config {
    struct iw_reference *reference;
    struct iw_sctp_stack *stack;
    struct iw_sctp_where where; /* where to listen */
    struct iw_ddp_association_config association;
};

/* Creates a reference that listens. On failure returns NULL with a line in `text`, of
 * IW_SCTP_LINK_TEXT_OCTETS octets. Copies `config`; what `config` points to must outlive the reference. */
struct iw_ddp_reference *iw_ddp_reference_new(const struct iw_ddp_reference_config *config, char *text);
/* Aborts all associations and frees the reference. Free the iw_reference before. NULL is allowed. */
void iw_ddp_reference_free(struct iw_ddp_reference *reference);

struct iw_sctp_where iw_ddp_reference_where(const struct iw_ddp_reference *reference);

/* Starts a session as initiator on that stream of an association with the peer. Opens an association, unless
 * this side has an open association with the peer. Returns the number of the connection (see
 * iw_reference_connection), or 0 with a line in `text`. */
unsigned iw_ddp_reference_connect(
    struct iw_ddp_reference *reference, const struct iw_sctp_where *peer, uint16_t stream, char *text);

#pragma once

#include "iw_sctp_association.h"

/* Associations of multi-homed sides (RFC 9260 6.4). A packet between addresses other than the first ones
 * belongs to the association with its Verification Tag, if the sides have announced these addresses. */

enum { IW_SCTP_ADDRESSES_MAX = 16 }; /* most further addresses of a side; others are ignored */

/* Each entry of `paths` is one side of an association, found by the Verification Tag of that side. */

/* Takes an INIT or INIT ACK of `side`, after iw_sctp_association_init_chunk. Increments state.limited if
 * packets of the association may not be recognised: too many addresses, too many equal tags, or no memory. */
void iw_sctp_paths_init(struct iw_hash_table *paths, struct iw_sctp_association *association,
    enum iw_side side, struct iw_sctp_init *init);

/* Returns the association of the packet, and sets `side` to the sender. Returns NULL if it does not exist. */
struct iw_sctp_association *iw_sctp_paths_find(
    const struct iw_hash_table *paths, const struct iw_tcp_segment *packet, enum iw_side *side);

/* Copies the further addresses of `side` to `addresses`; returns their number. */
unsigned iw_sctp_paths_addresses(const struct iw_sctp_association *association, enum iw_side side,
    struct iw_tcp_address addresses[IW_SCTP_ADDRESSES_MAX]);

/* Removes the association's paths and further addresses. */
void iw_sctp_paths_forget(struct iw_hash_table *paths, struct iw_sctp_association *association);

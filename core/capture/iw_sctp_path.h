#ifndef IW_SCTP_PATH_H
#define IW_SCTP_PATH_H

#include "iw_sctp_association.h"

/* Associations of multi-homed sides (RFC 9260 6.4). A packet between addresses other than the first ones
 * belongs to the association with its Verification Tag, if the sides have announced these addresses. */

enum { IW_SCTP_ADDRESSES_MAX = 16 }; /* further ones of a side; more are ignored */

/* `paths` has one side of an association each, by its tag. */

/* Takes an INIT or INIT ACK of `side`, after association->direction has taken it. Counts in state.limited if
 * some of its packets will not be recognised: too many addresses or equal tags, or no memory. */
void iw_sctp_paths_init(struct iw_hash_table *paths, struct iw_sctp_association *association,
    enum iw_side side, struct iw_sctp_init *init);

/* The association of the packet, and its sender; or NULL. */
struct iw_sctp_association *iw_sctp_paths_find(
    const struct iw_hash_table *paths, const struct iw_tcp_segment *packet, enum iw_side *side);

/* Copies the further addresses of `side`; returns how many. */
unsigned iw_sctp_paths_addresses(const struct iw_sctp_association *association, enum iw_side side,
    struct iw_tcp_address addresses[IW_SCTP_ADDRESSES_MAX]);

void iw_sctp_paths_forget(struct iw_hash_table *paths, struct iw_sctp_association *association);

#endif

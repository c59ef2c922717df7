#ifndef IW_SCTP_PATH_H
#define IW_SCTP_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "iw_sctp_association.h"

/* Associations whose sides have several addresses (RFC 9260 6.4). A packet between addresses that none began
 * with is of the one whose tag it carries, if its sides have said that they have these addresses. */

enum { IW_SCTP_ADDRESSES_MAX = 16 }; /* of a side beside the first; more are not known again */

struct iw_sctp_paths {
    struct iw_sctp_path **buckets; /* by tag; NULL before the first */
    size_t bucket_count;           /* a power of two */
    size_t count;
    uint64_t key[2]; /* set before the first; nobody else knows it */
};

/* `side` has sent this INIT or INIT ACK, which association->direction knows already. If it has too many
 * addresses, if too many associations have its tag, or without memory, not all its packets are known again,
 * which association->state.limited counts. */
void iw_sctp_paths_init(struct iw_sctp_paths *paths, struct iw_sctp_association *association,
    enum iw_side side, struct iw_sctp_init *init);

/* The association that the packet is of, and who has sent it; or NULL. */
struct iw_sctp_association *iw_sctp_paths_find(
    const struct iw_sctp_paths *paths, const struct iw_tcp_segment *packet, enum iw_side *side);

/* The addresses that `side` has beside the first, as far as they are known again; returns how many. */
unsigned iw_sctp_paths_addresses(const struct iw_sctp_association *association, enum iw_side side,
    struct iw_tcp_address addresses[IW_SCTP_ADDRESSES_MAX]);

/* The association goes. */
void iw_sctp_paths_forget(struct iw_sctp_paths *paths, struct iw_sctp_association *association);

void iw_sctp_paths_dispose(struct iw_sctp_paths *paths);

#endif

#ifndef IW_SCTP_PATH_H
#define IW_SCTP_PATH_H

#include "iw_sctp_association.h"

/* Associations whose sides have several addresses (RFC 9260 6.4). A packet between addresses that none began
 * with is of the one whose tag it carries, if its sides have said that they have these addresses. */

enum { IW_SCTP_ADDRESSES_MAX = 16 }; /* of a side beside the first; more are not known again */

struct iw_sctp_paths {
    struct iw_sctp_path **buckets; /* by tag; NULL before the first */
};

/* `side` has sent this INIT or INIT ACK, which association->direction knows already. Without memory its
 * addresses are not known again. */
void iw_sctp_paths_init(struct iw_sctp_paths *paths, struct iw_sctp_association *association,
    enum iw_side side, struct iw_sctp_init *init);

/* The association that the packet is of, and who has sent it; or NULL. */
struct iw_sctp_association *iw_sctp_paths_find(
    const struct iw_sctp_paths *paths, const struct iw_tcp_segment *packet, enum iw_side *side);

/* The association goes. */
void iw_sctp_paths_forget(struct iw_sctp_paths *paths, struct iw_sctp_association *association);

void iw_sctp_paths_dispose(struct iw_sctp_paths *paths);

#endif

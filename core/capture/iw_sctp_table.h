#pragma once

#include "iw_sctp_association.h"
#include "iw_status.h"

/* All SCTP associations of a capture. The table takes packets, and hands over user data. */

/* Limits; 0 means the default. */
struct iw_sctp_config {
    size_t octets;       /* most octets held back for all associations, default 16 MiB */
    size_t associations; /* open associations, default 1 Mi */
    size_t waiting;      /* associations with packets of one side only, default 65536 */
    size_t closed;       /* associations kept to recognise late packets, default 4096 */
};

/* Called by iw_sctp_table_packet, _finish and _free. Must not call these functions. Each may be NULL. */
struct iw_sctp_handlers {
    /* Takes user data: of one side in the order of TSNs; of both sides in capture order, unless held back. */
    void (*message)(
        void *user, struct iw_sctp_association *association, const struct iw_sctp_message *message);
    /* `side` has ended the association, in `association->frame`. Chunks captured late may follow. */
    void (*close)(
        void *user, struct iw_sctp_association *association, enum iw_side side, enum iw_sctp_end end);
    /* A packet is ignored for its Verification Tag, which is wrong for these addresses (RFC 9260 8.5). */
    void (*stray)(void *user, const struct iw_tcp_segment *packet);
    /* The last call for `association`, which is freed afterwards. */
    void (*end)(void *user, struct iw_sctp_association *association);
};

struct iw_sctp_table;

/* Returns an empty table; NULL if memory runs out. `config` may be NULL; `user` is passed to the handlers. */
struct iw_sctp_table *iw_sctp_table_new(
    const struct iw_sctp_config *config, const struct iw_sctp_handlers *handlers, void *user);

/* Gives the chunks of an SCTP packet from iw_packet_find to its association, which may be multi-homed.
 * Ignores packets with a wrong Verification Tag (RFC 9260 8.5). IW_ERR_LIMIT: this association, or a waiting
 * one, was dropped at a limit, or IW_TCP_SCOPES_MAX associations have these addresses. IW_ERR_NOMEM: no
 * memory for a new association; the packet is dropped. The table remains usable. */
enum iw_status iw_sctp_table_packet(struct iw_sctp_table *table, const struct iw_tcp_segment *packet);

/* For the end of the capture: ends all associations, open ones in the order of opening. */
void iw_sctp_table_finish(struct iw_sctp_table *table);

/* Frees the table. For each association that has not ended, calls the handler `end` and no other. NULL is
 * allowed. */
void iw_sctp_table_free(struct iw_sctp_table *table);

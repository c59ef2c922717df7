#ifndef IW_SCTP_TABLE_H
#define IW_SCTP_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "iw_sctp_association.h"
#include "iw_status.h"

/* All SCTP associations of a capture: packets in, user data out. */

/* Bounds; 0 means the default. */
struct iw_sctp_config {
    size_t octets;       /* held back for all associations, default 16 MiB */
    size_t associations; /* that are open, default 1 Mi */
    size_t waiting;      /* of which one side only has spoken, default 65536 */
    size_t closed;       /* that are remembered to tell what comes late from something new, default 4096 */
};

/* Called from within iw_sctp_table_packet, _finish and _free, which must not be called from here. Any may be
 * NULL. */
struct iw_sctp_handlers {
    /* Of a side in the order of TSNs; between the sides in that of capture, but for what had to wait. */
    void (*message)(
        void *user, struct iw_sctp_association *association, const struct iw_sctp_message *message);
    /* `side` has ended the association, in the frame association->frame. The chunks that waited follow, and
     * chunks that were sent before the end but captured after it. */
    void (*close)(
        void *user, struct iw_sctp_association *association, enum iw_side side, enum iw_sctp_end end);
    /* A packet between the addresses of an association is left alone, because its Verification Tag is not the
     * association's (RFC 9260 8.5). */
    void (*stray)(void *user, const struct iw_tcp_segment *packet);
    /* Everything has been handed over; `association` is released afterwards. */
    void (*end)(void *user, struct iw_sctp_association *association);
};

struct iw_sctp_table;

/* A table without associations; `config` may be NULL, `user` is handed to the handlers. NULL if there is no
 * memory. */
struct iw_sctp_table *iw_sctp_table_new(
    const struct iw_sctp_config *config, const struct iw_sctp_handlers *handlers, void *user);

/* Gives the chunks of a packet, as iw_packet_decode finds it, to its association, whichever of the addresses
 * of its sides it goes between. Packets whose Verification Tag is not that of the association are left alone
 * (RFC 9260 8.5). IW_ERR_LIMIT: an association of which one side only had spoken, or this one, has been
 * forgotten to keep within bounds. IW_ERR_NOMEM: there is no memory for a new one, and the packet is dropped.
 * The table goes on working. */
enum iw_status iw_sctp_table_packet(struct iw_sctp_table *table, const struct iw_tcp_segment *packet);

/* End of the capture: ends all associations, those that are open in the order in which they came to be. The
 * table is then empty. */
void iw_sctp_table_finish(struct iw_sctp_table *table);

/* Releases the table; associations that were not ended see `end` but nothing more. NULL is allowed. */
void iw_sctp_table_free(struct iw_sctp_table *table);

#endif

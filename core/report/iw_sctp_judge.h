#ifndef IW_SCTP_JUDGE_H
#define IW_SCTP_JUDGE_H

#include <stdbool.h>

#include "iw_sctp_monitor.h"
#include "iw_sctp_table.h"
#include "iw_status.h"

/* The judge of all DDP over SCTP among the packets of a capture or of a network: packets in, and what the
 * monitor of each DDP Stream Session makes of them out. */

/* Called from within iw_sctp_judge_packet and _finish. */
struct iw_sctp_judge_handlers {
    /* `association` lives as long as its sessions; `session->user` is the callee's. */
    void (*event)(void *user, const struct iw_sctp_association *association, struct iw_ddp_session *session,
        const struct iw_monitor_event *event);
    /* Follows the last event of each session, which is released afterwards. May be NULL. */
    void (*end)(void *user, struct iw_ddp_session *session);
    /* A packet of no association, by its Verification Tag (iw_sctp_table.h). May be NULL. */
    void (*stray)(void *user, const struct iw_tcp_segment *packet);
};

struct iw_sctp_judge;

/* `config` is looked at whenever a session begins; it and `handlers` are kept, not copied. NULL if there is
 * no memory. */
struct iw_sctp_judge *iw_sctp_judge_new(
    const struct iw_monitor_config *config, const struct iw_sctp_judge_handlers *handlers, void *user);

/* Takes the next packet, as iw_packet_decode finds it; errors as of iw_sctp_table_packet. */
enum iw_status iw_sctp_judge_packet(struct iw_sctp_judge *judge, const struct iw_tcp_segment *packet);

/* There was no memory for something that packets so far have brought: it is not judged. */
bool iw_sctp_judge_failed(const struct iw_sctp_judge *judge);

/* No more packets will come: ends all sessions. */
void iw_sctp_judge_finish(struct iw_sctp_judge *judge);

/* Sessions that were not ended are not heard of any more. NULL is allowed. */
void iw_sctp_judge_free(struct iw_sctp_judge *judge);

#endif

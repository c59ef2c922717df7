#ifndef IW_SCTP_JUDGE_H
#define IW_SCTP_JUDGE_H

#include <stdbool.h>

#include "iw_sctp_monitor.h"
#include "iw_sctp_table.h"
#include "iw_status.h"

/* Judges all DDP over SCTP: takes packets, and hands over the events of the monitor of each DDP Stream
 * Session. */

/* Called by iw_sctp_judge_packet, _finish and _free. */
struct iw_sctp_judge_handlers {
    /* `association` lives as long as its sessions; the callee may use `session->user`. */
    void (*event)(void *user, const struct iw_sctp_association *association,
        struct iw_judged_session *session, const struct iw_monitor_event *event);
    /* Called after the last event of a session; the session is freed afterwards. May be NULL. */
    void (*end)(void *user, struct iw_judged_session *session);
    /* A packet is ignored because its Verification Tag is wrong for its association (iw_sctp_table.h). May be
     * NULL. */
    void (*stray)(void *user, const struct iw_tcp_segment *packet);
    /* A chunk of DDP has come. Its event follows, perhaps after later chunks: events come in the order of
     * DDP-SSNs. May be NULL. */
    void (*message)(void *user, const struct iw_sctp_monitor *monitor, const struct iw_sctp_message *message);
};

struct iw_sctp_judge;

/* `config`, which is read at the start of each session, and `handlers` are borrowed. Returns NULL without
 * memory. */
struct iw_sctp_judge *iw_sctp_judge_new(const struct iw_monitor_config *config,
    const struct iw_sctp_config *limits, const struct iw_sctp_judge_handlers *handlers, void *user);

/* Takes the next packet, as decoded by iw_packet_find. Errors as iw_sctp_table_packet; IW_ERR_NOMEM also if
 * its DDP is not judged, because memory ran out for it or for an earlier chunk of its association. */
enum iw_status iw_sctp_judge_packet(struct iw_sctp_judge *judge, const struct iw_tcp_segment *packet);

/* Whether memory ran out, so that some packets were not judged. */
bool iw_sctp_judge_failed(const struct iw_sctp_judge *judge);

/* Ends all sessions after the last packet. */
void iw_sctp_judge_finish(struct iw_sctp_judge *judge);

/* Frees the judge; open sessions end first, with their events. NULL is allowed. */
void iw_sctp_judge_free(struct iw_sctp_judge *judge);

#endif

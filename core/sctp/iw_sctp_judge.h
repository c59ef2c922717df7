#pragma once

#include "iw_sctp_monitor.h"
#include "iw_sctp_table.h"
#include "iw_status.h"

/* Judges all DDP over SCTP: takes packets, and hands over the events of each DDP Stream Session. */

/* Memory in octets: counted for each DDP Stream until its association ends, and for each session until the
 * session ends. Upper estimates for idle streams and sessions. */
enum { IW_SCTP_JUDGE_STREAM_OCTETS = 1 << 10, IW_SCTP_JUDGE_SESSION_OCTETS = 11 << 10 };

/* Called by iw_sctp_judge_packet and _finish. */
struct iw_sctp_judge_handlers {
    /* Takes an event. `association` lives as long as its sessions; the callee may use `session->user`. */
    void (*event)(void *user, const struct iw_sctp_association *association,
        struct iw_judged_session *session, const struct iw_monitor_event *event);
    /* Called after the last event of a session; the session is freed afterwards. May be NULL. */
    void (*end)(void *user, struct iw_judged_session *session);
    /* A packet is ignored because its Verification Tag is wrong (iw_sctp_table.h). May be NULL. */
    void (*stray)(void *user, const struct iw_tcp_segment *packet);
    /* Takes a DDP chunk, whose event may come later, in the order of DDP-SSNs. May be NULL. */
    void (*message)(void *user, const struct iw_sctp_monitor *monitor, const struct iw_sctp_message *message);
};

struct iw_sctp_judge;

/* Borrows `handlers` and `config`. Each session reads `config` at its start. Returns NULL if memory runs out.
 */
struct iw_sctp_judge *iw_sctp_judge_new(const struct iw_monitor_config *config,
    const struct iw_sctp_config *limits, const struct iw_sctp_judge_handlers *handlers, void *user);

/* Limits the memory for DDP Streams and sessions; by default there is no limit. At the limit, an association
 * gets no further DDP Stream, and a new session is not judged. */
void iw_sctp_judge_limit(struct iw_sctp_judge *judge, uint64_t octets);

/* Takes the next packet, as decoded by iw_packet_find. Returns the errors of iw_sctp_table_packet. Also
 * returns IW_ERR_NOMEM if DDP in the packet is not judged because memory ran out, now or for an earlier chunk
 * of the association; IW_ERR_LIMIT if it is not judged because of iw_sctp_judge_limit. */
enum iw_status iw_sctp_judge_packet(struct iw_sctp_judge *judge, const struct iw_tcp_segment *packet);

/* Whether memory ran out, so that some packets were not judged. */
bool iw_sctp_judge_failed(const struct iw_sctp_judge *judge);

/* Ends all sessions after the last packet. IW_ERR_LIMIT: a chunk that waited is not judged because of
 * iw_sctp_judge_limit; IW_ERR_NOMEM: because memory ran out. */
enum iw_status iw_sctp_judge_finish(struct iw_sctp_judge *judge);

/* Frees the judge without calls of handlers, also for open sessions. NULL is allowed. */
void iw_sctp_judge_free(struct iw_sctp_judge *judge);

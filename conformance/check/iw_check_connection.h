#ifndef IW_CHECK_CONNECTION_H
#define IW_CHECK_CONNECTION_H

#include "iw_check_event_store.h"
#include "iw_show.h"
#include "iw_totals.h"

/* A connection that has ended, as reports tell it: what was negotiated, what was kept of it, what could not
 * be judged. */

struct iw_check_connection {
    const char *file; /* as given; in which it begins */
    const char *last_file;
    uint64_t number; /* as Wireshark's tcp.stream; among the sessions over SCTP from 0 */
    uint64_t first_frame, last_frame;
    uint64_t first_time_ns, last_time_ns;
    char address[2][IW_SHOW_ADDRESS_OCTETS]; /* by enum iw_side */
    enum iw_role role[2];
    bool mapped; /* the port mapper mapped the ports; the two addresses below are those before the mapping */
    char advertised[IW_SHOW_ADDRESS_OCTETS]; /* address of the accepting peer, as the application knows it */
    char connecting[IW_SHOW_ADDRESS_OCTETS]; /* address of the connecting peer, as the application knows it */
    bool sctp;                               /* a DDP Stream Session; the members below identify it */
    struct iw_session session;
    uint64_t lost_chunks;      /* of its association */
    struct iw_mpa_terms terms; /* what the startup settled */
    struct iw_monitor_counts counts;
    struct iw_tcp_counters tcp[2];      /* per side: octets that the capture lost */
    struct iw_unanswered unanswered[2]; /* outstanding requests of each side; frames count in: */
    const char *unanswered_file[2][IW_UNANSWERED_NAMED];
    struct iw_check_kept kept;
    struct iw_totals tally; /* of this connection alone, waived findings apart */
    char *extract;          /* path of the small capture that was made of it, or NULL */
};

/* Said beside the verdict of a connection whose startup was not finished. It changes neither verdict nor exit
 * code: RFC 5044 7.1.2 (10) fixes no time for the Reply, and all that was captured has been judged. */
#define IW_CHECK_UNSTARTED "startup not finished: no Reply captured"

/* The stream has ended: what was kept of it, for the caller to free, and nothing in stream->user. NULL: no
 * memory. */
struct iw_check_connection *iw_check_event_store_end(
    const struct iw_check_event_store *keep, struct iw_check_stream *stream);
void iw_check_connection_free(struct iw_check_connection *connection);

/* The finding with its frames as they are numbered in the files of the chain. */
struct iw_check_finding iw_check_finding_placed(
    const struct iw_check_chain *chain, const struct iw_finding *finding);

/* Says of all frames of a connection that has ended in which file they are, and which number they have there:
 * before, they are numbered through the chain. */
void iw_check_connection_place(const struct iw_check_chain *chain, struct iw_check_connection *connection);

/* The side that violates the requirement, for people: "initiator", "responder", or its address if the role is
 * unknown. */
const char *iw_check_offender(
    const struct iw_check_connection *connection, enum iw_side side, enum iw_role role);

/* Said of an outstanding request that perhaps has a response: because octets or chunks are missing, or
 * because a captured response could not be matched. */
const char *iw_check_perhaps_answered(const struct iw_check_connection *connection);

/* The side that reports name first: the initiator, or side A. */
enum iw_side iw_check_first_side(const struct iw_check_connection *connection);

#endif

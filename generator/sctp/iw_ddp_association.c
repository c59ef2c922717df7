#include "iw_ddp_association.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_bits.h"
#include "iw_ddp_session.h"
#include "iw_mpa_sctp_map.h"
#include "iw_name.h"
#include "iw_startup.h"

enum { PENDING = 64 };

bool iw_ddp_enforces(const struct iw_ddp_association *association, enum iw_ddp_check check) {
    const struct iw_ddp_policy *policy = &association->config.policy;
    unsigned checks = check < IW_DDP_CHECK_UNUSUAL ? ~policy->omitted_checks : policy->unusual_checks;

    return (checks >> check & 1) != 0;
}

unsigned iw_ddp_function(const struct iw_sctp_message *message) {
    struct iw_sctp_session session;

    return message->ppid == IW_SCTP_PPID_CONTROL &&
                   iw_sctp_session_decode(message->octets, message->captured, &session)
               ? session.header.function
               : 0;
}

enum iw_status iw_ddp_send(struct iw_ddp_association *association, uint16_t stream, uint32_t ppid,
    uint8_t *octets, size_t length, size_t capacity) {
    const struct iw_ddp_policy *policy = &association->config.policy;
    struct iw_ddp_emit emit = {
        .stream = stream, .ppid = ppid, .times = 1, .octets = octets, .length = length, .capacity = capacity};
    enum iw_status status = IW_OK;

    association->ssn[stream]++;
    if (policy->send != NULL)
        policy->send(policy->user, &emit);
    for (unsigned i = 0; i < emit.times && status == IW_OK; i++) {
        if (i > 0)
            iw_bits_put(emit.octets, 0, 16, association->ssn[stream]++);
        status =
            iw_sctp_link_send(association->link, stream, emit.ppid, emit.ordered, emit.octets, emit.length);
    }
    return status;
}

enum iw_status iw_ddp_association_put(struct iw_ddp_association *association, uint16_t stream, uint32_t ppid,
    const uint8_t *octets, size_t length) {
    static uint8_t data[IW_MPA_SCTP_MAP_OCTETS_MAX];
    const struct iw_sctp_segment header = {.ssn = iw_ddp_association_ssn(association, stream)};

    if (stream >= association->streams || length > sizeof data - iw_sctp_segment_octets)
        return IW_ERR_ARGUMENT;
    iw_sctp_segment_encode(&header, data);
    memcpy(data + iw_sctp_segment_octets, octets, length);
    return iw_ddp_send(association, stream, ppid, data, iw_sctp_segment_octets + length, sizeof data);
}

void iw_ddp_put_control(struct iw_ddp_association *association, uint16_t stream, unsigned function,
    const uint8_t *private_data, size_t length) {
    uint8_t octets[iw_sctp_control_octets + IW_STARTUP_PD_MAX];
    size_t whole = iw_mpa_sctp_map_control(function, association->ssn[stream], private_data, length, octets);

    if (iw_ddp_send(association, stream, IW_SCTP_PPID_CONTROL, octets, whole, sizeof octets) == IW_ERR_NOMEM)
        iw_ddp_association_abort(association); /* a lost chunk would leave a gap */
}

uint16_t iw_ddp_association_ssn(const struct iw_ddp_association *association, uint16_t stream) {
    return stream < association->streams ? association->ssn[stream] : 0;
}

void iw_ddp_association_set_ssn(struct iw_ddp_association *association, uint16_t stream, uint16_t ssn) {
    if (stream < association->streams)
        association->ssn[stream] = ssn;
}

void iw_ddp_association_configure(struct iw_endpoint_config *config) {
    uint16_t most = IW_SCTP_LINK_PAYLOAD_MAX - iw_sctp_segment_octets;

    config->no_crc = true;
    config->markers = false;
    config->joined = false;
    config->emss_of_tcp = false;
    if (config->mulpdu == 0 || config->mulpdu > most)
        config->mulpdu = most;
    config->policy.unusual_checks |= IW_POLICY_CHECK_SET(REQUEST_RTR);
    config->policy.omitted_checks |= IW_POLICY_CHECK_SET(FIRST_FPDU);
}

static struct iw_ddp_session *association_begin_session(
    struct iw_ddp_association *association, uint16_t stream, bool active) {
    struct iw_ddp_session *session = iw_ddp_session_new(association, stream, active);
    struct iw_ddp_session *before = association->current[stream];

    if (session == NULL)
        return NULL;
    if (before != NULL) {
        before->replaced = true;
        iw_ddp_session_end(before, IW_PORT_RST, "another session has begun");
        if (before->inbox.port == NULL)
            iw_ddp_session_free(before);
    }
    association->current[stream] = session;
    association->ssn[stream] = 0; /* RFC 5043 6.1 */
    return session;
}

/* Creates a session that waits until the association is open: only then is the number of streams known.
 * Returns NULL if another session waits for that stream, or if memory runs out. */
static struct iw_ddp_session *association_await_stream(
    struct iw_ddp_association *association, uint16_t stream) {
    for (const struct iw_ddp_session *session = TAILQ_FIRST(&association->sessions); session != NULL;
         session = TAILQ_NEXT(session, all))
        if (session->stream == stream && session->inbox.port != NULL)
            return NULL;
    return iw_ddp_session_new(association, stream, true);
}

static void association_open_waiting(struct iw_ddp_association *association) {
    for (struct iw_ddp_session *session = TAILQ_FIRST(&association->sessions); session != NULL;
         session = TAILQ_NEXT(session, all)) {
        if (session->inbox.port == NULL)
            continue;
        if (session->stream < association->streams) {
            association->current[session->stream] = session;
            iw_ddp_session_open(session);
        } else {
            iw_ddp_session_end(session, IW_PORT_FAILED, "no such stream");
        }
    }
}

struct iw_port *iw_ddp_association_session(struct iw_ddp_association *association, uint16_t stream) {
    struct iw_ddp_session *session = NULL;

    if (association->over)
        return NULL;
    if (!association->open)
        session = association_await_stream(association, stream);
    else if (stream < association->streams &&
             (association->current[stream] == NULL || iw_ddp_session_over(association->current[stream])))
        session = association_begin_session(association, stream, true);
    return session == NULL ? NULL : session->inbox.port;
}

/* Sends a Terminate, with which DDP rejects a session; only the ULP sends a Reject (RFC 5043 6.3, 6.4). */
static void association_reject_stream(struct iw_ddp_association *association, uint16_t stream) {
    association->ssn[stream] = 0;
    iw_ddp_put_control(association, stream, IW_SCTP_TERMINATE, NULL, 0);
}

static void association_receive_initiate(
    struct iw_ddp_association *association, const struct iw_sctp_message *message) {
    size_t private_octets = message->captured - iw_sctp_control_octets;
    unsigned limit = association->config.pending > 0 ? association->config.pending : PENDING;
    bool full = *association->pending >= limit;
    struct iw_ddp_session *session = NULL;

    if (full && !iw_ddp_enforces(association, IW_DDP_CHECK_PENDING))
        return;
    if (association->handlers.session != NULL && !full && private_octets <= IW_STARTUP_PD_MAX &&
        (private_octets > 0 || !iw_ddp_enforces(association, IW_DDP_CHECK_PRIVATE_DATA)))
        session = association_begin_session(association, message->stream, false);
    if (session == NULL) {
        association_reject_stream(association, message->stream);
        return;
    }
    session->initiated = true;
    ++*association->pending;
    iw_ddp_session_take(session, message, 0);
    association->handlers.session(association->user, association, message->stream, session->inbox.port);
}

static void association_take(struct iw_ddp_association *association, const struct iw_sctp_message *message) {
    struct iw_ddp_session *session = association->current[message->stream];
    uint16_t ssn = (uint16_t)iw_bits_get(message->octets, 0, 16);
    unsigned function = iw_ddp_function(message);
    bool initiate = function == IW_SCTP_INITIATE || function == IW_SCTP_ENHANCED_INITIATE;

    if (initiate && ssn == 0 && (session == NULL || iw_ddp_session_over(session)))
        association_receive_initiate(association, message);
    else if (session != NULL)
        iw_ddp_session_take(session, message, ssn);
    else if (function != IW_SCTP_TERMINATE && iw_ddp_enforces(association, IW_DDP_CHECK_SEQUENCE))
        association_reject_stream(association, message->stream);
}

/* Whether the peer has indicated DDP when the association was set up (RFC 5043 11.1), or this is not
 * checked. */
static bool association_peer_uses_ddp(const struct iw_ddp_association *association) {
    const struct iw_sctp_link_peer *peer = iw_sctp_link_peer(association->link);

    return (peer->indicated && peer->indication == IW_SCTP_INDICATION) ||
           !iw_ddp_enforces(association, IW_DDP_CHECK_INDICATION);
}

static void association_end_sessions(
    const struct iw_ddp_association *association, enum iw_port_end end, const char *reason) {
    for (struct iw_ddp_session *session = TAILQ_FIRST(&association->sessions); session != NULL;
         session = TAILQ_NEXT(session, all))
        iw_ddp_session_end(session, end, reason);
}

/* Ends the sessions and reports the end; the handler may free the association. */
static void association_finish(void *user, enum iw_sctp_link_end end, const char *text) {
    struct iw_ddp_association *association = user;
    static const enum iw_port_end ends[] = {[IW_SCTP_LINK_SHUTDOWN] = IW_PORT_FIN,
        [IW_SCTP_LINK_ABORTED] = IW_PORT_RST,
        [IW_SCTP_LINK_FAILED] = IW_PORT_FAILED};
    const char *reason = strrchr(text, ':');

    association->over = true;
    association_end_sessions(association, ends[end], reason == NULL ? text : reason + 2);
    iw_ddp_association_settle(association);
    if (association->handlers.ended != NULL)
        association->handlers.ended(association->user, association, end, text);
}

static bool association_open_streams(struct iw_ddp_association *association) {
    const struct iw_sctp_link_peer *peer = iw_sctp_link_peer(association->link);

    association->streams = peer->outbound < peer->inbound ? peer->outbound : peer->inbound;
    association->current = calloc(association->streams, sizeof association->current[0]);
    association->ssn = calloc(association->streams, sizeof association->ssn[0]);
    return association->current != NULL && association->ssn != NULL;
}

static void association_refuse(struct iw_ddp_association *association, const char *reason) {
    iw_sctp_link_abort(association->link);
    association_finish(association, IW_SCTP_LINK_FAILED, reason);
}

/* If the peer does not indicate DDP, this end must not use DDP (RFC 5043 11.1), and aborts (7.1). */
static void association_on_connected(void *user) {
    static const char unindicated[] = "the peer does not indicate DDP";
    struct iw_ddp_association *association = user;

    if (!association_open_streams(association)) {
        association_refuse(association, "out of memory");
    } else if (association_peer_uses_ddp(association)) {
        association->open = true;
        association_open_waiting(association);
        if (association->handlers.opened != NULL)
            association->handlers.opened(association->user, association);
    } else if (iw_ddp_enforces(association, IW_DDP_CHECK_UNINDICATED)) {
        association_refuse(association, unindicated);
    } else {
        association_end_sessions(association, IW_PORT_FAILED, unindicated);
    }
}

static void association_on_received(void *user, const struct iw_sctp_message *message) {
    struct iw_ddp_association *association = user;

    if (association->handlers.message != NULL &&
        association->handlers.message(association->user, association, message))
        return;
    if (association->open && message->stream < association->streams &&
        message->captured >= iw_sctp_segment_octets && iw_sctp_message_is_ddp(message))
        association_take(association, message);
}

static void association_on_writable(void *user) {
    struct iw_ddp_association *association = user;
    struct iw_ddp_session *session;
    struct iw_ddp_session *next;

    for (session = TAILQ_FIRST(&association->sessions); session != NULL; session = next) {
        next = TAILQ_NEXT(session, all);
        if (session->inbox.port == NULL || !session->inbox.port->full || session->inbox.port->over)
            continue;
        session->inbox.port->full = false;
        session->inbox.port->handlers.writable(session->inbox.port->user);
    }
}

static void association_on_broken(void *user) {
    struct iw_ddp_association *association = user;

    for (uint16_t i = 0; i < association->streams && association->config.policy.broken != NULL; i++)
        if (association->current[i] != NULL && !iw_ddp_session_over(association->current[i]))
            association->config.policy.broken(association, i);
}

static void association_on_acknowledged(void *user) {
    struct iw_ddp_association *association = user;

    for (uint16_t i = 0; i < association->streams; i++)
        if (association->current[i] != NULL)
            iw_ddp_session_confirmed(association->current[i]);
}

static const struct iw_sctp_link_handlers link_handlers = {association_on_connected, association_on_received,
    association_on_writable, association_on_acknowledged, association_on_broken, association_finish};

struct iw_ddp_association *iw_ddp_association_make(struct iw_sctp_stack *stack,
    const struct iw_ddp_association_config *config, const struct iw_ddp_association_handlers *handlers,
    void *user) {
    struct iw_ddp_association *association = calloc(1, sizeof *association);

    if (association == NULL)
        return NULL;
    association->stack = stack;
    association->config = *config;
    association->handlers = *handlers;
    association->user = user;
    association->pending = &association->own_pending;
    TAILQ_INIT(&association->sessions);
    return association;
}

void iw_ddp_association_serve(struct iw_ddp_association *association, struct iw_sctp_link *link) {
    association->link = link;
    iw_sctp_link_handle(link, &link_handlers, association);
}

struct iw_ddp_association *iw_ddp_association_connect(struct iw_sctp_stack *stack,
    const struct iw_sctp_where *peer, const struct iw_ddp_association_config *config,
    const struct iw_ddp_association_handlers *handlers, void *user, char *text) {
    struct iw_ddp_association *association = iw_ddp_association_make(stack, config, handlers, user);

    strcpy(text, "out of memory");
    if (association == NULL)
        return NULL;
    snprintf(association->label, sizeof association->label,
        strchr(peer->host, ':') != NULL ? "[%.100s]:%u" : "%.100s:%u", peer->host, peer->port);
    association->link = iw_sctp_link_connect(stack, peer, &config->link, &link_handlers, association, text);
    if (association->link != NULL)
        return association;
    free(association);
    return NULL;
}

void iw_ddp_association_free(struct iw_ddp_association *association) {
    struct iw_ddp_session *session;

    if (association == NULL)
        return;
    iw_timer_stop(&association->turn);
    while ((session = TAILQ_FIRST(&association->sessions)) != NULL)
        iw_ddp_session_free(session);
    iw_sctp_link_free(association->link);
    free(association->current);
    free(association->ssn);
    free(association);
}

struct iw_sctp_link *iw_ddp_association_link(struct iw_ddp_association *association) {
    return association->link;
}

void iw_ddp_association_close(struct iw_ddp_association *association) {
    iw_sctp_link_close(association->link);
}

/* Reports the end of an aborted association. If the association has ended before, was accepted by a listener
 * and its ports are freed, frees it. */
static void association_turn(void *user) {
    struct iw_ddp_association *association = user;
    const struct iw_ddp_session *session;

    if (!association->over) {
        association_finish(association, IW_SCTP_LINK_ABORTED, "association aborted");
        return;
    }
    if (association->listener == NULL)
        return;
    for (session = TAILQ_FIRST(&association->sessions); session != NULL; session = TAILQ_NEXT(session, all))
        if (session->inbox.port != NULL)
            return;
    iw_ddp_listener_forget(association);
    iw_ddp_association_free(association);
}

void iw_ddp_association_abort(struct iw_ddp_association *association) {
    iw_sctp_link_abort(association->link);
    iw_timer_start(
        &association->turn, iw_sctp_stack_loop(association->stack), 0, association_turn, association);
}

void iw_ddp_association_settle(struct iw_ddp_association *association) {
    if (association->over && association->listener != NULL && !iw_timer_runs(&association->turn))
        iw_timer_start(
            &association->turn, iw_sctp_stack_loop(association->stack), 0, association_turn, association);
}

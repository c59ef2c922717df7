#include "iw_ddp_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_bits.h"
#include "iw_mpa_sctp_map.h"
#include "iw_name.h"
#include "iw_sctp_link_state.h"
#include "iw_segment.h"
#include "iw_startup.h"

static const struct iw_port_kind port_kind;

static enum iw_side session_own_side(const struct iw_ddp_session *session) {
    return session->active ? IW_SIDE_A : IW_SIDE_B;
}

bool iw_ddp_session_over(const struct iw_ddp_session *session) {
    return session->own_over || session->peer_over;
}

/* Notes the answer to the Initiate, or the end of the session. The peer's Initiate is pending until then. */
static void session_set_answered(struct iw_ddp_session *session, bool accepted) {
    if (!session->answered && !session->active && session->initiated)
        --*session->association->pending;
    session->answered = true;
    session->accepted = accepted;
}

static void session_terminate(struct iw_ddp_session *session) {
    if (session->own_over || !session->initiated || session->replaced)
        return;
    session->ending = session->unconfirmed;
    if (session->ending)
        return;
    session_set_answered(session, session->accepted);
    session->own_over = true;
    if (session->failed && !iw_ddp_enforces(session->association, IW_DDP_CHECK_STREAM_ALONE))
        iw_ddp_association_abort(session->association);
    else
        iw_ddp_put_control(session->association, session->stream, IW_SCTP_TERMINATE, NULL, 0);
}

void iw_ddp_session_confirmed(struct iw_ddp_session *session) {
    session->unconfirmed = false;
    if (session->ending)
        session_terminate(session);
}

/* A Reject ends the session (RFC 5043 6.3). */
static void session_end_by_reject(struct iw_ddp_session *session) {
    session->own_over = session->peer_over = true;
    iw_ddp_inbox_push_end(&session->inbox, IW_PORT_FIN, "session rejected");
}

static void session_note_own_startup(struct iw_ddp_session *session, const struct iw_startup *startup) {
    session->unconfirmed = true;
    if (session->active) {
        session->initiated = true;
        return;
    }
    session_set_answered(session, startup->header.r == 0);
    if (startup->header.r != 0) {
        /* The port is inside a write and must not call its handlers: the loop delivers the end. */
        iw_ddp_inbox_wake(&session->inbox);
        session_end_by_reject(session);
    }
}

static bool session_is_rdmap_terminate(const struct iw_fpdu *fpdu) {
    struct iw_segment segment;

    return iw_segment_decode(iw_fpdu_ulpdu(fpdu), iw_fpdu_ulpdu_captured(fpdu), iw_fpdu_ulpdu_captured(fpdu),
               0, &segment) &&
           segment.opcode == IW_RDMAP_OP_TERMINATE;
}

static void session_on_own_event(void *user, const struct iw_llp_event *event) {
    struct iw_ddp_session *session = user;
    struct iw_ddp_association *association = session->association;
    static uint8_t octets[IW_MPA_SCTP_MAP_OCTETS_MAX];
    uint32_t ppid;

    if (event->side != session_own_side(session) || session->replaced || session->own_over)
        return;
    size_t length = iw_mpa_sctp_map_sctp(event, association->ssn[session->stream], octets, &ppid);
    if (length == 0)
        return;
    if (event->kind == IW_LLP_STARTUP)
        session_note_own_startup(session, event->startup);
    session->failed |= event->kind == IW_LLP_SEGMENT && session_is_rdmap_terminate(event->fpdu);
    if (iw_ddp_send(association, session->stream, ppid, octets, length, sizeof octets) == IW_ERR_NOMEM)
        iw_ddp_association_abort(association); /* a lost chunk would leave a gap */
}

static void session_feed(struct iw_ddp_session *session, enum iw_side side, enum iw_chunk_kind kind,
    const uint8_t *octets, size_t length) {
    const struct iw_chunk chunk = {.kind = kind,
        .side = side,
        .octets = octets,
        .length = (uint32_t)length,
        .offset = session->offset[side]};

    session->offset[side] += length;
    iw_mpa_feed(&session->mpa, &chunk);
}

static void session_port_handle(struct iw_port *port) {
    struct iw_ddp_session *session = port->beneath;

    iw_ddp_inbox_wake(&session->inbox);
}

static enum iw_status session_port_write(struct iw_port *port, const uint8_t *octets, size_t length) {
    struct iw_ddp_session *session = port->beneath;

    iw_port_see(port, IW_CHUNK_DATA, session_own_side(session), octets, length);
    session_feed(session, session_own_side(session), IW_CHUNK_DATA, octets, length);
    return IW_OK;
}

static size_t session_port_queued(const struct iw_port *port) {
    const struct iw_ddp_session *session = port->beneath;

    return iw_sctp_link_queued(session->association->link);
}

static void session_port_close(struct iw_port *port) {
    iw_port_see(port, IW_CHUNK_FIN, session_own_side(port->beneath), NULL, 0);
    session_terminate(port->beneath);
}

/* A session cannot be reset: sends a session Terminate instead. */
static void session_port_reset(struct iw_port *port) {
    session_terminate(port->beneath);
}

static void session_port_release(struct iw_port *port) {
    struct iw_ddp_session *session = port->beneath;

    if (session == NULL) /* the session was freed before */
        return;
    session_terminate(session);
    iw_ddp_inbox_forget(&session->inbox);
    iw_ddp_association_settle(session->association);
}

static const struct iw_port_kind port_kind = {
    .handle = session_port_handle,
    .write = session_port_write,
    .queued = session_port_queued,
    .full = IW_PORT_QUEUE_HIGH,
    .close = session_port_close,
    .reset = session_port_reset,
    .release = session_port_release,
};

/* Ends the session because of an illegal chunk (RFC 5043 6.1), unless IW_DDP_CHECK_SEQUENCE is omitted. */
static void session_violated(struct iw_ddp_session *session, const char *reason) {
    if (!iw_ddp_enforces(session->association, IW_DDP_CHECK_SEQUENCE))
        return;
    session_terminate(session);
    iw_ddp_inbox_push_end(&session->inbox, IW_PORT_RST, reason);
}

static void session_push_mapped(struct iw_ddp_session *session, const struct iw_sctp_message *message) {
    static uint8_t octets[IW_MPA_SCTP_MAP_MPA_OCTETS_MAX];
    size_t length = iw_mpa_sctp_map_mpa(message, octets);

    if (length == 0) {
        session_violated(session, "an invalid control message");
        return;
    }
    session_feed(session, iw_side_other(session_own_side(session)), IW_CHUNK_DATA, octets, length);
    iw_ddp_inbox_push(&session->inbox, octets, length);
}

static void session_receive_end(struct iw_ddp_session *session) {
    if (!iw_ddp_enforces(session->association, IW_DDP_CHECK_TERMINATED))
        return;
    session_set_answered(session, session->accepted);
    session->peer_over = true;
    iw_ddp_inbox_push_end(&session->inbox, IW_PORT_FIN, "session terminated");
}

static bool ddp_session_function_is_reject(unsigned function) {
    return function == IW_SCTP_REJECT || function == IW_SCTP_ENHANCED_REJECT;
}

static bool ddp_session_function_is_answer(unsigned function) {
    return function == IW_SCTP_ACCEPT || function == IW_SCTP_ENHANCED_ACCEPT ||
           ddp_session_function_is_reject(function);
}

static void session_receive_answer(
    struct iw_ddp_session *session, const struct iw_sctp_message *message, unsigned function) {
    if (!session->active || session->answered) {
        session_violated(session, "an answer without an Initiate");
        return;
    }
    session_set_answered(session, !ddp_session_function_is_reject(function));
    session_push_mapped(session, message);
    if (ddp_session_function_is_reject(function))
        session_end_by_reject(session);
}

/* Handles a control message. An Initiate is legal only as the first chunk of a session. */
static void session_receive_control(struct iw_ddp_session *session, const struct iw_sctp_message *message) {
    unsigned function = iw_ddp_function(message);
    bool initiate = function == IW_SCTP_INITIATE || function == IW_SCTP_ENHANCED_INITIATE;

    if (function == IW_SCTP_TERMINATE)
        session_receive_end(session);
    else if (ddp_session_function_is_answer(function))
        session_receive_answer(session, message, function);
    else if (initiate && !session->active && session->ssn == 1 && !session->answered)
        session_push_mapped(session, message);
    else
        session_violated(session, "an unexpected control message");
}

static void session_receive_in_order(struct iw_ddp_session *session, const struct iw_sctp_message *message) {
    session->ssn++;
    session->unconfirmed = false; /* the peer sent the chunk after it got this end's startup frame */
    if (session->peer_over)
        session_violated(session, "a chunk after the end of the session");
    else if (message->ppid == IW_SCTP_PPID_CONTROL)
        session_receive_control(session, message);
    else if (!session->accepted && iw_ddp_enforces(session->association, IW_DDP_CHECK_SEQUENCE))
        session_violated(session, "a segment before the session is accepted");
    else
        session_push_mapped(session, message);
}

/* Keeps a copy of the message, unless a message with the same DDP-SSN is kept already. *octets is the number
 * of octets kept for the association. Returns false at the limit of this number, or if memory runs out. */
static bool session_early_keep(
    struct iw_ddp_early *early, size_t *octets, const struct iw_sctp_message *message, uint16_t ssn) {
    struct iw_ddp_early_chunk **place;

    if (early->chunks == NULL)
        early->chunks = calloc(IW_DDP_SSNS_AHEAD, sizeof early->chunks[0]);
    if (early->chunks == NULL)
        return false;
    place = &early->chunks[ssn % IW_DDP_SSNS_AHEAD];
    if (*place != NULL)
        return true; /* SCTP delivers each chunk once, but a peer may use a DDP-SSN twice */
    if (*octets + message->captured > IW_DDP_EARLY_OCTETS_MAX)
        return false;
    struct iw_ddp_early_chunk *chunk = malloc(sizeof *chunk + message->captured);
    if (chunk == NULL)
        return false;
    chunk->ppid = message->ppid;
    chunk->length = message->captured;
    memcpy(chunk->octets, message->octets, message->captured);
    *place = chunk;
    *octets += message->captured;
    return true;
}

/* Removes the kept chunk with that DDP-SSN, which the caller frees. Returns NULL if it does not exist. */
static struct iw_ddp_early_chunk *session_early_take(
    struct iw_ddp_early *early, size_t *octets, uint16_t ssn) {
    struct iw_ddp_early_chunk *chunk = early->chunks == NULL ? NULL : early->chunks[ssn % IW_DDP_SSNS_AHEAD];

    if (chunk == NULL)
        return NULL;
    early->chunks[ssn % IW_DDP_SSNS_AHEAD] = NULL;
    *octets -= chunk->length;
    return chunk;
}

static void session_early_drop(struct iw_ddp_early *early, size_t *octets) {
    for (unsigned ssn = 0; early->chunks != NULL && ssn < IW_DDP_SSNS_AHEAD; ssn++)
        free(session_early_take(early, octets, (uint16_t)ssn));
    free(early->chunks);
    early->chunks = NULL;
}

/* Keeps a chunk that arrived before earlier chunks. Because chunks in flight are limited (RFC 5043 10), it
 * can be only so far ahead. A chunk further ahead is ignored; with IW_DDP_CHECK_SSN_RANGE, it ends the
 * session. A chunk that cannot be kept ends the session, too, because SCTP does not repeat it. */
static void session_keep_early(
    struct iw_ddp_session *session, const struct iw_sctp_message *message, uint16_t ssn) {
    if ((uint16_t)(ssn - session->ssn) < IW_DDP_SSNS_AHEAD) {
        if (!session_early_keep(&session->early, &session->association->early_octets, message, ssn))
            session_violated(session, "too many chunks waiting for a missing one");
    } else if (iw_ddp_enforces(session->association, IW_DDP_CHECK_SSN_RANGE)) {
        session_violated(session, "a DDP-SSN out of range");
    }
}

static void session_receive_early(struct iw_ddp_session *session) {
    size_t *octets = &session->association->early_octets;
    struct iw_ddp_early_chunk *chunk;

    while ((chunk = session_early_take(&session->early, octets, session->ssn)) != NULL) {
        const struct iw_sctp_message message = {.stream = session->stream,
            .ppid = chunk->ppid,
            .length = chunk->length,
            .captured = chunk->length,
            .octets = chunk->octets};

        session_receive_in_order(session, &message);
        free(chunk);
    }
}

void iw_ddp_session_take(
    struct iw_ddp_session *session, const struct iw_sctp_message *message, uint16_t ssn) {
    if (ssn != session->ssn && iw_ddp_enforces(session->association, IW_DDP_CHECK_SSN)) {
        session_keep_early(session, message, ssn);
        return;
    }
    session_receive_in_order(session, message);
    session_receive_early(session);
    if (session->ending)
        session_terminate(session);
}

void iw_ddp_session_end(struct iw_ddp_session *session, enum iw_port_end end, const char *reason) {
    session->unconfirmed = session->ending = false;
    session_set_answered(session, session->accepted);
    session->own_over = true; /* sends nothing more */
    if (session->inbox.port != NULL && !session->inbox.port->handled)
        session->inbox.port->open = true; /* the port then reports the end once it has handlers */
    if (end != IW_PORT_FIN || !session->peer_over)
        iw_ddp_inbox_push_end(&session->inbox, end, reason);
    session->peer_over = true;
}

static void session_set_addresses(struct iw_ddp_session *session) {
    const struct iw_sctp_route *route = session->association->link->route;
    struct iw_port *port = session->inbox.port;

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        bool own = side == session_own_side(session);

        port->addresses[side] = route->addresses[own == route->opener ? IW_SIDE_A : IW_SIDE_B];
    }
    iw_port_name(&port->addresses[iw_side_other(session_own_side(session))], port->label);
}

void iw_ddp_session_open(struct iw_ddp_session *session) {
    if (session->inbox.port == NULL)
        return;
    session_set_addresses(session);
    iw_ddp_inbox_open(&session->inbox);
}

struct iw_ddp_session *iw_ddp_session_new(
    struct iw_ddp_association *association, uint16_t stream, bool active) {
    static const struct iw_mpa_config config = {.expected = true, .crc = IW_MPA_OFF};
    struct iw_ddp_session *session = calloc(1, sizeof *session);

    if (session == NULL)
        return NULL;
    struct iw_port *port = iw_port_make(iw_sctp_stack_loop(association->stack), &port_kind, active);
    if (port == NULL) {
        free(session);
        return NULL;
    }
    iw_ddp_inbox_init(&session->inbox, port);
    session->association = association;
    session->stream = stream;
    session->active = active;
    port->beneath = session;
    if (association->open)
        session_set_addresses(session);
    else
        snprintf(port->label, sizeof port->label, "%s", association->label);
    port->open = association->open;
    iw_mpa_init(&session->mpa, &config, session_on_own_event, session);
    session_feed(session, IW_SIDE_A, IW_CHUNK_START, NULL, 0);
    session_feed(session, IW_SIDE_B, IW_CHUNK_START, NULL, 0);
    TAILQ_INSERT_TAIL(&association->sessions, session, all);
    return session;
}

void iw_ddp_session_free(struct iw_ddp_session *session) {
    if (session->inbox.port != NULL)
        session->inbox.port->beneath = NULL;
    iw_ddp_inbox_dispose(&session->inbox);
    session_early_drop(&session->early, &session->association->early_octets);
    iw_mpa_dispose(&session->mpa);
    TAILQ_REMOVE(&session->association->sessions, session, all);
    free(session);
}

#include "iw_ddp_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_bits.h"
#include "iw_mpa_sctp_map.h"
#include "iw_name.h"
#include "iw_segment.h"
#include "iw_startup.h"

/* Octets of MPA for the port, or that the port is open, or how it ends. */
struct iw_ddp_item {
    STAILQ_ENTRY(iw_ddp_item) next;
    bool opens;
    bool ends;
    enum iw_port_end end;
    size_t length;
    uint8_t octets[];
};

static const struct iw_port_kind port_kind;

static enum iw_side own_side(const struct iw_ddp_session *session) {
    return session->active ? IW_SIDE_A : IW_SIDE_B;
}

static struct iw_ddp_item *new_item(const uint8_t *octets, size_t length) {
    struct iw_ddp_item *item = malloc(sizeof *item + length);

    if (item == NULL)
        return NULL;
    *item = (struct iw_ddp_item){.length = length};
    if (length > 0)
        memcpy(item->octets, octets, length);
    return item;
}

static void drop_items(struct iw_ddp_items *items) {
    struct iw_ddp_item *item;

    while ((item = STAILQ_FIRST(items)) != NULL) {
        STAILQ_REMOVE_HEAD(items, next);
        free(item);
    }
}

bool iw_ddp_session_over(const struct iw_ddp_session *session) {
    return session->own_over || session->peer_over;
}

/* ---- what goes ---- */

/* An Initiate waits for the ULP until it is answered. */
static void answer(struct iw_ddp_session *session, bool accepted) {
    if (!session->answered && !session->active && session->initiated)
        --*session->association->pending;
    session->answered = true;
    session->accepted = accepted;
}

static void terminate(struct iw_ddp_session *session) {
    if (session->own_over || !session->initiated || session->replaced)
        return;
    session->ending = session->unheard;
    if (session->ending)
        return;
    answer(session, session->accepted);
    session->own_over = true;
    if (session->failed && iw_ddp_lapses(session->association, IW_DDP_OMITTED_CHECK_WHOLE))
        iw_ddp_association_abort(session->association);
    else
        iw_ddp_put_control(session->association, session->stream, IW_SCTP_TERMINATE, NULL, 0);
}

void iw_ddp_session_heard(struct iw_ddp_session *session) {
    session->unheard = false;
    if (session->ending)
        terminate(session);
}

static void wake(struct iw_ddp_session *session);
static void push_end(struct iw_ddp_session *session, enum iw_port_end end, const char *reason);

/* Nothing follows a Reject (RFC 5043 6.3). */
static void end_by_reject(struct iw_ddp_session *session) {
    session->own_over = session->peer_over = true;
    push_end(session, IW_PORT_FIN, "session rejected");
}

/* The own startup frame tells how far the session is. */
static void note_own_startup(struct iw_ddp_session *session, const struct iw_startup *startup) {
    session->unheard = true;
    if (session->active) {
        session->initiated = true;
        return;
    }
    answer(session, startup->header.r == 0);
    if (startup->header.r != 0) {
        wake(session); /* what is pushed waits for its turn: the port is writing */
        end_by_reject(session);
    }
}

static bool is_rdmap_terminate(const struct iw_fpdu *fpdu) {
    struct iw_segment segment;

    return iw_segment_decode(iw_fpdu_ulpdu(fpdu), iw_fpdu_ulpdu_captured(fpdu), iw_fpdu_ulpdu_captured(fpdu),
               0, &segment) &&
           segment.opcode == IW_RDMAP_OP_TERMINATE;
}

static void hear_own(void *user, const struct iw_mpa_event *event) {
    struct iw_ddp_session *session = user;
    struct iw_ddp_association *association = session->association;
    static uint8_t octets[IW_MPA_SCTP_MAP_OCTETS_MAX];
    uint32_t ppid;
    size_t length;

    if (event->side != own_side(session) || session->replaced || session->own_over)
        return;
    length = iw_mpa_sctp_map_sctp(event, association->ssn[session->stream], octets, &ppid);
    if (length == 0)
        return;
    if (event->kind == IW_MPA_STARTUP)
        note_own_startup(session, event->startup);
    session->failed |= event->kind == IW_MPA_FPDU && is_rdmap_terminate(event->fpdu);
    if (iw_ddp_lapses(association, IW_DDP_OMITTED_CHECK_UNENHANCED) &&
        iw_bits_get(octets, 16, 16) == IW_SCTP_ENHANCED_REJECT)
        iw_bits_put(octets, 16, 16, IW_SCTP_REJECT);
    if (iw_ddp_send(association, session->stream, ppid, octets, length, sizeof octets) == IW_ERR_NOMEM)
        iw_ddp_association_abort(association); /* without a hole in what was said */
}

static void feed(struct iw_ddp_session *session, enum iw_side side, enum iw_chunk_kind kind,
    const uint8_t *octets, size_t length) {
    const struct iw_chunk chunk = {.kind = kind,
        .side = side,
        .octets = octets,
        .length = (uint32_t)length,
        .offset = session->offset[side]};

    session->offset[side] += length;
    iw_mpa_feed(&session->mpa, &chunk);
}

/* ---- the port ---- */

static struct iw_ddp_session *session_of(const struct iw_port *port) {
    return port->beneath;
}

/* Gives it to the port, which may be gone afterwards. */
static void give(struct iw_ddp_session *session, const struct iw_ddp_item *item) {
    struct iw_port *port = session->port;
    enum iw_side peer = iw_side_other(own_side(session));

    if (item->opens) {
        port->open = true;
        iw_port_start(port);
        port->handlers.connected(port->user);
        return;
    }
    if (item->ends && item->end == IW_PORT_FIN)
        iw_port_see(port, IW_CHUNK_FIN, peer, NULL, 0);
    else if (item->ends && item->end == IW_PORT_RST)
        iw_port_see(port, IW_CHUNK_RST, peer, NULL, 0);
    if (item->ends) {
        iw_port_end_with(port, item->end, (const char *)item->octets);
        return;
    }
    iw_port_see(port, IW_CHUNK_DATA, peer, item->octets, item->length);
    port->handlers.received(port->user, item->octets, item->length);
}

static void empty_inbox(void *user) {
    struct iw_ddp_session *session = user;
    struct iw_ddp_item *item;

    while (
        session->port != NULL && session->port->handled && (item = STAILQ_FIRST(&session->inbox)) != NULL) {
        STAILQ_REMOVE_HEAD(&session->inbox, next);
        if (!session->port->over)
            give(session, item);
        free(item);
    }
    if (session->port == NULL)
        drop_items(&session->inbox);
}

static void wake(struct iw_ddp_session *session) {
    if (!iw_timer_runs(&session->turn))
        iw_timer_start(
            &session->turn, iw_sctp_stack_loop(session->association->stack), 0, empty_inbox, session);
}

/* From the loop only: straight to the port, if it takes something already. */
static void push(struct iw_ddp_session *session, struct iw_ddp_item *item) {
    if (item == NULL || session->port == NULL || session->port->over) {
        free(item);
        return;
    }
    STAILQ_INSERT_TAIL(&session->inbox, item, next);
    if (session->port->handled && !iw_timer_runs(&session->turn))
        empty_inbox(session);
}

static void push_end(struct iw_ddp_session *session, enum iw_port_end end, const char *reason) {
    struct iw_ddp_item *item = new_item((const uint8_t *)reason, strlen(reason) + 1);

    if (item != NULL) {
        item->ends = true;
        item->end = end;
    }
    push(session, item);
}

static void handle_port(struct iw_port *port) {
    wake(session_of(port));
}

static enum iw_status write_port(struct iw_port *port, const uint8_t *octets, size_t length) {
    struct iw_ddp_session *session = session_of(port);

    iw_port_see(port, IW_CHUNK_DATA, own_side(session), octets, length);
    feed(session, own_side(session), IW_CHUNK_DATA, octets, length);
    return IW_OK;
}

static size_t queued_port(const struct iw_port *port) {
    return iw_sctp_link_queued(session_of(port)->association->link);
}

static void close_port(struct iw_port *port) {
    iw_port_see(port, IW_CHUNK_FIN, own_side(session_of(port)), NULL, 0);
    terminate(session_of(port));
}

/* A session has no other end than its Terminate. */
static void reset_port(struct iw_port *port) {
    terminate(session_of(port));
}

static void release_port(struct iw_port *port) {
    struct iw_ddp_session *session = session_of(port);

    if (session == NULL) /* the association was freed first */
        return;
    terminate(session);
    session->port = NULL;
    if (!iw_timer_runs(&session->turn))
        drop_items(&session->inbox);
    iw_ddp_association_settle(session->association);
}

static const struct iw_port_kind port_kind = {
    .handle = handle_port,
    .write = write_port,
    .queued = queued_port,
    .full = IW_PORT_QUEUE_HIGH,
    .close = close_port,
    .reset = reset_port,
    .release = release_port,
};

/* ---- what comes ---- */

/* It follows no legal sequence (RFC 5043 6.1), or comes behind the end (RFC 5041 6.2.1). */
static void tear(struct iw_ddp_session *session, const char *reason) {
    if (iw_ddp_lapses(session->association, IW_DDP_OMITTED_CHECK_SEQUENCE))
        return;
    terminate(session);
    push_end(session, IW_PORT_RST, reason);
}

static void push_alike(struct iw_ddp_session *session, const struct iw_sctp_message *message) {
    static uint8_t octets[IW_MPA_SCTP_MAP_MPA_OCTETS_MAX];
    size_t length = iw_mpa_sctp_map_mpa(message, octets);

    if (length == 0) {
        tear(session, "a control message that cannot be");
        return;
    }
    feed(session, iw_side_other(own_side(session)), IW_CHUNK_DATA, octets, length);
    push(session, new_item(octets, length));
}

static void take_end(struct iw_ddp_session *session) {
    if (iw_ddp_lapses(session->association, IW_DDP_OMITTED_CHECK_LATE))
        return;
    answer(session, session->accepted);
    session->peer_over = true;
    push_end(session, IW_PORT_FIN, "session terminated");
}

static bool is_reject(unsigned function) {
    return function == IW_SCTP_REJECT || function == IW_SCTP_ENHANCED_REJECT;
}

static bool is_answer(unsigned function) {
    return function == IW_SCTP_ACCEPT || function == IW_SCTP_ENHANCED_ACCEPT || is_reject(function);
}

static void take_answer(
    struct iw_ddp_session *session, const struct iw_sctp_message *message, unsigned function) {
    if (!session->active || session->answered) {
        tear(session, "an answer to no Initiate");
        return;
    }
    answer(session, !is_reject(function));
    push_alike(session, message);
    if (is_reject(function))
        end_by_reject(session);
}

/* The Initiate has made the session, and is its first chunk. */
static void take_control(struct iw_ddp_session *session, const struct iw_sctp_message *message) {
    unsigned function = iw_ddp_function(message);
    bool initiate = function == IW_SCTP_INITIATE || function == IW_SCTP_ENHANCED_INITIATE;

    if (function == IW_SCTP_TERMINATE)
        take_end(session);
    else if (is_answer(function))
        take_answer(session, message, function);
    else if (initiate && !session->active && session->ssn == 1 && !session->answered)
        push_alike(session, message);
    else
        tear(session, "a control message that has no place here");
}

static void take_in_order(struct iw_ddp_session *session, const struct iw_sctp_message *message) {
    session->ssn++;
    session->unheard = false; /* the peer says nothing more before it has heard what this end has said */
    if (session->peer_over)
        tear(session, "a chunk behind the end of the session");
    else if (message->ppid == IW_SCTP_PPID_CONTROL)
        take_control(session, message);
    else if (!session->accepted && !iw_ddp_lapses(session->association, IW_DDP_OMITTED_CHECK_SEQUENCE))
        tear(session, "a segment before the session is accepted");
    else
        push_alike(session, message);
}

/* RFC 5043 10: no DDP-SSN is further ahead than chunks can be under way; such a one is left alone, or ends
 * the session. So does one that could be but finds no room, as SCTP does not bring it again. */
static void hold(struct iw_ddp_session *session, const struct iw_sctp_message *message, uint16_t ssn) {
    if ((uint16_t)(ssn - session->ssn) < IW_DDP_SSNS_AHEAD) {
        if (!iw_ddp_early_keep(&session->early, &session->association->early_octets, message, ssn))
            tear(session, "too much that waits for a missing chunk");
    } else if (iw_ddp_lapses(session->association, IW_DDP_BEHAVIOUR_SSN_ENDS)) {
        tear(session, "a DDP-SSN that cannot be");
    }
}

static void take_held(struct iw_ddp_session *session) {
    size_t *octets = &session->association->early_octets;
    struct iw_ddp_early_chunk *chunk;

    while ((chunk = iw_ddp_early_take(&session->early, octets, session->ssn)) != NULL) {
        const struct iw_sctp_message message = {.stream = session->stream,
            .ppid = chunk->ppid,
            .length = chunk->length,
            .captured = chunk->length,
            .octets = chunk->octets};

        take_in_order(session, &message);
        free(chunk);
    }
}

void iw_ddp_session_take(
    struct iw_ddp_session *session, const struct iw_sctp_message *message, uint16_t ssn) {
    if (ssn != session->ssn && !iw_ddp_lapses(session->association, IW_DDP_OMITTED_CHECK_SSN)) {
        hold(session, message, ssn);
        return;
    }
    take_in_order(session, message);
    take_held(session);
    if (session->ending)
        terminate(session);
}

void iw_ddp_session_end(struct iw_ddp_session *session, enum iw_port_end end, const char *reason) {
    session->unheard = session->ending = false;
    answer(session, session->accepted);
    session->own_over = true; /* nothing goes any more */
    if (session->port != NULL && !session->port->handled)
        session->port->open = true; /* so that it is told once it has handlers */
    if (end != IW_PORT_FIN || !session->peer_over)
        push_end(session, end, reason);
    session->peer_over = true;
}

/* ---- life ---- */

/* Side A of the port is who initiates. */
static void set_addresses(struct iw_ddp_session *session) {
    struct iw_sctp_link *link = session->association->link;
    struct iw_port *port = session->port;

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        bool own = side == own_side(session);
        enum iw_side link_side = own == iw_sctp_link_opener(link) ? IW_SIDE_A : IW_SIDE_B;

        port->addresses[side] = iw_sctp_link_addresses(link)[link_side];
    }
    iw_port_name(&port->addresses[iw_side_other(own_side(session))], port->label);
}

void iw_ddp_session_open(struct iw_ddp_session *session) {
    struct iw_ddp_item *item;

    if (session->port == NULL)
        return;
    set_addresses(session);
    item = session->port->handled ? new_item(NULL, 0) : NULL;
    if (item == NULL) {
        session->port->open = true;
        return;
    }
    item->opens = true;
    STAILQ_INSERT_TAIL(&session->inbox, item, next);
    wake(session);
}

struct iw_ddp_session *iw_ddp_session_new(
    struct iw_ddp_association *association, uint16_t stream, bool active) {
    static const struct iw_mpa_config config = {.expected = true, .crc = IW_MPA_OFF};
    struct iw_ddp_session *session = calloc(1, sizeof *session);

    if (session == NULL)
        return NULL;
    session->port = iw_port_make(iw_sctp_stack_loop(association->stack), &port_kind, active);
    if (session->port == NULL) {
        free(session);
        return NULL;
    }
    session->association = association;
    session->stream = stream;
    session->active = active;
    STAILQ_INIT(&session->inbox);
    session->port->beneath = session;
    if (association->open)
        set_addresses(session);
    else
        snprintf(session->port->label, sizeof session->port->label, "%s", association->label);
    session->port->open = association->open;
    iw_mpa_init(&session->mpa, &config, hear_own, session);
    feed(session, IW_SIDE_A, IW_CHUNK_START, NULL, 0);
    feed(session, IW_SIDE_B, IW_CHUNK_START, NULL, 0);
    TAILQ_INSERT_TAIL(&association->sessions, session, all);
    return session;
}

void iw_ddp_session_free(struct iw_ddp_session *session) {
    if (session->port != NULL)
        session->port->beneath = NULL;
    iw_timer_stop(&session->turn);
    drop_items(&session->inbox);
    iw_ddp_early_drop(&session->early, &session->association->early_octets);
    iw_mpa_dispose(&session->mpa);
    TAILQ_REMOVE(&session->association->sessions, session, all);
    free(session);
}

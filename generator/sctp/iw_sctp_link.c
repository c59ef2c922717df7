#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <usrsctp.h>

#include "iw_bits.h"
#include "iw_ip.h"
#include "iw_port.h"
#include "iw_sctp_association.h"
#include "iw_sctp_link_state.h"
#include "iw_sctp_packet.h"

enum {
    PACKET_OCTETS = IW_SCTP_ROUTE_OCTETS,
    UNDER_WAY_MAX = 32767, /* chunks (RFC 5043 10) */
    STREAMS = 16,
    WINDOW = 1 << 20,
    SEND_OCTETS = 1 << 20, /* that usrsctp takes before they are acknowledged */
    FLOOD_OCTETS = 1 << 23,
    QUEUED_MAX = 16 << 20, /* octets that may wait for it */
    MESSAGE_OCTETS_MAX = IW_SCTP_MESSAGE_OCTETS_MAX,
};

struct iw_sctp_outgoing {
    STAILQ_ENTRY(iw_sctp_outgoing) next;
    uint16_t stream;
    uint32_t ppid;
    bool ordered;
    size_t length;
    uint8_t octets[];
};

static void take_turn(void *user);

/* usrsctp calls while it is busy with the association: what is to be done is done from the loop. */
void iw_sctp_link_wake(struct iw_sctp_link *link) {
    if (!link->freed && !iw_timer_runs(&link->turn))
        iw_timer_start(&link->turn, iw_sctp_stack_loop(link->stack), 0, take_turn, link);
}

static void on_upcall(struct socket *socket, void *user, int flags) {
    (void)socket;
    (void)flags;
    iw_sctp_link_wake(user);
}

/* ---- life ---- */

static void set(struct socket *socket, int option, const void *value, size_t size) {
    usrsctp_setsockopt(socket, IPPROTO_SCTP, option, value, (socklen_t)size);
}

static void set_events(struct socket *socket) {
    static const uint16_t types[] = {SCTP_ASSOC_CHANGE, SCTP_SENDER_DRY_EVENT};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const struct sctp_event event = {.se_assoc_id = SCTP_FUTURE_ASSOC, .se_type = types[i], .se_on = 1};

        set(socket, SCTP_EVENT, &event, sizeof event);
    }
}

struct socket *iw_sctp_link_socket(const struct iw_sctp_link_config *config) {
    uint16_t streams = config->streams > 0 ? config->streams : STREAMS;
    const struct sctp_initmsg init = {.sinit_num_ostreams = config->outbound > 0 ? config->outbound : streams,
        .sinit_max_instreams = streams};
    const struct sctp_assoc_value cut = {.assoc_value = config->cut};
    const struct sctp_setadaptation adaptation = {
        config->indication > 0 ? config->indication : (uint32_t)IW_SCTP_INDICATION};
    const struct sctp_paddrparams route = {
        .spp_address = {.ss_family = AF_CONN}, .spp_pathmtu = PACKET_OCTETS, .spp_flags = SPP_PMTUD_DISABLE};
    const struct sctp_sack_info sack = {.sack_freq = 1};
    const int on = 1;
    const int window = config->window > 0 ? (int)config->window : WINDOW;
    const int sending = config->flooding ? FLOOD_OCTETS : SEND_OCTETS;
    struct socket *socket = usrsctp_socket(AF_CONN, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);

    if (socket == NULL)
        return NULL;
    usrsctp_set_non_blocking(socket, 1);
    usrsctp_setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &window, sizeof window);
    usrsctp_setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &sending, sizeof sending);
    set(socket, SCTP_INITMSG, &init, sizeof init);
    set(socket, SCTP_NODELAY, &on, sizeof on);
    set(socket, SCTP_RECVRCVINFO, &on, sizeof on);
    set(socket, SCTP_PEER_ADDR_PARAMS, &route, sizeof route);
    set(socket, SCTP_DELAYED_SACK, &sack, sizeof sack);
    if (config->cut > 0)
        set(socket, SCTP_MAXSEG, &cut, sizeof cut);
    if (!config->unindicated)
        set(socket, SCTP_ADAPTATION_LAYER, &adaptation, sizeof adaptation);
    set_events(socket);
    return socket;
}

struct iw_sctp_link *iw_sctp_link_make(
    struct iw_sctp_stack *stack, struct iw_sctp_route *route, struct socket *socket) {
    struct iw_sctp_link *link = calloc(1, sizeof *link);

    if (link == NULL)
        return NULL;
    link->octets = malloc(MESSAGE_OCTETS_MAX);
    if (link->octets == NULL) {
        free(link);
        return NULL;
    }
    link->stack = stack;
    link->route = route;
    link->socket = socket;
    route->in_use = true;
    iw_port_name(&route->addresses[route->opener ? IW_SIDE_B : IW_SIDE_A], link->label);
    STAILQ_INIT(&link->waiting);
    usrsctp_set_upcall(socket, on_upcall, link);
    iw_sctp_stack_use(stack);
    return link;
}

static void drop_waiting(struct iw_sctp_link *link) {
    struct iw_sctp_outgoing *outgoing;

    while ((outgoing = STAILQ_FIRST(&link->waiting)) != NULL) {
        STAILQ_REMOVE_HEAD(&link->waiting, next);
        free(outgoing);
    }
    link->queued = 0;
}

/* Without linger: an association that is open is aborted (RFC 6458 8.1.4). */
static void close_socket(struct iw_sctp_link *link) {
    const struct linger hard = {.l_onoff = 1};

    if (link->socket == NULL)
        return;
    usrsctp_set_upcall(link->socket, NULL, NULL);
    usrsctp_setsockopt(link->socket, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    usrsctp_close(link->socket);
    link->socket = NULL;
}

static void destroy(struct iw_sctp_link *link) {
    free(link->octets);
    free(link);
}

static void enter(struct iw_sctp_link *link) {
    link->depth++;
}

static void leave(struct iw_sctp_link *link) {
    if (--link->depth == 0 && link->freed)
        destroy(link);
}

void iw_sctp_link_free(struct iw_sctp_link *link) {
    if (link == NULL)
        return;
    enter(link);
    link->freed = true;
    iw_timer_stop(&link->turn);
    close_socket(link);
    drop_waiting(link);
    iw_sctp_route_free(link->route);
    iw_sctp_wire_free(link->wire);
    iw_sctp_stack_leave(link->stack);
    leave(link);
}

/* ---- what comes ---- */

static void end_with(struct iw_sctp_link *link, enum iw_sctp_link_end end, const char *reason) {
    char text[IW_SCTP_LINK_TEXT_OCTETS];

    if (link->over || !link->handled)
        return;
    link->over = true;
    drop_waiting(link);
    snprintf(text, sizeof text, "%s: %s", link->label, reason);
    link->handlers.ended(link->user, end, text);
}

static void lose(struct iw_sctp_link *link) {
    if (link->refused != NULL)
        end_with(link, IW_SCTP_LINK_FAILED, link->refused);
    else if (link->route->aborted)
        end_with(link, link->open ? IW_SCTP_LINK_ABORTED : IW_SCTP_LINK_FAILED,
            link->open ? "association aborted by peer" : "association refused");
    else
        end_with(link, IW_SCTP_LINK_FAILED, link->open ? "the peer is silent" : "no answer");
}

static void tell_open(struct iw_sctp_link *link) {
    struct sctp_status status = {0};
    socklen_t size = sizeof status;

    if (link->open)
        return;
    link->open = true;
    link->peer = link->route->peer;
    if (usrsctp_getsockopt(link->socket, IPPROTO_SCTP, SCTP_STATUS, &status, &size) == 0) {
        link->peer.outbound = status.sstat_outstrms;
        link->peer.inbound = status.sstat_instrms;
    }
    link->handlers.connected(link->user);
}

/* The peer has begun anew, and knows nothing of any session (RFC 9260 5.2.4.1). */
static void restart(struct iw_sctp_link *link) {
    close_socket(link);
    end_with(link, IW_SCTP_LINK_ABORTED, "association begun anew by peer");
}

static void take_change(struct iw_sctp_link *link, const struct sctp_assoc_change *change) {
    switch (change->sac_state) {
    case SCTP_COMM_UP:
        tell_open(link);
        break;
    case SCTP_SHUTDOWN_COMP:
        end_with(link, IW_SCTP_LINK_SHUTDOWN, "association shut down");
        break;
    case SCTP_RESTART:
        restart(link);
        break;
    case SCTP_COMM_LOST:
    case SCTP_CANT_STR_ASSOC:
        lose(link);
        break;
    default:
        break;
    }
}

static void take_notification(struct iw_sctp_link *link) {
    const union sctp_notification *notification = (const union sctp_notification *)link->octets;

    if (link->count >= sizeof(struct sctp_assoc_change) &&
        notification->sn_header.sn_type == SCTP_ASSOC_CHANGE)
        take_change(link, &notification->sn_assoc_change);
    else if (link->count >= sizeof(struct sctp_sender_dry_event) &&
             notification->sn_header.sn_type == SCTP_SENDER_DRY_EVENT && link->open &&
             STAILQ_EMPTY(&link->waiting) && link->handlers.acknowledged != NULL)
        link->handlers.acknowledged(link->user);
}

static void take_message(struct iw_sctp_link *link, const struct sctp_rcvinfo *info) {
    const struct iw_sctp_message message = {.ordered = (info->rcv_flags & SCTP_UNORDERED) == 0,
        .stream = info->rcv_sid,
        .ppid = ntohl(info->rcv_ppid),
        .tsn = info->rcv_tsn,
        .length = (uint32_t)link->count,
        .captured = (uint32_t)link->count,
        .octets = link->octets,
        .time_ns = iw_loop_time_ns(iw_sctp_stack_loop(link->stack))};

    if (link->open)
        link->handlers.received(link->user, &message);
}

/* Octets, or the last of them. What is longer than any user data may be ends where those end: that tells
 * enough. */
static void take_octets(struct iw_sctp_link *link, const struct sctp_rcvinfo *info, bool last) {
    if (!link->beyond)
        take_message(link, info);
    link->beyond = !last;
}

/* Returns false if there is nothing more for now. */
static bool receive_one(struct iw_sctp_link *link) {
    struct sctp_rcvinfo info = {0};
    socklen_t info_size = sizeof info;
    socklen_t from_size = 0;
    unsigned type = 0;
    int flags = 0;
    ssize_t count = usrsctp_recvv(link->socket, link->octets + link->count, MESSAGE_OCTETS_MAX - link->count,
        NULL, &from_size, &info, &info_size, &type, &flags);

    if (count < 0 && (errno == EWOULDBLOCK || errno == EAGAIN || errno == EINTR || errno == ENOTCONN))
        return false;
    if (count <= 0) {
        if (count < 0)
            lose(link);
        else
            end_with(link, IW_SCTP_LINK_SHUTDOWN, "association shut down");
        return false;
    }
    link->count += (size_t)count;
    if ((flags & MSG_EOR) == 0 && link->count < MESSAGE_OCTETS_MAX)
        return true;
    if ((flags & MSG_NOTIFICATION) != 0)
        take_notification(link);
    else
        take_octets(link, &info, (flags & MSG_EOR) != 0);
    link->count = 0;
    return !link->freed && !link->over;
}

/* ---- what goes ---- */

/* RFC 5043 10: with more, a DDP-SSN could be taken for one of 65536 chunks later or earlier. */
static bool is_full(const struct iw_sctp_link *link) {
    uint32_t acknowledged = link->route->acked_tsn - link->route->first_tsn + 1;

    return link->route->begun && !link->flooding && (int32_t)(link->given - acknowledged) >= UNDER_WAY_MAX;
}

static bool give(struct iw_sctp_link *link, uint16_t stream, uint32_t ppid, bool ordered,
    const uint8_t *octets, size_t length) {
    struct sctp_sndinfo info = {
        .snd_sid = stream, .snd_flags = ordered ? 0 : SCTP_UNORDERED, .snd_ppid = htonl(ppid)};

    if (is_full(link))
        return false;
    if (usrsctp_sendv(link->socket, octets, length, NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0) < 0)
        return errno != EWOULDBLOCK && errno != EAGAIN && errno != ENOBUFS;
    link->given++;
    return true;
}

static void shut_if_asked(struct iw_sctp_link *link) {
    if (!link->closing || link->shut || !STAILQ_EMPTY(&link->waiting))
        return;
    link->shut = true;
    usrsctp_shutdown(link->socket, SHUT_WR);
}

static void send_waiting(struct iw_sctp_link *link) {
    struct iw_sctp_outgoing *first;
    bool waited = !STAILQ_EMPTY(&link->waiting);

    while ((first = STAILQ_FIRST(&link->waiting)) != NULL) {
        if (!give(link, first->stream, first->ppid, first->ordered, first->octets, first->length))
            return;
        STAILQ_REMOVE_HEAD(&link->waiting, next);
        link->queued -= sizeof *first + first->length;
        free(first);
    }
    shut_if_asked(link);
    if (waited)
        link->handlers.writable(link->user);
}

static void take_turn(void *user) {
    struct iw_sctp_link *link = user;

    if (!link->handled)
        return;
    enter(link);
    if (!link->route->opener && !link->over)
        tell_open(link);
    while (!link->freed && !link->over && receive_one(link))
        continue;
    if (!link->freed && !link->over && link->refused != NULL)
        lose(link);
    if (!link->freed && !link->over && link->open)
        send_waiting(link);
    leave(link);
}

enum iw_status iw_sctp_link_send(struct iw_sctp_link *link, uint16_t stream, uint32_t ppid, bool ordered,
    const uint8_t *octets, size_t length) {
    struct iw_sctp_outgoing *outgoing;

    if (!link->open || link->over || link->closing)
        return IW_OK;
    if (stream >= link->peer.outbound || length == 0 || length > MESSAGE_OCTETS_MAX)
        return IW_ERR_ARGUMENT;
    if (STAILQ_EMPTY(&link->waiting) && give(link, stream, ppid, ordered, octets, length))
        return IW_OK;
    outgoing = link->queued < QUEUED_MAX ? malloc(sizeof *outgoing + length) : NULL;
    if (outgoing == NULL)
        return IW_ERR_NOMEM;
    *outgoing =
        (struct iw_sctp_outgoing){.stream = stream, .ppid = ppid, .ordered = ordered, .length = length};
    memcpy(outgoing->octets, octets, length);
    STAILQ_INSERT_TAIL(&link->waiting, outgoing, next);
    link->queued += sizeof *outgoing + length;
    return IW_OK;
}

size_t iw_sctp_link_room(const struct iw_sctp_link *link) {
    (void)link;
    return PACKET_OCTETS - IW_SCTP_OCTETS - IW_SCTP_DATA_OCTETS;
}

size_t iw_sctp_link_queued(const struct iw_sctp_link *link) {
    return link->queued;
}

void iw_sctp_link_close(struct iw_sctp_link *link) {
    if (link->over || !link->open)
        return;
    link->closing = true;
    shut_if_asked(link);
}

void iw_sctp_link_abort(struct iw_sctp_link *link) {
    link->over = true;
    iw_timer_stop(&link->turn);
    drop_waiting(link);
    close_socket(link);
}

/* ---- past the stack ---- */

enum iw_status iw_sctp_link_inject(struct iw_sctp_link *link, const uint8_t *chunks, size_t length) {
    if (!link->open || length > IW_SCTP_ROUTE_OCTETS - IW_SCTP_OCTETS)
        return IW_ERR_ARGUMENT;
    iw_sctp_route_put_chunks(link->route, chunks, length);
    return IW_OK;
}

uint32_t iw_sctp_link_next_tsn(const struct iw_sctp_link *link) {
    return link->route->next_tsn;
}

uint32_t iw_sctp_link_ahead(const struct iw_sctp_link *link) {
    return link->route->ahead;
}

void iw_sctp_link_hold(struct iw_sctp_link *link, bool hold) {
    if (link->socket != NULL)
        iw_sctp_route_hold(link->route, hold);
}

/* ---- what is known ---- */

const struct iw_sctp_link_peer *iw_sctp_link_peer(const struct iw_sctp_link *link) {
    return &link->peer;
}

const struct iw_tcp_address *iw_sctp_link_addresses(const struct iw_sctp_link *link) {
    return link->route->addresses;
}

bool iw_sctp_link_opener(const struct iw_sctp_link *link) {
    return link->route->opener;
}

void iw_sctp_link_handle(
    struct iw_sctp_link *link, const struct iw_sctp_link_handlers *handlers, void *user) {
    link->handlers = *handlers;
    link->user = user;
    link->handled = true;
    link->route->broken = handlers->broken;
    link->route->broken_user = user;
    iw_sctp_link_wake(link);
}

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
    IN_FLIGHT_MAX = 32767, /* chunks (RFC 5043 10) */
    STREAMS = 16,
    SEND_OCTETS = 1 << 20, /* octets that usrsctp accepts before they are acknowledged */
    FLOOD_OCTETS = 1 << 23,
    QUEUED_MAX = 16 << 20, /* octets that may wait for usrsctp */
    MESSAGE_OCTETS_MAX = IW_SCTP_MESSAGE_OCTETS_MAX,
};

_Static_assert(IW_SCTP_LINK_PAYLOAD_MAX == PACKET_OCTETS - IW_SCTP_OCTETS - IW_SCTP_DATA_OCTETS, "one chunk");

struct iw_sctp_outgoing {
    STAILQ_ENTRY(iw_sctp_outgoing) next;
    uint16_t stream;
    uint32_t ppid;
    bool ordered;
    size_t length;
    uint8_t octets[];
};

static void link_on_turn(void *user);

/* Makes the loop call link_on_turn later. usrsctp may call this while it handles the association. */
void iw_sctp_link_wake(struct iw_sctp_link *link) {
    if (link->phase != IW_SCTP_LINK_OVER && !iw_timer_runs(&link->turn))
        iw_timer_start(&link->turn, iw_sctp_stack_loop(link->stack), 0, link_on_turn, link);
}

static void link_on_upcall(struct socket *socket, void *user, int flags) {
    (void)socket;
    (void)flags;
    iw_sctp_link_wake(user);
}

static void link_set_option(struct socket *socket, int option, const void *value, size_t size) {
    usrsctp_setsockopt(socket, IPPROTO_SCTP, option, value, (socklen_t)size);
}

static void link_set_events(struct socket *socket) {
    static const uint16_t types[] = {SCTP_ASSOC_CHANGE, SCTP_SENDER_DRY_EVENT};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const struct sctp_event event = {.se_assoc_id = SCTP_FUTURE_ASSOC, .se_type = types[i], .se_on = 1};

        link_set_option(socket, SCTP_EVENT, &event, sizeof event);
    }
}

struct socket *iw_sctp_link_socket(const struct iw_sctp_link_config *config) {
    uint16_t streams = config->streams > 0 ? config->streams : STREAMS;
    const struct sctp_initmsg init = {
        .sinit_num_ostreams = config->policy.outbound > 0 ? config->policy.outbound : streams,
        .sinit_max_instreams = streams};
    const struct sctp_assoc_value cut = {.assoc_value = config->policy.cut};
    const struct sctp_setadaptation adaptation = {
        config->indication > 0 ? config->indication : (uint32_t)IW_SCTP_INDICATION};
    const struct sctp_paddrparams route = {
        .spp_address = {.ss_family = AF_CONN}, .spp_pathmtu = PACKET_OCTETS, .spp_flags = SPP_PMTUD_DISABLE};
    const struct sctp_sack_info sack = {.sack_freq = 1};
    const int on = 1;
    const int window = config->window > 0 ? (int)config->window : IW_SCTP_WINDOW;
    const int sending = config->policy.flooding ? FLOOD_OCTETS : SEND_OCTETS;
    struct socket *socket = usrsctp_socket(AF_CONN, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);

    if (socket == NULL)
        return NULL;
    usrsctp_set_non_blocking(socket, 1);
    usrsctp_setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &window, sizeof window);
    usrsctp_setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &sending, sizeof sending);
    link_set_option(socket, SCTP_INITMSG, &init, sizeof init);
    link_set_option(socket, SCTP_NODELAY, &on, sizeof on);
    link_set_option(socket, SCTP_RECVRCVINFO, &on, sizeof on);
    link_set_option(socket, SCTP_PEER_ADDR_PARAMS, &route, sizeof route);
    link_set_option(socket, SCTP_DELAYED_SACK, &sack, sizeof sack);
    if (config->policy.cut > 0)
        link_set_option(socket, SCTP_MAXSEG, &cut, sizeof cut);
    if (!config->unindicated)
        link_set_option(socket, SCTP_ADAPTATION_LAYER, &adaptation, sizeof adaptation);
    link_set_events(socket);
    return socket;
}

struct iw_sctp_link *iw_sctp_link_make(struct iw_sctp_stack *stack, struct iw_sctp_route *route,
    struct socket *socket, const struct iw_sctp_link_config *config) {
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
    link->flooding = config->policy.flooding;
    iw_sctp_route_use(route);
    iw_port_name(&route->addresses[route->opener ? IW_SIDE_B : IW_SIDE_A], link->label);
    STAILQ_INIT(&link->waiting);
    usrsctp_set_upcall(socket, link_on_upcall, link);
    iw_sctp_stack_use(stack);
    return link;
}

static void link_drop_waiting(struct iw_sctp_link *link) {
    struct iw_sctp_outgoing *outgoing;

    while ((outgoing = STAILQ_FIRST(&link->waiting)) != NULL) {
        STAILQ_REMOVE_HEAD(&link->waiting, next);
        free(outgoing);
    }
    link->queued = 0;
}

/* With a linger time of 0, closing the socket aborts an open association (RFC 6458 8.1.4). */
static void link_close_socket(struct iw_sctp_link *link) {
    const struct linger hard = {.l_onoff = 1};

    if (link->socket == NULL)
        return;
    usrsctp_set_upcall(link->socket, NULL, NULL);
    usrsctp_setsockopt(link->socket, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    usrsctp_close(link->socket);
    link->socket = NULL;
}

static void link_leave(struct iw_sctp_link *link) {
    if (--link->depth > 0 || !link->freed)
        return;
    free(link->octets);
    free(link);
}

void iw_sctp_link_free(struct iw_sctp_link *link) {
    if (link == NULL)
        return;
    link->depth++;
    link->freed = true;
    link->phase = IW_SCTP_LINK_OVER;
    iw_timer_stop(&link->turn);
    link_close_socket(link);
    link_drop_waiting(link);
    iw_sctp_route_free(link->route);
    iw_sctp_wire_free(link->wire);
    iw_sctp_stack_leave(link->stack);
    link_leave(link);
}

static bool link_is_open(const struct iw_sctp_link *link) {
    return link->phase >= IW_SCTP_LINK_OPEN && link->phase < IW_SCTP_LINK_OVER;
}

static void link_end_with(struct iw_sctp_link *link, enum iw_sctp_link_end end, const char *reason) {
    char text[IW_SCTP_LINK_TEXT_OCTETS];

    if (link->phase == IW_SCTP_LINK_OVER)
        return;
    link->phase = IW_SCTP_LINK_OVER;
    link_drop_waiting(link);
    snprintf(text, sizeof text, "%s: %s", link->label, reason);
    link->handlers.ended(link->user, end, text);
}

static void link_report_loss(struct iw_sctp_link *link) {
    bool open = link_is_open(link);

    if (link->refused != NULL)
        link_end_with(link, IW_SCTP_LINK_FAILED, link->refused);
    else if (link->route->seen.aborted)
        link_end_with(link, open ? IW_SCTP_LINK_ABORTED : IW_SCTP_LINK_FAILED,
            open ? "association aborted by peer" : "association refused");
    else
        link_end_with(link, IW_SCTP_LINK_FAILED, open ? "the peer is silent" : "no answer");
}

static void link_report_open(struct iw_sctp_link *link) {
    struct sctp_status status = {0};
    socklen_t size = sizeof status;

    if (link->phase != IW_SCTP_LINK_OPENING)
        return;
    link->phase = IW_SCTP_LINK_OPEN;
    link->peer = link->route->seen.peer;
    if (usrsctp_getsockopt(link->socket, IPPROTO_SCTP, SCTP_STATUS, &status, &size) == 0) {
        link->peer.outbound = status.sstat_outstrms;
        link->peer.inbound = status.sstat_instrms;
    }
    link->handlers.connected(link->user);
}

static void link_on_change(struct iw_sctp_link *link, const struct sctp_assoc_change *change) {
    switch (change->sac_state) {
    case SCTP_COMM_UP:
        link_report_open(link);
        break;
    case SCTP_SHUTDOWN_COMP:
        link_end_with(link, IW_SCTP_LINK_SHUTDOWN, "association shut down");
        break;
    case SCTP_RESTART:
        link_close_socket(link); /* the DDP Stream Sessions are lost (RFC 9260 5.2.4.1) */
        link_end_with(link, IW_SCTP_LINK_ABORTED, "association restarted by peer");
        break;
    case SCTP_COMM_LOST:
    case SCTP_CANT_STR_ASSOC:
        link_report_loss(link);
        break;
    default:
        break;
    }
}

static void link_on_notification(struct iw_sctp_link *link) {
    const union sctp_notification *notification = (const union sctp_notification *)link->octets;

    if (link->count >= sizeof(struct sctp_assoc_change) &&
        notification->sn_header.sn_type == SCTP_ASSOC_CHANGE)
        link_on_change(link, &notification->sn_assoc_change);
    else if (link->count >= sizeof(struct sctp_sender_dry_event) &&
             notification->sn_header.sn_type == SCTP_SENDER_DRY_EVENT && link_is_open(link) &&
             STAILQ_EMPTY(&link->waiting) && link->handlers.acknowledged != NULL)
        link->handlers.acknowledged(link->user);
}

static void link_receive_message(struct iw_sctp_link *link, const struct sctp_rcvinfo *info) {
    const struct iw_sctp_message message = {.ordered = (info->rcv_flags & SCTP_UNORDERED) == 0,
        .stream = info->rcv_sid,
        .ppid = ntohl(info->rcv_ppid),
        .tsn = info->rcv_tsn,
        .length = (uint32_t)link->count,
        .captured = (uint32_t)link->count,
        .octets = link->octets,
        .time_ns = iw_loop_time_ns(iw_sctp_stack_loop(link->stack))};

    if (link_is_open(link))
        link->handlers.received(link->user, &message);
}

/* Receives a part of a message or notification, and handles it when complete. Returns false if there is
 * nothing to receive for now, or if the link has ended. */
static bool link_receive_one(struct iw_sctp_link *link) {
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
            link_report_loss(link);
        else
            link_end_with(link, IW_SCTP_LINK_SHUTDOWN, "association shut down");
        return false;
    }
    link->count += (size_t)count;
    if ((flags & MSG_EOR) == 0 && link->count < MESSAGE_OCTETS_MAX)
        return true;
    if ((flags & MSG_NOTIFICATION) != 0) {
        link_on_notification(link);
    } else {
        if (!link->overlong) /* only the first part of an overlong message is passed on */
            link_receive_message(link, &info);
        link->overlong = (flags & MSG_EOR) == 0;
    }
    link->count = 0;
    return link->phase != IW_SCTP_LINK_OVER;
}

/* Whether as many chunks are in flight as DDP-SSNs can distinguish (RFC 5043 10). */
static bool link_is_full(const struct iw_sctp_link *link) {
    uint32_t acknowledged = link->route->seen.acked_tsn - link->route->seen.first_tsn + 1;

    return link->route->seen.own_tsns && !link->flooding &&
           (int32_t)(link->submitted - acknowledged) >= IN_FLIGHT_MAX;
}

static bool link_submit(struct iw_sctp_link *link, uint16_t stream, uint32_t ppid, bool ordered,
    const uint8_t *octets, size_t length) {
    struct sctp_sndinfo info = {
        .snd_sid = stream, .snd_flags = ordered ? 0 : SCTP_UNORDERED, .snd_ppid = htonl(ppid)};

    if (link_is_full(link))
        return false;
    if (usrsctp_sendv(link->socket, octets, length, NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0) < 0)
        return errno != EWOULDBLOCK && errno != EAGAIN && errno != ENOBUFS;
    link->submitted++;
    return true;
}

static void link_shut_if_closing(struct iw_sctp_link *link) {
    if (link->phase != IW_SCTP_LINK_CLOSING || !STAILQ_EMPTY(&link->waiting))
        return;
    link->phase = IW_SCTP_LINK_SHUT;
    usrsctp_shutdown(link->socket, SHUT_WR);
}

static void link_send_waiting(struct iw_sctp_link *link) {
    struct iw_sctp_outgoing *first;
    bool waited = !STAILQ_EMPTY(&link->waiting);

    while ((first = STAILQ_FIRST(&link->waiting)) != NULL) {
        if (!link_submit(link, first->stream, first->ppid, first->ordered, first->octets, first->length))
            return;
        STAILQ_REMOVE_HEAD(&link->waiting, next);
        link->queued -= sizeof *first + first->length;
        free(first);
    }
    link_shut_if_closing(link);
    if (waited)
        link->handlers.writable(link->user);
}

static void link_on_turn(void *user) {
    struct iw_sctp_link *link = user;

    if (link->phase == IW_SCTP_LINK_UNHANDLED)
        return;
    link->depth++;
    if (!link->route->opener)
        link_report_open(link);
    while (link->phase != IW_SCTP_LINK_OVER && link_receive_one(link))
        continue;
    if (link->refused != NULL)
        link_report_loss(link);
    if (link_is_open(link))
        link_send_waiting(link);
    link_leave(link);
}

enum iw_status iw_sctp_link_send(struct iw_sctp_link *link, uint16_t stream, uint32_t ppid, bool ordered,
    const uint8_t *octets, size_t length) {
    struct iw_sctp_outgoing *outgoing;

    if (link->phase != IW_SCTP_LINK_OPEN)
        return IW_OK;
    if (stream >= link->peer.outbound || length == 0 || length > MESSAGE_OCTETS_MAX)
        return IW_ERR_ARGUMENT;
    if (STAILQ_EMPTY(&link->waiting) && link_submit(link, stream, ppid, ordered, octets, length))
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

size_t iw_sctp_link_queued(const struct iw_sctp_link *link) {
    return link->queued;
}

void iw_sctp_link_close(struct iw_sctp_link *link) {
    if (link->phase != IW_SCTP_LINK_OPEN)
        return;
    link->phase = IW_SCTP_LINK_CLOSING;
    link_shut_if_closing(link);
}

void iw_sctp_link_abort(struct iw_sctp_link *link) {
    link->phase = IW_SCTP_LINK_OVER;
    iw_timer_stop(&link->turn);
    link_drop_waiting(link);
    link_close_socket(link);
}

enum iw_status iw_sctp_link_inject(struct iw_sctp_link *link, const uint8_t *chunks, size_t length) {
    if (!link_is_open(link) || length > IW_SCTP_ROUTE_OCTETS - IW_SCTP_OCTETS)
        return IW_ERR_ARGUMENT;
    iw_sctp_route_put_chunks(link->route, chunks, length);
    return IW_OK;
}

uint32_t iw_sctp_link_next_tsn(const struct iw_sctp_link *link) {
    return link->route->seen.next_tsn;
}

uint32_t iw_sctp_link_ahead(const struct iw_sctp_link *link) {
    return link->route->hold.ahead;
}

void iw_sctp_link_hold(struct iw_sctp_link *link, bool hold) {
    if (link->socket != NULL)
        iw_sctp_route_hold(link->route, hold);
}

const struct iw_sctp_link_peer *iw_sctp_link_peer(const struct iw_sctp_link *link) {
    return &link->peer;
}

void iw_sctp_link_handle(
    struct iw_sctp_link *link, const struct iw_sctp_link_handlers *handlers, void *user) {
    link->handlers = *handlers;
    link->user = user;
    link->phase = IW_SCTP_LINK_OPENING;
    link->route->broken = handlers->broken;
    link->route->broken_user = user;
    iw_sctp_link_wake(link);
}

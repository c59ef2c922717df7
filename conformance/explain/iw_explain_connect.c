#include "iw_explain_connect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_explain_word.h"
#include "iw_plural.h"
#include "iw_tcp_address_text.h"

/* A shorter wait of a listener is not for the Request: it closes at once, as a full or ending program does.
 */
#define CONNECT_WAIT_NS UINT64_C(1000000000)

void iw_explain_connects_clear(struct iw_explain_connects *connects) {
    free(connects->listeners);
    free(connects->connects);
    *connects = (struct iw_explain_connects){0};
}

static const struct iw_explain_listener *connect_find_listener(
    const struct iw_explain_connects *connects, const struct iw_tcp_address *address) {
    for (size_t i = 0; i < connects->listener_count; i++)
        if (iw_tcp_address_equal(&connects->listeners[i].address, address))
            return &connects->listeners[i];
    return NULL;
}

void iw_explain_connects_accepted(
    struct iw_explain_connects *connects, const struct iw_check_stream *stream) {
    const struct iw_mpa_terms *terms = iw_monitor_terms(stream->monitor);
    const struct iw_tcp_address *address;

    if (stream->session != NULL || !terms->settled) /* settled: the capture has both directions */
        return;
    address = &stream->address[iw_side_other(terms->initiator)];
    if (connects->listener_count >= IW_EXPLAIN_LISTENERS || connect_find_listener(connects, address) != NULL)
        return;
    if (!iw_array_grow(&connects->listeners, connects->listener_count, sizeof *connects->listeners)) {
        connects->no_memory = true;
        return;
    }
    connects->listeners[connects->listener_count++] =
        (struct iw_explain_listener){.address = *address, .stream = stream->id, .frame = stream->first_frame};
}

/* Whether the capture has SYNs of `opener`, and of the other side nothing but RSTs (RFC 9293 3.5). */
static bool connect_has_failed(const struct iw_tcp_life *life, enum iw_side opener) {
    const struct iw_tcp_life_side *own = &life->side[opener], *peer = &life->side[iw_side_other(opener)];

    return own->syn && own->last_octets_frame == 0 && own->fin_frame == 0 && !peer->has_acked &&
           iw_tcp_life_trouble(life, opener)->rst_frame == 0 && !peer->syn && peer->last_octets_frame == 0 &&
           (peer->segments == 0 || iw_tcp_life_trouble(life, iw_side_other(opener))->rst_frame != 0);
}

/* The first frame by which the side closed or reset the connection; 0 without one. */
static uint64_t connect_end_frame(const struct iw_tcp_life *life, enum iw_side side) {
    uint64_t fin = life->side[side].fin_frame, rst = iw_tcp_life_trouble(life, side)->rst_frame;

    return fin != 0 && (rst == 0 || fin < rst) ? fin : rst;
}

/* Whether the other side accepted the connection of `opener`, got no octet, and closed it first after a wait.
 * A program that only tests whether the port is open closes it itself. */
static bool connect_is_unused(const struct iw_tcp_life *life, enum iw_side opener) {
    const struct iw_tcp_life_side *own = &life->side[opener], *peer = &life->side[iw_side_other(opener)];
    uint64_t closed = connect_end_frame(life, iw_side_other(opener)), left = connect_end_frame(life, opener);

    return own->syn && peer->syn && own->last_octets_frame == 0 && peer->last_octets_frame == 0 &&
           !iw_tcp_life_lacks(life, opener) && !iw_tcp_life_lacks(life, iw_side_other(opener)) &&
           closed != 0 && (left == 0 || left > closed) && life->idle_ns >= CONNECT_WAIT_NS;
}

/* Returns false if the connect of `opener` did not fail. Of the sides of an unused connection, both sent a
 * SYN: the address that accepts iWARP tells who opened it. */
static bool connect_outcome(
    const struct iw_tcp_life *life, enum iw_side opener, enum iw_explain_connect_outcome *outcome) {
    if (connect_has_failed(life, opener))
        *outcome = life->side[iw_side_other(opener)].segments > 0 ? IW_EXPLAIN_CONNECT_REFUSED
                                                                  : IW_EXPLAIN_CONNECT_UNANSWERED;
    else if (connect_is_unused(life, opener))
        *outcome = IW_EXPLAIN_CONNECT_UNUSED;
    else
        return false;
    return true;
}

/* Returns the row, a new one for the first connect; NULL: too many, or memory ran out. */
static struct iw_explain_connect *connect_row(struct iw_explain_connects *connects,
    const struct iw_tcp_address *to, enum iw_explain_connect_outcome outcome) {
    for (size_t i = 0; i < connects->connect_count; i++) {
        struct iw_explain_connect *row = &connects->connects[i];

        if (row->outcome == outcome && iw_tcp_address_equal(&row->to, to))
            return row;
    }
    if (connects->connect_count >= IW_EXPLAIN_CONNECTS)
        return NULL;
    if (!iw_array_grow(&connects->connects, connects->connect_count, sizeof *connects->connects)) {
        connects->no_memory = true;
        return NULL;
    }
    connects->connects[connects->connect_count] = (struct iw_explain_connect){.to = *to, .outcome = outcome};
    return &connects->connects[connects->connect_count++];
}

void iw_explain_connects_ended(struct iw_explain_connects *connects, const struct iw_check_stream *stream) {
    const struct iw_tcp_life *life = stream->life;
    enum iw_explain_connect_outcome outcome;
    struct iw_explain_connect *row;

    for (enum iw_side side = IW_SIDE_A; life != NULL && side <= IW_SIDE_B; side++) {
        if (!connect_outcome(life, side, &outcome))
            continue;
        row = connect_row(connects, &stream->address[iw_side_other(side)], outcome);
        if (row == NULL)
            return;
        if (row->connections++ == 0 || stream->first_frame < row->frame) {
            row->from = stream->address[side];
            row->frame = stream->first_frame;
            row->end_frame = connect_end_frame(life, iw_side_other(side));
            row->waited_ns = life->idle_ns;
            row->rejection = iw_tcp_life_trouble(life, side)->refused;
        }
        row->syns += life->side[side].segments;
        return;
    }
}

/* Adds the ICMP error, which says why there was no answer. */
static void connect_add_rejection(const struct iw_tcp_rejection *rejection,
    const struct iw_check_chain *chain, struct iw_diagnosed *diagnosed) {
    char reporter[IW_TCP_ADDRESS_TEXT_OCTETS], frame[IW_EXPLAIN_FRAME_OCTETS], error[IW_ICMP_TEXT_OCTETS];
    size_t used = strlen(diagnosed->detail);

    if (rejection->count == 0)
        return;
    diagnosed->confidence = IW_CONFIDENCE_CERTAIN;
    diagnosed->frames[diagnosed->frame_count++] = rejection->last.frame;
    snprintf(diagnosed->detail + used, sizeof diagnosed->detail - used, " %s reports in %s that %s.",
        iw_tcp_address_text_host(&rejection->icmp.reporter, reporter),
        iw_explain_frame(chain, rejection->last.frame, frame), iw_icmp_text(&rejection->icmp, error));
    snprintf(diagnosed->next, sizeof diagnosed->next,
        "Look at the host or router %s: its firewall rules, its routes, and what changed them at this time.",
        reporter);
}

/* What the responder's address did, in the detail of a cause. */
static void connect_put_detail(const struct iw_explain_connect *connect, const char *to, const char *from,
    const char *frame, char *text, size_t size) {
    uint64_t connections = connect->connections;

    if (connect->outcome == IW_EXPLAIN_CONNECT_UNUSED)
        snprintf(text, size,
            "%s closed %" PRIu64 " connection%s on which no octet came, the first of %s in %s, after %.3f s.",
            to, connections, iw_plural(connections), from, frame, (double)connect->waited_ns / 1e9);
    else
        snprintf(text, size, "%s %s %" PRIu64 " SYN%s of %" PRIu64 " connection%s, the first of %s in %s.",
            to, connect->outcome == IW_EXPLAIN_CONNECT_REFUSED ? "refused" : "did not answer", connect->syns,
            iw_plural(connect->syns), connections, iw_plural(connections), from, frame);
}

bool iw_explain_connect_diagnose(const struct iw_explain_connects *connects,
    const struct iw_explain_connect *connect, const struct iw_check_chain *chain,
    struct iw_diagnosed *diagnosed) {
    static const struct {
        enum iw_cause_id id;
        enum iw_confidence confidence;
    } causes[IW_EXPLAIN_CONNECT_OUTCOMES] = {
        [IW_EXPLAIN_CONNECT_UNANSWERED] = {IW_CAUSE_ID_CONNECT_UNANSWERED, IW_CONFIDENCE_LIKELY},
        [IW_EXPLAIN_CONNECT_REFUSED] = {IW_CAUSE_ID_CONNECT_REFUSED, IW_CONFIDENCE_CERTAIN},
        [IW_EXPLAIN_CONNECT_UNUSED] = {IW_CAUSE_ID_REQUEST_MISSING, IW_CONFIDENCE_POSSIBLE},
    };
    const struct iw_explain_listener *listener = connect_find_listener(connects, &connect->to);
    char from[IW_TCP_ADDRESS_TEXT_OCTETS], to[IW_TCP_ADDRESS_TEXT_OCTETS];
    char frame[IW_EXPLAIN_FRAME_OCTETS], accepted[IW_EXPLAIN_FRAME_OCTETS];
    size_t used;

    if (listener == NULL)
        return false;
    *diagnosed = (struct iw_diagnosed){.cause = &iw_causes[causes[connect->outcome].id],
        .confidence = causes[connect->outcome].confidence,
        .frames = {connect->frame},
        .frame_count = 1};
    if (connect->end_frame > connect->frame)
        diagnosed->frames[diagnosed->frame_count++] = connect->end_frame;
    iw_tcp_address_text(&connect->from, from);
    iw_tcp_address_text(&connect->to, to);
    connect_put_detail(connect, to, from, iw_explain_frame(chain, connect->frame, frame), diagnosed->detail,
        sizeof diagnosed->detail);
    used = strlen(diagnosed->detail);
    snprintf(diagnosed->detail + used, sizeof diagnosed->detail - used,
        " It accepted stream %" PRIu64 ", which begins in %s.", listener->stream,
        iw_explain_frame(chain, listener->frame, accepted));
    connect_add_rejection(&connect->rejection, chain, diagnosed);
    return true;
}

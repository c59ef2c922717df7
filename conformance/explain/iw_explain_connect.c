#include "iw_explain_connect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_explain_word.h"
#include "iw_plural.h"
#include "iw_tcp_address_text.h"

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

/* Returns the row, a new one for the first connect; NULL: too many, or memory ran out. */
static struct iw_explain_connect *connect_row(
    struct iw_explain_connects *connects, const struct iw_tcp_address *to, bool refused) {
    for (size_t i = 0; i < connects->connect_count; i++) {
        struct iw_explain_connect *row = &connects->connects[i];

        if (row->refused == refused && iw_tcp_address_equal(&row->to, to))
            return row;
    }
    if (connects->connect_count >= IW_EXPLAIN_CONNECTS)
        return NULL;
    if (!iw_array_grow(&connects->connects, connects->connect_count, sizeof *connects->connects)) {
        connects->no_memory = true;
        return NULL;
    }
    connects->connects[connects->connect_count] = (struct iw_explain_connect){.to = *to, .refused = refused};
    return &connects->connects[connects->connect_count++];
}

void iw_explain_connects_ended(struct iw_explain_connects *connects, const struct iw_check_stream *stream) {
    const struct iw_tcp_life *life = stream->life;
    struct iw_explain_connect *row;

    for (enum iw_side side = IW_SIDE_A; life != NULL && side <= IW_SIDE_B; side++) {
        if (!connect_has_failed(life, side))
            continue;
        row = connect_row(
            connects, &stream->address[iw_side_other(side)], life->side[iw_side_other(side)].segments > 0);
        if (row == NULL)
            return;
        if (row->connections++ == 0 || stream->first_frame < row->frame) {
            row->from = stream->address[side];
            row->frame = stream->first_frame;
            row->rst_frame = iw_tcp_life_trouble(life, iw_side_other(side))->rst_frame;
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

bool iw_explain_connect_diagnose(const struct iw_explain_connects *connects,
    const struct iw_explain_connect *connect, const struct iw_check_chain *chain,
    struct iw_diagnosed *diagnosed) {
    const struct iw_explain_listener *listener = connect_find_listener(connects, &connect->to);
    char from[IW_TCP_ADDRESS_TEXT_OCTETS], to[IW_TCP_ADDRESS_TEXT_OCTETS];
    char frame[IW_EXPLAIN_FRAME_OCTETS], accepted[IW_EXPLAIN_FRAME_OCTETS];

    if (listener == NULL)
        return false;
    *diagnosed = (struct iw_diagnosed){
        .cause = &iw_causes[connect->refused ? IW_CAUSE_ID_CONNECT_REFUSED : IW_CAUSE_ID_CONNECT_UNANSWERED],
        .confidence = connect->refused ? IW_CONFIDENCE_CERTAIN : IW_CONFIDENCE_LIKELY,
        .frames = {connect->frame},
        .frame_count = 1};
    if (connect->rst_frame > connect->frame)
        diagnosed->frames[diagnosed->frame_count++] = connect->rst_frame;
    iw_tcp_address_text(&connect->from, from);
    iw_tcp_address_text(&connect->to, to);
    snprintf(diagnosed->detail, sizeof diagnosed->detail,
        "%s %s %" PRIu64 " SYN%s of %" PRIu64
        " connection%s, the first of %s in %s. It accepted stream %" PRIu64 ", which begins in %s.",
        to, connect->refused ? "refused" : "did not answer", connect->syns, iw_plural(connect->syns),
        connect->connections, iw_plural(connect->connections), from,
        iw_explain_frame(chain, connect->frame, frame), listener->stream,
        iw_explain_frame(chain, listener->frame, accepted));
    connect_add_rejection(&connect->rejection, chain, diagnosed);
    return true;
}

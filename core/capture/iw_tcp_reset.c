#include "iw_tcp_reset.h"

#include "iw_tcp_seq.h"

enum iw_tcp_reset_rank iw_tcp_reset_rank(const struct iw_tcp_reset_place *place, uint32_t seq) {
    uint32_t most =
        place->has_ack && iw_tcp_seq_distance(place->seen, place->acked) > 0 ? place->acked : place->seen;

    if (place->has_ack && iw_tcp_seq_distance(place->acked, seq) < 0)
        return IW_TCP_RESET_NONE; /* its receiver already expects a later octet */
    /* Further ahead, more octets would be missing from the capture than can be in flight, or octets follow
     * the FIN; far behind, it is not of this connection. */
    if (iw_tcp_seq_distance(most, seq) > (place->closed ? 0 : IW_TCP_IN_FLIGHT_MAX) ||
        iw_tcp_seq_distance(place->next, seq) < -IW_TCP_IN_FLIGHT_MAX)
        return IW_TCP_RESET_NONE;
    if ((place->has_ack && seq == place->acked) || (seq == place->next && place->next == place->seen))
        return IW_TCP_RESET_EXACT;
    return IW_TCP_RESET_POSSIBLE;
}

bool iw_tcp_reset_keep(struct iw_tcp_reset *reset, const struct iw_tcp_reset *later) {
    bool given_up = reset->rank != IW_TCP_RESET_NONE;

    if (later->rank == IW_TCP_RESET_NONE || later->rank < reset->rank)
        return true;
    if (given_up && reset->seq == later->seq)
        return false; /* the same RST, retransmitted */
    *reset = *later;
    return given_up;
}

/* Drops the RST, if any, if sequence number `there` is after `limit`. Returns whether it was dropped. */
static bool reset_refute(struct iw_tcp_reset *reset, uint32_t limit, uint32_t there) {
    if (reset->rank == IW_TCP_RESET_NONE || iw_tcp_seq_distance(limit, there) <= 0)
        return false;
    reset->rank = IW_TCP_RESET_NONE;
    return true;
}

bool iw_tcp_reset_followed(struct iw_tcp_reset *reset, uint32_t end) {
    return reset_refute(reset, reset->end, end);
}

bool iw_tcp_reset_acked(struct iw_tcp_reset *reset, uint32_t ack) {
    return reset_refute(reset, reset->seq, ack);
}

bool iw_tcp_reset_closed(struct iw_tcp_reset *reset, uint32_t end) {
    return reset_refute(reset, end, reset->seq);
}

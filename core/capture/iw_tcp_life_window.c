#include "iw_tcp_life_part.h"
#include "iw_tcp_seq.h"

/* Closed windows, and whether octets wait at them. */

static void window_closes(struct iw_tcp_trouble *trouble, const struct iw_tcp_segment *segment) {
    if (trouble->zero_since.frame != 0)
        return;
    trouble->zero_since = iw_tcp_life_mark(segment);
    trouble->zero_probed = false;
    trouble->zero_asked.frame = 0;
    trouble->zero_opened.frame = 0;
    if (trouble->zero_windows++ == 0)
        trouble->zero_first_frame = segment->frame;
}

static void window_waited(struct iw_tcp_trouble *trouble, uint64_t closed_ns, uint64_t opened_ns) {
    if (closed_ns > trouble->zero_probed_ns)
        trouble->zero_probed_ns = closed_ns;
    trouble->zero_waited_ns = opened_ns;
}

static void window_opens(struct iw_tcp_trouble *trouble, const struct iw_tcp_segment *segment) {
    uint64_t closed_ns = iw_tcp_life_since(&trouble->zero_since, segment->time_ns);

    if (trouble->zero_since.frame == 0)
        return;
    if (closed_ns > trouble->zero_longest_ns)
        trouble->zero_longest_ns = closed_ns;
    if (trouble->zero_probed)
        window_waited(trouble, closed_ns, segment->time_ns);
    else if (trouble->zero_asked.frame != 0)
        trouble->zero_opened = iw_tcp_life_mark(segment);
    trouble->zero_opened_ns = closed_ns;
    trouble->zero_since.frame = 0;
}

/* Takes a segment of `side` to the window of the other side. A probe without new octets looks like a
 * keep-alive probe (RFC 9293 3.8.4): it shows that octets waited only if they come as soon as the window is
 * open. */
static void window_receives(
    const struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment) {
    struct iw_tcp_trouble *trouble = life->side[iw_side_other(side)].trouble;
    const struct iw_tcp_life_side *own = &life->side[side];
    bool fresh = segment->length > 0 &&
                 (!own->has_next || iw_tcp_seq_distance(own->next, segment->seq + segment->length) > 0);

    if (trouble == NULL)
        return;
    if (trouble->zero_since.frame != 0) {
        if (fresh || (segment->length > 0 && iw_tcp_life_in_flight(life, side)))
            trouble->zero_probed = true;
        else if (own->has_next && segment->seq == own->next - 1 && trouble->zero_asked.frame == 0)
            trouble->zero_asked = iw_tcp_life_mark(segment);
    } else if (fresh && trouble->zero_opened.frame != 0) {
        if (iw_tcp_life_since(&trouble->zero_opened, segment->time_ns) <= IW_TCP_LIFE_TIMEOUT_NS)
            window_waited(trouble, trouble->zero_opened_ns, trouble->zero_opened.time_ns);
        trouble->zero_opened.frame = 0;
    }
}

void iw_tcp_life_window(struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment) {
    struct iw_tcp_trouble *trouble = life->side[side].trouble;

    if ((segment->flags & (IW_TCP_ACK | IW_TCP_RST | IW_TCP_SYN)) == IW_TCP_ACK) {
        if (segment->window == 0 && (trouble = iw_tcp_life_change(life, side)) != NULL)
            window_closes(trouble, segment);
        else if (segment->window != 0 && trouble != NULL)
            window_opens(trouble, segment);
    }
    window_receives(life, side, segment);
}

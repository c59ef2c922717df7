#include <stdlib.h>
#include <string.h>

#include "iw_upper_state.h"

/* rping of rdma-core: a Send of 16 octets names a buffer by TO, STag and size, most significant octet first.
 * Many messages look so: only the use of exactly this buffer by the peer shows rping. */

enum { MESSAGE = 16, SIZE_MAX_OCTETS = 1 << 20 };

static void rping_add_buffer(struct iw_upper *upper, const struct iw_upper_send *send, const uint8_t *data) {
    const struct iw_upper_buffer buffer = {.to = iw_upper_big64(data),
        .stag = iw_upper_big32(data + 8),
        .length = iw_upper_big32(data + 12),
        .whole = iw_upper_big32(data + 12),
        .access = IW_UPPER_ACCESS_READ | IW_UPPER_ACCESS_WRITE,
        .operation = "rping"};

    /* rping names the same buffer again and again */
    iw_upper_invalidate(upper, send->side, buffer.stag);
    if (buffer.length > 0)
        iw_upper_buffer_add(upper, send, NULL, &buffer);
}

void iw_upper_rping_note(struct iw_upper *upper, const struct iw_upper_send *send) {
    uint32_t size;

    upper->rping_excluded |= send->octets != MESSAGE;
    if (upper->rping_excluded || send->captured != MESSAGE)
        return;
    size = iw_upper_big32(send->data + 12);
    if (size == 0 || size > SIZE_MAX_OCTETS)
        return;
    if (upper->rping == NULL)
        upper->rping = malloc(sizeof *upper->rping);
    if (upper->rping == NULL) {
        iw_upper_set_no_memory(upper);
        return;
    }
    upper->rping->send = *send;
    upper->rping->send.data = NULL;
    memcpy(upper->rping->data, send->data, MESSAGE);
}

bool iw_upper_rping_recognise(struct iw_upper *upper, const struct iw_upper_use *use) {
    const struct iw_upper_rping *rping = upper->rping;

    if (upper->rping_excluded || rping == NULL || rping->send.side == upper->side ||
        use->access != IW_UPPER_ACCESS_READ || use->to != iw_upper_big64(rping->data) ||
        use->stag != iw_upper_big32(rping->data + 8) || use->octets != iw_upper_big32(rping->data + 12))
        return false;
    upper->protocol = IW_ULP_RPING;
    rping_add_buffer(upper, &rping->send, rping->data);
    return true;
}

void iw_upper_send_rping(struct iw_upper *upper, const struct iw_upper_send *send) {
    if (send->octets == MESSAGE) {
        if (send->captured == MESSAGE)
            rping_add_buffer(upper, send, send->data);
        return;
    }
    iw_upper_set_lost(upper);
    upper->rping_excluded = true; /* all messages of rping have the same length */
    upper->protocol = IW_ULP_UNKNOWN;
    upper->unknown_sends++;
}

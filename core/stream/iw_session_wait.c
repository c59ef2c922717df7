#include "iw_session_stream.h"

#include <stdlib.h>
#include <string.h>

static struct iw_session_held *session_wait_copy(const struct iw_sctp_message *message, uint16_t ssn) {
    struct iw_session_held *held = malloc(sizeof *held + message->captured);

    if (held == NULL)
        return NULL;
    held->ssn = ssn;
    held->message = *message;
    if (message->captured > 0)
        memcpy(held->octets, message->octets, message->captured);
    held->message.octets = held->octets;
    return held;
}

/* Most chunks have the highest DDP-SSN so far, so the place after the last held chunk is tried first. */
static struct iw_session_held **session_wait_place(
    struct iw_session_wait *wait, uint16_t next, uint16_t ssn) {
    struct iw_session_held **place = &wait->first;
    uint16_t ahead = (uint16_t)(ssn - next);

    if (wait->last != NULL && (uint16_t)(wait->last->ssn - next) < ahead)
        return &wait->last->next;
    while (*place != NULL && (uint16_t)((*place)->ssn - next) < ahead)
        place = &(*place)->next;
    return place;
}

enum iw_session_kept iw_session_wait_keep(
    struct iw_session_wait *wait, uint16_t next, uint16_t ssn, const struct iw_sctp_message *message) {
    struct iw_session_held **place = session_wait_place(wait, next, ssn);
    struct iw_session_held *held;

    if (*place != NULL && (*place)->ssn == ssn)
        return IW_SESSION_KEPT_ALREADY;
    held = session_wait_copy(message, ssn);
    if (held == NULL)
        return IW_SESSION_NO_MEMORY;
    held->next = *place;
    *place = held;
    if (held->next == NULL)
        wait->last = held;
    wait->count++;
    return IW_SESSION_KEPT;
}

struct iw_session_held *iw_session_wait_take(struct iw_session_wait *wait) {
    struct iw_session_held *held = wait->first;

    wait->first = held->next;
    if (wait->first == NULL)
        wait->last = NULL;
    wait->count--;
    return held;
}

void iw_session_wait_clear(struct iw_session_wait *wait) {
    while (wait->first != NULL)
        free(iw_session_wait_take(wait));
}

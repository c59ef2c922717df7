#include "iw_sctp_link.h"

#include <stdio.h>
#include <stdlib.h>

/* SCTP of a build without usrsctp: no association can be opened or accepted, so no link ever exists. */

struct iw_sctp_stack {
    struct iw_loop *loop;
};

bool iw_sctp_stack_available(void) {
    return false;
}

struct iw_sctp_stack *iw_sctp_stack_new(struct iw_loop *loop) {
    struct iw_sctp_stack *stack = calloc(1, sizeof *stack);

    if (stack != NULL)
        stack->loop = loop;
    return stack;
}

void iw_sctp_stack_free(struct iw_sctp_stack *stack) {
    free(stack);
}

struct iw_loop *iw_sctp_stack_loop(const struct iw_sctp_stack *stack) {
    return stack->loop;
}

static void *absent_refuse(char *text) {
    snprintf(text, IW_SCTP_LINK_TEXT_OCTETS, "%s", IW_SCTP_STACK_ABSENT);
    return NULL;
}

struct iw_sctp_link *iw_sctp_link_connect(struct iw_sctp_stack *stack, const struct iw_sctp_where *peer,
    const struct iw_sctp_link_config *config, const struct iw_sctp_link_handlers *handlers, void *user,
    char *text) {
    (void)stack;
    (void)peer;
    (void)config;
    (void)handlers;
    (void)user;
    return absent_refuse(text);
}

struct iw_sctp_listener *iw_sctp_listener_new(struct iw_sctp_stack *stack, const struct iw_sctp_where *where,
    const struct iw_sctp_link_config *config, iw_sctp_listener_accept *accept, void *user, char *text) {
    (void)stack;
    (void)where;
    (void)config;
    (void)accept;
    (void)user;
    return absent_refuse(text);
}

void iw_sctp_link_free(struct iw_sctp_link *link) {
    if (link != NULL)
        abort();
}

void iw_sctp_listener_free(struct iw_sctp_listener *listener) {
    if (listener != NULL)
        abort();
}

/* Of a link or a listener, which does not exist. */

void iw_sctp_link_handle(
    struct iw_sctp_link *link, const struct iw_sctp_link_handlers *handlers, void *user) {
    (void)link;
    (void)handlers;
    (void)user;
    abort();
}

enum iw_status iw_sctp_link_send(struct iw_sctp_link *link, uint16_t stream, uint32_t ppid, bool ordered,
    const uint8_t *octets, size_t length) {
    (void)link;
    (void)stream;
    (void)ppid;
    (void)ordered;
    (void)octets;
    (void)length;
    abort();
}

size_t iw_sctp_link_queued(const struct iw_sctp_link *link) {
    (void)link;
    abort();
}

void iw_sctp_link_close(struct iw_sctp_link *link) {
    (void)link;
    abort();
}

void iw_sctp_link_abort(struct iw_sctp_link *link) {
    (void)link;
    abort();
}

enum iw_status iw_sctp_link_inject(struct iw_sctp_link *link, const uint8_t *chunks, size_t length) {
    (void)link;
    (void)chunks;
    (void)length;
    abort();
}

uint32_t iw_sctp_link_next_tsn(const struct iw_sctp_link *link) {
    (void)link;
    abort();
}

void iw_sctp_link_hold(struct iw_sctp_link *link, bool hold) {
    (void)link;
    (void)hold;
    abort();
}

uint32_t iw_sctp_link_ahead(const struct iw_sctp_link *link) {
    (void)link;
    abort();
}

const struct iw_sctp_link_peer *iw_sctp_link_peer(const struct iw_sctp_link *link) {
    (void)link;
    abort();
}

struct iw_sctp_where iw_sctp_listener_where(const struct iw_sctp_listener *listener) {
    (void)listener;
    abort();
}

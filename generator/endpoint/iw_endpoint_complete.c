#include <stdlib.h>

#include "iw_endpoint_state.h"

/* Completions, which are in the order of the posts (RFC 5040 5.5). A post that is no request is complete when
 * it is sent, unless requests before it are still open: then it waits for these in a ring. If the stream ends
 * before they are answered, what waits is flushed behind them (RFC 5041 6.2.2). */

enum { RING_LEAST = 16 };

static void tell(
    struct iw_endpoint *endpoint, enum iw_event_kind kind, const struct iw_endpoint_completion *post) {
    struct iw_event event = {.kind = kind, .error = IW_NO_ERROR, .opcode = post->opcode, .id = post->id};

    iw_endpoint_tell(endpoint, &event);
}

/* Whoever was told of what came before may have ended the stream. */
static void tell_completed(struct iw_endpoint *endpoint, const struct iw_endpoint_completion *post) {
    tell(endpoint, endpoint->phase == IW_PHASE_FULL ? IW_EVENT_COMPLETED : IW_EVENT_FLUSHED, post);
}

/* ---- those that wait ---- */

static bool grow(struct iw_endpoint_completions *waiting) {
    size_t capacity = waiting->capacity == 0 ? RING_LEAST : 2 * waiting->capacity;
    struct iw_endpoint_completion *larger = malloc(capacity * sizeof *larger);

    if (larger == NULL)
        return false;
    for (size_t i = 0; i < waiting->count; i++)
        larger[i] = waiting->ring[(waiting->first + i) % waiting->capacity];
    free(waiting->ring);
    *waiting =
        (struct iw_endpoint_completions){.ring = larger, .capacity = capacity, .count = waiting->count};
    return true;
}

static bool push(struct iw_endpoint_completions *waiting, const struct iw_endpoint_completion *post) {
    if (waiting->count == waiting->capacity && !grow(waiting))
        return false;
    waiting->ring[(waiting->first + waiting->count++) % waiting->capacity] = *post;
    return true;
}

/* The oldest one, if all requests before it are answered. */
static bool pop(struct iw_endpoint *endpoint, struct iw_endpoint_completion *post) {
    struct iw_endpoint_completions *waiting = &endpoint->completions;

    if (waiting->count == 0 || waiting->ring[waiting->first].after > endpoint->requests_answered)
        return false;
    *post = waiting->ring[waiting->first];
    waiting->first = (waiting->first + 1) % waiting->capacity;
    waiting->count--;
    return true;
}

void iw_endpoint_completions_dispose(struct iw_endpoint *endpoint) {
    free(endpoint->completions.ring);
}

/* ---- posts, and requests ---- */

void iw_endpoint_request_open(struct iw_endpoint *endpoint, struct iw_endpoint_post *post) {
    iw_post_list_push(&endpoint->open, post);
    post->open = true;
    endpoint->requests_sent++;
}

void iw_endpoint_post_sent(struct iw_endpoint *endpoint, struct iw_endpoint_post *post) {
    const struct iw_endpoint_completion own = {
        .id = post->post.id, .after = endpoint->requests_sent, .opcode = post->post.opcode};
    bool request = iw_endpoint_is_request(post->post.opcode);
    bool silent = post->silent;
    bool waits =
        !request && endpoint->open.first != NULL && !(endpoint->config.lapses & IW_OMITTED_CHECK_COMPLETED);

    if (request)
        iw_endpoint_request_open(endpoint, post);
    else
        iw_endpoint_post_free(endpoint, post);
    if (silent)
        return;
    if (waits && !push(&endpoint->completions, &own)) {
        iw_endpoint_give_up(endpoint, IW_ERROR_RDMAP_LOCAL_CATASTROPHIC, "out of memory");
        tell(endpoint, IW_EVENT_FLUSHED, &own);
        return;
    }
    tell(endpoint, IW_EVENT_SENT, &own);
    if (!request && !waits)
        tell_completed(endpoint, &own);
}

void iw_endpoint_request_answered(struct iw_endpoint *endpoint, struct iw_event *event) {
    struct iw_endpoint_post *post = iw_post_list_pop(&endpoint->open);
    struct iw_endpoint_completion next = {.id = post->post.id, .opcode = post->post.opcode};

    endpoint->requests_answered++;
    if (!post->silent)
        iw_endpoint_tell(endpoint, event);
    if (!post->silent && !post->by_hand)
        tell_completed(endpoint, &next);
    iw_endpoint_post_free(endpoint, post);
    while (pop(endpoint, &next))
        tell_completed(endpoint, &next);
}

void iw_endpoint_post_flushed(struct iw_endpoint *endpoint, struct iw_endpoint_post *post) {
    struct iw_endpoint_completion next = {.id = post->post.id, .opcode = post->post.opcode};

    endpoint->requests_answered += post->open;
    if (!post->silent && !post->by_hand)
        tell(endpoint, IW_EVENT_FLUSHED, &next);
    iw_endpoint_post_free(endpoint, post);
    while (pop(endpoint, &next))
        tell(endpoint, IW_EVENT_FLUSHED, &next);
}

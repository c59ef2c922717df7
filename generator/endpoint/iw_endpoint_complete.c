#include <stdlib.h>

#include "iw_endpoint_state.h"

/* Completions come in the order of the posts (RFC 5040 5.5). A post that is not a request completes once it
 * is sent and all earlier requests are answered; until then it waits in a ring. If the stream ends before the
 * responses come, the post is flushed after those requests (RFC 5041 6.2.2). */

enum { RING_MIN = 16 };

static void completion_report(
    struct iw_endpoint *endpoint, enum iw_event_kind kind, const struct iw_endpoint_completion *post) {
    struct iw_event event = {.kind = kind, .error = IW_NO_ERROR, .opcode = post->opcode, .id = post->id};

    iw_endpoint_notify(endpoint, &event);
}

/* Reports COMPLETED, or FLUSHED if a handler of an earlier event has ended the stream. */
static void completion_done(struct iw_endpoint *endpoint, const struct iw_endpoint_completion *post) {
    completion_report(
        endpoint, endpoint->phase == IW_PHASE_FULL ? IW_EVENT_COMPLETED : IW_EVENT_FLUSHED, post);
}

static bool completions_grow(struct iw_endpoint_completions *waiting) {
    size_t capacity = waiting->capacity == 0 ? RING_MIN : 2 * waiting->capacity;
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

static bool completions_push(
    struct iw_endpoint_completions *waiting, const struct iw_endpoint_completion *post) {
    if (waiting->count == waiting->capacity && !completions_grow(waiting))
        return false;
    waiting->ring[(waiting->first + waiting->count++) % waiting->capacity] = *post;
    return true;
}

static bool completions_pop(struct iw_endpoint *endpoint, struct iw_endpoint_completion *post) {
    struct iw_endpoint_completions *waiting = &endpoint->posts.completions;

    if (waiting->count == 0 || waiting->ring[waiting->first].after > endpoint->posts.requests_answered)
        return false;
    *post = waiting->ring[waiting->first];
    waiting->first = (waiting->first + 1) % waiting->capacity;
    waiting->count--;
    return true;
}

void iw_endpoint_completions_dispose(struct iw_endpoint *endpoint) {
    free(endpoint->posts.completions.ring);
}

void iw_endpoint_request_open(struct iw_endpoint *endpoint, struct iw_endpoint_post *post) {
    iw_post_list_push(&endpoint->posts.outstanding, post);
    post->open = true;
    endpoint->posts.requests_sent++;
}

void iw_endpoint_post_sent(struct iw_endpoint *endpoint, struct iw_endpoint_post *post) {
    const struct iw_endpoint_completion own = {
        .id = post->post.id, .after = endpoint->posts.requests_sent, .opcode = post->post.opcode};
    bool request = iw_endpoint_is_request(post->post.opcode);
    bool silent = post->silent;
    bool waits = !request && endpoint->posts.outstanding.first != NULL &&
                 iw_policy_enforces(&endpoint->config.policy, IW_POLICY_CHECK_COMPLETION);

    if (request)
        iw_endpoint_request_open(endpoint, post);
    else
        iw_endpoint_post_free(endpoint, post);
    if (silent)
        return;
    if (waits && !completions_push(&endpoint->posts.completions, &own)) {
        iw_endpoint_give_up(endpoint, IW_ERROR_RDMAP_LOCAL_CATASTROPHIC, "out of memory");
        completion_report(endpoint, IW_EVENT_FLUSHED, &own);
        return;
    }
    completion_report(endpoint, IW_EVENT_SENT, &own);
    if (!request && !waits)
        completion_done(endpoint, &own);
}

void iw_endpoint_request_answered(struct iw_endpoint *endpoint, struct iw_event *event) {
    struct iw_endpoint_post *post = iw_post_list_pop(&endpoint->posts.outstanding);
    struct iw_endpoint_completion next = {.id = post->post.id, .opcode = post->post.opcode};

    endpoint->posts.requests_answered++;
    if (!post->silent)
        iw_endpoint_notify(endpoint, event);
    if (!post->silent && !post->by_emit)
        completion_done(endpoint, &next);
    iw_endpoint_post_free(endpoint, post);
    while (completions_pop(endpoint, &next))
        completion_done(endpoint, &next);
}

void iw_endpoint_post_flushed(struct iw_endpoint *endpoint, struct iw_endpoint_post *post) {
    struct iw_endpoint_completion next = {.id = post->post.id, .opcode = post->post.opcode};

    endpoint->posts.requests_answered += post->open;
    if (!post->silent && !post->by_emit)
        completion_report(endpoint, IW_EVENT_FLUSHED, &next);
    iw_endpoint_post_free(endpoint, post);
    while (completions_pop(endpoint, &next))
        completion_report(endpoint, IW_EVENT_FLUSHED, &next);
}
